package pegboard

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/lane"
)

// A schedule is a call's place in the order of its batch.
type schedule struct {
	ticket     lane.Ticket
	resolvedAt uint64 // ticket.EndedJobs()+1 when the paths were last resolved; 0 forces another resolve
	recomputes bool   // its claim is recomputed when a conflicting call ends
	acquired   bool   // the batch counts the call among those that hold their keys
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
		if err := j.schedule.ticket.Wait(ctx); errors.Is(err, ErrDetached) {
			return &failure{err: err, text: fmt.Sprintf("%s was not run: it needs what a call holds that never returned (%v). "+
				"Do something that does not touch it, or tell the user.", j.call.Name, err)}
		} else if err != nil {
			return j.stopped(context.Cause(ctx))
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

// claimOf returns the keys that a call holds while it is decided and runs.
func claimOf(tr Traits, ts []Target) lane.Claim {
	if tr.Concurrency == Exclusive {
		return lane.Claim{Exclusive: true}
	}
	var keys []lane.Key
	for _, t := range ts {
		if t.Kind == TargetOpaque || t.Kind == TargetCommand {
			if tr.Concurrency == PerTarget { // it may touch anything
				return lane.Claim{Exclusive: true}
			}
			continue
		}
		if t.Shell.Guess {
			continue
		}
		names := t.names()
		if real := t.Real(); t.Kind == TargetPath && real != "" {
			names = append([]string{real}, t.Aliases...)
		}
		for _, n := range names {
			keys = append(keys, lane.Key{
				Name:  t.Kind.String() + ":" + filepath.ToSlash(n),
				Write: t.Access != AccessRead && !t.isStarted(),
				Tree:  t.Tree || (t.Kind == TargetPath && t.Access != AccessRead), // a new link there changes the paths below
			})
		}
	}
	if len(keys) == 0 && tr.Concurrency == PerTarget {
		return lane.Claim{Exclusive: true}
	}
	return lane.Claim{Keys: keys}
}
