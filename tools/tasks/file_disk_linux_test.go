package tasks_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/tasks"
)

// withMounts runs the calling test again in a process whose mounts no other process sees, and
// reports whether this is that process.
func withMounts(t *testing.T) bool {
	t.Helper()
	if os.Getenv(roleName) == mounted {
		return true
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.count=1")
	cmd.Env = append(os.Environ(), roleName+"="+mounted)
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EINVAL) {
		t.Skipf("mounts of one's own are not permitted here: %v", err)
	}
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "--- PASS: "+t.Name())
	return false
}

// mountSmall mounts a file system of 256 KiB.
func mountSmall(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	err := syscall.Mount("none", dir, "tmpfs", 0, "size=256k")
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENODEV) {
		t.Skipf("tmpfs cannot be mounted here: %v", err)
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	return dir
}

// TestFullDisk: a change that the disk has no room for is refused, and the list stays as it was.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	if !withMounts(t) {
		return
	}
	path := filepath.Join(mountSmall(t), "tasks.json")
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
	if !withMounts(t) {
		return
	}
	dir := mountSmall(t)
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
