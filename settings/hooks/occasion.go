package hooks

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync/atomic"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/policy"
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

// tellAll passes on the messages of handlers to the person.
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

// callPayload begins the payload of an event of a call.
func (o *occasion) callPayload(t pegboard.Tool, c *pegboard.Call) *payload {
	p := newPayload(o.runner, o.session, o.cwd, o.event, nil)
	p.addText("tool_name", c.ToolName())
	p.add("tool_input", toolInput(c))
	if t != nil {
		if origin := t.Info().Origin; origin.External() {
			// The file that configures the server is not known here, so no trusted source is named.
			p.add("mcp_server", jsonobject.With("name", jsonobject.Quote(origin.Source)).With("source", jsonobject.Quote("dynamic")).Encode())
		}
	}
	return p
}

// closed reports whether a hook could not answer since the session was closed.
func (o *occasion) closed(replies []*reply) bool {
	for _, r := range replies {
		if errors.Is(r.failure, errClosed) {
			return true
		}
	}
	return false
}

// change returns the decision with the changed input of a hook, if the tool accepts it.
func (o *occasion) change(h *pegboard.HookCall, v verdict, said map[string]bool) policy.Decision {
	input, changed := changedInput(h.Call, v.changed.input)
	if !changed {
		return v.decision
	}
	if refused, ok := checkInput(h.Call, input, v.changed.handler); !ok {
		return refused
	}
	own := *v.changed
	own.input, own.Context, own.message, own.stopReason, own.terminal = nil, nil, "", "", ""
	h.Say(o.rewrote(v.changed.handler))
	o.state.note(h.Identity(), &callNotes{input: input, reply: &own, said: said})
	v.decision.Input = input
	if v.decision.Behavior == policy.Allow && !v.changed.allow && h.Tool.Info().RequiresUser {
		v.decision.Behavior = policy.Undecided // only the hook that brings an answer can give it in the user's place
	}
	return v.decision
}

// sayOnce tells the model the texts of the hooks of a call, each once. It returns all texts that
// the model was told.
func (o *occasion) sayOnce(h *pegboard.HookCall, notes *callNotes, replies []*reply) map[string]bool {
	said := map[string]bool{}
	if notes != nil && notes.said != nil {
		said = notes.said
	}
	for _, r := range replies {
		for _, text := range r.Context {
			if !said[text] {
				said[text] = true
				h.Say(pegboard.Part{Text: text})
			}
		}
	}
	return said
}

// afterCall passes on the replies of hooks after a call.
func (o *occasion) afterCall(h *pegboard.HookCall, replies []*reply) {
	for _, r := range replies {
		if r.Block && r.Reason != "" {
			h.Say(pegboard.Part{Text: o.words(r.handler, r.Reason)})
		}
		for _, text := range r.Context {
			h.Say(pegboard.Part{Text: text})
		}
		h.Outcome.StopTurn = h.Outcome.StopTurn || r.Stop
	}
	o.tellAll(replies)
}

// stops reports whether the event is that an agent wants to stop.
func (o *occasion) stops() bool { return o.event == stop || o.event == subagentStop }

// answer joins the replies to an event of the loop.
func (o *occasion) answer(replies []*reply) Answer {
	var a Answer
	for _, r := range replies {
		b := r.Answer
		if !o.control.blocks {
			b.Block = false
		}
		switch {
		case !b.Block && !b.Stop:
			b.Reason = ""
		case b.Reason == "", r.ours, b.Stop:
		case o.control.goesOn:
			b.Reason = o.words(r.handler, b.Reason)
		case o.event == taskCreated, o.event == taskCompleted: // within the text of an error
			b.Reason = r.reason("")
		}
		if o.stops() && len(b.Context) > 0 { // the agent goes on to read it
			b.Block = true
		}
		a.join(&b)
	}
	if o.event == worktreeCreate && a.WorktreePath == "" {
		a.WorktreePath = printedPath(replies)
	}
	if !o.stops() {
		return a
	}
	if a.Stop {
		a.Block = false
	}
	limit := cmp.Or(o.runner.options.StopCap, defaultStopCap)
	if wanted := a.Block; o.state.countStop(a.Block, limit) != wanted {
		a.Block = false
		o.tell(fmt.Sprintf("Hooks have kept the agent from stopping %d times in a row, so it stops now.", limit))
	}
	return a
}

// replaceOutput gives the model another output of the call: that of the hook that ended last.
func (o *occasion) replaceOutput(h *pegboard.HookCall, replies []*reply) {
	var last *reply
	for _, r := range replies {
		if (r.toolOutput != nil || r.mcpToolOutput != nil) && (last == nil || r.ended > last.ended) {
			last = r
		}
	}
	if last == nil {
		return
	}
	external := h.Tool != nil && h.Tool.Info().Origin.External()
	output := last.toolOutput
	if external && output == nil {
		output = last.mcpToolOutput
	}
	var result *pegboard.Result
	err := errors.New("updatedMCPToolOutput is for tools of servers")
	switch {
	case output == nil:
	case external:
		result, err = externalResult(output), nil
	default:
		result, err = h.ResultOf(output)
	}
	if err != nil {
		o.runner.options.problem(last.handler, fmt.Errorf("the output of %s is left as it is: %w", h.Call.ToolName(), err))
		return
	}
	result.Messages = slices.Concat(h.Outcome.Result.Messages, result.Messages)
	result.StopTurn = result.StopTurn || h.Outcome.Result.StopTurn
	result.UpdateSession, result.Shown = h.Outcome.Result.UpdateSession, h.Outcome.Result.Shown
	h.Outcome.Result = result
}

// terminalSequences match the texts that hooks may send to the person's terminal: bells, and the
// operating system commands that set a title or show a notification or a progress. Others
// could answer for the person, move the cursor or reach the clipboard.
var terminalSequences = regexp.MustCompile(`^(?:\x07|\x1b\](?:0|1|2|9|99|777);[^\x00-\x1f\x7f-\x{9f}]*(?:\x07|\x1b\\))+$`)

// sendToTerminal sends the terminalSequence of a reply to the person's terminal.
func (o *occasion) sendToTerminal(r *reply) {
	send := o.runner.options.Terminal
	switch {
	case r.terminal == "" || send == nil:
	case !utf8.ValidString(r.terminal) || len(r.terminal) > maxText || !terminalSequences.MatchString(r.terminal):
		o.runner.options.problem(r.handler, errors.New("terminalSequence is left out: it holds more than bells and the sequences OSC 0, 1, 2, 9, 99 and 777"))
	default:
		if crash := patiently(func() { send(o.session, r.terminal) }); crash != nil {
			o.runner.options.problem(r.handler, fmt.Errorf("Options.Terminal: %w", crash))
		}
	}
}
