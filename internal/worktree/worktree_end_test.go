package worktree_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/worktree"
)

func TestLoss(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(s sandbox, w *worktree.Worktree)
		files  int
		commit int
		reason string
	}{
		"nothing":       {change: func(sandbox, *worktree.Worktree) {}},
		"ignored files": {change: func(s sandbox, w *worktree.Worktree) { s.write("repo/.claude/worktrees/w/x.env", "x") }},
		"changed and new": {files: 3, change: func(s sandbox, w *worktree.Worktree) {
			s.write("repo/.claude/worktrees/w/data.txt", "x")
			s.write("repo/.claude/worktrees/w/a b/new", "x")
			s.write("repo/.claude/worktrees/w/a b/more", "x")
		}},
		"a renamed file": {files: 2, change: func(s sandbox, w *worktree.Worktree) { s.in(w.Path, "mv", "data.txt", "moved.txt") }},
		"commits": {commit: 2, change: func(s sandbox, w *worktree.Worktree) {
			s.in(w.Path, "commit", "--allow-empty", "-qm", "x")
			s.in(w.Path, "commit", "--allow-empty", "-qm", "y")
		}},
		"merged commits": {change: func(s sandbox, w *worktree.Worktree) {
			s.in(w.Path, "commit", "--allow-empty", "-qm", "x")
			s.git("branch", "kept", w.Branch)
		}},
		"tagged commits": {change: func(s sandbox, w *worktree.Worktree) {
			s.in(w.Path, "commit", "--allow-empty", "-qm", "x")
			s.in(w.Path, "tag", "kept")
		}},
		"on no branch": {commit: 1, change: func(s sandbox, w *worktree.Worktree) {
			s.in(w.Path, "switch", "-q", "--detach")
			s.in(w.Path, "commit", "--allow-empty", "-qm", "x")
		}},
		"on another branch": {change: func(s sandbox, w *worktree.Worktree) {
			s.in(w.Path, "switch", "-qc", "mine")
			s.in(w.Path, "commit", "--allow-empty", "-qm", "x")
		}},
		"both, and a file": {files: 1, commit: 1, change: func(s sandbox, w *worktree.Worktree) {
			s.in(w.Path, "commit", "--allow-empty", "-qm", "x")
			s.write("repo/.claude/worktrees/w/new", "x")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			w := s.add(newTrees(t), "w")
			tc.change(s, w)
			l, err := w.Loss(t.Context())
			require.NoError(t, err)
			require.Equal(t, []any{tc.files, tc.commit, tc.reason}, []any{l.Files, l.Commits, l.Reason})
			require.Equal(t, tc.files+tc.commit > 0, l.Any())
			require.NoError(t, w.Discard(t.Context(), l))
			s.requireClean()
		})
	}
}

// TestLossOnNoBranch has a checkout on no branch, whose commit no branch has either.
func TestLossOnNoBranch(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.git("switch", "-q", "--detach")
	s.git("commit", "--allow-empty", "-qm", "x")
	w := s.add(newTrees(t), "w")
	l, err := w.Loss(t.Context())
	require.NoError(t, err)
	require.False(t, l.Any(), "%+v", l)
	require.NoError(t, w.Discard(t.Context(), l))
	s.requireClean()
}

// TestDiscardLosesNoMore keeps a commit that came after the count, and worktrees below.
func TestDiscardLosesNoMore(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	trees := newTrees(t)
	w := s.add(trees, "w")
	l, err := w.Loss(t.Context())
	require.NoError(t, err)
	s.in(w.Path, "worktree", "add", "-q", "--detach", ".claude/worktrees/x")
	require.ErrorContains(t, w.Discard(t.Context(), l), "other worktrees")
	require.DirExists(t, filepath.Join(w.Path, ".claude/worktrees/x"))
	require.Error(t, w.Discard(t.Context(), l), "it is not in use any more")
	s.in(s.repo, "worktree", "remove", "--force", filepath.Join(w.Path, ".claude/worktrees/x"))

	w, err = trees.Enter(t.Context(), worktree.Request{Dir: s.repo}, w.Path)
	require.NoError(t, err)
	l, err = w.Loss(t.Context())
	require.NoError(t, err)
	s.in(w.Path, "commit", "--allow-empty", "-qm", "late")
	require.Error(t, w.Discard(t.Context(), l))
	require.Equal(t, "late", s.git("log", "-1", "--format=%s", w.Branch))
}

func TestDiscardOfWhatIsGone(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	w := s.add(newTrees(t), "w")
	require.True(t, w.IsThere())
	require.NoError(t, os.RemoveAll(w.Path))
	require.False(t, w.IsThere())
	l, err := w.Loss(t.Context())
	require.NoError(t, err)
	require.False(t, l.Any())
	require.NoError(t, w.Discard(t.Context(), l))
	s.requireClean()
}

func TestEnter(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	trees := newTrees(t)
	enter := func(path string) (*worktree.Worktree, error) {
		return trees.Enter(t.Context(), worktree.Request{Dir: s.repo}, path)
	}
	w := s.add(trees, "w")
	_, err := enter(w.Path)
	require.ErrorIs(t, err, worktree.ErrTaken, "it is in use")
	require.NoError(t, w.Keep())
	require.NoError(t, w.Keep())
	require.NotContains(t, s.git("worktree", "list", "--porcelain"), "\nlocked")

	w, err = enter(filepath.Join(w.Path, "sub"))
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(s.repo, ".claude/worktrees/w"), filepath.Join(s.repo, ".claude/worktrees/w/sub"), "worktree-w", s.repo}, []string{w.Path, w.Dir, w.Branch, w.Main})
	require.True(t, w.IsWhole())
	require.Contains(t, s.git("worktree", "list", "--porcelain"), "\nlocked")
	require.NoError(t, w.Keep())

	elsewhere := filepath.Join(s.root, "elsewhere")
	s.git("worktree", "add", "-q", "-b", "mine", elsewhere)
	w, err = enter(elsewhere)
	require.NoError(t, err)
	require.Equal(t, []string{elsewhere, elsewhere, "mine", s.repo}, []string{w.Path, w.Dir, w.Branch, w.Main})
	require.NotContains(t, s.git("worktree", "list", "--porcelain"), "\nlocked")
	l, err := w.Loss(t.Context())
	require.NoError(t, err)
	require.Error(t, w.Discard(t.Context(), l), "only what the package has made")
	require.NoError(t, w.Keep())
	require.DirExists(t, elsewhere)
	s.in(elsewhere, "switch", "-q", "--detach")
	w, err = enter(elsewhere)
	require.NoError(t, err)
	require.Empty(t, w.Branch)

	other := newSandbox(t)
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(s.root, "link")))
	s.git("clone", "-q", s.repo, filepath.Join(s.root, "clone"))
	for _, path := range []string{s.repo, filepath.Join(s.repo, "sub"), filepath.Join(s.repo, ".git"), other.repo, s.root, filepath.Join(s.root, "none"), filepath.Join(s.root, "clone"), filepath.Join(s.repo, "data.txt")} {
		_, err := enter(path)
		require.ErrorIs(t, err, worktree.ErrForeign, path)
	}
	w, err = enter(filepath.Join(s.root, "link"))
	require.NoError(t, err)
	require.Equal(t, elsewhere, w.Path)
	_, err = trees.Enter(t.Context(), worktree.Request{Dir: elsewhere}, s.repo)
	require.ErrorIs(t, err, worktree.ErrForeign, "the first working tree has no folder of git of its own")
}
