// Package goroutine starts every goroutine of the module and recovers from every
// panic, so that code of a tool, a hook or a host can end its own goroutine but not
// the program.
package goroutine

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// ErrGoexit says that a function ended its goroutine by runtime.Goexit.
var ErrGoexit = errors.New("the function ended its goroutine")

// PanicError is a recovered panic.
type PanicError struct {
	Value any    // the argument of panic; *runtime.PanicNilError for nil
	Stack []byte // of the goroutine that panicked, as debug.Stack formats it
	Site  string // file:line of the function that panicked, or ""
}

// Error returns the panic's value as text, without the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the panic's value if that is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Go runs f on a goroutine of its own. The channel delivers exactly one value when f
// has ended: nil if it returned, a *PanicError, or ErrGoexit. The caller need not
// receive it. Errors that the runtime cannot recover from, such as concurrent writes of
// a map, still end the process.
func Go(f func()) (done <-chan error) {
	end := make(chan error, 1)
	go func() {
		err := ErrGoexit
		defer func() { end <- err }()
		defer catch(&err)
		f()
		err = nil
	}()
	return end
}

// growStack grows the stack of a new goroutine to the size that a call probably needs.
// Without it the stack grows step by step, and each step copies all frames on it.
// Together with the runtime's part it is 16 KiB, enough for the stages of a call, which
// need more than 8; the stack of a tool that needs more grows as usual. Entering the function reserves the
// array; use is always false, so that no time is spent on clearing it.
//
//go:noinline
func growStack(use bool) (b byte) {
	if use {
		var room [10 << 10]byte
		for i := range room {
			b += room[i]
		}
	}
	return b
}

// Try returns the result of f, or a *PanicError if f panics. runtime.Goexit passes
// through, and so do errors that the runtime cannot recover from.
func Try(f func() error) (err error) {
	defer catch(&err)
	return f()
}

// catch turns a panic into an error. It must be deferred directly. It keeps a *PanicError
// that is raised again.
func catch(err *error) {
	v := recover()
	if again, ok := v.(*PanicError); ok {
		*err = again
	} else if v != nil {
		*err = &PanicError{Value: v, Stack: debug.Stack(), Site: panicSite()}
	}
}

// panicSite returns the place that panicked. It is called while a deferred function
// recovers, so the frames of the panic are still on the stack: those of the runtime that
// raise it, and below them the function that panicked.
func panicSite() string {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for raised := false; ; {
		frame, more := frames.Next()
		if raised && !strings.HasPrefix(frame.Function, "runtime.") {
			if frame.File == "" {
				return ""
			}
			return frame.File + ":" + strconv.Itoa(frame.Line)
		}
		raised = raised || frame.Function == "runtime.gopanic"
		if !more {
			return ""
		}
	}
}

// A Task is work that Start runs on a goroutine of its own.
type Task interface {
	Work()
	// Leave is called after Work, on the same goroutine, even if Work called
	// runtime.Goexit. crash is the value that the channel of Go would deliver. A panic
	// of Leave is recovered and lost.
	Leave(crash error)
}

// Start runs t on a goroutine of its own.
func Start(t Task) {
	go func() {
		growStack(false)
		err := ErrGoexit
		defer func() { _ = Try(func() error { t.Leave(err); return nil }) }()
		err = Try(func() error { t.Work(); return nil })
	}()
}
