package worktree_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/worktree"
)

func TestInclude(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.write("repo/.worktreeinclude", "# what agents need\n*.env\n.env\n!no.env\nnode_modules/\ndata.txt\nplain.txt\nlink.env\nsub/dir.env/\n")
	s.write("repo/a.env", "a\n")
	s.write("repo/.env", "dot\n")
	s.write("repo/no.env", "no\n")
	s.write("repo/secret.env", "secret\n")
	s.write("repo/sub/b.env", "b\n")
	s.write("repo/sub/c.txt", "c\n")
	s.write("repo/node_modules/m/index.js", "m\n")
	s.write("repo/plain.txt", "neither tracked nor ignored\n")
	s.write("out.txt", "outside\n")
	require.NoError(t, os.Symlink(filepath.Join(s.root, "out.txt"), filepath.Join(s.repo, "link.env")))
	require.NoError(t, os.Symlink(s.root, filepath.Join(s.repo, "sub/dir.env")))
	require.NoError(t, os.Chmod(filepath.Join(s.repo, "a.env"), 0o640))
	trees := newTrees(t)
	other := s.add(trees, "other")
	s.write("repo/.claude/worktrees/other/x.env", "of another agent\n")

	mayRead := func(path string) bool { return filepath.Base(path) != "secret.env" }
	w, err := trees.Add(t.Context(), worktree.Request{Dir: filepath.Join(s.repo, "sub"), Name: "w", MayRead: mayRead})
	require.NoError(t, err)
	slices.Sort(w.Included)
	require.Equal(t, []string{".env", "a.env", "node_modules/m/index.js", "sub/b.env"}, w.Included)
	require.Len(t, w.Skipped, 3, "%q", w.Skipped)
	require.Contains(t, strings.Join(w.Skipped, "\n"), "secret.env: it may not be read")
	for _, name := range []string{"no.env", "secret.env", "plain.txt", "link.env", "sub/dir.env", "sub/c.txt", ".claude"} {
		require.NoFileExists(t, filepath.Join(w.Path, name))
	}
	info, err := os.Stat(filepath.Join(w.Path, "a.env"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), info.Mode().Perm())
	for _, one := range []*worktree.Worktree{w, other} {
		e, err := one.Finish(t.Context())
		require.NoError(t, err)
		require.False(t, e.Kept, e.Reason)
	}
}

func TestIncludeOfNothing(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.write("repo/a.env", "a\n")
	trees := newTrees(t)
	for name, tc := range map[string]struct {
		prepare func(file string) error
		mayRead bool
		skipped string
	}{
		"no-file":   {func(string) error { return nil }, true, ""},
		"empty":     {func(f string) error { return os.WriteFile(f, nil, 0o600) }, true, ""},
		"no-match":  {func(f string) error { return os.WriteFile(f, []byte("*.x\n"), 0o600) }, true, ""},
		"no-reader": {func(f string) error { return os.WriteFile(f, []byte("*.env\n"), 0o600) }, false, "nothing may be read"},
		"directory": {func(f string) error { return os.Mkdir(f, 0o700) }, true, "regular file"},
		"link":      {func(f string) error { return os.Symlink("a.env", f) }, true, "regular file"},
	} {
		file := filepath.Join(s.repo, ".worktreeinclude")
		require.NoError(t, os.RemoveAll(file))
		require.NoError(t, tc.prepare(file))
		r := worktree.Request{Dir: s.repo, Name: name}
		if tc.mayRead {
			r.MayRead = func(string) bool { return true }
		}
		w, err := trees.Add(t.Context(), r)
		require.NoError(t, err)
		require.Empty(t, w.Included, name)
		require.Contains(t, strings.Join(w.Skipped, "\n"), tc.skipped, name)
		require.Equal(t, tc.skipped == "", len(w.Skipped) == 0, name)
		_, err = w.Finish(t.Context())
		require.NoError(t, err)
	}
}
