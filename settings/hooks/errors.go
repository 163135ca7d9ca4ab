package hooks

import (
	"errors"
	"fmt"
)

// ErrHook is wrapped by every error of Options.OnProblem and [Runner.Fire] that is about a
// hook.
var ErrHook = errors.New("hook")

// The reasons why a hook has no answer.
var (
	errLate    = errors.New("it did not answer in time")
	errNoStart = errors.New("it could not be started")
	errClosed  = errors.New("the session was closed")
	errAnswer  = errors.New("its answer could not be read")
	errCode    = errors.New("it ended with an error")
	errRefused = errors.New("it could not be reached")
)

// A hookError is an error of one hook.
type hookError struct {
	handler *Handler
	err     error
}

func (e *hookError) Error() string {
	if e.handler.Event == "" {
		return e.err.Error()
	}
	return fmt.Sprintf("%s: %v", e.handler.name(), e.err)
}

func (e *hookError) Unwrap() []error { return []error{ErrHook, e.err} }

// shortReason returns a failure in words for the model. It leaves out the output of the hook,
// which may be secret.
func shortReason(err error) string {
	for _, known := range []error{errLate, errNoStart, errClosed, errAnswer, errCode, errRefused} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return "it failed"
}
