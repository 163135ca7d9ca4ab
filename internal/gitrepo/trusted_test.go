package gitrepo_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/gitrepo"
)

func TestTrusted(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		plant func(s sandbox)
		file  string
		made  []string
		want  bool
	}{
		{name: "a hook", file: "repo/h/pre-commit", plant: func(s sandbox) { s.set(".", "core.hooksPath", "h") }, want: true},
		{name: "what a hook may run", file: "repo/h/lib/x", plant: func(s sandbox) { s.set(".", "core.hooksPath", "h") }, want: true},
		{name: "beside the hooks", file: "repo/x", plant: func(s sandbox) { s.set(".", "core.hooksPath", "h") }},
		{name: "hooks in a subdirectory", file: "repo/a/b/x", plant: func(s sandbox) { s.set(".", "core.hooksPath", "a/b/") }, want: true},
		{name: "by an absolute name", file: "repo/h/x", plant: func(s sandbox) { s.set(".", "core.hooksPath", "ROOT/repo/h") }, want: true},
		{name: "in the home directory", file: "home/h/x", plant: func(s sandbox) { s.set(".", "core.hooksPath", "~/h") }},
		{name: "set by the user", file: "repo/h/x", plant: func(s sandbox) { s.write("home/.gitconfig", "[core]\n\thooksPath = h\n") }, want: true},
		{name: "the tree itself", file: "repo/pre-commit", plant: func(s sandbox) { s.set(".", "core.hooksPath", ".") }, want: true},
		{name: "below the tree itself", file: "repo/src/x", plant: func(s sandbox) { s.set(".", "core.hooksPath", ".") }},
		{name: "through a link", file: "repo/real/x", plant: func(s sandbox) {
			s.write("repo/real/y", "")
			require.NoError(s.t, os.Symlink("real", filepath.Join(s.repo, "h")))
			s.set(".", "core.hooksPath", "h")
		}, want: true},
		{name: "in a linked worktree", file: "linked/h/x", plant: func(s sandbox) {
			s.git("worktree", "add", "-q", "../linked", "other")
			s.set(".", "core.hooksPath", "h")
		}, want: true},
		{name: "no hooks", file: "repo/h/x", plant: func(s sandbox) { s.set(".", "core.hooksPath", "/dev/null") }},
		{name: "the last part", file: "repo/sub/config", plant: func(s sandbox) {
			s.write("repo/sub/HEAD", "ref: refs/heads/main\n")
			s.write("repo/sub/objects/x", "")
			s.write("repo/sub/refs/x", "")
		}, want: true},
		{name: "a hook of it", file: "repo/sub/hooks/x", plant: func(s sandbox) {
			s.write("repo/sub/HEAD", "ref: refs/heads/main\n")
			s.write("repo/sub/objects/x", "")
		}, want: true},
		{name: "HEAD at last", file: "repo/sub/HEAD", plant: func(s sandbox) { s.write("repo/sub/refs/x", "") }, want: true},
		{name: "objects at last", file: "repo/sub/objects/a/b", plant: func(s sandbox) { s.write("repo/sub/HEAD", "") }, want: true},
		{name: "all in one call", file: "repo/sub/HEAD", plant: func(sandbox) {}, made: []string{"repo/sub/objects"}, want: true},
		{name: "settings of something else", file: "repo/sub/config", plant: func(s sandbox) { s.write("repo/sub/refs/x", "") }},
		{name: "other files in a repository", file: "repo/sub/x", plant: func(s sandbox) {
			s.write("repo/sub/HEAD", "")
			s.write("repo/sub/objects/x", "")
		}},
		{name: "HEAD alone", file: "repo/sub/HEAD", plant: func(sandbox) {}},
		{name: "no repository", file: "empty/config", plant: func(sandbox) {}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			tc.plant(s)
			root, err := filepath.EvalSymlinks(s.root)
			require.NoError(t, err)
			files := []string{filepath.Join(root, tc.file)}
			for _, made := range tc.made {
				files = append(files, filepath.Join(root, made))
			}
			why := gitrepo.NewWrites(filepath.Join(root, "home"), slices.Values(files)).Trusted(files[0])
			require.Equal(t, tc.want, why != "", why)
		})
	}
}
