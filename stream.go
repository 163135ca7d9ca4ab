package pegboard

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lock"
)

// A FinishReason says why the model's message ended, whatever the provider calls it.
type FinishReason string

// The reasons. After the first two the message is complete.
const (
	FinishStop      FinishReason = "stop"
	FinishToolCalls FinishReason = "tool-calls"
	FinishLength    FinishReason = "length"         // the limit of output tokens was reached
	FinishFilter    FinishReason = "content-filter" // the provider cut it
	FinishError     FinishReason = "error"          // the stream broke off
	FinishBadCall   FinishReason = "bad-call"       // a call could not be read by the provider
	FinishPause     FinishReason = "pause"          // the provider paused the turn, and goes on at the next request
)

func (r FinishReason) whole() bool { return r == FinishStop || r == FinishToolCalls }

// ErrAbandoned is the cause that ends the calls of a [Stream] that was abandoned.
var ErrAbandoned = errors.New("the reply was abandoned")

// A Stream runs the calls of one message while the model still writes it, by the same
// stages and in the same order as [Executor.Run].
//
// A read-only call of a built-in tool starts as soon as the order permits. Any other call
// waits until Finish says that the message is complete, since the provider may still take
// the call back; see the executor's StartWritesEarly. If the message was cut off, calls
// that have not started are answered and do not run.
//
// # Concurrency
//
//  1. Submit, Finish and Abandon may be called from any goroutine.
//  2. Ready and Outcomes yield each outcome once, in the order of Submit; only one
//     goroutine may range over either at a time.
//  3. Events are delivered as they happen. A call that does not wait emits its
//     started event while the caller reads the next block.
//  4. When Outcomes has ended, or Abandon has returned, all calls have ended except
//     those whose outcome wraps [ErrDetached].
//
// A stream whose outcomes are not read to the end goes on until its session is closed: a loop
// that stops reading, such as after an error of the provider, calls Abandon.
type Stream struct {
	batch   *batch
	cancel  context.CancelCauseFunc
	unwatch func() bool // stops watching the caller's context

	mu        lock.Mutex    // guards the fields below
	next      int           // index of the first job whose outcome was not yielded yet
	finished  bool          // Finish was called
	stopsTurn bool          // an outcome that was yielded says so, or the Batch hook
	abandoned error         // cause of the first Abandon, or of the session's end; nil before it
	closed    chan struct{} // made by the goroutine that ends the batch, closed when it has ended
}

// newStream implements [Executor.Stream].
func newStream(ctx context.Context, e *Executor, p *Pool) *Stream {
	ctx, cancel := context.WithCancelCause(ctx)
	s := &Stream{batch: new(batch), cancel: cancel}
	s.batch.init(ctx, e, p, 0)
	s.batch.message, s.batch.stream = make(chan struct{}), s
	s.batch.openRecord()
	s.unwatch = context.AfterFunc(ctx, func() { s.batch.interrupt(context.Cause(ctx)) })
	return s
}

// Submit hands over the next call of the message, whose block is complete. It waits for
// OnEvent and nothing else. After Finish or Abandon the call is answered and not run;
// after Abandon it has no events, and its error wraps [ErrAbandoned]. It has none either once
// the session was closed.
func (s *Stream) Submit(c Call) {
	j := s.admit(c)
	s.batch.events.flush() // without a lock: a listener may use the stream
	j.start()
}

func (s *Stream) admit(c Call) *job {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := &job{late: s.finished || s.abandoned != nil, streamAbandoned: s.abandoned}
	s.batch.admit(j, c)
	return j
}

// Ready yields the outcomes that are next in order, as far as their calls have ended. If
// the session has a Batch hook, see [Hooks], Ready yields none after Finish: the hook may
// change those that are left, and Outcomes yields them.
func (s *Stream) Ready() iter.Seq[Outcome] { return s.outcomes(false) }

// Finish ends the message with its reason. Only the first call counts.
func (s *Stream) Finish(reason FinishReason) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.finished {
		s.finished = true
		s.batch.endMessage(reason)
	}
}

// Outcomes yields the remaining outcomes, waiting for each, or for all if the session has a
// Batch hook. If Finish was not called before,
// the message counts as cut off.
func (s *Stream) Outcomes() iter.Seq[Outcome] {
	return func(yield func(Outcome) bool) {
		s.Finish(FinishError)
		s.outcomes(true)(yield)
	}
}

// Abandon abandons the message, for example because the provider falls back to another
// model: running calls are stopped, the others do not run. Every submitted call still
// has an outcome, which Outcomes yields; later results of tools are dropped. The model reads
// none of it: no tool of the message counts as loaded, see [Session.Loaded], and the loop
// breaker does not count its calls. A nil cause means [ErrAbandoned]. A second call does
// nothing. OnEvent must not call it, since it waits for OnEvent.
func (s *Stream) Abandon(cause error) {
	if cause == nil {
		cause = ErrAbandoned
	} else if !errors.Is(cause, ErrAbandoned) {
		cause = fmt.Errorf("%w: %w", ErrAbandoned, cause)
	}
	s.mu.Lock()
	if s.abandoned == nil {
		s.abandoned = cause
	}
	s.batch.stopAll(cause)
	s.mu.Unlock()
	s.cancel(cause)
	s.Finish(FinishError)
	s.close()
}

// outcomes yields the outcomes of ended calls, in order, and then, if wait is set, waits
// for the others.
func (s *Stream) outcomes(wait bool) iter.Seq[Outcome] {
	return func(yield func(Outcome) bool) {
		for {
			s.mu.Lock()
			jobs := s.batch.admitted()
			if s.next == len(jobs) {
				s.mu.Unlock()
				if wait {
					s.close()
				}
				return
			}
			j := jobs[s.next]
			s.mu.Unlock()
			if !wait {
				select {
				case <-j.ended:
				default:
					return
				}
			}
			<-j.ended
			if s.waitsForHook() {
				if !wait {
					return
				}
				s.close()
			}
			s.mu.Lock()
			s.next++
			o := *j.outcome
			s.stopsTurn = s.stopsTurn || o.StopTurn
			s.mu.Unlock()
			if !yield(o) {
				return
			}
		}
	}
}

// StopTurn reports whether an outcome that was yielded has StopTurn, or the Batch hook has set
// it of any outcome. A loop asks when Outcomes has ended: the hook may have ended the turn when
// all outcomes were yielded.
func (s *Stream) StopTurn() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopsTurn
}

// waitsForHook reports whether the message has ended and its Batch hook has not: it may
// change the outcomes that were not yielded.
func (s *Stream) waitsForHook() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.batch.pool.session.cfg.Hooks.Batch == nil || !s.finished {
		return false
	}
	if s.closed == nil {
		return true
	}
	select {
	case <-s.closed:
		return false
	default:
		return true
	}
}

// isAbandoned reports whether Abandon was called.
func (s *Stream) isAbandoned() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.abandoned != nil
}

// closeWithSession ends a stream, since its caller may never do so. Its outcomes can still be read.
func (s *Stream) closeWithSession() {
	s.mu.Lock()
	if s.abandoned == nil {
		s.abandoned = ErrClosed
	}
	s.mu.Unlock()
	goroutine.Go(func() {
		s.Finish(FinishError)
		s.close()
	})
}

// close ends the batch once all its calls have ended.
func (s *Stream) close() {
	s.mu.Lock()
	closed := s.closed
	if closed == nil {
		s.closed = make(chan struct{})
	}
	s.mu.Unlock()
	if closed != nil {
		<-closed
		return
	}
	defer close(s.closed)
	s.batch.end()
	s.unwatch()
	s.cancel(nil)
}
