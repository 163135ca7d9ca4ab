package mounts

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// ownName is set in a process with mounts of its own.
const ownName = "PEGBOARD_OWN_MOUNTS"

// Own runs the calling test again in a process whose mounts no other process sees, and reports
// whether this is that process.
func Own(t *testing.T) bool {
	t.Helper()
	if os.Getenv(ownName) != "" {
		return true
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.count=1")
	cmd.Env = append(os.Environ(), ownName+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EINVAL) {
		t.Skipf("mounts of one's own are not permitted here: %v", err)
	}
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "--- PASS: "+t.Name())
	return false
}

// Mount mounts a file system until the test ends.
func Mount(t *testing.T, source, target, kind string, flags uintptr, options string) {
	t.Helper()
	err := syscall.Mount(source, target, kind, flags, options)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENODEV) {
		t.Skipf("%s cannot be mounted here: %v", kind, err)
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(target, syscall.MNT_DETACH)) })
}

// Small returns a folder on a file system of its own in memory, with options such as "size=1m".
func Small(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	Mount(t, "none", dir, "tmpfs", 0, options)
	return dir
}
