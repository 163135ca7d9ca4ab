//go:build unix

package proc

import (
	"os"
	"syscall"
)

// A group is a child and those of its descendants that did not leave its group.
type group struct {
	leader *os.Process
}

func newGroup(leader *os.Process) *group { return &group{leader: leader} }

// end asks the group to end. Errors do not matter here and below: either nobody
// is left, or nobody who may be signalled is, which shows when the process does
// not end.
func (g *group) end() { _ = syscall.Kill(-g.leader.Pid, syscall.SIGTERM) }

func (g *group) kill() { _ = syscall.Kill(-g.leader.Pid, syscall.SIGKILL) }

func (g *group) release() {}

// signalName returns what ended the process, or "" if it was no signal.
func signalName(state *os.ProcessState) string {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return ""
	}
	return status.Signal().String()
}
