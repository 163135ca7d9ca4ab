//go:build unix

package proc

import (
	"os"
	"syscall"
)

// endGroup asks the group that child leads to end. Errors do not matter here
// and below: either nobody is left, or nobody who may be signalled is, which
// shows when the process does not end.
func endGroup(child *os.Process) { _ = syscall.Kill(-child.Pid, syscall.SIGTERM) }

func killGroup(child *os.Process) { _ = syscall.Kill(-child.Pid, syscall.SIGKILL) }

// signalName returns what ended the process, or "" if it was no signal.
func signalName(state *os.ProcessState) string {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return ""
	}
	return status.Signal().String()
}
