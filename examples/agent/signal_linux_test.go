package main_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAgentLeavesNothingBehind ends the agent in the middle of a command. After a
// signal that it can hear nothing is left; after KILL its direct child is gone.
func TestAgentLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	binary := build(t)
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGKILL} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			cmd, out, marker := command(t, binary, "-linger=60s")
			temp := t.TempDir()
			cmd.Env = append(cmd.Env, "TMPDIR="+temp)
			require.NoError(t, cmd.Start())
			child := shell(t, marker, cmd.Process.Pid)
			require.NoError(t, cmd.Process.Signal(sig))
			begin := time.Now()
			require.Error(t, cmd.Wait(), "an interrupted agent does not report success")
			require.Less(t, time.Since(begin), time.Minute)
			if sig == syscall.SIGKILL {
				require.Eventually(t, func() bool { return !alive(child) }, time.Minute, 5*time.Millisecond)
				for _, pid := range marked(t, marker) { // what the kernel does not end for us
					_ = syscall.Kill(pid, syscall.SIGKILL)
				}
				return
			}
			require.Empty(t, marked(t, marker), out.String())
			left, err := os.ReadDir(temp)
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

// shell waits for the shell that the agent runs the lingering command in.
func shell(t *testing.T, marker string, agent int) (pid int) {
	t.Helper()
	require.Eventually(t, func() bool {
		for _, p := range marked(t, marker) {
			line, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p), "cmdline"))
			if err == nil && p != agent && bytes.Contains(line, []byte("looking at")) {
				pid = p
				return true
			}
		}
		return false
	}, 20*time.Second, 5*time.Millisecond)
	return pid
}

// marked returns the processes that have the marker in their environment.
func marked(t *testing.T, marker string) (pids []int) {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	require.NoError(t, err)
	for _, dir := range dirs {
		env, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err == nil && slices.Contains(strings.Split(string(env), "\x00"), marker) {
			pid, err := strconv.Atoi(filepath.Base(dir))
			require.NoError(t, err)
			pids = append(pids, pid)
		}
	}
	return pids
}

func alive(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
