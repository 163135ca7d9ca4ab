//go:build !unix && !windows

package proc

import (
	"errors"
	"os"
	"syscall"
)

// These systems have no process groups: only the child itself is ended.

func groupAttributes() *syscall.SysProcAttr { return nil }

func lockThread() (release func()) { return func() {} }

type group struct {
	leader *os.Process
}

func newGroup(leader *os.Process) *group { return &group{leader: leader} }

func (g *group) end() { g.kill() }

func (g *group) kill() { _ = g.leader.Kill() }

func (g *group) release() {}

func waitForExit(*os.Process) error { return errors.ErrUnsupported }

func signalName(*os.ProcessState) string { return "" }
