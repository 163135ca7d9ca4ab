package shell

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

const (
	maxBatch      = 32   // tool calls that run as one batch, whose values are in memory together
	maxLateOutput = 5000 // bytes shown of the output between two calls

	startTime = time.Minute // until the code begins: a program that runs Python elsewhere may have to start there
)

// The causes that stop a process, besides the cancellation of its call.
var (
	errCodeTime  = errors.New("the code took too long")
	errStartTime = fmt.Errorf("the interpreter had not begun with the code after %v", startTime)
	errRestart   = errors.New("a new interpreter was asked for")
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

// A turnEnd says how the code of a turn ended.
type turnEnd struct {
	failed bool // by an exception
	late   bool // it was interrupted, or its process ended, because its time was over
}

// run runs code and, in batches, the tools that it calls. If it returns an error,
// errNotBegun or errNotFinished, the process has ended or is ending.
func (t turn) run(ctx context.Context, number int, code string) (end turnEnd, err error) {
	release := context.AfterFunc(ctx, func() { t.child.process.Stop(context.Cause(ctx)) })
	limit := deadline{child: t.child}
	watch := startStopwatch(startTime, func() { t.child.process.Stop(errStartTime) })
	defer func() {
		watch.pause()
		passed, killed := limit.end()
		if own := release(); err == nil && (killed || !own) {
			err = errNotFinished // the process is being stopped
		}
		end.late = passed
	}()
	if t.child.send(map[string]any{"run": number, "code": code}) != nil {
		return turnEnd{}, errNotBegun
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
			return turnEnd{}, err
		}
		var calls []reply
		for _, r := range replies {
			switch {
			case r.Call > 0:
				calls = append(calls, r)
			case r.Begun == number && errors.Is(err, errNotBegun): // once, whatever the code prints
				err = errNotFinished
				watch.pause()
				watch = startStopwatch(t.timeout, limit.pass)
			case r.Done == number:
				t.callTools(ctx, watch, calls) // the code does not wait for these calls
				return turnEnd{failed: r.Error}, nil
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
	outcomes := t.call.Run(ctx, calls...)
	for i := range outcomes {
		answers[i] = newToolAnswer(asked[i].Call, &outcomes[i], background.Of(t.call.Session()))
		outcomes[i] = pegboard.Outcome{} // for the garbage collector
	}
	_ = t.child.send(answers...) // after an error the process ends, which run notices
}

// A stopwatch calls a function after a time, not counting the time in which it was
// paused. It is not safe for concurrent use.
type stopwatch struct {
	left  time.Duration
	since time.Time
	timer *time.Timer
}

func startStopwatch(limit time.Duration, f func()) *stopwatch {
	return &stopwatch{left: limit, since: time.Now(), timer: time.AfterFunc(limit, f)}
}

// pause stops the clock. It returns false if the time was over.
func (w *stopwatch) pause() bool {
	inTime := w.timer.Stop()
	w.left -= time.Since(w.since)
	return inTime
}

// resume starts the clock again after pause.
func (w *stopwatch) resume() {
	w.since = time.Now()
	w.timer.Reset(max(w.left, 0))
}

// How code is interrupted whose time is over. The state of the interpreter outlives that; it
// is lost if the code does not end all the same.
const (
	interruptEvery = time.Second
	interruptTries = 3 // before the process is ended
)

// A deadline ends code that takes too long: it interrupts the code, and if that does not end,
// the process. Its methods may be called concurrently.
type deadline struct {
	child *child

	mu       sync.Mutex
	passed   bool // the time is over
	killed   bool // the process was ended
	over     bool // the code has ended
	attempts int
	timer    *time.Timer // of the next attempt
}

// pass is called when the time of the code is over.
func (d *deadline) pass() {
	d.mu.Lock()
	first := !d.passed && !d.over
	d.passed = d.passed || first
	d.mu.Unlock()
	if first {
		d.interrupt()
	}
}

// interrupt makes the next attempt to end the code.
func (d *deadline) interrupt() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over {
		return
	}
	d.attempts++
	if d.attempts > interruptTries {
		d.killed = true
		d.child.process.Stop(errCodeTime)
		return
	}
	all := d.attempts > 1 // a process that the code waits for may keep the code from being interrupted
	d.timer = time.AfterFunc(interruptEvery, d.interrupt)
	d.child.interrupt(all)
}

// end is called when the code has ended, and reports whether its time was over, and
// whether its process is being ended.
func (d *deadline) end() (passed, killed bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.over = true
	if d.timer != nil {
		d.timer.Stop()
	}
	return d.passed, d.killed
}
