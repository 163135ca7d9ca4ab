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

// end asks the group to end. Errors are ignored here and in kill: either no process is
// left, or none that this process may signal, and then the command does not end.
func (g *group) end() { _ = syscall.Kill(-g.leader.Pid, syscall.SIGTERM) }

// interrupt sends SIGINT to the child, or to the group.
func (g *group) interrupt(all bool) error {
	pid := g.leader.Pid
	if all {
		pid = -pid
	}
	return syscall.Kill(pid, syscall.SIGINT)
}

func (g *group) kill() { _ = syscall.Kill(-g.leader.Pid, syscall.SIGKILL) }

func (g *group) release() {}

// signalName returns the name of the signal that ended the process, or "" if none did.
func signalName(state *os.ProcessState) string {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return ""
	}
	return status.Signal().String()
}
