// Package proc runs the child processes of the library. A child has no terminal and leads
// a process group of its own. It can neither block on its output nor outlive its table.
//
// The guarantees depend on the system:
//
//	                                       Linux  other Unix  Windows
//	the descendants end with the child     group  group       job
//	one that made itself a session, too    no     no          yes
//	they are asked first, and have time    yes    yes         no
//	the child dies when this process does  yes    no          yes
//	its descendants do as well             no     no          yes
//
// On Linux each running child needs a thread: the kernel kills a child when the thread
// that started it ends.
package proc

import (
	"errors"
	"slices"
	"time"
)

var (
	// ErrClosed is returned by [Table.Start] after [Table.Close], and is the
	// [Exit.Err] of a command that Close ended.
	ErrClosed = errors.New("the process table is closed")
	// ErrOutputLimit is the [Exit.Err] of a command that printed more than
	// Command.MaxOutput.
	ErrOutputLimit = errors.New("the command printed more than it may")
)

const (
	defaultGrace     = 500 * time.Millisecond
	defaultDrain     = 2 * time.Second
	defaultMaxOutput = 5_000_000_000
)

// QuietSettings returns the variables, in the form NAME=value, that keep programs from
// waiting for a person: an editor fails at once, nothing pages, git does not ask for a
// password, and no program takes the output for a screen.
//
// The editors of git are the program false with advice as arguments, which it ignores. Git
// repeats the advice when it reports that the editor failed. EDITOR and VISUAL have no
// arguments, since other programs may not split them into words.
func QuietSettings() []string {
	return []string{
		"PAGER=cat", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0", "TERM=dumb", "EDITOR=false", "VISUAL=false",
		"GIT_EDITOR=false no editor here, use -m, -F or --no-edit, or put GIT_EDITOR=true before git to keep a text as it is",
		"GIT_SEQUENCE_EDITOR=false no editor here, put GIT_SEQUENCE_EDITOR= before git with a command that edits the list, such as sed -i",
	}
}

// Quiet returns env with the QuietSettings, which override settings in env of the same
// names. env is not changed.
func Quiet(env []string) []string {
	return append(slices.Clip(env), QuietSettings()...)
}
