package pegboard

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/lane"
)

// The causes with which a host cancels the context of a batch, or a session's
// calls by [Session.Interrupt]. Each is told to the model in its own words,
// because one that takes an interruption for a refusal argues with the user. Any
// other cause counts as ErrUserInterrupt.
var (
	// ErrUserInterrupt: the user stopped the turn.
	ErrUserInterrupt = errors.New("interrupted by the user")
	// ErrNewMessage: the user sent a message. Calls that have begun end as
	// their tool's [Interrupt] says; the others are not run.
	ErrNewMessage = errors.New("the user sent a new message")
	// ErrSiblingFailed: another call of the batch failed, see
	// [Executor].CancelSiblings.
	ErrSiblingFailed = errors.New("a call beside it failed")
)

// Interrupt says what a new message of the user does to a call that has begun.
// Any other cause stops it.
type Interrupt int

// The behaviours.
const (
	InterruptBlock  Interrupt = iota // the message waits for it
	InterruptCancel                  // it is stopped
	InterruptDetach                  // it goes on, and is answered at once
)

// String returns the behaviour in lower case.
func (i Interrupt) String() string { return nameOf(int(i), "block", "cancel", "detach") }

// DefaultGrace is how long a tool whose call was stopped may take to return when
// [Executor].Grace is zero.
const DefaultGrace = 2 * time.Second

// interrupt ends the calls that run as the cause of the host's context asks for.
func (b *batch) interrupt(cause error) {
	b.cancel(cause) // before those that run are told, for those that begin just now
	for _, j := range b.admitted() {
		j.interrupt(cause)
	}
}

// halt ends all calls, those that run and those that wait, whatever their tools'
// Interrupt: the session closes, a sibling failed, the stream was abandoned.
func (b *batch) halt(cause error) {
	b.mu.Lock()
	if b.halted == nil {
		b.halted = cause
	}
	b.mu.Unlock()
	for _, j := range b.admitted() {
		j.stop(cause)
	}
}

func (b *batch) whyHalted() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.halted
}

// A run is the time that a tool has a call. The tool has the goroutine of the job,
// so who stops it comes from elsewhere, and answers the call in its absence if it
// does not return.
type run struct {
	mu       sync.Mutex
	phase    phase
	behavior Interrupt               // of the tool
	cancel   context.CancelCauseFunc // of the tool's context
	cause    error                   // why it was stopped
	timeout  *time.Timer
	grace    *time.Timer
	held     *detached     // what it holds though it was given up
	answered chan struct{} // closed when its keys may be given back
}

type phase int

const (
	notBegun phase = iota
	working
	returned
	givenUp
)

// end says that the tool has returned, if it has begun. It reports whether the
// call is still the job's to answer; further calls report the same.
func (r *run) end() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.phase == working {
		r.leave(returned)
	}
	return r.phase != givenUp
}

// does reports whether the tool works, and a new message does i to it.
func (r *run) does(i Interrupt) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.phase == working && r.behavior == i
}

// giveUp takes the call from the tool that works at it.
func (r *run) giveUp() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.phase != working {
		return false
	}
	r.leave(givenUp)
	r.answered = make(chan struct{})
	return true
}

func (r *run) leave(to phase) {
	r.phase = to
	for _, t := range []*time.Timer{r.timeout, r.grace} {
		if t != nil {
			t.Stop()
		}
	}
	if to == returned {
		r.cancel(nil)
	}
}

// begin gives the tool its context. From here on it can be stopped.
func (j *job) begin(ctx context.Context) context.Context {
	own, cancel := context.WithCancelCause(j.batch.values)
	r, limit := &j.run, j.timeout()
	r.mu.Lock()
	r.phase, r.behavior, r.cancel = working, j.entry.info.Interrupt, cancel
	if limit > 0 {
		r.timeout = time.AfterFunc(limit, func() { j.stop(fmt.Errorf("%w after %v", ErrTimeout, limit)) })
	}
	r.mu.Unlock()
	if cause := j.batch.whyHalted(); cause != nil { // before it could be told
		j.stop(cause)
	} else if ctx.Err() != nil {
		j.interrupt(context.Cause(ctx))
	}
	return own
}

// interrupt does to a call that has begun what its tool's Interrupt says.
func (j *job) interrupt(cause error) {
	switch r := &j.run; {
	case !errors.Is(cause, ErrNewMessage), r.does(InterruptCancel):
		j.stop(cause)
	case r.does(InterruptDetach):
		j.giveUp(cause)
	}
}

// stop ends the context of a tool that works, and gives it time to return. The
// first cause counts.
func (j *job) stop(cause error) {
	r := &j.run
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.phase != working || r.cause != nil {
		return
	}
	r.cause = cause
	r.cancel(cause)
	r.grace = time.AfterFunc(j.batch.grace, func() { j.giveUp(cause) })
}

// giveUp answers a call in the absence of its tool, which goes on.
func (j *job) giveUp(cause error) {
	if !j.run.giveUp() {
		return
	}
	lane.Start(&substitute{j, cause})
}

// substitute answers for a tool that was given up.
type substitute struct {
	job   *job
	cause error
}

func (s *substitute) Work()             { s.job.finish(s.job.batch.ctx, s.job.detach(s.cause)) }
func (s *substitute) Leave(crash error) { s.job.close(crash) }

func (j *job) timeout() time.Duration {
	if t := j.call.state.traits.Timeout; t > 0 {
		return t
	}
	return j.entry.info.Timeout
}

