package pegboard

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lane"
)

// A jobOwner is the goroutine to which a job belongs: at first that of the job, later perhaps
// one that answers in its place.
type jobOwner struct {
	replaced bool               // by another owner
	left     *lane.AbandonedJob // names the func that has not returned; guarded by batch.mu
}

// foreign calls a func of the tool or the host on the job's goroutine. If f does not return
// within the grace period after the call was stopped, a successor answers the call; foreign
// then ends the goroutine when f returns.
func (j *job) foreign(what string, f func()) { j.excursion(what, 1, f) }

// excursion is foreign for an f that has so many grace periods if the call was stopped before.
func (j *job) excursion(what string, graces int, f func()) {
	owner := j.owner
	j.calls = what
	number := j.excursions.Begin(graces)
	defer func() {
		if !j.excursions.End(number) {
			j.leave(owner)
		}
	}()
	f()
}

// ownFunc is foreign for a func of the tool other than Call, which has the tool's Timeout, too.
// It fails if f takes too long.
func (j *job) ownFunc(ctx context.Context, what string, f func(context.Context)) *failure {
	limit := j.entry.info.Timeout
	if limit <= 0 {
		j.foreign(what, func() { f(ctx) })
		return nil
	}
	late := fmt.Errorf("%w after %v", ErrTimeout, limit)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer time.AfterFunc(limit, func() {
		cancel(late)
		j.limit(late)
	}).Stop()
	j.foreign(what, func() { f(ctx) })
	if errors.Is(context.Cause(ctx), late) {
		return j.stopped(late)
	}
	return nil
}

// limit gives each foreign func of a call that was stopped the grace period.
func (j *job) limit(cause error) {
	j.excursions.Stop(j.batch.grace, func(leave func() bool) { j.takeOver(cause, leave) })
}

// takeOver starts a successor if the job's goroutine is still where it was to leave.
func (j *job) takeOver(cause error, leave func() bool) {
	j.batch.mu.Lock()
	taken := leave()
	if taken {
		j.owner.left = j.session().abandoned.AddFree(j.calls + " of " + j.call.ToolName())
	}
	j.batch.mu.Unlock()
	if taken {
		goroutine.Start(&successor{job: j, cause: cause})
	}
}

// leave ends a goroutine to which the job does not belong any more.
func (j *job) leave(owner *jobOwner) {
	owner.replaced = true
	j.batch.mu.Lock()
	left := owner.left
	j.batch.mu.Unlock()
	left.Release()
	runtime.Goexit()
}

// A successor answers a call in the place of a goroutine that does not come back from a foreign
// func.
type successor struct {
	jobOwner
	job   *job
	cause error // of the stop
}

// Work implements [goroutine.Task].
func (s *successor) Work() {
	j := s.job
	j.owner = &s.jobOwner
	late := fmt.Errorf("%s has not returned, though the call was stopped: %w", j.calls, s.cause)
	j.batch.logCrash(j.call, j.stage, late)
	o := j.unhooked.outcome()
	switch {
	case !j.unhooked.kept && !j.ran():
		o = j.fail(j.stopped(s.cause))
	case !j.unhooked.kept:
		o = j.fail(&failure{err: late, text: fmt.Sprintf("%s ran, but its result could not be read. Tell the user.", j.call.Name)})
	case j.ran():
		j.withhold(&o, fmt.Errorf("%w: %w", errBlocked, late))
	}
	j.finish(o)
}

// unhooked is what an outcome was before the hooks after the call ran.
type unhooked struct {
	kept           bool
	result         *Result
	err, outputErr error
	sameAs         *Call
	stopTurn       bool
}

func (u *unhooked) keep(o *Outcome) {
	*u = unhooked{true, o.Result, o.Err, o.OutputErr, o.SameAs, o.StopTurn}
}

func (u *unhooked) outcome() Outcome {
	return Outcome{Result: u.result, Err: u.err, OutputErr: u.outputErr, SameAs: u.sameAs, StopTurn: u.stopTurn}
}

// Leave implements [goroutine.Task].
func (s *successor) Leave(crash error) {
	if !s.replaced {
		s.job.end(crash)
	}
}
