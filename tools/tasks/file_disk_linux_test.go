package tasks_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/mounts"
	"github.com/seed49eaa51d/pegboard/tools/tasks"
)

// TestFullDisk: a change that the disk has no room for is refused, and the list stays as it was.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	if !mounts.Own(t) {
		return
	}
	path := filepath.Join(mounts.Small(t, "size=256k"), "tasks.json")
	l, text := open(t, path, tasks.Hooks{}), strings.Repeat("d", 20_000)
	var err error
	for err == nil {
		_, err = l.Create(t.Context(), tasks.Task{Subject: "a", Description: text})
	}
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.ErrorContains(t, err, "nothing was changed")
	before := all(t, l)
	require.Equal(t, before, all(t, open(t, path, tasks.Hooks{})))
	out := call(t, l, "TaskCreate", `{"subject":"a","description":"`+text+`"}`)
	require.Contains(t, out.Result.Text(), "no space left on device")
	for _, task := range before { // to delete one needs room for the others
		_, err = l.Update(t.Context(), task.ID, func(t *tasks.Task) error { t.Status = tasks.Deleted; return nil })
		require.NoError(t, err)
	}
	create(t, l, "there is room again")
}

// TestReadOnlyFolder: the list is read, and no change is made.
func TestReadOnlyFolder(t *testing.T) {
	t.Parallel()
	if !mounts.Own(t) {
		return
	}
	dir := mounts.Small(t, "size=256k")
	path := filepath.Join(dir, "tasks.json")
	create(t, open(t, path, tasks.Hooks{}), "a")
	require.NoError(t, syscall.Mount("none", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	for _, name := range []string{path, filepath.Join(dir, "none.json"), filepath.Join(dir, "no", "folder.json")} {
		l := open(t, name, tasks.Hooks{})
		before := all(t, l)
		require.Equal(t, name == path, len(before) == 1)
		_, err := l.Create(t.Context(), tasks.Task{Subject: "b"})
		require.ErrorIs(t, err, syscall.EROFS)
		require.Equal(t, before, all(t, l))
	}
}
