//go:build unix && !linux

package proc

import (
	"errors"
	"os"
	"syscall"
)

// groupAttributes makes the child the leader of a new session, and so of a new group.
// Without a terminal a program that asks for a password fails at once instead of being
// stopped.
func groupAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func lockThread() (release func()) { return func() {} }

// waitForExit does not wait: not all of these systems have a waitid that does not reap. So
// the child is reaped before its output is drained, and the number of a group that is
// empty by then could in theory be reused by another process before it is signalled.
func waitForExit(*os.Process) error { return errors.ErrUnsupported }
