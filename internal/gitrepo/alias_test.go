package gitrepo_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/gitrepo"
)

// TestAliases lets git show that it takes an alias from each place in which it is found.
func TestAliases(t *testing.T) {
	t.Parallel()
	const entry = "[alias]\n\tp = \"!echo meant\"\n"
	for _, tc := range []struct {
		name, in string
		plant    func(s sandbox)
	}{
		{name: "the repository", in: "repo", plant: func(s sandbox) { s.set(".", "alias.p", "!echo meant") }},
		{name: "a directory below", in: "repo/deep", plant: func(s sandbox) {
			s.write("repo/deep/x", "")
			s.set(".", "alias.P", "!echo meant")
		}},
		{name: "a linked worktree", in: "linked", plant: func(s sandbox) {
			s.git("worktree", "add", "-q", "../linked", "other")
			s.set(".", "alias.p", "!echo meant")
		}},
		{name: "a bare repository", in: "bare", plant: func(s sandbox) {
			s.git("clone", "-q", "--bare", ".", "../bare")
			s.set("../bare", "alias.p", "!echo meant")
		}},
		{name: "the user", in: "repo", plant: func(s sandbox) { s.write("home/.gitconfig", entry) }},
		{name: "the user's other file", in: "repo", plant: func(s sandbox) { s.write("home/.config/git/config", entry) }},
		{name: "no repository", in: "empty", plant: func(s sandbox) {
			s.write("home/.gitconfig", entry)
			s.write("empty/x", "")
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			home, dir := filepath.Join(s.root, "home"), filepath.Join(s.root, tc.in)
			s.write("home/x", "")
			tc.plant(s)
			require.Equal(t, "meant\n", s.in(dir, nil, "p"))
			values, err := gitrepo.Aliases(dir, home, "p")
			require.NoError(t, err)
			require.Equal(t, []string{"!echo meant"}, values)
			values, err = gitrepo.Aliases(dir, home, "q")
			require.NoError(t, err)
			require.Empty(t, values)
		})
	}
}

func TestAliasesThatAreNotKnown(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, file, text string }{
		{name: "another file", file: "home/.gitconfig", text: "[include]\n\tpath = x\n"},
		{name: "another file of the repository", file: "repo/.git/config", text: "[includeIf \"gitdir:/\"]\n\tpath = x\n"},
		{name: "what cannot be understood", file: "home/.gitconfig", text: "[x\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.write(tc.file, tc.text)
			_, err := gitrepo.Aliases(s.repo, filepath.Join(s.root, "home"), "p")
			require.Error(t, err)
		})
	}
}
