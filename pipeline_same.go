package pegboard

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// A neighbor is the call directly before another of the same tool in the message, as the
// model wrote it.
type neighbor struct {
	job  *job
	call Call
}

// findSame sets sameAs if the call before is the same and has an outcome that holds for
// both. It waits for that outcome while it holds its keys, and holds back no question.
//
// No call stands between the two and neither changes anything, so that the call would find
// what the one before has found.
func (j *job) findSame(ctx context.Context) *failure {
	if j.before == nil || j.replaced.Load() || len(j.repairs) > 0 || !j.call.ReadOnly() || !j.isSame() {
		return nil
	}
	before := j.before.job
	ended, f := j.waitForSame(ctx, before)
	if ended && before.published().suspended != nil { // it is compared again when that call goes on
		return j.suspend(&suspendedError{})
	}
	if f == nil && ended && before.answers(j) && j.call.decide(opinions{}).Behavior != Deny { // a rule that denies it says so itself
		j.sameAs = before
		if before.sameAs != nil {
			j.sameAs = before.sameAs
		}
	}
	return f
}

// isSame asks the tool whether the call before is the same.
func (j *job) isSame() (same bool) {
	before, own := j.before.call, j.call.state
	before.state = &callState{session: own.session, place: own.place, pool: own.pool, host: own.host, info: own.info, spec: own.spec}
	if err := goroutine.Try(func() error {
		j.foreign("Equivalent", func() { same = j.entry.tool.Equivalent(&before, j.call) })
		return nil
	}); err != nil {
		j.batch.logCrash(j.call, StageTargets, fmt.Errorf("the tool's Equivalent: %w", err))
		return false
	}
	return same
}

// waitForSame waits until the call before has ended. It gives up if the input of that call
// is replaced, or if that call waits for keys, which may be those of this one.
func (j *job) waitForSame(ctx context.Context, before *job) (ended bool, f *failure) {
	j.order.forSame.Store(true)
	defer j.order.forSame.Store(false)
	j.notifyHeld()
	for !ended {
		j.batch.mu.Lock()
		changed := before.order.watch() // before the check, so that no change after it is missed
		j.batch.mu.Unlock()
		if before.replaced.Load() || before.schedule.ticket.Waits() {
			return false, nil
		}
		select {
		case <-before.ended:
			ended = true
		case <-changed:
		case <-ctx.Done():
			return false, j.stopped(context.Cause(ctx))
		}
	}
	if cause := j.batch.stopCause(); cause != nil {
		return false, j.stopped(cause)
	}
	if ctx.Err() != nil {
		return false, j.stopped(context.Cause(ctx))
	}
	return true, nil
}

// answers reports whether the outcome of j, which has ended, holds for other, the same call
// after it. It does not if it says nothing about the call, but that it was stopped, was
// refused for lack of a budget, or is answered later. A call that got nowhere, such as one
// with the id of another, is not read-only.
func (j *job) answers(other *job) bool {
	same := func(t, o Target) bool { return t.Kind == o.Kind && t.Access == o.Access && t.samePlace(o) }
	if j.replaced.Load() || !j.call.ReadOnly() || j.call.state.place != other.call.state.place || !slices.EqualFunc(j.call.state.targets, other.call.state.targets, same) {
		return false
	}
	err := j.published().Err
	for _, e := range []error{ErrCancelled, ErrBudget, ErrDeadlock, ErrDeferred} {
		if errors.Is(err, e) {
			return false
		}
	}
	return true
}

// published returns the outcome of a call that has ended.
func (j *job) published() Outcome {
	j.batch.mu.Lock()
	defer j.batch.mu.Unlock()
	return *j.outcome
}

// sameOutcome makes the outcome of a call that is the same as sameAs.
func (j *job) sameOutcome() Outcome {
	first := j.sameAs.published()
	which := ""
	if first.Call.ID != "" {
		which = " (" + first.Call.ID + ")"
	}
	text := fmt.Sprintf("%s was not run again: a call before it in this message%s is the same. The result of that call holds for both.", j.call.Name, which)
	if first.Result.IsError {
		text += " It failed; see there why, and what to do next."
	}
	return Outcome{
		SameAs: first.Call,
		Result: &Result{Parts: []Part{{Text: text}}, IsError: first.Result.IsError, Data: first.Result.Data, Line: "The same as a call before it"},
		Err:    j.ownError(first.Err), OutputErr: j.ownError(first.OutputErr),
	}
}

// ownError returns the error of another call as one of j.
func (j *job) ownError(err error) error {
	var of *CallError
	if !errors.As(err, &of) {
		return nil
	}
	own := *of
	own.CallID = j.call.ID
	return &own
}
