package background

import (
	"errors"
)

// The errors. Their texts are worded for the model.
var (
	// ErrUnknownTask: there is no task of that id, or it ended long ago and was
	// forgotten. The error names ids that may have been meant.
	ErrUnknownTask = errors.New("no background task has the id")
	// ErrEnded: the task that should be stopped has ended already.
	ErrEnded = errors.New("the task has ended already")
	// ErrTooMany: as many tasks run as may run at once.
	ErrTooMany = errors.New("too many background tasks are running")
	// ErrStopped is the cause that [Tasks.Stop] gives.
	ErrStopped = errors.New("stopped on request")
	// ErrOwnerEnded is the cause when the agent that started a task has ended.
	ErrOwnerEnded = errors.New("the agent that started it has ended")
	// ErrAlreadyConfigured: the conversation has other options, or tasks, already.
	ErrAlreadyConfigured = errors.New("the background tasks are configured already, or in use")
	// ErrCorrupt: some records could not be read. They were set aside, under names
	// that end in ".corrupt", and the rest of [Configure] was done.
	ErrCorrupt = errors.New("unreadable task records")
)
