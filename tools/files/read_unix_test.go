//go:build unix

package files_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestReadOfSpecialFiles would hang at the pipe and never end at the device.
func TestReadOfSpecialFiles(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{Ask: yes})
	require.NoError(t, syscall.Mkfifo(filepath.Join(g.dir, "pipe"), 0o600))
	link(t, "/dev/zero", filepath.Join(g.dir, "zero"))
	tests := []struct {
		name, path, says string
	}{
		{name: "pipe", path: "pipe", says: "not a regular file: a named pipe"},
		{name: "device", path: "zero", says: "not a regular file: a device"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			out := g.call(t.Context(), t, "Read", map[string]any{"file_path": tc.path})
			require.True(t, out.Result.IsError)
			require.Contains(t, out.Result.Text(), tc.says)
		})
	}
}

func TestReadWithoutTheSystemsPermission(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	g := newGround(t, pegboard.SessionConfig{})
	require.NoError(t, os.Chmod(g.put(t, "f", "x"), 0))
	out := g.call(t.Context(), t, "Read", map[string]any{"file_path": "f"})
	require.ErrorIs(t, out.Err, os.ErrPermission)
	require.Contains(t, out.Result.Text(), "does not let this program read")
}
