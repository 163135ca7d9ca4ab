package pegboard

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/lane"
)

// A schedule is a call's place in the order of its batch.
type schedule struct {
	ticket     lane.Ticket
	resolvedAt uint64 // ticket.EndedJobs()+1 when the paths were last resolved; 0 forces another resolve
	recomputes bool   // its claim is recomputed when a conflicting call ends
	acquired   bool   // the batch counts the call among those that hold their keys
	announced  bool   // a listener knows which call it waits for
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
	j.schedule.ticket.Claim(claimOf(tr, j.resolveTargets(tr)))
}

func (j *job) claimPathKeys(tr Traits) {
	s, at := &j.schedule, j.call.state.place
	s.recomputes = true
	s.ticket.SetRecompute(func() lane.Claim { return claimOf(tr, at.resolve(tr.Targets, false)) })
	for range maxRewrites {
		ended := s.ticket.EndedJobs()
		if s.ticket.ClaimIfNoneEnded(ended, claimOf(tr, j.resolveTargets(tr))) {
			s.resolvedAt = ended + 1
			return
		}
	}
	s.resolvedAt = 0 // waitForKeys resolves once more
	s.ticket.Claim(claimOf(tr, j.call.state.targets))
}

// resolveTargets puts tr and its resolved targets into the call's snapshot.
func (j *job) resolveTargets(tr Traits) []Target {
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
		st := j.call.state
		if !slices.ContainsFunc(st.targets, isPath) || j.schedule.resolvedAt == j.schedule.ticket.EndedJobs()+1 {
			return nil
		}
		if now := st.resolve(st.traits.Targets); slices.EqualFunc(st.targets, now, Target.samePlace) {
			return nil
		}
		j.claimKeys(st.traits)
	}
	return &failure{
		err:  fmt.Errorf("%w: its paths keep changing", ErrDenied),
		text: fmt.Sprintf("%s was not run: what its paths lead to keeps changing. Try again later.", j.call.Name),
	}
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
