package pegboard

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
)

// A FinishReason is why a model ended its message, whatever the provider calls
// it.
type FinishReason string

// The reasons. After the first two a message is whole.
const (
	FinishStop      FinishReason = "stop"
	FinishToolCalls FinishReason = "tool-calls"
	FinishLength    FinishReason = "length"         // it ran out of tokens
	FinishFilter    FinishReason = "content-filter" // the provider cut it
	FinishError     FinishReason = "error"          // the stream broke off
)

func (r FinishReason) whole() bool { return r == FinishStop || r == FinishToolCalls }

// ErrAbandoned is the cause that ends the calls of a [Stream] that was abandoned.
var ErrAbandoned = errors.New("the reply was abandoned")

// A Stream runs the calls of one message while the model still writes it, by the
// same stages and in the same order as [Executor.Run].
//
// A call of a built-in tool that is read-only starts as soon as the order
// permits. Any other waits until Finish says that the message is whole, unless
// the executor's StartWritesEarly is set: what comes after could take it back. When a
// message was cut, the calls that have not started are answered and do not run.
//
// # Concurrency
//
//  1. Submit, Finish and Abandon may be called from any goroutine.
//  2. Ready and Wait hand out each outcome once, in the order of Submit; only
//     one goroutine may range over either at a time.
//  3. Events are delivered as they happen. The started event of a call that need
//     not wait comes before anything that happens after the next Submit or read
//     from the model would, on the clock of a test as well.
//  4. When Wait has ended, or Abandon has returned, all calls have ended but for
//     those whose outcome wraps [ErrDetached].
type Stream struct {
	batch   *batch
	cancel  context.CancelCauseFunc
	unwatch func() bool // ends the watch over the host's context

	mu      sync.Mutex
	next    int // the place of the first job that was not handed out
	over    bool
	dropped bool
	closed  chan struct{} // made by who ends the batch, closed when it has ended
}

// Stream returns a stream for one message. Call Wait or Abandon in the end.
func (e *Executor) Stream(ctx context.Context, p *Pool) *Stream {
	ctx, cancel := context.WithCancelCause(ctx)
	s := &Stream{batch: new(batch), cancel: cancel}
	e.open(ctx, s.batch, p, 0)
	s.batch.finish = make(chan struct{})
	s.unwatch = context.AfterFunc(ctx, func() { s.batch.interrupt(context.Cause(ctx)) })
	return s
}

// Submit hands over the next call of the message, whose block is complete. It
// waits for nobody but OnEvent. After Finish or Abandon the call is answered and not
// run.
func (s *Stream) Submit(c Call) {
	if j := s.admit(c); j != nil {
		s.batch.events.flush() // without any lock: who listens may use the stream
		j.start()
	}
}

func (s *Stream) admit(c Call) *job {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dropped {
		return nil
	}
	j := &job{late: s.over}
	s.batch.admit(j, c)
	return j
}

// Ready yields the outcomes that are next in order and need no waiting.
func (s *Stream) Ready() iter.Seq[Outcome] { return s.outcomes(false) }

// Finish ends the message with its reason. Only the first call counts.
func (s *Stream) Finish(reason FinishReason) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over {
		s.over = true
		s.batch.finished(reason)
	}
}

// Wait yields the outcomes that are left, waiting for each. Without Finish
// before it the message counts as cut off.
func (s *Stream) Wait() iter.Seq[Outcome] {
	return func(yield func(Outcome) bool) {
		s.Finish(FinishError)
		s.outcomes(true)(yield)
	}
}

// Abandon gives the message up, as when the provider falls back to another model:
// calls that run are stopped, the others not run. Every call that was submitted
// still has its outcome, which Wait yields; what a tool returns later is dropped.
// Nil means [ErrAbandoned]. A second call does nothing. OnEvent must not call it,
// since it waits for OnEvent.
func (s *Stream) Abandon(cause error) {
	if cause == nil {
		cause = ErrAbandoned
	} else if !errors.Is(cause, ErrAbandoned) {
		cause = fmt.Errorf("%w: %w", ErrAbandoned, cause)
	}
	s.mu.Lock()
	s.dropped = true
	s.mu.Unlock()
	s.batch.halt(cause)
	s.cancel(cause)
	s.Finish(FinishError)
	s.close()
}

// outcomes hands out what has ended, in order, and the rest if wait is set.
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
			s.mu.Lock()
			s.next++
			s.mu.Unlock()
			if !yield(*j.outcome) {
				return
			}
		}
	}
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
