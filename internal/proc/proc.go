// Package proc runs the child processes of the library. A child reads the null
// device, has no terminal, leads a process group of its own, and can neither
// block on its output nor outlive its table.
package proc

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"
)

// ErrClosed is returned by [Table.Run] after [Table.Close], and is the
// [Exit.Err] of a command that Close ended.
var ErrClosed = errors.New("the process table is closed")

const (
	defaultGrace = 500 * time.Millisecond
	defaultDrain = 2 * time.Second
)

// A Command says what to run. The zero Command is refused: Args and Dir are needed.
type Command struct {
	Args []string // Args[0] is looked up as os/exec does
	Dir  string   // absolute
	Env  []string // nil means Quiet of this process's environment

	// Grace is the time between asking the group to end and killing it; 0 means
	// 500 ms. It is cut short once the child has ended and its output is closed.
	// On Windows there is no grace.
	Grace time.Duration
	// Drain is how long the output may stay open once the child has ended;
	// 0 means 2 s.
	Drain time.Duration
	// Keep is how many bytes of output to keep; 0 means 1 MiB. See [Capture].
	Keep int
	// Output, if set, gets each piece of output as it arrives, in order and
	// never concurrently. It must not keep the slice. While it blocks, the
	// command cannot print and Run does not return.
	Output func(p []byte)
}

// An Exit is how a command ended.
type Exit struct {
	Code   int    // as the child gave it; -1 if a signal ended it
	Signal string // the system's name of that signal, such as "killed", or ""
	// Err is why the child was ended from here, and nil if it ended by itself:
	// the cause of the context, or ErrClosed. It may also be a panic of
	// Command.Output, which cuts the output short.
	Err     error
	Output  Output        // stdout and stderr in the order of arrival
	Elapsed time.Duration // from the start to the end of the child
	// Lingering says that a descendant kept the output open, so that it was
	// given up: Output may lack what came later.
	Lingering bool
}

// Quiet returns env with the settings that keep git and pagers from waiting for
// a user. They win over what env says about the same names. env is not changed.
func Quiet(env []string) []string {
	return append(slices.Clip(env), "PAGER=cat", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0")
}

// check returns the command with its defaults filled in.
func (c Command) check() (Command, error) {
	if len(c.Args) == 0 {
		return c, errors.New("the command has no arguments, the first of which names the program")
	}
	if !filepath.IsAbs(c.Dir) {
		return c, fmt.Errorf("working directory %q is not absolute", c.Dir)
	}
	if c.Grace <= 0 {
		c.Grace = defaultGrace
	}
	if c.Drain <= 0 {
		c.Drain = defaultDrain
	}
	return c, nil
}
