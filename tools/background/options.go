package background

import "errors"

// The limits.
const (
	// DefaultMaxTasks is how many tasks of a conversation run at once, as
	// documented for the shell sessions of a known harness.
	DefaultMaxTasks = 64
	// MaxOutput is how many bytes of an output file [Tasks.Output] returns.
	MaxOutput = 32_000

	keptEnded    = 8   // of the tasks that ended, the latest are always kept
	maxMessages  = 256 // of one task that nobody has fetched
	noticeLines  = 3
	noticeLine   = 200 // bytes
	maxRecord    = 1 << 20
	maxNearNames = 3
	maxSweeps    = 100 // attempts to remove a directory in which files are still being made
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
	// ErrConfigured: the conversation has other options, or tasks, already.
	ErrConfigured = errors.New("the background tasks are configured already, or in use")
	// ErrCorrupt: some records could not be read. They were set aside, under names
	// that end in ".corrupt", and the rest of [Configure] was done.
	ErrCorrupt = errors.New("unreadable task records")
)

// Options are a host's choices for one conversation. The zero value works.
type Options struct {
	// Dir is the conversation's own directory for output files and records, an
	// absolute path. It is made if it is missing, for this user alone, and stays
	// when the conversation ends: who opens it again for the same conversation
	// finds what became of its tasks. Empty means a temporary directory, which is
	// removed when the main session is closed, and no records.
	Dir string
	// MaxTasks is how many tasks may run at once; 0 means DefaultMaxTasks. About
	// as many are listed: those that ended make room for those that run, but for
	// the 8 that ended last.
	MaxTasks int
}
