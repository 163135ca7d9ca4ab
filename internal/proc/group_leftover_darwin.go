package proc

import (
	"golang.org/x/sys/unix"
)

const zombie = 5 // SZOMB of sys/proc.h

// leftovers returns the processes of the group that run, without the leader.
func (g *group) leftovers() (left []Leftover) {
	members, err := unix.SysctlKinfoProcSlice("kern.proc.pgrp", g.leader.Pid)
	if err != nil {
		return nil
	}
	for _, m := range members {
		if pid := int(m.Proc.P_pid); pid != g.leader.Pid && m.Proc.P_stat != zombie {
			left = append(left, Leftover{Pid: pid, Command: unix.ByteSliceToString(m.Proc.P_comm[:])})
		}
	}
	return left
}
