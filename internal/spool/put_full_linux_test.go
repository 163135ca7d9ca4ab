package spool_test

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

	"github.com/seed49eaa51d/pegboard/internal/spool"
)

// withMounts runs the calling test again in a process whose mounts nobody else
// sees, and reports whether this is that process.
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

// TestFullDisk fills a small file system.
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

	d := open(t, filepath.Join(dir, "root"), "s", spool.Options{})
	small := put(t, d, "small", "text")
	text := strings.Repeat("0123456789abcde\n", 3<<20/16)
	e, err := d.Put(t.Context(), "id", "txt", strings.NewReader(text))
	require.ErrorIs(t, err, syscall.ENOSPC)
	var unstored *spool.UnstoredError
	require.ErrorAs(t, err, &unstored)
	require.Equal(t, spool.Entry{Total: 3 << 20, Lines: 3 << 16}, e)
	require.Equal(t, []string{small.Ref}, names(t, d.Path()), "nothing of it stays")
	require.EqualValues(t, 4, ledger(t, filepath.Join(d.Path(), ".spool-size")))
	require.Equal(t, "text", content(t, d, small.Ref))

	fits := put(t, d, "fits", text[:500_000])
	require.Equal(t, text[:500_000], content(t, d, fits.Ref))
	// Not even a page is left.
	filler, err := os.Create(filepath.Join(dir, "filler"))
	require.NoError(t, err)
	for err == nil {
		_, err = filler.Write(make([]byte, 4096))
	}
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.NoError(t, filler.Close())
	_, err = d.Put(t.Context(), "id", "txt", strings.NewReader("text"))
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.ElementsMatch(t, []string{small.Ref, fits.Ref}, names(t, d.Path()))
	require.EqualValues(t, 500_004, ledger(t, filepath.Join(d.Path(), ".spool-size")))
	require.NoError(t, os.Remove(filler.Name()))
	put(t, d, "id", "text")
}
