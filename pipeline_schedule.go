package pegboard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lane"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A schedule is a call's place in the order of its batch.
type schedule struct {
	ticket     lane.Ticket
	keys       []lane.Key // of the last claim
	resolvedAt uint64     // ticket.EndedJobs()+1 when the paths were last resolved; 0 forces another resolve
	recomputes bool       // its claim is recomputed when a conflicting call ends
	acquired   bool       // the batch counts the call among those that hold their keys
	announced  bool       // a listener knows which call it waits for
}

// claimKeys resolves the targets of tr and claims their keys. A call that ends while
// paths are resolved may change where they lead; then they are resolved again. Meanwhile
// the ticket holds back all later calls.
func (j *job) claimKeys(tr Traits) {
	if slices.ContainsFunc(tr.Targets, isPath) {
		j.claimPathKeys(tr)
		return
	}
	if j.schedule.recomputes { // an earlier input named paths
		j.schedule.ticket.SetRecompute(nil)
	}
	j.schedule.ticket.Claim(j.claim(tr, j.resolveTargets(tr)))
}

// claim returns what the call claims, and keeps its keys for the time that it runs.
func (j *job) claim(tr Traits, ts []policy.Target) lane.Claim {
	c := claimOf(tr, ts)
	j.schedule.keys = c.Keys
	return c
}

// runningKeys returns the keys that a call holds against all calls of the conversation while it
// runs. A tool that polls holds none: it waits until others change what it reads. A thing that is
// run, such as a workflow, may run for hours, and be started again meanwhile. What a call changes
// of its own agent has the name of the agent.
func (j *job) runningKeys() []lane.Key {
	tr := &j.call.state.traits
	if len(j.schedule.keys) == 0 || j.entry.info.Polls {
		return nil
	}
	prefix := policy.Resource.String() + ":"
	runs := func(t policy.Target) bool { return t.Kind == policy.Resource && t.Access == policy.Run }
	if !tr.Own && !slices.ContainsFunc(tr.Targets, runs) {
		return j.schedule.keys
	}
	keys := slices.DeleteFunc(slices.Clone(j.schedule.keys), func(k lane.Key) bool {
		return slices.ContainsFunc(tr.Targets, func(t policy.Target) bool { return runs(t) && k.Name == prefix+t.Value })
	})
	for i := range keys {
		if tr.Own && strings.HasPrefix(keys[i].Name, prefix) {
			keys[i].Name += "/" + j.session().AgentID()
		}
	}
	return keys
}

func (j *job) claimPathKeys(tr Traits) {
	s, at := &j.schedule, j.call.state.place
	s.recomputes = true
	s.ticket.SetRecompute(func() lane.Claim { return claimOf(tr, at.Resolve(tr.Targets)) })
	for range maxRewrites {
		ended := s.ticket.EndedJobs()
		if s.ticket.ClaimIfNoneEnded(ended, j.claim(tr, j.resolveTargets(tr))) {
			s.resolvedAt = ended + 1
			return
		}
	}
	s.resolvedAt = 0 // waitForKeys resolves once more
	s.ticket.Claim(j.claim(tr, j.call.state.targets))
}

// resolveTargets puts tr and its resolved targets into the call's snapshot.
func (j *job) resolveTargets(tr Traits) []policy.Target {
	targets := j.call.state.resolve(tr.Targets)
	st := &j.nextSnapshot().st
	st.job, st.traits, st.targets = j, tr, targets
	return targets
}

// waitForKeys waits until the call holds its keys. The calls that it waited for may have
// changed where its paths lead, so these are resolved again until they stay the same.
func (j *job) waitForKeys(ctx context.Context) *failure {
	for range maxRewrites {
		j.notifyHeld()
		j.announceWait(ctx)
		if err := j.schedule.ticket.Wait(ctx); err != nil {
			return j.heldBack(ctx, err)
		}
		if !j.schedule.acquired {
			j.schedule.acquired = true
			j.batch.countKeys()
		}
		if j.schedule.resolvedAt == j.schedule.ticket.EndedJobs()+1 || !j.hasMoved() {
			return nil
		}
		j.claimKeys(j.call.state.traits)
	}
	return &failure{
		err:  fmt.Errorf("%w: its paths keep changing", ErrDenied),
		text: fmt.Sprintf("%s was not run: what its paths lead to keeps changing. Try again later.", j.call.Name),
	}
}

// hasMoved reports whether the paths of the call lead to other files than those that were decided.
func (j *job) hasMoved() bool {
	st := j.call.state
	return slices.ContainsFunc(st.targets, isPath) && !slices.EqualFunc(st.targets, st.resolve(st.traits.Targets), policy.Target.Same)
}

// heldBack is the failure of a call that did not get its keys.
func (j *job) heldBack(ctx context.Context, err error) *failure {
	if holder := (*detachedError)(nil); errors.As(err, &holder) {
		return &failure{err: err, text: fmt.Sprintf("%s was not run: it needs what a call holds that never returned (%s). "+
			"Do something that does not touch it, or tell the user.", j.call.Name, holder.name)}
	} else if errors.Is(err, ErrSuspended) {
		return j.suspend(&suspendedError{})
	}
	return j.stopped(context.Cause(ctx))
}

// announceWait emits EventWaiting, once for a call, if it has to wait for the keys of another
// one. Without a listener it does nothing.
func (j *job) announceWait(ctx context.Context) {
	if j.schedule.announced || j.batch.exec.OnEvent == nil {
		return
	}
	ticket, conflict, ok := j.schedule.ticket.Blocker(ctx)
	if !ok {
		return
	}
	jobs := j.batch.admitted()
	i := slices.IndexFunc(jobs, func(other *job) bool { return &other.schedule.ticket == ticket })
	if i < 0 { // a call of an earlier batch that was abandoned
		return
	}
	j.schedule.announced = true
	other := &jobs[i].snapshots.first[0].Call // as it was admitted: its later snapshots belong to its goroutine
	j.queueUnlessOver(Event{Kind: EventWaiting, Call: j.call, WaitsFor: other, Text: describeConflict(j.call, other, conflict)})
	j.batch.events.flush()
}

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
// the same as the one before.
func (j *job) findSame(ctx context.Context) *failure {
	if j.before == nil || j.replaced.Load() || len(j.repair.notes) > 0 || !j.call.readOnly() || !j.isSame() {
		return nil
	}
	before := j.before.job
	ended, f := j.waitForSame(ctx, before)
	if ended && before.published().suspended != nil { // it is compared again when that call goes on
		return j.suspend(&suspendedError{})
	}
	if f == nil && ended && before.answers(j) && j.call.decide(policy.Opinions{}).Behavior != policy.Deny { // a rule that denies it says so itself
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
	before.state = &callState{session: own.session, place: own.place, pool: own.pool, host: own.host, entry: own.entry, spec: own.spec}
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
			return false, j.mustStop(ctx)
		}
	}
	if f := j.mustStop(ctx); f != nil {
		return false, f
	}
	return true, nil
}

// answers reports whether the outcome of j, which has ended, holds for other, the same call
// after it. It does not if it says nothing about the call, but that it was stopped, was
// refused for lack of a budget, or is answered later. A call that got nowhere, such as one
// with the id of another, is not read-only.
func (j *job) answers(other *job) bool {
	same := func(t, o policy.Target) bool { return t.Kind == o.Kind && t.Access == o.Access && t.Same(o) }
	if j.replaced.Load() || !j.call.readOnly() || j.call.state.place != other.call.state.place || !slices.EqualFunc(j.call.state.targets, other.call.state.targets, same) {
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
