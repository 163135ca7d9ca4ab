package hooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// maxParallel is how many handlers of one event run at once.
const maxParallel = 16

// An occasion is one time that an event happens in a session.
type occasion struct {
	runner  *Runner
	session *pegboard.Session
	call    *pegboard.Call // that the event is about, or nil
	cwd     string         // of the session, or of the call that the event is about
	state   *sessionState
	event   string
	control control
	policy  bool // of ConfigChange: managed settings have changed, which no hook may refuse
	payload []byte
	emit    func(text string) // to the events of the call, or nil
}

// run runs handlers side by side, each on the same payload, and returns their replies in
// their order when all have ended. When ctx ends, so do the handlers.
func (o *occasion) run(ctx context.Context, handlers []*Handler) []*reply {
	replies := make([]*reply, len(handlers))
	var next, ended atomic.Int64
	work := func() {
		for i := next.Add(1) - 1; i < int64(len(handlers)); i = next.Add(1) - 1 {
			r := o.handle(ctx, handlers[i])
			r.ended = int(ended.Add(1))
			replies[i] = r
		}
	}
	var workers []<-chan error
	for range min(len(handlers), maxParallel) - 1 {
		workers = append(workers, goroutine.Go(work))
	}
	work()
	var crash error
	for _, done := range workers {
		crash = errors.Join(crash, <-done)
	}
	if crash != nil { // a bug: the caller's guard denies the call
		panic(crash)
	}
	return replies
}

// handle runs one handler and reads its answer.
func (o *occasion) handle(ctx context.Context, h *Handler) *reply {
	if o.emit != nil && h.StatusMessage != "" {
		o.emit(h.StatusMessage)
	}
	if h.Async && h.Type == typeCommand {
		o.startAsync(h)
		return &reply{handler: h}
	}
	limit := o.control.limit(h)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w: %v are over", errLate, limit))
	defer cancel()
	r := o.read(h, o.ask(ctx, h))
	o.shorten(ctx, r)
	return r
}

// ask has a handler answer.
func (o *occasion) ask(ctx context.Context, h *Handler) output {
	if ctx.Err() != nil {
		return output{failure: context.Cause(ctx)}
	}
	switch h.Type {
	case typeCommand:
		return o.runCommand(ctx, h)
	case typeHTTP:
		return o.post(ctx, h)
	case typeMCPTool:
		return o.invoke(ctx, h)
	case typePrompt, typeAgent:
		return o.prompt(ctx, h)
	}
	return output{failure: fmt.Errorf("%w: type %q is not known", errNoStart, h.Type)}
}

// invoke calls the tool of a hook.
func (o *occasion) invoke(ctx context.Context, h *Handler) output {
	input, err := o.fill(h.Input)
	if err != nil {
		return output{failure: fmt.Errorf("%w: %w", errNoStart, err)}
	}
	result, err := hostCall(ctx, func() (*pegboard.Result, error) { return o.runner.options.Invoke(ctx, h.Server, h.Tool, input) })
	switch {
	case err != nil:
		return output{failure: fmt.Errorf("%w: %w", errRefused, err)}
	case result == nil:
		return output{}
	case result.IsError:
		return output{failure: fmt.Errorf("%w: %s", errCode, result.Text())}
	}
	return output{stdout: []byte(result.Text())}
}

// fill returns the input of a tool with the values of the event in its texts.
func (o *occasion) fill(input json.RawMessage) (json.RawMessage, error) {
	if len(input) == 0 {
		return json.RawMessage("{}"), nil
	}
	template, err := decodeExact(input)
	if err != nil {
		return nil, err
	}
	event, err := decodeExact(o.payload)
	if err != nil {
		return nil, err
	}
	return encode(fillIn(template, event))
}

// prompt has a model answer.
func (o *occasion) prompt(ctx context.Context, h *Handler) output {
	text, err := hostCall(ctx, func() (string, error) {
		return o.runner.options.Prompt(ctx, *h, withArguments(h.Prompt, string(o.payload)))
	})
	if err != nil {
		return output{failure: fmt.Errorf("%w: %w", errRefused, err)}
	}
	return output{stdout: []byte(text)}
}

// hostCall calls a func of the host on a goroutine of its own, and abandons it when ctx ends.
func hostCall[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	returned := make(chan result, 1)
	crashed := goroutine.Go(func() {
		value, err := f()
		returned <- result{value, err}
	})
	var none T
	for {
		select {
		case r := <-returned:
			return r.value, r.err
		case crash := <-crashed:
			if crash != nil {
				return none, crash
			}
			crashed = nil
		case <-ctx.Done():
			return none, context.Cause(ctx)
		}
	}
}

// tell tells the person something.
func (o *occasion) tell(text string) {
	if text == "" {
		return
	}
	if o.emit != nil {
		o.emit(text)
	}
	o.runner.options.message(o.session, text)
}

// tellAll tells the person what handlers want it to know.
func (o *occasion) tellAll(replies []*reply) {
	for _, r := range replies {
		o.tell(r.message)
		o.sendToTerminal(r)
		if r.Stop {
			o.tell(r.stopReason)
		}
	}
}

// shorten cuts the texts of a reply that are too long, and marks those that are for the model.
func (o *occasion) shorten(ctx context.Context, r *reply) {
	for _, text := range []*string{&r.Reason, &r.stopReason, &r.message, &r.InitialUserMessage} {
		*text = o.short(ctx, *text)
	}
	for i := range r.Context {
		r.Context[i] = o.words(r.handler, o.short(ctx, r.Context[i]))
	}
}
