//go:build unix

package spool_test

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/spool"
)

// playing is the test binary in another role.
func playing(t *testing.T, role, root string, size int64) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), roleName+"="+role, rootName+"="+root, fmt.Sprint(sizeName, "=", size))
	return cmd
}

// isOwn reports whether data is what storeOwn stores, whole.
func isOwn(data string) bool {
	line, _, ok := strings.Cut(data, "\n")
	if !ok || len(line) < 13 {
		return false
	}
	size, err := strconv.Atoi(strings.TrimSpace(line[:12]))
	line += "\n"
	return err == nil && size == len(data) && data == strings.Repeat(line, size/len(line)+1)[:size]
}

// TestProcesses has several processes store in two sessions of one root.
func TestProcesses(t *testing.T) {
	t.Parallel()
	const size = 200_000
	root := t.TempDir()
	var cmds []*exec.Cmd
	var outs []*strings.Builder
	for i := range 4 {
		cmd := playing(t, fmt.Sprint("store some ", i%2), root, size)
		out := &strings.Builder{}
		cmd.Stdout, cmd.Stderr = out, out
		require.NoError(t, cmd.Start())
		cmds, outs = append(cmds, cmd), append(outs, out)
	}
	watcher := open(t, root, "watcher", spool.Options{})
	for range 20 { // while they write
		require.NoError(t, watcher.Sweep(t.Context()))
	}
	for i, cmd := range cmds {
		require.NoError(t, cmd.Wait(), outs[i].String())
	}
	var all int64
	for _, session := range names(t, root) {
		dir := filepath.Join(root, session)
		own := sizeOf(t, dir)
		require.LessOrEqual(t, own, int64(6*size))
		require.Equal(t, own, ledger(t, filepath.Join(dir, ".spool-size")))
		all += own
		for _, name := range names(t, dir) {
			data, err := os.ReadFile(filepath.Join(dir, name))
			require.NoError(t, err)
			require.True(t, spool.IsEntryName(name) && isOwn(string(data)), "%s has %d bytes", name, len(data))
		}
	}
	require.LessOrEqual(t, all, int64(9*size))
	require.Greater(t, all, int64(7*size), "room is used")
	require.Equal(t, all, ledger(t, filepath.Join(root, ".spool-total")))
}

// TestKilled kills a process that stores, again and again.
func TestKilled(t *testing.T) {
	t.Parallel()
	const size = 2 << 20
	root := t.TempDir()
	left := 0
	for round := range effort.Of(t, 60) {
		cmd := playing(t, "store for ever", root, size)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		line, err := bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "ready\n", line)
		dir := filepath.Join(root, "killed")
		if round%2 == 0 {
			stopWhileItWrites(t, cmd.Process, dir)
		} else {
			time.Sleep(rand.N(10 * time.Millisecond)) // any moment will do
		}
		require.NoError(t, cmd.Process.Kill())
		require.ErrorContains(t, cmd.Wait(), "killed")

		whole := 0
		for _, name := range names(t, dir) {
			if spool.IsTempName(name) {
				left++
				continue
			}
			data, err := os.ReadFile(filepath.Join(dir, name))
			require.NoError(t, err)
			require.True(t, spool.IsEntryName(name) && isOwn(string(data)), "%s has %d bytes", name, len(data))
			whole++
		}
		require.Positive(t, whole)
		require.LessOrEqual(t, sizeOf(t, dir), int64(3*size))
		require.LessOrEqual(t, sizeOf(t, dir), ledger(t, filepath.Join(dir, ".spool-size")), "never too little")
		if round%3 != 0 { // sometimes the next process finds what there is
			continue
		}
		d, err := spool.Open(root, "s", spool.Options{SweepEvery: -1})
		require.NoError(t, err)
		require.NoError(t, d.Sweep(t.Context()))
		require.NoError(t, d.Close())
		for _, name := range names(t, dir) {
			require.False(t, spool.IsTempName(name))
		}
		require.Equal(t, sizeOf(t, dir), ledger(t, filepath.Join(dir, ".spool-size")))
		require.LessOrEqual(t, sizeOf(t, dir), ledger(t, filepath.Join(root, ".spool-total")), "never too little")
	}
	require.Positive(t, left, "some were killed while they wrote")
}

