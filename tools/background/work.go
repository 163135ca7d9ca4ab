package background

import (
	"time"
)

// Work is what a tool adds to a table. The zero Work is refused: Stop is needed.
type Work struct {
	Kind        string // the first part of the task's id; empty means "task"
	Description string
	Command     string
	OutputFile  string    // an absolute path, see [Tasks.NewFile]; empty if there is none
	Started     time.Time // zero means now; for work that began in the foreground

	// Stop asks the work to end because of cause, and returns at once. It is
	// called at most once, on a goroutine of its own, and not after
	// [Handle.Done]. Done must follow, however the work takes it.
	Stop func(cause error)
	// Output returns what the work has printed so far, or as much of it as
	// should be shown. It may be called concurrently, and after Done. Nil means
	// the last [MaxOutput] bytes of OutputFile.
	Output func() string
	// OwnerEnd says what becomes of it when its session ends.
	OwnerEnd Policy
}

// A Policy says what becomes of a task when the session that added it ends.
type Policy int

// The policies. Whatever they say, no task outlives its conversation.
const (
	// ByRole is Kill for a sub-agent, whose caller has its answer and waits for
	// nothing more, and Reparent for all others.
	ByRole Policy = iota
	// Kill stops the task. Nobody is told, but it stays in the list.
	Kill
	// Reparent hands the task to the main session, which is told of its end.
	Reparent
)
