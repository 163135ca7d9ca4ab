//go:build unix

package realpath_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// TestSpecialFilesAreRefused would hang at the pipe if it were opened as usual.
func TestSpecialFilesAreRefused(t *testing.T) {
	t.Parallel()
	root := tempDir(t)
	pipe := filepath.Join(root, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	require.NoError(t, os.Symlink("/dev/zero", filepath.Join(root, "zero")))
	tests := []struct {
		name, path, says string
	}{
		{name: "a named pipe", path: pipe, says: "a named pipe"},
		{name: "a device", path: "/dev/null", says: "a device"},
		{name: "a link to an endless device", path: filepath.Join(root, "zero"), says: "a device"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			real := realpath.Resolve(tc.path)
			_, err := realpath.Open(real)
			require.ErrorIs(t, err, realpath.ErrNotRegular)
			require.ErrorContains(t, err, tc.says)
			_, err = realpath.OpenDir(real)
			require.ErrorIs(t, err, realpath.ErrNotDir)
		})
	}
}

// TestWalkPassesPipes would hang if it opened one.
func TestWalkPassesPipes(t *testing.T) {
	t.Parallel()
	root := tempDir(t)
	pipe := filepath.Join(root, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	seen := 0
	visit := func(string, os.FileMode) bool { seen++; return true }
	require.True(t, realpath.Walk(root, 9, visit))
	require.True(t, realpath.Walk(pipe, 9, visit))
	require.Equal(t, 1, seen)
}

// TestOpenDuringSwaps replaces a directory by a link and back, all the time.
// Whatever Open returns must be the file that was decided.
func TestOpenDuringSwaps(t *testing.T) {
	t.Parallel()
	root := tempDir(t)
	decided, other := filepath.Join(root, "d", "f"), filepath.Join(root, "secret", "f")
	write(t, decided)
	write(t, other)
	inode := stat(t, decided)

	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		d, away := filepath.Join(root, "d"), filepath.Join(root, "away")
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Rename(d, away)
			_ = os.Symlink("secret", d)
			_ = os.Remove(d)
			_ = os.Rename(away, d)
		}
	}()
	opened, refused := 0, 0
	for end := time.Now().Add(300 * time.Millisecond); time.Now().Before(end); {
		f, err := realpath.Open(decided)
		if err != nil {
			refused++
			continue
		}
		fi, err := f.Stat()
		require.NoError(t, err)
		require.True(t, os.SameFile(inode, fi), "a file was opened that nobody decided")
		require.NoError(t, f.Close())
		opened++
		if r, err := realpath.OpenDir(filepath.Dir(decided)); err == nil {
			fi, err := r.Stat("f")
			require.True(t, err != nil || os.SameFile(inode, fi), "a directory was opened that nobody decided")
			require.NoError(t, r.Close())
		}
	}
	close(stop)
	<-stopped
	require.Positive(t, opened)
	require.Positive(t, refused)
}

// TestOpenBelowADirectoryThatCannotBeListed is about places such as /home on a
// machine with many users: one may pass but not look around.
func TestOpenBelowADirectoryThatCannotBeListed(t *testing.T) {
	t.Parallel()
	root := tempDir(t)
	hall := filepath.Join(root, "hall")
	write(t, filepath.Join(hall, "room", "f"))
	require.NoError(t, os.Chmod(hall, 0o311))
	t.Cleanup(func() { _ = os.Chmod(hall, 0o755) })
	f, err := realpath.Open(realpath.Resolve(filepath.Join(hall, "room", "f")))
	require.NoError(t, err)
	require.NoError(t, f.Close())
	r, err := realpath.OpenDir(filepath.Join(hall, "room"))
	require.NoError(t, err)
	require.NoError(t, r.Close())
}

func stat(t testing.TB, path string) os.FileInfo {
	t.Helper()
	fi, err := os.Stat(path)
	require.NoError(t, err)
	return fi
}
