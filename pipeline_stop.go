package pegboard

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lane"
	"github.com/seed49eaa51d/pegboard/internal/lifetime"
)

// detach answers a call that goes on. It keeps its keys until it returns, so
// that nothing it may still touch is touched; who needs them fails at once.
func (j *job) detach(cause error) Outcome {
	name := fmt.Sprintf("%s %s", j.call.Name, describeTargets(j.call.state.targets))
	reason := fmt.Errorf("%w: %s", ErrDetached, name)
	j.ticket.ReleaseSlot()
	j.ticket.Abandon(reason)
	claim, s := claimOf(j.call.state.traits, j.call.state.targets), j.batch.pool.session
	j.run.held = s.main().detached.Add(name, claim, reason)
	j.run.left, j.run.gone = &lifetime.Closer{Name: name, Close: j.endLeft}, make(chan struct{})
	if !s.owned.Add(j.run.left) {
		j.run.CancelAbandoned(ErrClosed)
	}
	j.run.HandOver()
	j.batch.emit(Event{Kind: EventDetached, Call: j.call, Text: cause.Error()})
	return j.fail(&failure{
		err: fmt.Errorf("%w: %w", ErrDetached, cause),
		text: fmt.Sprintf("%s goes on in the background: %s. Its result will not be shown; "+
			"look at what it did before you do it again.", j.call.Name, why(cause)),
	})
}

// giveBack gives back what a tool held that was given up and has returned.
func (j *job) giveBack() {
	j.run.FinishAbandoned()
	j.batch.pool.session.owned.Remove(j.run.left)
	j.run.held.Release()
	j.ticket.Done()
	close(j.run.gone)
}

// endLeft ends a call that goes on when its session closes, which names it if it does
// not return. One that was given up because it did not stop had its time.
func (j *job) endLeft(ctx context.Context) error {
	j.run.CancelAbandoned(ErrClosed)
	if j.run.Cause() == nil {
		select {
		case <-j.run.gone:
		case <-ctx.Done():
		case <-time.After(j.batch.grace):
		}
	}
	return nil
}

// A run is the time that a tool has a call. The tool has the goroutine of the job,
// so who stops it comes from elsewhere, and answers the call in its absence if it
// does not return.
type run struct {
	lifetime.Attempt
	held *lane.AbandonedJob // what it holds though it was given up
	left *lifetime.Closer   // what it then is to the session
	gone chan struct{}
}

// begin gives the tool its context. From here on it can be stopped.
func (j *job) begin(ctx context.Context) context.Context {
	own := j.run.Begin(&j.batch.lasting)
	if limit := j.timeout(); limit > 0 {
		j.run.SetTimeout(limit, func() {
			late := fmt.Errorf("%w after %v", ErrTimeout, limit)
			j.stop(late)
			j.run.CancelAbandoned(late)
		})
	}
	if cause := j.batch.whyHalted(); cause != nil { // before it could be told
		j.stop(cause)
	} else if ctx.Err() != nil {
		j.interrupt(context.Cause(ctx))
	}
	return own
}

// interrupt does to a call that has begun what its tool's Interrupt says.
func (j *job) interrupt(cause error) {
	if !j.run.Running() {
		return // and the tool may not be known yet
	}
	switch i := j.entry.info.Interrupt; {
	case !errors.Is(cause, ErrNewMessage), i == InterruptCancel:
		j.stop(cause)
	case i == InterruptDetach:
		j.giveUp(cause)
	}
}

// stop ends the context of a tool that works, and gives it time to return. The
// first cause counts.
func (j *job) stop(cause error) {
	j.run.Stop(cause, j.batch.grace, func() { j.giveUp(cause) })
}

// giveUp answers a call in the absence of its tool, which goes on.
func (j *job) giveUp(cause error) {
	if j.run.Abandon() {
		goroutine.Start(&substitute{j, cause})
	}
}

// substitute answers for a tool that was given up.
type substitute struct {
	job   *job
	cause error
}

func (s *substitute) Work()             { s.job.finish(s.job.detach(s.cause)) }
func (s *substitute) Leave(crash error) { s.job.close(crash) }

func (j *job) timeout() time.Duration {
	if t := j.call.state.traits.Timeout; t > 0 {
		return t
	}
	return j.entry.info.Timeout
}
