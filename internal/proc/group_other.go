//go:build !unix && !windows

package proc

import (
	"errors"
	"os"
	"syscall"
)

// These systems have no groups of processes: only the child itself is ended.

func ownGroup() *syscall.SysProcAttr { return nil }

func holdThread() (release func()) { return func() {} }

func endGroup(child *os.Process) { _ = child.Kill() }

func killGroup(child *os.Process) { _ = child.Kill() }

func awaitExit(*os.Process) error { return errors.ErrUnsupported }

func signalName(*os.ProcessState) string { return "" }
