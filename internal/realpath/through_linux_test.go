package realpath_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// TestLeadsThroughAnotherNameOfARoot: a mount gives a directory a second name, as a file system
// does that ignores letter case.
func TestLeadsThroughAnotherNameOfARoot(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"root/bin", "mounted", "other"} {
		require.NoError(t, os.MkdirAll(at(name), 0o755))
	}
	require.NoError(t, os.Symlink("mounted/bin", at("into")))
	require.NoError(t, os.Symlink("other", at("link")))
	if err := syscall.Mount(at("root"), at("mounted"), "", syscall.MS_BIND, ""); err != nil {
		t.Skip("nothing can be mounted here:", err)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(at("mounted"), syscall.MNT_DETACH)) })
	for name, want := range map[string]bool{"mounted": true, "mounted/bin/x": true, "into": true, "other": false, "other/x": false} {
		require.Equal(t, want, realpath.LeadsThrough(at(name), []string{at("root"), at("link")}), name)
	}
}
