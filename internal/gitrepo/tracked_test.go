package gitrepo_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/gitrepo"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// TestTracked lists what git itself lists.
func TestTracked(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git on this machine")
	}
	for name, setup := range map[string]string{
		"version 2": "", "version 4": "git update-index --index-version 4", "sha256": "rm -rf .git; git init -q --object-format=sha256; git add a d",
		"from below": "cd d",
	} {
		dir := realpath.Resolve(t.TempDir())
		cmd := exec.CommandContext(t.Context(), "sh", "-c", "git init -q && mkdir d && touch a d/b d/é untracked && git add a d")
		if setup != "" {
			cmd.Args[2] = "git init -q && mkdir d && touch a d/b d/é untracked && git add a d && " + setup
		}
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s: %s", name, out)
		at := dir
		if name == "from below" {
			at = filepath.Join(dir, "d")
		}
		var all []string
		require.NoError(t, gitrepo.Tracked(at, func(path string) bool { all = append(all, path); return true }), name)
		require.Equal(t, []string{filepath.Join(dir, "a"), filepath.Join(dir, "d", "b"), filepath.Join(dir, "d", "é")}, all, name)
		visits := 0
		require.NoError(t, gitrepo.Tracked(at, func(string) bool { visits++; return false }), name)
		require.Equal(t, 1, visits, name)
	}
}

// TestTrackedUnknown: what cannot be known is an error.
func TestTrackedUnknown(t *testing.T) {
	t.Parallel()
	never := func(string) bool { panic("there is nothing") }
	dir := realpath.Resolve(t.TempDir())
	require.Error(t, gitrepo.Tracked(dir, never), "no repository")
	require.NoError(t, os.Mkdir(filepath.Join(dir, ".git"), 0o755))
	require.Error(t, gitrepo.Tracked(dir, never), "no index")
	for _, text := range []string{"", "DIRC", "DIRC\x00\x00\x00\x09\x00\x00\x00\x00", "DIRC\x00\x00\x00\x02\x00\x00\x00\x01", "DIRX\x00\x00\x00\x02\x00\x00\x00\x00"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, ".git", "index"), []byte(text), 0o600))
		require.Error(t, gitrepo.Tracked(dir, never), "%q", text)
	}
}
