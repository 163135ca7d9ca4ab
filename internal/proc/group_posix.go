//go:build unix && !linux

package proc

import (
	"errors"
	"os"
	"syscall"
)

// ownGroup makes the child the leader of a new session, and by that of a new
// group. Without a terminal a program that asks for a password fails at once
// instead of being stopped.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func holdThread() (release func()) { return func() {} }

// awaitExit does not wait: there is no waitid that only reports an end on all
// of these systems. So the child is reaped before its output is drained, and
// the number of a group that is empty by then could in theory be given to
// another process before it is signalled.
func awaitExit(*os.Process) error { return errors.ErrUnsupported }
