package proc

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// leftovers returns the processes of the group that run, without the leader. A process that
// is about to end has no arguments any more and does not count.
func (g *group) leftovers() (left []Leftover) {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	names, _ := proc.Readdirnames(-1) // the names before an error count
	_ = proc.Close()
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == g.leader.Pid {
			continue
		}
		if id, err := syscall.Getpgid(pid); err != nil || id != g.leader.Pid {
			continue
		}
		args, _ := os.ReadFile("/proc/" + name + "/cmdline") // it may have ended meanwhile
		if command := strings.TrimSpace(string(bytes.ReplaceAll(args, []byte{0}, []byte{' '}))); command != "" {
			left = append(left, Leftover{Pid: pid, Command: command})
		}
	}
	slices.SortFunc(left, func(a, b Leftover) int { return a.Pid - b.Pid })
	return left
}
