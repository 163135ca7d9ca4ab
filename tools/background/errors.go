package background

import (
	"errors"
)

// The errors. Their texts are worded for the model.
var (
	// ErrUnknownTask: no task has the id, or the task ended long ago and was removed
	// from the table. The error names ids that the caller may have meant.
	ErrUnknownTask = errors.New("no background task has the id")
	// ErrEnded: the task to stop has already ended.
	ErrEnded = errors.New("the task has ended already")
	// ErrTooMany: the maximum number of tasks is running.
	ErrTooMany = errors.New("too many background tasks are running")
	// ErrStopped is the cause that [Tasks.Stop] gives.
	ErrStopped = errors.New("stopped on request")
	// ErrOwnerEnded is the cause if the agent that started a task has ended.
	ErrOwnerEnded = errors.New("the agent that started it has ended")
	// ErrAlreadyConfigured: the conversation already has other options, or already
	// has tasks.
	ErrAlreadyConfigured = errors.New("the background tasks are configured already, or in use")
	// ErrCorrupt: some records could not be read. They were renamed to names that end
	// in ".corrupt", and [Configure] did the rest of its work.
	ErrCorrupt = errors.New("unreadable task records")
)
