package worktree_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/script"
	"github.com/seed49eaa51d/pegboard/internal/worktree"
)

// A sandbox is a repository with a commit, in a directory without links.
type sandbox struct {
	t    *testing.T
	root string // holds everything
	repo string
}

func newSandbox(t *testing.T) sandbox {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	s := sandbox{t, root, filepath.Join(root, "repo")}
	require.NoError(t, os.Mkdir(s.repo, 0o700))
	s.git("init", "-q", "-b", "main")
	s.write("repo/.gitignore", "*.env\nnode_modules/\n.env\n")
	s.write("repo/data.txt", "one\n")
	s.write("repo/sub/a.txt", "a\n")
	s.commit("first")
	return s
}

func (s sandbox) in(dir string, args ...string) string {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(s.t, err, "git %s: %s", args, out)
	return strings.TrimSpace(string(out))
}

func (s sandbox) git(args ...string) string { s.t.Helper(); return s.in(s.repo, args...) }

func (s sandbox) commit(message string) {
	s.t.Helper()
	s.git("add", "-A")
	s.git("commit", "-qm", message)
}

func (s sandbox) write(name, text string) {
	s.t.Helper()
	name = filepath.Join(s.root, name)
	require.NoError(s.t, os.MkdirAll(filepath.Dir(name), 0o700))
	require.NoError(s.t, os.WriteFile(name, []byte(text), 0o600))
}

// script writes a program that leaves a mark.
func (s sandbox) script(name string) string {
	s.t.Helper()
	name = filepath.Join(s.root, name)
	require.NoError(s.t, os.MkdirAll(filepath.Dir(name), 0o700))
	script.Write(s.t, name, "#!/bin/sh\necho $0 >>"+filepath.Join(s.root, "ran")+"\ncat\nexit 0\n")
	return name
}

func (s sandbox) requireNothingRan() {
	s.t.Helper()
	ran, err := os.ReadFile(filepath.Join(s.root, "ran"))
	require.ErrorIs(s.t, err, os.ErrNotExist, "%s", ran)
}

// requireClean checks that git knows nothing of worktrees, and that no branch is left.
func (s sandbox) requireClean() {
	s.t.Helper()
	require.Equal(s.t, 1, strings.Count(s.git("worktree", "list", "--porcelain"), "worktree "))
	require.NotContains(s.t, s.git("branch", "--list"), worktree.BranchPrefix)
	require.Empty(s.t, s.git("status", "--porcelain"))
	entries, err := os.ReadDir(filepath.Join(s.repo, worktree.Folder))
	require.NoError(s.t, err)
	require.Len(s.t, entries, 1) // .gitignore
	claims, err := filepath.Glob(filepath.Join(s.repo, ".git/pegboard-worktrees/*.json"))
	require.NoError(s.t, err)
	require.Empty(s.t, claims)
}

func (s sandbox) add(trees *worktree.Trees, name string) *worktree.Worktree {
	s.t.Helper()
	w, err := trees.Add(s.t.Context(), worktree.Request{Dir: s.repo, Name: name})
	require.NoError(s.t, err)
	return w
}

func newTrees(t *testing.T) *worktree.Trees {
	t.Helper()
	trees := new(worktree.Trees)
	t.Cleanup(func() { require.NoError(t, trees.Close(t.Context())) })
	return trees
}
