package pegboard

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
)

// awaitSupply waits until the host supplies the outcome of c, whose tool is running, or
// until ctx ends.
func (j *job) awaitSupply(ctx context.Context, c *Call, decode func(json.RawMessage) (func() (*Result, error), error)) (*Result, error) {
	if j.supplied != nil {
		return j.supplied.outcome()
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	j.answered.Store(false) // a wrapper may call the tool again
	accept := func(out Supply) (supplied, error) {
		s, err := out.check(decode)
		if err == nil && j.run.Cause() != nil { // it was stopped before
			err = ErrNotAwaited
		}
		if err == nil {
			j.answered.Store(true)
		}
		return s, err
	}
	line := j.session().awaited
	var call func() *AwaitedCall
	open := line.Add(func(id string) *awaiting {
		call = func() *AwaitedCall {
			return &AwaitedCall{ID: id, Tool: j.entry.tool, Call: c.copied(), AgentPath: slices.Clone(j.session().AgentPath())}
		}
		return &awaiting{call: call, accept: accept}
	})
	defer open.Remove()
	j.emitAwaited(EventAwaited, call(), "")
	select {
	case s := <-open.Answered():
		j.emitAwaited(EventReleased, call(), "")
		return s.outcome()
	case <-ctx.Done():
	}
	if !open.Withdraw() { // an answer was given, or is being checked
		if s, ok := <-open.Answered(); ok {
			j.emitAwaited(EventReleased, call(), "")
			return s.outcome()
		}
	}
	j.emitAwaited(EventReleased, call(), context.Cause(ctx).Error())
	return nil, context.Cause(ctx)
}

// stoppedBy returns why the tool was stopped before it returned err, or nil. A stop after
// the host has supplied the outcome does not count.
func (j *job) stoppedBy(err error) error {
	cause := j.run.Cause()
	if cause != nil && j.answered.Load() && !errors.Is(err, context.Canceled) && !errors.Is(err, cause) {
		return nil
	}
	return cause
}

// emitAwaited emits an event about a call that the host executes. A wrapper of the tool may
// have returned before, and the call may be over.
func (j *job) emitAwaited(kind EventKind, a *AwaitedCall, text string) {
	j.batch.events.queue(Event{Kind: kind, Call: j.call, Text: text, Awaited: a}, &j.over)
	j.batch.events.flush()
}
