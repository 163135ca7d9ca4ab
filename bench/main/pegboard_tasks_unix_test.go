//go:build unix

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/tasks"
)

// The variables of a process that updates tasks.
const (
	taskWay  = "BENCH_TASKS_WAY" // a key of taskWays
	taskFile = "BENCH_TASKS_FILE"
	taskWork = "BENCH_TASKS_WORK" // how many updates

	taskProcesses = 8
	tasksOfList   = 40
)

// taskWays update a list once for each number, in a process that is one of several.
var taskWays = map[string]func(path string, updates int) error{
	"pegboard": func(path string, updates int) error {
		list, err := tasks.Open(path, tasks.Hooks{})
		if err != nil {
			return err
		}
		for n := range updates {
			if _, err := list.Update(context.Background(), strconv.Itoa(n%tasksOfList+1), func(t *tasks.Task) error {
				t.Metadata = map[string]json.RawMessage{"n": fmt.Appendf(nil, "\"%d of %d\"", n, os.Getpid())}
				return nil
			}); err != nil {
				return err
			}
		}
		return list.Problem()
	},
	"floor-replace": func(path string, updates int) error { return lockedWrites(path, updates, replaceFile) },
	"floor-write": func(path string, updates int) error {
		return lockedWrites(path, updates, func(path string, data []byte) error { return os.WriteFile(path, data, 0o600) })
	},
}

// BenchmarkTasks measures one update of a list of tasks in a file that eight processes update at
// once. The floors lock, read and write the same bytes: by a new file that is synced and takes the
// place of the old one, as is needed if the process may be killed, and in place. No peer has a case.
func BenchmarkTasks(b *testing.B) {
	for _, way := range []string{"pegboard", "floor-replace", "floor-write"} {
		b.Run("Tasks/"+way, func(b *testing.B) { benchTasks(b, way) })
	}
}

func benchTasks(b *testing.B, way string) {
	path := filepath.Join(b.TempDir(), "tasks.json")
	list, err := tasks.Open(path, tasks.Hooks{})
	require.NoError(b, err)
	for i := range tasksOfList {
		_, err := list.Create(b.Context(), tasks.Task{
			Subject: fmt.Sprint("Step ", i), Description: strings.Repeat("It is done with care. ", 10), Metadata: map[string]json.RawMessage{"n": []byte(`"0 of 100000"`)},
		})
		require.NoError(b, err)
	}
	var workers []*exec.Cmd
	var begin []io.Closer
	for i := range taskProcesses {
		cmd := exec.CommandContext(b.Context(), os.Args[0], "-test.run=^TestTaskWorker$", "-test.v")
		work := b.N / taskProcesses
		if i < b.N%taskProcesses {
			work++
		}
		cmd.Env = append(os.Environ(), taskWay+"="+way, taskFile+"="+path, fmt.Sprint(taskWork, "=", work))
		in, err := cmd.StdinPipe()
		require.NoError(b, err)
		out, err := cmd.StdoutPipe()
		require.NoError(b, err)
		require.NoError(b, cmd.Start())
		lines := bufio.NewScanner(out)
		for lines.Scan() && lines.Text() != "ready" {
		}
		require.Equal(b, "ready", lines.Text())
		workers, begin = append(workers, cmd), append(begin, in)
	}
	b.ResetTimer()
	for _, in := range begin {
		require.NoError(b, in.Close())
	}
	for _, w := range workers {
		require.NoError(b, w.Wait())
	}
	b.StopTimer()
	all, err := list.All(b.Context())
	require.NoError(b, err)
	require.Len(b, all, tasksOfList)
}

// TestTaskWorker is a process of BenchmarkTasks.
func TestTaskWorker(t *testing.T) {
	way := taskWays[os.Getenv(taskWay)]
	if way == nil {
		t.Skip("it is a process of BenchmarkTasks")
	}
	updates, err := strconv.Atoi(os.Getenv(taskWork))
	require.NoError(t, err)
	fmt.Println("ready")
	_, err = io.ReadAll(os.Stdin) // until all are ready
	require.NoError(t, err)
	require.NoError(t, way(os.Getenv(taskFile), updates))
}

// lockedWrites locks, reads and writes a file, again and again.
func lockedWrites(path string, times int, write func(path string, data []byte) error) error {
	for range times {
		gate, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return err
		}
		if err := syscall.Flock(int(gate.Fd()), syscall.LOCK_EX); err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil {
			err = write(path, data)
		}
		if err != nil {
			return err
		}
		if err := gate.Close(); err != nil {
			return err
		}
	}
	return nil
}

// replaceFile replaces a file by a new one that is on the disk.
func replaceFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "new")
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	if err := dir.Sync(); err != nil {
		return err
	}
	return dir.Close()
}
