package proc_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

const mountsName = "PROC_TEST_MOUNTS" // set in a process with mounts of its own

// withMounts runs the calling test again in a process whose mounts nobody else
// sees, and reports whether this is that process.
func withMounts(t *testing.T) bool {
	t.Helper()
	if os.Getenv(mountsName) != "" {
		return true
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.count=1")
	cmd.Env = append(os.Environ(), mountsName+"=own")
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EINVAL) {
		t.Skipf("mounts of one's own are not permitted here: %v", err)
	}
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "--- PASS: "+t.Name())
	return false
}

// smallDisk returns a folder on a file system of its own.
func smallDisk(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	err := unix.Mount("none", dir, "tmpfs", 0, options)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.ENODEV) {
		t.Skipf("tmpfs cannot be mounted here: %v", err)
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, unix.Unmount(dir, unix.MNT_DETACH)) })
	return dir
}

// A command does not notice that the disk is full, neither at first nor later.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	if !withMounts(t) {
		return
	}
	tests := []struct {
		name    string
		options string
		script  string
		stored  int64
		total   int64
		tail    string
	}{
		{name: "much too small", options: "size=256k", script: "head -c 20000000 /dev/zero; echo end; exit 7",
			stored: 256 << 10, total: 20_000_004, tail: "\x00end\n"},
		{name: "a page too small", options: "size=4k", script: "head -c 8000 /dev/zero; echo end; exit 7",
			stored: 4096, total: 8004, tail: "\x00end\n"},
		{name: "no room for a file", options: "size=256k,nr_inodes=1", script: "echo begin; echo end; exit 7",
			stored: 0, total: 10, tail: "begin\nend\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := sh(t, tt.script)
			c.File = filepath.Join(smallDisk(t, tt.options), "out")
			exit := run(t.Context(), t, c)
			require.NoError(t, exit.Err)
			require.Equal(t, 7, exit.Code)
			require.ErrorIs(t, exit.FileErr, syscall.ENOSPC)
			require.Equal(t, tt.stored, exit.Stored)
			require.Equal(t, tt.total, exit.Output.Total)
			kept := append(exit.Output.Head, exit.Output.Tail...)
			require.Equal(t, tt.tail, string(kept[len(kept)-len(tt.tail):]))
			if tt.stored > 0 {
				require.Len(t, content(t, c.File), int(tt.stored))
			}
		})
	}
}
