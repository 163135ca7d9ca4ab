package shell

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

const (
	maxBatch      = 100  // tool calls that run as one batch
	maxLateOutput = 5000 // bytes shown of the output between two calls
)

// The causes that stop a process, besides the cancellation of its call.
var (
	errCodeTime = errors.New("the code took too long")
	errRestart  = errors.New("a new interpreter was asked for")
)

// Errors of a turn whose code did not end.
var (
	errNotBegun    = errors.New("the process ended before the code began")
	errNotFinished = errors.New("the process ended before the code did")
)

// A turn is the run of the code of one call.
type turn struct {
	child   *child
	call    *pegboard.Call
	timeout time.Duration
}

// run runs code and, in batches, the tools that it calls. It reports whether the code
// ended with an exception. If it returns an error, errNotBegun or errNotFinished, the
// process has ended or is ending.
func (t turn) run(ctx context.Context, number int, code string) (failed bool, err error) {
	release := context.AfterFunc(ctx, func() { t.child.process.Stop(context.Cause(ctx)) })
	watch := startStopwatch(t.timeout, func() { t.child.process.Stop(errCodeTime) })
	defer func() {
		if inTime, own := watch.pause(), release(); err == nil && (!inTime || !own) {
			err = errNotFinished // the process is being stopped
		}
	}()
	if t.child.send(map[string]any{"run": number, "code": code}) != nil {
		return false, errNotBegun
	}
	err = errNotBegun
	for {
		over := false
		select {
		case <-t.child.replyReady:
		case <-t.child.process.Done():
			over = true // every reply has been queued
		}
		replies := t.child.takeReplies(maxBatch)
		if len(replies) == 0 && over {
			return false, err
		}
		var calls []reply
		for _, r := range replies {
			switch {
			case r.Call > 0:
				calls = append(calls, r)
			case r.Begun == number:
				err = errNotFinished
			case r.Done == number:
				t.callTools(ctx, watch, calls) // the code does not wait for these calls
				return r.Error, nil
			}
		}
		if !over {
			t.callTools(ctx, watch, calls)
		}
	}
}

// callTools runs the tool calls that the code asks for as calls inside its own call,
// and sends the results to the code. The calls are cancelled if the process ends.
func (t turn) callTools(ctx context.Context, watch *stopwatch, asked []reply) {
	if len(asked) == 0 {
		return
	}
	watch.pause() // tools have their own timeouts, and a user may have to answer a question
	defer watch.resume()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	goroutine.Go(func() {
		select {
		case <-t.child.process.Done():
			cancel(errNotFinished)
		case <-ctx.Done():
		}
	})
	calls := make([]pegboard.Call, len(asked))
	for i, r := range asked {
		calls[i] = pegboard.Call{Name: r.Name, Input: r.Input}
		if t.call.ID != "" {
			calls[i].ID = fmt.Sprintf("%s/%d", t.call.ID, r.Call)
		}
		if string(r.Input) == "null" {
			calls[i].Input = json.RawMessage("{}")
		}
	}
	answers := make([]any, len(asked))
	for i, out := range t.call.Run(ctx, calls...) {
		answers[i] = toolAnswer{Result: asked[i].Call, Text: resultText(out.Result), Error: out.Err != nil || out.Result.IsError}
	}
	_ = t.child.send(answers...) // after an error the process ends, which run notices
}

// A toolAnswer is the answer to a tool call, for a driver.
type toolAnswer struct {
	Result int    `json:"result"` // the number of the call
	Text   string `json:"text"`
	Error  bool   `json:"error"`
}

// resultText returns a result as code gets it: its text, with a placeholder for each
// image or file.
func resultText(r *pegboard.Result) string {
	parts := make([]string, len(r.Parts))
	for i, p := range r.Parts {
		parts[i] = p.Text
		if p.MIME != "" {
			parts[i] = fmt.Sprintf("[%s, %d bytes]", p.MIME, len(p.Data))
		}
	}
	return strings.Join(parts, "\n")
}
