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

// halt is the end of a batch that nobody can wait out: the session closes, a
// sibling failed, the stream was abandoned. The context of the host is the other,
// softer end.
type halt struct {
	once  sync.Once
	done  chan struct{}
	cause error // set before done is closed
}

func (h *halt) stop(cause error) {
	h.once.Do(func() {
		h.cause = cause
		close(h.done)
	})
}

// returned is what a tool gives back.
type returned struct {
	result *Result
	err    error
}

// await waits for a call that has begun, until it returns or must be given up.
func (j *job) await(ctx context.Context, stop context.CancelCauseFunc, ended <-chan error, out *returned) Outcome {
	var cause error
	var grace, timeout <-chan time.Time
	if limit := j.timeout(); limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		timeout = timer.C
	}
	interrupted, halted := ctx.Done(), j.batch.halt.done
	for {
		var next error
		select {
		case crash := <-ended:
			return j.judge(out, crash, cause)
		case <-grace:
			return j.detach(cause, ended)
		case <-timeout:
			timeout, next = nil, fmt.Errorf("%w after %v", ErrTimeout, j.timeout())
		case <-halted:
			halted, next = nil, j.batch.halt.cause
		case <-interrupted:
			interrupted, next = nil, context.Cause(ctx)
			switch {
			case !errors.Is(next, ErrNewMessage) || j.entry.info.Interrupt == InterruptCancel:
			case j.entry.info.Interrupt == InterruptDetach:
				return j.detach(next, ended)
			default:
				next = nil
			}
		}
		if next != nil && cause == nil {
			cause = next
			stop(cause)
			timer := time.NewTimer(j.batch.grace)
			defer timer.Stop()
			grace = timer.C
		}
	}
}

func (j *job) timeout() time.Duration {
	if t := j.call.state.traits.Timeout; t > 0 {
		return t
	}
	return j.entry.info.Timeout
}

// judge makes the outcome of a call that has returned. What a tool managed to do
// counts, even if it was to be stopped; what it had by then is kept.
func (j *job) judge(out *returned, crash, cause error) Outcome {
	switch {
	case crash != nil:
		return j.crashed(crash)
	case out.err == nil:
		j.stage = StageResult
		return Outcome{Result: j.presentable(out.result)}
	case cause != nil:
		return j.with(out.result, j.stopped(cause))
	case errors.Is(out.err, ErrDeferred):
		return j.fail(&failure{err: out.err, text: j.call.Name + " has not been answered yet. The answer comes later."})
	}
	text := out.err.Error()
	if strings.TrimSpace(text) == "" {
		text = j.call.Name + " failed and did not say why. Try something else or tell the user."
	}
	return j.with(out.result, &failure{err: out.err, text: text})
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
func (j *job) detach(cause error, ended <-chan error) Outcome {
	name := fmt.Sprintf("%s %s", j.call.Name, describeTargets(j.call.state.targets))
	reason := fmt.Errorf("%w: %s", ErrDetached, name)
	j.detached = true
	j.ticket.Detach(reason)
	d := j.batch.pool.session.holdOn(&detached{name: name, claim: claimOf(j.call.state.traits, j.call.state.targets), reason: reason})
	ticket := j.ticket
	lane.Go(func() {
		<-ended
		d.end()
		ticket.Done()
	})
	j.batch.emit(Event{Kind: EventDetached, Call: j.call, Text: cause.Error()})
	return j.fail(&failure{
		err: fmt.Errorf("%w: %w", ErrDetached, cause),
		text: fmt.Sprintf("%s goes on in the background: %s. Its result will not be shown; "+
			"look at what it did before you do it again.", j.call.Name, why(cause)),
	})
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
