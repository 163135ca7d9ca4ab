package tooltest

import (
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// CheckInvoke reports every way in which a func for [pegboard.Executor].Invoke does not
// perform calls as they are performed in this process. Build returns the func, given the
// pool whose calls it performs. The pool has the tools of [InvokeTools]: a func that sends
// calls to another process finds the same tools there if that process registers them. The
// error joins one *[ContractError] for each violation; nil means that CheckInvoke has found
// none. Use an [InvokeChecker] to choose the grace period.
//
// CheckInvoke runs calls through a real executor, with and without the func, and compares
// the outcomes. Each call has an id of its own, by which an engine may know it. CheckInvoke
// checks these rules:
//
//  1. An Invoke is made: build returns no error. Nil is the default.
//  2. Exactly the decided bytes arrive: the tool gets the id, the name and every byte of
//     the input that was decided: white space, the order of keys, numbers of any size, the
//     way in which characters are written. If a hook has changed the input, the changed one.
//  3. Results come back: every part of the result, and whether it is an error. CheckInvoke
//     does not compare Data, Value, Diffs and the funcs of a [pegboard.Result].
//  4. Errors cross: if the tool returns an error, the call fails with the same text, and the
//     parts of a result beside the error are kept.
//  5. Panics cross: if the tool panics, the error of the outcome wraps
//     [pegboard.ErrPanic]. The func panics, too, or returns a *[pegboard.PanicError].
//  6. Cancellation arrives: when the context of the call ends, the context of the tool ends
//     within the grace period, and the func returns.
//  7. A call runs once: it is not repeated after an error, a panic or a cancellation, and is
//     not left out because an earlier call had the same input.
//  8. Calls run beside each other: the func is called for several calls at the same time,
//     and does not wait for one before it begins another.
//  9. Every call returns: no endless wait.
func CheckInvoke(build func(p *pegboard.Pool) (pegboard.Invoke, error)) error {
	return InvokeChecker{}.Check(build)
}

// An InvokeChecker is a [CheckInvoke] with settings. The zero value is equivalent to
// CheckInvoke.
type InvokeChecker struct {
	// Grace is how long a call may take, and how long a cancellation; 0 means a minute.
	Grace time.Duration
}

// Check is like the function [CheckInvoke].
func (k InvokeChecker) Check(build func(p *pegboard.Pool) (pegboard.Invoke, error)) error {
	x := &invokeExam{verdict: verdict{purposes: invokePurposes, returns: ruleInvokeReturns, grace: k.Grace}}
	if x.grace <= 0 {
		x.grace = time.Minute
	}
	s, err := newInvokeSession()
	if err != nil {
		return err
	}
	defer func() { _ = closeSession(s) }() // CheckInvoke does not examine the remains of a cancelled call
	if err := x.prepare(s, build); err != nil {
		return err
	}
	x.check()
	return x.err()
}
