package proc

import (
	"time"

	"github.com/seed49eaa51d/pegboard/internal/excerpt"
)

// An Exit is how a command ended.
type Exit struct {
	Code   int    // as the child gave it; -1 if a signal ended it
	Signal string // the system's name of that signal, such as "killed", or ""
	// Err is why the child was ended from here, and nil if it ended by itself:
	// the cause of the context or of [Process.Stop], or ErrClosed. It is
	// ErrOutputLimit whenever there was too much output, even if the child had
	// ended by then. It may also be a panic of Command.Output, which cuts the
	// output short.
	Err error
	// Output is stdout and stderr in the order of arrival.
	Output excerpt.Output
	// Stored is how many bytes Command.File holds: the beginning of the output.
	Stored int64
	// FileErr is why Command.File could not be made, or lacks output in spite of
	// Command.MaxFile, such as a full disk. Nothing is written to the file after
	// it. Code, Err and Output are as they would be without the file.
	FileErr error
	Elapsed time.Duration // from the start to the end of the child
	// Lingering says that a descendant kept the output open, so that it was
	// given up: Output and the file may lack what came later.
	Lingering bool
}
