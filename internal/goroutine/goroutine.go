// Package goroutine starts every goroutine of the module and recovers from every
// panic, so that code of a tool, a hook or a host can end its own goroutine but not
// the program.
package goroutine

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// ErrGoexit says that a function ended its goroutine by runtime.Goexit.
var ErrGoexit = errors.New("the function ended its goroutine")

// PanicError is a panic that was caught.
type PanicError struct {
	Value any    // what was panicked with; *runtime.PanicNilError for nil
	Stack []byte // of the goroutine that panicked, as debug.Stack formats it
}

// Error returns the panic's value as text, without the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the panic's value if that is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Go runs f on a goroutine of its own. The channel delivers exactly one value
// when f has ended: nil if it returned, a *PanicError, or ErrGoexit. Nobody
// has to receive it. What the runtime cannot recover from, such as concurrent
// writes of a map, still ends the process.
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

// growStack makes room on the stack of a new goroutine for what a call is likely
// to need. Without it the stack grows step by step, and each step copies all
// frames that are there by then. With what the runtime adds it is 8 KiB, which is
// enough for the stages of a call; a tool that needs more gets it as ever. The room
// is made on entry, and only cleared if it is used, which nobody does.
//
//go:noinline
func growStack(use bool) (b byte) {
	if use {
		var room [5 << 10]byte
		for i := range room {
			b += room[i]
		}
	}
	return b
}

// Try returns what f returns, or a *PanicError if it panics. runtime.Goexit
// passes through, as does what the runtime cannot recover from.
func Try(f func() error) (err error) {
	defer catch(&err)
	return f()
}

// catch, deferred, turns a panic into an error.
func catch(err *error) {
	if v := recover(); v != nil {
		*err = &PanicError{Value: v, Stack: debug.Stack()}
	}
}

// A Task is work with an end.
type Task interface {
	Work()
	// Leave is called last, on the same goroutine, with what Go would deliver,
	// even if Work ended the goroutine by Goexit. A panic of Leave is lost; it
	// should not have one.
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