// stopWhileItWrites stops a process that stores at a moment when an entry is not whole.
func stopWhileItWrites(t *testing.T, p *os.Process, dir string) {
	t.Helper()
	before := slices.DeleteFunc(names(t, dir), func(name string) bool { return !spool.IsTempName(name) })
	for {
		require.NoError(t, p.Signal(syscall.SIGSTOP))
		for _, name := range names(t, dir) {
			if spool.IsTempName(name) && !slices.Contains(before, name) {
				return
			}
		}
		require.NoError(t, p.Signal(syscall.SIGCONT))
	}
}

// TestPipePlanted has a pipe under the name of an entry, which would wait for ever.
func TestPipePlanted(t *testing.T) {
	t.Parallel()
	d := open(t, "", "s", spool.Options{MaxSession: 10})
	ref := spool.EntryName("id", "txt")
	require.NoError(t, syscall.Mkfifo(filepath.Join(d.Path(), ref), 0o600))
	require.ErrorContains(t, firstError(d.Open(ref)), "not a regular file")
	e := put(t, d, "id", "text")
	require.Equal(t, "text", content(t, d, e.Ref))
	put(t, d, "id2", "0123456789")
	require.NoError(t, d.Sweep(t.Context()))
	require.Contains(t, names(t, d.Path()), ref)
}

// TestStoppedHolder has somebody hold the lock of the root and not give it back.
func TestStoppedHolder(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		d := open(t, root, "s", spool.Options{})
		start := time.Now()
		f, err := os.Open(filepath.Join(d.Path(), "..", ".spool-total"))
		require.NoError(t, err)
		defer func() { _ = f.Close() }()
		require.NoError(t, syscall.Flock(int(f.Fd()), syscall.LOCK_EX))
		rest := &countingReader{r: io.LimitReader(strings.NewReader(strings.Repeat("x", 1<<20)), 1<<20)}
		e, err := d.Put(t.Context(), "id", "txt", rest)
		var unstored *spool.UnstoredError
		require.ErrorAs(t, err, &unstored)
		require.ErrorContains(t, err, "another process holds the lock of the store")
		require.Equal(t, 5*time.Second, time.Since(start), "it is waited for once")
		require.EqualValues(t, 1<<20, e.Total)
		require.EqualValues(t, 1<<20, rest.n)
		require.NoError(t, syscall.Flock(int(f.Fd()), syscall.LOCK_UN))
		put(t, d, "id", "text")
	})
}

// TestFileIsAsLongAsItIsCounted looks at an entry that is complete and has no name yet,
// because somebody holds the lock of the root. A survey at that moment counts its file.
func TestFileIsAsLongAsItIsCounted(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		d := open(t, root, "s", spool.Options{})
		total := filepath.Join(d.Path(), "..", ".spool-total")
		f, err := os.Open(total)
		require.NoError(t, err)
		defer func() { _ = f.Close() }()
		stored := make(chan error)
		reader, writer := io.Pipe()
		go func() { stored <- firstError(d.Put(t.Context(), "id", "txt", reader)) }()
		for range 3 { // the second and third time, more than that is reserved
			_, err := io.WriteString(writer, strings.Repeat("x", 5<<10))
			require.NoError(t, err)
			synctest.Wait()
		}
		require.Greater(t, ledger(t, total), int64(15<<10), "something is reserved ahead")
		require.NoError(t, syscall.Flock(int(f.Fd()), syscall.LOCK_EX))
		require.NoError(t, writer.Close())
		synctest.Wait()
		require.Equal(t, sizeOf(t, d.Path()), ledger(t, total))
		require.NoError(t, syscall.Flock(int(f.Fd()), syscall.LOCK_UN))
		require.NoError(t, <-stored)
		require.EqualValues(t, 15<<10, sizeOf(t, d.Path()))
		require.EqualValues(t, 15<<10, ledger(t, total))
	})
}
