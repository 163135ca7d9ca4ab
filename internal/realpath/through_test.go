package realpath_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

func TestLeadsThrough(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links need a right there")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	at := func(name string) string { return filepath.Join(root, name) }
	for _, dir := range []string{"root/dir", "other/dir"} {
		require.NoError(t, os.MkdirAll(at(dir), 0o755))
	}
	for link, to := range map[string]string{
		"into": "root/dir", "first": "root/link", "root/link": "../other", "absolute": at("root"), "harmless": "other", "chain": "harmless/dir",
		"circle": "circle", "other/up": "../root", "over": "first/dir", "dangling": "root/none",
	} {
		require.NoError(t, os.Symlink(to, at(link)))
	}
	for name, want := range map[string]bool{
		"root": true, "root/x": true, "rooted": false, "other": false, "other/none/x": false, "into": true, "into/x": true, "first": true, "first/dir/x": true,
		"absolute/y": true, "harmless/dir": false, "chain": false, "circle": true, "harmless/up": true, "over/x": true, "dangling": true,
	} {
		require.Equal(t, want, realpath.LeadsThrough(at(name), []string{at("root")}), name)
	}
	require.False(t, realpath.LeadsThrough(at("into"), nil))
}
