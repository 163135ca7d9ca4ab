package atomicfile_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
)

// The flags of chattr +i and +a.
const (
	immutable  = 0x10
	appendOnly = 0x20
)

// setFlag adds a flag to those of a file, until the test ends.
func setFlag(t *testing.T, path string, flag int) {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	fd := int(f.Fd())
	before, err := unix.IoctlGetInt(fd, unix.FS_IOC_GETFLAGS)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.FS_IOC_SETFLAGS, before|flag)
	}
	if err != nil {
		_ = f.Close()
		t.Skipf("such flags cannot be set here: %v", err)
	}
	t.Cleanup(func() {
		require.NoError(t, unix.IoctlSetPointerInt(fd, unix.FS_IOC_SETFLAGS, before))
		require.NoError(t, f.Close())
	})
}

// TestFlags is about files and directories that not even the superuser may change.
func TestFlags(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		flag    int
		dir     bool // the flag is the directory's
		refused bool
	}{
		{name: "immutable file", flag: immutable, refused: true},
		{name: "file that only grows", flag: appendOnly, refused: true},
		{name: "immutable directory", flag: immutable, dir: true},
		{name: "directory that only grows", flag: appendOnly, dir: true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(tempDir(t), "d")
			path := write(t, filepath.Join(dir, "f"), "old")
			var s atomicfile.Store
			snap := load(t, &s, path)
			if tc.dir {
				setFlag(t, dir, tc.flag)
			} else {
				setFlag(t, path, tc.flag)
			}
			next, err := snap.Replace(t.Context(), []byte("new"))
			if tc.refused {
				require.ErrorIs(t, err, fs.ErrPermission)
				require.Equal(t, "old", read(t, path))
				return
			}
			require.NoError(t, err)
			require.True(t, os.SameFile(snap.Info, next.Info), "it is written in place")
			require.Equal(t, "new", read(t, path))
		})
	}
}
