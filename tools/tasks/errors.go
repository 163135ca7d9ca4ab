package tasks

import (
	"errors"
	"fmt"

	"github.com/seed49eaa51d/pegboard/internal/durable"
)

// The errors. Their texts are worded for the model.
var (
	// ErrUnknownTask: the list has no task of that id.
	ErrUnknownTask = errors.New("there is no such task")
	// ErrInvalid: a task cannot be as it was asked for.
	ErrInvalid = errors.New("the task cannot be so")
	// ErrCircle: tasks would wait for each other.
	ErrCircle = errors.New("tasks would wait for each other")
	// ErrOwned: the task has another owner.
	ErrOwned = errors.New("the task has an owner")
	// ErrBlocked: the task is to get an owner and waits for other tasks.
	ErrBlocked = errors.New("the task is blocked")
	// ErrFull: the list has no room for the change.
	ErrFull = errors.New("the list of tasks is full")
	// ErrRefused: a hook has refused the change.
	ErrRefused = errors.New("a hook refused the change")
	// ErrBusy: other changes of the list have kept this one from being made.
	ErrBusy = durable.ErrBusy
	// ErrCorrupt: the file of the list has content that no version of this package wrote.
	ErrCorrupt = durable.ErrCorrupt
	// ErrNewer: the file of the list is that of a later version of this package.
	ErrNewer = errors.New("the file is that of a later version of the program")
	// ErrOutside: the file of the list is a link that leads out of its directory.
	ErrOutside = errors.New("the file is a link that leads out of its directory")
)

// A FileError says that the file of a list could not be used.
type FileError struct {
	Path  string // of the file, as it was given to [Open]
	Aside string // where the file is now, if it was set aside; the list is then kept in a new file
	Err   error  // the reason, such as ErrCorrupt
}

// Error returns the path, the reason, and the place of the list since then.
func (e *FileError) Error() string {
	if e.Aside != "" {
		return fmt.Sprintf("the file of the tasks, %s, could not be read and was set aside as %s: %v; a new list was begun", e.Path, e.Aside, e.Err)
	}
	return fmt.Sprintf("the file of the tasks, %s, cannot be used: %v; it was left as it is, and the list is in memory until the program ends", e.Path, e.Err)
}

// Unwrap returns the reason.
func (e *FileError) Unwrap() error { return e.Err }

// A StopError is an error of a hook that refuses a change and ends the turn: the model is not
// called again before the user has sent a message.
type StopError struct{ Reason string }

// Error returns the reason.
func (e *StopError) Error() string { return e.Reason }

// A refusedError is the error of a change that a hook has refused.
type refusedError struct {
	hook string
	err  error
}

// Error returns the text for the model.
func (e *refusedError) Error() string {
	if e.hook == createdName {
		return "the task was not created: " + e.err.Error()
	}
	return "the task was not completed: " + e.err.Error()
}

// Unwrap returns ErrRefused and the error of the hook.
func (e *refusedError) Unwrap() []error { return []error{ErrRefused, e.err} }
