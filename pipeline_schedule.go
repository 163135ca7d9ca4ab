package pegboard

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lane"
)

// targets asks the tool what the call will do, and takes the keys that follow.
// A tool that fails to say so counts as one that could do anything.
func (j *job) targets(context.Context) *failure {
	j.stage = StageTargets
	var tr Traits
	if err := goroutine.Try(func() error { tr = j.entry.tool.Traits(j.call); return nil }); err != nil {
		j.batch.reportCrash(j.call.Name, j.stage, err) // and tr is zero, the cautious value
	}
	tr.Targets = cloneTargets(tr.Targets)
	j.aim(tr)
	return nil
}

// aim resolves the targets of tr and claims their keys. Where a path leads may
// change while it is looked up, by a call that ends just then; then it is looked
// up again, as long as the ticket still keeps everybody behind it.
func (j *job) aim(tr Traits) {
	if slices.ContainsFunc(tr.Targets, isPath) {
		j.aimAtPaths(tr)
		return
	}
	if j.renews { // its input named paths before it was changed
		j.ticket.SetRecompute(nil)
	}
	j.ticket.Claim(claimOf(tr, j.resolved(tr)))
}

func (j *job) aimAtPaths(tr Traits) {
	s := j.batch.pool.session
	j.renews = true
	j.ticket.SetRecompute(func() lane.Claim { return claimOf(tr, s.resolve(tr.Targets)) })
	for range maxRewrites {
		ended := j.ticket.EndedJobs()
		if j.ticket.ClaimIfNoneEnded(ended, claimOf(tr, j.resolved(tr))) {
			j.aimed = ended + 1
			return
		}
	}
	j.aimed = 0
	j.ticket.Claim(claimOf(tr, j.call.state.targets)) // hold looks once more
}

// resolved shows the call with tr and the targets that they lead to at present.
func (j *job) resolved(tr Traits) []Target {
	targets := j.call.state.session.resolve(tr.Targets)
	st := &j.version().st
	st.job, st.traits, st.targets = j, tr, targets
	return targets
}

func isPath(t Target) bool { return t.Kind == TargetPath }

// hold waits for the keys. What a path leads to may have changed meanwhile, by
// the very call that was waited for, so it is resolved again until it stays, unless
// no call of the batch has ended since.
func (j *job) hold(ctx context.Context) *failure {
	for range maxRewrites {
		if err := j.ticket.Wait(ctx); errors.Is(err, ErrDetached) {
			return &failure{err: err, text: fmt.Sprintf("%s was not run: it needs what a call holds that never returned (%v). "+
				"Do something that does not touch it, or tell the user.", j.call.Name, err)}
		} else if err != nil {
			return j.stopped(context.Cause(ctx))
		}
		if !j.holding {
			j.holding = true
			j.batch.hold()
		}
		st := j.call.state
		if !slices.ContainsFunc(st.targets, isPath) || j.aimed == j.ticket.EndedJobs()+1 {
			return nil
		}
		if now := st.session.resolve(st.traits.Targets); slices.EqualFunc(st.targets, now, Target.same) {
			return nil
		}
		j.aim(st.traits)
	}
	return &failure{
		err:  fmt.Errorf("%w: its paths keep changing", ErrDenied),
		text: fmt.Sprintf("%s was not run: what its paths lead to keeps changing. Try again later.", j.call.Name),
	}
}

// claimOf says which keys a call holds while it is decided and runs.
func claimOf(tr Traits, ts []Target) lane.Claim {
	if tr.Concurrency == Exclusive {
		return lane.Claim{Exclusive: true}
	}
	var keys []lane.Key
	for _, t := range ts {
		if t.Kind == TargetOpaque || t.Kind == TargetCommand {
			if tr.Concurrency == PerTarget { // nobody knows what it touches
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
				Write: t.Access != AccessRead,
				Tree:  t.Tree || (t.Kind == TargetPath && t.Access != AccessRead), // a link made there changes what lies below
			})
		}
	}
	if len(keys) == 0 && tr.Concurrency == PerTarget {
		return lane.Claim{Exclusive: true}
	}
	return lane.Claim{Keys: keys}
}