// judge makes the outcome of a call that has returned. What a tool managed to do
// counts, even if it was to be stopped; what it had by then is kept.
func (j *job) judge(result *Result, err, crash error) Outcome {
	switch {
	case crash != nil:
		return j.crashed(crash)
	case err == nil:
		j.stage = StageResult
		return Outcome{Result: j.presentable(result)}
	case j.run.cause != nil:
		return j.with(result, j.stopped(j.run.cause))
	case errors.Is(err, ErrDeferred):
		return j.fail(&failure{err: err, text: j.call.Name + " has not been answered yet. The answer comes later."})
	}
	text := err.Error()
	if strings.TrimSpace(text) == "" {
		text = j.call.Name + " failed and did not say why. Try something else or tell the user."
	}
	return j.with(result, &failure{err: err, text: text})
}

// with is fail for a call that brought part of a result.
func (j *job) with(part *Result, f *failure) Outcome {
	o := j.fail(f)
	if part != nil && !part.empty() {
		o.Result.Parts = append(o.Result.Parts, part.Parts...)
		o.Result.Data = part.Data
	}
	return o
}

// detach answers a call that goes on. It keeps its keys until it returns, so
// that nothing it may still touch is touched; who needs them fails at once.
func (j *job) detach(cause error) Outcome {
	name := fmt.Sprintf("%s %s", j.call.Name, describeTargets(j.call.state.targets))
	reason := fmt.Errorf("%w: %s", ErrDetached, name)
	j.ticket.Free()
	j.ticket.Detach(reason)
	j.run.held = j.batch.pool.session.holdOn(&detached{name: name, claim: claimOf(j.call.state.traits, j.call.state.targets), reason: reason})
	close(j.run.answered)
	j.batch.emit(Event{Kind: EventDetached, Call: j.call, Text: cause.Error()})
	return j.fail(&failure{
		err: fmt.Errorf("%w: %w", ErrDetached, cause),
		text: fmt.Sprintf("%s goes on in the background: %s. Its result will not be shown; "+
			"look at what it did before you do it again.", j.call.Name, why(cause)),
	})
}

// giveBack gives back what a tool held that was given up and has returned.
func (j *job) giveBack() {
	<-j.run.answered
	j.run.cancel(nil)
	j.run.held.end()
	j.ticket.Done()
}

// stopped says that a cause ended the call, before it began or in its midst.
func (j *job) stopped(cause error) *failure {
	class, did := ErrCancelled, "was not run"
	if errors.Is(cause, ErrTimeout) {
		class = nil
	}
	if j.stage == StageCall {
		did = "was stopped before it finished; it may have done part of its work"
	}
	err := cause
	if class != nil && !errors.Is(cause, ErrCancelled) {
		err = fmt.Errorf("%w: %w", ErrCancelled, cause)
	}
	return &failure{err: err, text: fmt.Sprintf("%s %s: %s.", j.call.Name, did, why(cause))}
}

// why words a cause for the model, with what to do next.
func why(cause error) string {
	switch {
	case errors.Is(cause, ErrTimeout):
		return "it took too long (" + cause.Error() + "). Do less at once, or give it more time if its input can"
	case errors.Is(cause, ErrNewMessage):
		return "the user sent a new message. Read that first, and repeat the call only if it is still wanted"
	case errors.Is(cause, ErrSiblingFailed):
		return cause.Error() + ". Look at that error first, then repeat this call if it still makes sense"
	case errors.Is(cause, ErrClosed):
		return "the session is closing. Nobody refused the call"
	case errors.Is(cause, context.DeadlineExceeded):
		return "the time for this turn is over. Nobody refused the call"
	case errors.Is(cause, ErrAbandoned):
		return "the reply it belongs to was given up. Nobody refused the call; repeat it if it is still wanted"
	}
	return "the user interrupted the turn. Nobody refused the call; repeat it only if the user wants it"
}

// detached is a call that its batch has given up while it still runs.
type detached struct {
	name    string
	claim   lane.Claim
	reason  error
	session *Session // that keeps it

	release []func() // its places in the lanes of later batches
}

// holdOn remembers a detached call for the sake of later batches and of Close.
func (s *Session) holdOn(d *detached) *detached {
	for s.parent != nil {
		s = s.parent
	}
	d.session = s
	s.mu.Lock()
	defer s.mu.Unlock()
	s.detached = append(s.detached, d)
	return d
}

// end forgets d once it has returned.
func (d *detached) end() {
	s := d.session
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, other := range s.detached {
		if other == d {
			s.detached = append(s.detached[:i:i], s.detached[i+1:]...)
			break
		}
	}
	for _, release := range d.release {
		release()
	}
}

// Detached returns the names of the calls that were given up and have not
// returned yet, in this session and all that belong to the same main session.
func (s *Session) Detached() []string {
	for s.parent != nil {
		s = s.parent
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for _, d := range s.detached {
		names = append(names, d.name)
	}
	return names
}

// blockDetached puts what detached calls hold in front of a new batch.
func (s *Session) blockDetached(l *lane.Lane) {
	for s.parent != nil {
		s = s.parent
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.detached {
		t := l.Admit()
		t.Claim(d.claim)
		t.Detach(d.reason)
		d.release = append(d.release, t.Done)
	}
}

// Interrupt stops the calls that run in s and its forks, as cancelling their
// contexts would, but whatever their tools' Interrupt says. It returns at once.
func (s *Session) Interrupt(cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for l := range s.running {
		l.stop(cause)
	}
	for _, o := range s.owned {
		if o.fork != nil {
			o.fork.Interrupt(cause)
		}
	}
}
