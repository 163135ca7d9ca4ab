package pegboard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lane"
	"github.com/seed49eaa51d/pegboard/internal/lifetime"
)

// A toolRun is one execution of a tool. The tool runs on the job's goroutine. Other
// goroutines may stop it. If it does not return within the grace period, or if its
// Interrupt says detach, it is abandoned: an abandoner answers the call in its place,
// and the tool keeps its keys until it returns.
//
//	not begun ──begin──▶ running ──the tool returns──▶ returned ──▶ job.finish
//	                      │   ▲
//	                 stop │   │ (its context is cancelled, the grace period starts)
//	                      ▼   │
//	                     running ──grace period over, or detach──▶ abandoned
//	                                                                  │ abandoner: abandonedOutcome, job.finish
//	                                                                  ▼
//	                                          the tool returns ──▶ release: keys, closer
//
// The session's Close cancels an abandoned tool, and waits for it up to the grace period.
type toolRun struct {
	lifetime.Attempt
	job *job

	begun time.Time     // set by begin
	took  time.Duration // of the attempts that have returned; the tool's goroutine has it

	// Set by abandonedOutcome:
	keys     *lane.AbandonedJob
	closer   *lifetime.Closer // its entry in the session
	returned chan struct{}    // closed when the tool has returned
}

// begin returns the context for the tool. From here on the tool can be stopped.
func (r *toolRun) begin(ctx context.Context) context.Context {
	r.begun = time.Now()
	own := r.Begin(&r.job.batch.uncancelled)
	if limit := r.timeout(); limit > 0 {
		r.SetTimeout(limit, func() {
			late := fmt.Errorf("%w after %v", ErrTimeout, limit)
			r.stop(late)
			r.CancelAbandoned(late)
		})
	}
	if cause := r.job.batch.stopCause(); cause != nil { // stopped before the attempt had begun
		r.stop(cause)
	} else if ctx.Err() != nil {
		r.interrupt(context.Cause(ctx))
	}
	return own
}

// timeout returns how long the tool may take; 0 means no limit.
func (r *toolRun) timeout() time.Duration {
	if t := r.job.call.state.traits.Timeout; t > 0 {
		return t
	}
	return r.job.entry.info.Timeout
}

// interrupt does what the tool's Interrupt says.
func (r *toolRun) interrupt(cause error) {
	if !r.Running() { // the tool may not be known yet
		return
	}
	switch i := r.job.entry.info.Interrupt; {
	case !errors.Is(cause, ErrNewMessage), i == InterruptCancel, i == InterruptDetach && r.job.entry.info.Supplied:
		r.stop(cause)
	case i == InterruptDetach && r.job.pausing.Load(): // no tool runs that could go on
		r.stop(cause)
	case i == InterruptDetach:
		r.abandon(cause)
	}
}

// stop cancels the context of a running tool, and abandons it if it does not return
// within the grace period. Only the first cause counts.
func (r *toolRun) stop(cause error) {
	r.Stop(cause, r.job.batch.grace, func() { r.abandon(cause) })
}

// abandon answers the call of a running tool in its place.
func (r *toolRun) abandon(cause error) {
	if r.Abandon() {
		goroutine.Start(&abandoner{r, cause})
	}
}

// elapsed returns how long the tool took. The pauses between attempts count only if the tool
// was abandoned.
func (r *toolRun) elapsed() time.Duration {
	switch {
	case r.begun.IsZero():
		return 0
	case r.isAbandoned(), r.took == 0: // the tool goes on, or has ended its goroutine
		return time.Since(r.begun)
	}
	return r.took
}

// isAbandoned reports whether an abandoner answers the call.
func (r *toolRun) isAbandoned() bool { return r.keys != nil }

// An abandoner answers the call of an abandoned tool.
type abandoner struct {
	run   *toolRun
	cause error
}

// Work implements [goroutine.Task].
func (a *abandoner) Work() { a.run.job.finish(a.run.abandonedOutcome(a.cause)) }

// Leave implements [goroutine.Task].
func (a *abandoner) Leave(crash error) { a.run.job.end(crash) }

// abandonedOutcome answers the call. A tool that may write keeps its keys, so that no other
// call touches the same targets; conflicting calls fail at once. One that only reads guards
// nothing.
func (r *toolRun) abandonedOutcome(cause error) Outcome {
	j, s := r.job, r.job.session()
	name := strings.TrimSpace(j.call.ToolName() + " " + describeTargets(j.call.state.targets))
	reason := error(&detachedError{name: name, id: j.call.ID})
	j.schedule.ticket.ReleaseSlot()
	j.abandonLimits(reason)
	if writes := func(t Target) bool { return t.Access == AccessWrite }; j.call.ReadOnly() && !slices.ContainsFunc(j.call.state.targets, writes) {
		r.keys = s.abandoned.AddFree(name)
		j.schedule.ticket.Done()
	} else {
		j.schedule.ticket.Abandon(reason)
		r.keys = s.abandoned.Add(name, claimOf(j.call.state.traits, j.call.state.targets), reason)
		r.keys.Identify(j.call.ID, &j.schedule.ticket)
	}
	r.closer, r.returned = &lifetime.Closer{Name: name, Close: r.close}, make(chan struct{})
	if !s.closers.Add(r.closer) {
		r.CancelAbandoned(ErrClosed)
	}
	r.HandOver()
	j.batch.emit(Event{Kind: EventDetached, Call: j.call, Text: cause.Error()})
	return j.fail(&failure{
		err: fmt.Errorf("%w: %w", ErrDetached, cause),
		text: fmt.Sprintf("%s goes on in the background: %s. Its result will not be shown; "+
			"look at what it did before you do it again.", j.call.Name, causeText(cause)),
	})
}

// A detachedError says which call has not returned, and how the host gives back what it holds.
type detachedError struct{ name, id string }

func (e *detachedError) Error() string {
	return fmt.Sprintf("%v: %s; Session.Forget(%q) gives back what it holds", ErrDetached, e.name, e.id)
}

func (e *detachedError) Unwrap() error { return ErrDetached }

// close cancels an abandoned tool when its session closes. It waits up to the grace
// period for the tool to return, unless the tool was given that time by stop before.
func (r *toolRun) close(ctx context.Context) error {
	r.CancelAbandoned(ErrClosed)
	if r.Cause() == nil {
		select {
		case <-r.returned:
		case <-ctx.Done():
		case <-time.After(r.job.batch.grace):
		}
	}
	return nil
}

// release releases what an abandoned tool held, when it has returned.
func (r *toolRun) release() {
	r.FinishAbandoned()
	r.job.session().closers.Remove(r.closer)
	r.keys.Release()
	r.job.schedule.ticket.Done()
	close(r.returned)
}
