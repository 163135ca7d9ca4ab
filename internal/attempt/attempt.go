// Package attempt bounds the time that foreign code has for a piece of work. The
// code has a goroutine of its own, so who stops it comes from elsewhere, and does
// without it if it does not return.
package attempt

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/cancel"
)

// An Attempt is the time that somebody works. The zero value has not begun. All
// methods may be called concurrently; the functions they are given run on
// goroutines of their own.
type Attempt struct {
	own cancel.Scope // its context

	mu      sync.Mutex   // guards what follows, and every step to the next phase but the first
	phase   atomic.Int32 // a phase
	cause   error        // why it was stopped
	limit   *time.Timer
	grace   *time.Timer
	settled chan struct{} // closed by Settle; made when it is given up
}

type phase = int32

const (
	notBegun phase = iota
	working
	returned
	givenUp
)

// Begin begins the attempt and returns the context for it, which carries what ctx
// does and ends when the attempt is stopped or has ended. It is called once.
func (a *Attempt) Begin(ctx context.Context) context.Context {
	own := a.own.Begin(ctx)
	a.phase.Store(working)
	return own
}

// Limit calls late if the work has not returned after d, though it was given up. It is
// called at most once, after Begin.
func (a *Attempt) Limit(d time.Duration, late func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.Working() {
		a.limit = time.AfterFunc(d, late)
	}
}

// Working reports whether the attempt has begun and neither ended nor been given
// up. What was written before Begin may be read after it.
func (a *Attempt) Working() bool { return a.phase.Load() == working }

// Stop ends the context of an attempt that works, and calls late if it still works
// after grace. The first cause counts: further calls do nothing.
func (a *Attempt) Stop(cause error, grace time.Duration, late func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.Working() || a.cause != nil {
		return
	}
	a.cause = cause
	a.own.Cancel(cause)
	a.grace = time.AfterFunc(grace, late)
}

// Cause returns why the attempt was stopped, or nil.
func (a *Attempt) Cause() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.cause
}

// End says that the work has returned, if it has begun. It reports whether what
// came of it counts, which it does not if the attempt was given up before; further
// calls report the same.
func (a *Attempt) End() bool {
	if a.Working() {
		a.end()
	}
	return a.phase.Load() != givenUp
}

func (a *Attempt) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.Working() { // it may have been given up just now
		a.finish(returned)
		a.own.Cancel(nil)
	}
}

// GiveUp gives up an attempt that works, and leaves its context as it is. It
// reports whether it did: then the caller owes a Settle.
func (a *Attempt) GiveUp() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.Working() {
		return false
	}
	a.settled = make(chan struct{}) // before anybody can know that it was given up
	a.finish(givenUp)
	return true
}

// Cut ends the context of an attempt that was given up, which it has still.
func (a *Attempt) Cut(cause error) {
	if a.phase.Load() == givenUp {
		a.own.Cancel(cause)
	}
}

// Settle says that all is done that had to follow GiveUp.
func (a *Attempt) Settle() { close(a.settled) }

// Leave is for work that returns after it was given up. It waits for Settle and
// ends the context.
func (a *Attempt) Leave() {
	<-a.settled
	a.mu.Lock()
	defer a.mu.Unlock()
	stop(a.limit)
	a.own.Cancel(nil)
}

func (a *Attempt) finish(to phase) {
	a.phase.Store(to)
	stop(a.grace)
	if to == returned {
		stop(a.limit)
	}
}

func stop(t *time.Timer) {
	if t != nil {
		t.Stop()
	}
}
