package temporal

import (
	"errors"

	"github.com/seed49eaa51d/pegboard"
)

// The errors of [Engine.Invoke] that are not those of the tool. Outcome.Err wraps them.
var (
	// ErrToolVersion: the worker has no tool with that name, or one with another definition. The
	// call has not run.
	ErrToolVersion = errors.New("the worker has another version of the tool")
	// ErrNoPool: the worker could not assemble the pool of the session. The call has not run.
	ErrNoPool = errors.New("the worker has no tools for the session")
	// ErrNoWorker: no worker took the call in [Options].StartWithin. The call has not run.
	ErrNoWorker = errors.New("no worker took the call")
	// ErrWorkerLost: the worker of the call went away. If the call changes something, the error
	// wraps [pegboard.ErrOutcomeUnknown], too.
	ErrWorkerLost = errors.New("the worker was lost")
	// ErrStopped: the run was ended in Temporal, or the call was stopped before a worker took it.
	// A tool also gets it as the cause when its worker stops.
	ErrStopped = errors.New("stopped in the engine")
	// ErrReused: an earlier call of the session had the same id and turn, and was another call.
	// This one has not run.
	ErrReused = errors.New("another call had the same id")
	// ErrStore: an input or a result was too long for the engine, and did not get through the
	// store of the session.
	ErrStore = errors.New("the result store failed")
	// ErrUnreachable: Temporal did not answer for [Options].Outage.
	ErrUnreachable = errors.New("the engine cannot be reached")
	// ErrVersion: a message of the other side has a version that this one does not know.
	ErrVersion = errors.New("a message of an unknown version")
)

// A failure is an error with a text for the model.
type failure struct {
	text  string
	wraps []error
}

func (f *failure) Error() string   { return f.text }
func (f *failure) Unwrap() []error { return f.wraps }

// A settledError is the error of a tool after all attempts: the executor makes no further one.
type settledError struct{ err error }

func (e *settledError) Error() string { return e.err.Error() }

// Is reports whether the error of the tool is target.
func (e *settledError) Is(target error) bool {
	return target != pegboard.ErrTransient && errors.Is(e.err, target)
}
