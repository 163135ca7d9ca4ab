package lifetime

import (
	"sync/atomic"
	"time"
)

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

// A stopOrder says what Stop was told.
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
