// Package cancel makes contexts that cost next to nothing until somebody waits for
// their end. Most calls end before anybody does.
package cancel

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// A Scope is a context as [context.WithCancelCause] returns it, with Cancel as its
// method. It makes that context when it is needed: when somebody asks for its Done
// channel, which includes deriving from it, or for its end after it has ended. Until
// then it is a parent and two words.
//
// The cause of the parent's end is asked for when somebody wants to know the cause, and
// no earlier.
//
// The zero Scope is no context; see Begin. It must not be copied. All methods may be
// called concurrently.
type Scope struct {
	parent context.Context //nolint:containedctx // it is a context

	mu    sync.Mutex // guards the change of what follows
	ended atomic.Bool
	cause error
	whole atomic.Pointer[whole]
}

// whole is the context that a Scope stands for.
type whole struct {
	context.Context //nolint:containedctx // it is a context
	cancel          context.CancelCauseFunc
}

// Begin makes s a context under parent. It is called once, before anything else.
func (s *Scope) Begin(parent context.Context) context.Context {
	s.parent = parent
	return s
}

// Cancel ends s. Only the first end counts, be it this one or the parent's. Nil
// means [context.Canceled].
func (s *Scope) Cancel(cause error) {
	s.mu.Lock()
	if !s.ended.Load() {
		if s.whole.Load() == nil && s.parent.Err() != nil { // which came first
			s.make()
		}
		s.cause = cause
		s.ended.Store(true)
	}
	w, cause := s.whole.Load(), s.cause
	s.mu.Unlock()
	if w != nil {
		w.cancel(cause)
	}
}

// Deadline returns the parent's.
func (s *Scope) Deadline() (at time.Time, ok bool) { return s.parent.Deadline() }

// Done returns the channel that is closed when s ends.
func (s *Scope) Done() <-chan struct{} { return s.full().Done() }

// Err returns why s has ended, as for any context.
func (s *Scope) Err() error {
	if w := s.whole.Load(); w != nil {
		return w.Err()
	}
	if s.ended.Load() {
		return context.Canceled
	}
	if s.parent.Err() == nil {
		return nil
	}
	return s.full().Err() // so that a Cancel from now on changes nothing
}

// Value returns what the parent carries.
func (s *Scope) Value(key any) any {
	if s.ended.Load() { // and who asks may be context.Cause
		return s.full().Value(key)
	}
	if w := s.whole.Load(); w != nil {
		return w.Value(key)
	}
	return s.parent.Value(key)
}

// String names s for whoever prints a context, without looking at what changes.
func (s *Scope) String() string { return "a context that can be cancelled" }

// full returns the context that s stands for, made if there is none.
func (s *Scope) full() *whole {
	if w := s.whole.Load(); w != nil {
		return w
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if w := s.whole.Load(); w != nil {
		return w
	}
	return s.make()
}

// make makes the whole context. What ended before its parent must not end again with it.
func (s *Scope) make() *whole {
	parent := s.parent
	if s.ended.Load() {
		parent = context.WithoutCancel(parent)
	}
	w := new(whole)
	w.Context, w.cancel = context.WithCancelCause(parent)
	if s.ended.Load() {
		w.cancel(s.cause)
	}
	s.whole.Store(w)
	return w
}
