package proc

import (
	"time"

	"github.com/seed49eaa51d/pegboard/internal/excerpt"
)

// An Exit describes how a command ended.
type Exit struct {
	Code   int    // exit code of the child; -1 if a signal ended it
	Signal string // the system's name of that signal, such as "killed", or ""
	// Err is nil if the child ended by itself. If this process ended it, Err is the reason:
	// the cause of the context or of [Process.Stop], or ErrClosed. It is ErrOutputLimit
	// whenever there was too much output, even if the child had ended by then. It may
	// also be a panic of Command.Output or Command.Errors, which ends the reading of the output.
	Err error
	// Output is stdout and stderr in the order of arrival, or stdout if Command.Errors is
	// set.
	Output excerpt.Output
	// Stored is the number of bytes in Command.File: the beginning of the output.
	Stored int64
	// FileErr is the reason why Command.File could not be created, or lacks output that
	// Command.MaxFile permits, such as a full disk. Nothing is written to the file after
	// it. Code, Err and Output are the same as without the file.
	FileErr error
	Elapsed time.Duration // from the start to the end of the child
	// Lingering says that a descendant that had left the group kept the output open for
	// longer than Command.Drain. Output and the file may lack what it printed later.
	Lingering bool
	// Ended are the processes that the child left behind in its group. They were killed
	// when its output was over. It is empty if this process ended the command, and on
	// systems that do not list the processes of a group.
	Ended []Leftover
}
