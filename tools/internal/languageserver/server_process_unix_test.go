//go:build unix

package languageserver_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/internal/languageserver"
)

const (
	roleName = "LANGUAGESERVER_TEST_ROLE" // what the test binary does instead of testing
	pidsName = "LANGUAGESERVER_TEST_PIDS" // file with the process ids of servers and their children
)

func TestMain(m *testing.M) {
	if role, ok := os.LookupEnv(roleName); ok {
		os.Exit(play(role))
	}
	os.Exit(m.Run())
}

// play makes this binary a server, or a host of one.
func play(role string) int {
	if role == "host" {
		c := ownServer("forks", os.Getenv(pidsName))
		dir := filepath.Dir(os.Getenv(pidsName))
		s, err := languageserver.NewPool().Server(c, dir)
		if err == nil {
			_, err = s.Definition(context.Background(), filepath.Join(dir, "a.x"), first)
		}
		fmt.Println("ready", err)
		select {}
	}
	note(os.Getpid())
	f := &fake{}
	switch role {
	case "forks":
		child := exec.Command("sleep", "1000")
		if err := child.Start(); err != nil {
			return 1
		}
		note(child.Process.Pid)
	case "stays": // whatever it is asked
		f.capabilities = everything
	}
	f.on = onDefinition(func(r *fakeRun, m message) { r.answer(m, `null`) })
	f.serve(context.Background(), os.Stdin, os.Stdout, os.Stderr)
	if role == "stays" {
		select {}
	}
	return 0
}

func note(pid int) {
	file, err := os.OpenFile(os.Getenv(pidsName), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, _ = fmt.Fprintln(file, pid)
		_ = file.Close()
	}
}

func ownServer(role, pids string) languageserver.Config {
	path, _ := os.Executable()
	return languageserver.Config{
		Name: role, Command: []string{path}, Languages: map[string]string{".x": "x"},
		Env: append(os.Environ(), roleName+"="+role, pidsName+"="+pids),
	}
}

// pids returns the processes that were noted.
func pids(t *testing.T, file string) (all []int) {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, field := range strings.Fields(string(data)) {
		pid, err := strconv.Atoi(field)
		require.NoError(t, err)
		all = append(all, pid)
	}
	return all
}

func requireGone(t *testing.T, all []int) {
	t.Helper()
	require.NotEmpty(t, all)
	for _, pid := range all {
		require.Eventually(t, func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || zombie(pid) }, time.Minute, 5*time.Millisecond, "process %d is left", pid)
	}
}

// zombie reports whether a process has ended and its new parent has not noticed.
func zombie(pid int) bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(data), ") Z ")
}

func fileOf(t *testing.T) (dir, file, noted string) {
	t.Helper()
	dir = t.TempDir()
	file = filepath.Join(dir, "a.x")
	require.NoError(t, os.WriteFile(file, []byte("text\n"), 0o600))
	return dir, file, filepath.Join(dir, "pids")
}

// TestServerEndsWithItsPool closes pools of real processes.
func TestServerEndsWithItsPool(t *testing.T) {
	t.Parallel()
	for _, role := range []string{"serves", "forks", "stays"} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			dir, file, noted := fileOf(t)
			pool := languageserver.NewPool()
			s, err := pool.Server(ownServer(role, noted), dir)
			require.NoError(t, err)
			_, err = s.Definition(t.Context(), file, first)
			require.NoError(t, err)
			require.Len(t, pool.Running(file), 1)
			require.Empty(t, pool.Running(filepath.Join(dir, "..", "a.x")))
			require.NoError(t, pool.Close(t.Context()))
			requireGone(t, pids(t, noted))
			require.Empty(t, pool.Running(file))
		})
	}
}

// TestServerIsKilled kills a server between two requests.
func TestServerIsKilled(t *testing.T) {
	t.Parallel()
	dir, file, noted := fileOf(t)
	s := serverFor(t, ownServer("serves", noted), dir)
	for range 3 {
		_, err := s.Definition(t.Context(), file, first)
		require.NoError(t, err)
		all := pids(t, noted)
		require.NoError(t, syscall.Kill(all[len(all)-1], syscall.SIGKILL))
	}
	_, err := s.Definition(t.Context(), file, first)
	require.NoError(t, err)
	require.Len(t, pids(t, noted), 4)
}

// TestServerEndsWithItsHost kills the process that started a server.
func TestServerEndsWithItsHost(t *testing.T) {
	t.Parallel()
	_, _, noted := fileOf(t)
	path, err := os.Executable()
	require.NoError(t, err)
	host := exec.CommandContext(t.Context(), path)
	host.Env = append(os.Environ(), roleName+"=host", pidsName+"="+noted)
	out, err := host.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, host.Start())
	line := make([]byte, 100)
	n, err := out.Read(line)
	require.NoError(t, err)
	require.Equal(t, "ready <nil>\n", string(line[:n]))
	require.NoError(t, host.Process.Kill())
	_ = host.Wait() // it was killed
	all := pids(t, noted)
	t.Cleanup(func() { _ = syscall.Kill(all[1], syscall.SIGKILL) }) // what a server started is not killed with the host
	requireGone(t, all[:1])
}

// TestServerIsMissing asks a program that is not there.
func TestServerIsMissing(t *testing.T) {
	t.Parallel()
	dir, file, _ := fileOf(t)
	s := serverFor(t, languageserver.Config{Name: "none", Command: []string{filepath.Join(dir, "none")}, Languages: map[string]string{".x": "x"}}, dir)
	for range 6 {
		_, err := s.Definition(t.Context(), file, first)
		var failed *languageserver.StartError
		require.ErrorAs(t, err, &failed)
		require.ErrorIs(t, err, os.ErrNotExist)
	}
}
