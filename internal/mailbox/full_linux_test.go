package mailbox_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
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

// TestFullDisk: a message that the disk has no room for is refused, and those before it can be
// taken.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	if !withMounts(t) {
		return
	}
	dir := t.TempDir()
	err := syscall.Mount("none", dir, "tmpfs", 0, "size=1m")
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENODEV) {
		t.Skipf("tmpfs cannot be mounted here: %v", err)
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })

	b := openDir(t, dir)
	message := json.RawMessage(`"` + strings.Repeat("m", 400<<10) + `"`)
	sent := 0
	for ; err == nil; sent++ {
		err = b.Put("ann", message)
	}
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.Len(t, take(t, b, "ann"), sent-1)
	require.NoError(t, b.Confirm("ann"))
	require.NoError(t, b.Put("ann", message), "there is room again")
	require.Len(t, take(t, b, "ann"), 1)
	require.NoError(t, b.Confirm("ann"))
}
