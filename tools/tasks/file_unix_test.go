//go:build unix

package tasks_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/tools/tasks"
)

// TestPipe: nothing waits for the other end of a pipe that stands where the file should be.
func TestPipe(t *testing.T) {
	t.Parallel()
	path := filePath(t)
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	l, err := tasks.Open(path, tasks.Hooks{})
	require.NoError(t, err)
	require.ErrorAs(t, l.Problem(), new(*tasks.FileError))
	create(t, l, "a")
	require.Len(t, all(t, l), 1)
}

// TestLockOfAnother: a change waits for a process that has locked the list, and not for ever.
func TestLockOfAnother(t *testing.T) {
	t.Parallel()
	path := filePath(t)
	l := open(t, path, tasks.Hooks{})
	create(t, l, "a")
	f, err := os.Open(path + ".lock")
	require.NoError(t, err)
	defer func() { _ = f.Close() }()
	require.NoError(t, syscall.Flock(int(f.Fd()), syscall.LOCK_EX))
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		_, err := l.Create(t.Context(), tasks.Task{Subject: "b"})
		require.ErrorIs(t, err, tasks.ErrBusy)
		require.ErrorContains(t, err, "nothing was changed, try again later")
		require.Equal(t, 10*time.Second, time.Since(began))
		require.Len(t, all(t, l), 1, "it can be read")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = l.Create(ctx, tasks.Task{Subject: "b"})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		go func() {
			time.Sleep(5 * time.Second)
			_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
		}()
		create(t, l, "b")
	})
}

// TestChangeWithinAChange is refused, and does not wait for itself for ever.
func TestChangeWithinAChange(t *testing.T) {
	t.Parallel()
	path := filePath(t)
	create(t, open(t, path, tasks.Hooks{}), "a")
	synctest.Test(t, func(t *testing.T) {
		l := open(t, path, tasks.Hooks{})
		_, err := l.Update(t.Context(), "1", func(*tasks.Task) error {
			_, err := l.Create(context.Background(), tasks.Task{Subject: "b"})
			return err
		})
		require.ErrorIs(t, err, tasks.ErrBusy)
		require.Len(t, all(t, l), 1)
	})
}

// TestLeftovers of killed processes are removed when they are old.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	path := filePath(t)
	create(t, open(t, path, tasks.Hooks{}), "a")
	dir := filepath.Dir(path)
	old, others := filepath.Join(dir, ".tasks.json.pegboard-OLD.tmp"), []string{".tasks.json.pegboard-NEW.tmp", ".tasks.json.pegboard-OLD.bak", ".other.pegboard-OLD.tmp"}
	require.NoError(t, os.WriteFile(old, nil, 0o600))
	past := time.Now().Add(-2 * time.Hour)
	require.NoError(t, os.Chtimes(old, past, past))
	for i, name := range others {
		name = filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(name, nil, 0o600))
		if i > 0 {
			require.NoError(t, os.Chtimes(name, past, past))
		}
	}
	open(t, path, tasks.Hooks{})
	require.NoFileExists(t, old)
	for _, name := range others {
		require.FileExists(t, filepath.Join(dir, name))
	}
}

// TestKilled kills processes that change a list, again and again. The list is always one that
// there was: nothing that was done is lost, and at most the last change is not known to be done.
func TestKilled(t *testing.T) {
	t.Parallel()
	path := filePath(t)
	create(t, open(t, path, tasks.Hooks{}), "count")
	count, newest, ids := 0, 1, map[int]bool{1: true}
	for range effort.Of(t, 150) {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), roleName+"="+killed, fileName+"="+path)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		lines := bufio.NewScanner(out)
		require.True(t, lines.Scan())
		require.Equal(t, "ready", lines.Text())
		kill := time.AfterFunc(rand.N(60*time.Millisecond), func() { _ = cmd.Process.Kill() })
		doing, deleted := "", 0
		for lines.Scan() {
			var n int
			if _, err := fmt.Sscan(lines.Text(), &doing, &n); err != nil {
				require.NotContains(t, lines.Text(), "error")
				continue // cut by the kill
			}
			switch doing {
			case "count":
				require.LessOrEqual(t, count+1, n)
				require.LessOrEqual(t, n, count+2, "at most one was not told")
				count = n
			case "made":
				require.Greater(t, n, newest)
				newest, ids[n] = n, true
			case "deleted":
				delete(ids, n)
				deleted = n
			}
		}
		kill.Stop()
		require.ErrorContains(t, cmd.Wait(), "killed")
		l := open(t, path, tasks.Hooks{}) // without a problem
		list := all(t, l)
		if n, err := strconv.Atoi(string(list[0].Metadata["n"])); err == nil {
			require.Contains(t, []int{count, count + 1}, n)
			count = n
		}
		there := map[int]bool{}
		for _, task := range list {
			id, err := strconv.Atoi(task.ID)
			require.NoError(t, err)
			require.True(t, ids[id] || id > newest && doing == "count", "%d was deleted, or never made", id)
			there[id], newest = true, max(newest, id)
		}
		missing := 0
		for id := range ids {
			if !there[id] {
				missing++
			}
		}
		require.LessOrEqual(t, missing, 1, "at most one was deleted and not told (the last was %d)", deleted)
		ids = there
	}
	t.Logf("%d counted, %d made", count, newest)
	require.Positive(t, count)
}
