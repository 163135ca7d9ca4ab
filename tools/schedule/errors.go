package schedule

import "errors"

// The errors of the package, to test for with [errors.Is].
var (
	// ErrExpression: the text is no cron expression of this package, or never comes.
	ErrExpression = errors.New("invalid cron expression")
	// ErrTooMany: the conversation has as many jobs as it may.
	ErrTooMany = errors.New("too many scheduled jobs")
	// ErrUnknownJob: the agent has no job with that id.
	ErrUnknownJob = errors.New("unknown job")
	// ErrPrompt: a prompt is empty or too long.
	ErrPrompt = errors.New("invalid prompt")
	// ErrFile: the file of jobs cannot be used. It is left as it is.
	ErrFile = errors.New("the file of scheduled jobs cannot be used")
)
