package lifetime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lock"
)

// Closers are the close functions of everything that an owner started. Make them with
// [NewClosers].
//
// # Concurrency
//
//  1. Add, Remove, Interrupt and BeginClose may be called from any goroutine.
//  2. Close is called between BeginClose and EndClose, by the same caller.
type Closers struct {
	turn     chan struct{} // holds a token between BeginClose and EndClose
	pending  []*Closer     // what Close has to call
	timedOut []*started    // called by an earlier Close, and not returned then

	mu     lock.Mutex // guards the fields below
	items  []*Closer
	sealed bool
}

// A Closer closes one thing. It must not change once it was added.
type Closer struct {
	Name string // for the error if Close fails or does not return
	// Close closes the thing. It should return when the context ends. A panic counts
	// as its error.
	Close func(context.Context) error
	// Interrupt stops the thing's present work. It must not use the Closers. It may be
	// nil.
	Interrupt func(cause error)
}

// NewClosers returns empty Closers.
func NewClosers() *Closers { return &Closers{turn: make(chan struct{}, 1)} }

// Add adds i. It does nothing and returns false after BeginClose.
func (l *Closers) Add(i *Closer) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sealed {
		return false
	}
	l.items = append(l.items, i)
	return true
}

// AddFirst adds i as if before all others, so that it is called last. It does nothing and returns
// false after BeginClose.
func (l *Closers) AddFirst(i *Closer) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sealed {
		return false
	}
	l.items = slices.Insert(l.items, 0, i)
	return true
}

// Remove removes a closer whose thing was closed in another way.
func (l *Closers) Remove(i *Closer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.items = slices.DeleteFunc(l.items, func(other *Closer) bool { return other == i })
}

// Interrupt calls Interrupt of every closer that has one. After BeginClose it does
// nothing.
func (l *Closers) Interrupt(cause error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, i := range l.items {
		if i.Interrupt != nil {
			i.Interrupt(cause)
		}
	}
}

// BeginClose refuses further closers. It waits until an earlier caller has called
// EndClose, and returns the context's cause if ctx ends before. After a nil error the
// caller must call EndClose.
func (l *Closers) BeginClose(ctx context.Context) error {
	select {
	case l.turn <- struct{}{}: // also if ctx has ended
	default:
		select {
		case l.turn <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sealed = true
	l.pending = append(l.pending, l.items...)
	l.items = nil
	return nil
}

// EndClose lets the next BeginClose return.
func (l *Closers) EndClose() { <-l.turn }

// lateGrace is how long Close waits for all closers that it calls when its context has
// ended already, and then once more for those that have not returned. Without it, one that returns at once would be named as one that has
// not returned.
const lateGrace = 100 * time.Millisecond

// started is a closer whose Close was called.
type started struct {
	name     string
	result   <-chan error // how its goroutine ended
	err      error        // the result of Close, valid after result
	returned bool         // result was received
}

// call calls Close of a closer on a goroutine of its own.
func call(ctx context.Context, i *Closer) *started {
	s := &started{name: i.Name}
	s.result = goroutine.Go(func() { s.err = i.Close(ctx) })
	return s
}

// wait waits until Close has returned, or until limit. If both have happened, it has
// returned.
func (s *started) wait(limit <-chan struct{}) {
	received := func(crash error) { s.err, s.returned = errors.Join(s.err, crash), true }
	if s.returned {
		return
	}
	select {
	case crash := <-s.result:
		received(crash)
		return
	default:
	}
	select {
	case crash := <-s.result:
		received(crash)
	case <-limit:
	}
}

// Close calls the closers one after the other, the newest first. It waits for each until
// ctx ends. It returns an error for each closer that failed or has not returned in the
// end, which begins with its name. It first waits for those that did not return to an
// earlier Close.
func (l *Closers) Close(ctx context.Context) (errs []error) {
	called := l.timedOut
	for _, s := range called {
		s.wait(ctx.Done())
	}
	limit, end := ctx.Done(), ctx.Done()
	late := false // ctx ended before all closers were called
	for _, i := range slices.Backward(l.pending) {
		if !late && ctx.Err() != nil {
			late = true
			grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), lateGrace)
			defer cancel()
			limit = grace.Done()
		}
		s := call(ctx, i)
		called = append(called, s)
		s.wait(limit)
	}
	if late { // a closer that took all the time left none to those after it
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), lateGrace)
		defer cancel()
		end = grace.Done()
	}
	l.pending, l.timedOut = nil, nil
	for _, s := range called {
		if ctx.Err() != nil {
			s.wait(end) // it may have returned meanwhile
		}
		switch {
		case !s.returned:
			l.timedOut = append(l.timedOut, s)
			errs = append(errs, fmt.Errorf("%s: %w", s.name, context.Cause(ctx)))
		case s.err != nil:
			errs = append(errs, fmt.Errorf("%s: %w", s.name, s.err))
		}
	}
	return errs
}

// Excursions are calls of functions that may ignore cancellation, one after the other by
// the goroutine that owns some work. If a call does not return in time after a stop,
// another goroutine takes the work over, and makes its own calls.
//
// The zero value has none, and is not stopped. Begin and End are called by the owner; Stop
// may be called concurrently.
type Excursions struct {
	steps   atomic.Uint64 // odd during a call; every beginning and end is a step
	stopped atomic.Pointer[stopOrder]
}

// A stopOrder holds the arguments of Stop.
type stopOrder struct {
	grace    time.Duration
	takeOver func(leave func() bool)
}

// Begin begins a call, and returns its number for End. If Stop was called before, the call
// may last as many grace periods as graces says.
func (x *Excursions) Begin(graces int) (number uint64) {
	number = x.steps.Add(1)
	if order := x.stopped.Load(); order != nil {
		x.limit(number, order, graces)
	}
	return number
}

// End ends a call. It returns false if another goroutine has taken over: the caller then owns
// nothing any more.
func (x *Excursions) End(number uint64) bool { return x.steps.CompareAndSwap(number, number+1) }

// Stop lets a call that runs now, and each later one, last no longer than a grace period.
// After that, takeOver is called on a goroutine of its own. It calls leave, which ends the call
// in the owner's place and reports whether the owner has not done so before; if it is true, the
// caller is the owner from then on. Only the first Stop has an effect.
func (x *Excursions) Stop(grace time.Duration, takeOver func(leave func() bool)) {
	order := &stopOrder{grace, takeOver}
	if !x.stopped.CompareAndSwap(nil, order) {
		return
	}
	if number := x.steps.Load(); number%2 == 1 {
		x.limit(number, order, 1)
	}
}

func (x *Excursions) limit(number uint64, order *stopOrder, graces int) {
	time.AfterFunc(time.Duration(graces)*order.grace, func() {
		if x.steps.Load() == number {
			order.takeOver(func() bool { return x.End(number) })
		}
	})
}
