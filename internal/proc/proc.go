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

// Quiet returns env with settings that keep git and pagers from waiting for a user. They
// override settings in env of the same names. env is not changed.
func Quiet(env []string) []string {
	return append(slices.Clip(env), "PAGER=cat", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0")
}
