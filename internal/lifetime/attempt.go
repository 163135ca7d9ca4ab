// Package lifetime says how long something may run, and ends it: an [Attempt] runs a
// function that may ignore cancellation, [Closers] close the things that an owner started, and a
// [Context] is a cancellable context that costs nothing until it is waited for.
package lifetime

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/lock"
)

// An Attempt tracks one run of a function that may ignore cancellation. Other
// goroutines may stop it, and abandon it if it does not return in time:
//
//	not begun ─Begin→ running ─Finish→ returned
//	                     └─Abandon→ abandoned ─HandOver, FinishAbandoned→ gone
//
// The zero value has not begun. All methods may be called concurrently. The functions
// passed to SetTimeout and Stop are called on goroutines of their own.
type Attempt struct {
	own Context // of the function

	mu         lock.Mutex   // guards the fields below and every phase change but Begin's
	phase      atomic.Int32 // a phase
	cause      error        // of Stop
	timeout    *time.Timer
	grace      *time.Timer
	handedOver chan struct{} // made by Abandon, closed by HandOver
}

type phase = int32

const (
	notBegun phase = iota
	running
	returned
	abandoned
)

// Begin starts the attempt and returns the function's context. The context carries the
// values of ctx and is cancelled when the attempt is stopped or has returned. Begin is
// called once.
func (a *Attempt) Begin(ctx context.Context) context.Context {
	own := a.own.Init(ctx)
	a.phase.Store(running)
	return own
}

// SetTimeout calls late if the function has not returned after d, even if it was
// abandoned before. It is called at most once, after Begin.
func (a *Attempt) SetTimeout(d time.Duration, late func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.Running() {
		a.timeout = time.AfterFunc(d, late)
	}
}

// Running reports whether the attempt has begun and was neither finished nor
// abandoned. If it returns true, everything written before Begin is visible.
func (a *Attempt) Running() bool { return a.phase.Load() == running }

// Stop cancels the function's context if the attempt is running, and calls late if it
// is still running after grace. Only the first call has an effect.
func (a *Attempt) Stop(cause error, grace time.Duration, late func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.Running() || a.cause != nil {
		return
	}
	a.cause = cause
	a.own.Cancel(cause)
	a.grace = time.AfterFunc(grace, late)
}

// Cause returns the cause given to Stop, or nil.
func (a *Attempt) Cause() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.cause
}

// Finish records that the function has returned, if the attempt has begun. It reports
// whether the result counts: false if the attempt was abandoned before. Further calls
// report the same.
func (a *Attempt) Finish() bool {
	if a.Running() {
		a.finish()
	}
	return a.phase.Load() != abandoned
}

func (a *Attempt) finish() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.Running() { // Abandon may have come first
		a.enter(returned)
		a.own.Cancel(nil)
	}
}

// Abandon abandons a running attempt. Its context is not cancelled. If Abandon returns
// true, the caller must call HandOver.
func (a *Attempt) Abandon() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.Running() {
		return false
	}
	a.handedOver = make(chan struct{}) // before the new phase is visible
	a.enter(abandoned)
	return true
}

// CancelAbandoned cancels the context of an abandoned attempt. Otherwise it does
// nothing.
func (a *Attempt) CancelAbandoned(cause error) {
	if a.phase.Load() == abandoned {
		a.own.Cancel(cause)
	}
}

// HandOver says that the caller of Abandon has done everything that must precede
// FinishAbandoned.
func (a *Attempt) HandOver() { close(a.handedOver) }

// FinishAbandoned records that the function of an abandoned attempt has returned. It
// waits for HandOver and cancels the context.
func (a *Attempt) FinishAbandoned() {
	<-a.handedOver
	a.mu.Lock()
	defer a.mu.Unlock()
	stopTimer(a.timeout)
	a.own.Cancel(nil)
}

func (a *Attempt) enter(next phase) {
	a.phase.Store(next)
	stopTimer(a.grace)
	if next == returned {
		stopTimer(a.timeout)
	}
}

func stopTimer(t *time.Timer) {
	if t != nil {
		t.Stop()
	}
}
