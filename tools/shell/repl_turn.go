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
	maxBatch      = 100  // of tools that run as one batch
	maxLateOutput = 5000 // bytes shown of what was printed between two calls
)

// Why a process is stopped, beside the context of its call.
var (
	errCodeTime = errors.New("the code took too long")
	errRestart  = errors.New("a new interpreter was asked for")
)

// How a turn ends but by the end of its code.
var (
	errNotBegun    = errors.New("the process ended before the code began")
	errNotFinished = errors.New("the process ended before the code did")
)

// A turn is the time in which the code of one call runs.
type turn struct {
	child   *child
	call    *pegboard.Call
	timeout time.Duration
}

// run runs code and, in batches, the tools it calls. It returns whether an
// exception ended the code. With an error, errNotRun or errNoEnd, the process has
// ended or is about to.
func (t turn) run(ctx context.Context, number int, code string) (failed bool, err error) {
	release := context.AfterFunc(ctx, func() { t.child.process.Stop(context.Cause(ctx)) })
	watch := startStopwatch(t.timeout, func() { t.child.process.Stop(errCodeTime) })
	defer func() {
		if inTime, own := watch.pause(), release(); err == nil && (!inTime || !own) {
			err = errNotFinished // the process is on its way out
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
			over = true // and all replies have arrived
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
				t.callTools(ctx, watch, calls) // nobody waits for those
				return r.Error, nil
			}
		}
		if !over {
			t.callTools(ctx, watch, calls)
		}
	}
}

// callTools runs what code asks for as calls from inside its own and sends back
// what came of them. They are cancelled if the process ends.
func (t turn) callTools(ctx context.Context, watch *stopwatch, asked []reply) {
	if len(asked) == 0 {
		return
	}
	watch.pause() // the tools have limits of their own, and a person may be asked
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
	_ = t.child.send(answers...) // an error means that the process ends, which run sees
}

// toolAnswer is what a driver gets for a call of a tool.
type toolAnswer struct {
	Result int    `json:"result"` // the number of the call
	Text   string `json:"text"`
	Error  bool   `json:"error"`
}

// resultText is a result as code gets it: its text, and where a picture or a file was,
// what it is.
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
