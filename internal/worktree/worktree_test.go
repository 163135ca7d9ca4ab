package worktree_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/worktree"
)

func TestNothingChangedIsRemoved(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	w := s.add(newTrees(t), "one")
	require.Equal(t, filepath.Join(s.repo, ".claude/worktrees/one"), w.Path)
	require.Equal(t, w.Path, w.Dir)
	require.Equal(t, s.repo, w.Main)
	require.Equal(t, "HEAD", w.Base)
	require.Equal(t, "worktree-one", s.in(w.Path, "branch", "--show-current"))
	require.FileExists(t, filepath.Join(w.Path, "sub/a.txt"))
	require.Contains(t, s.git("worktree", "list", "--porcelain"), "locked an agent works here")
	require.Empty(t, s.git("status", "--porcelain"), "the folder shows in no status")
	s.write("repo/.claude/worktrees/one/x.env", "ignored\n")

	e, err := w.Finish(t.Context())
	require.NoError(t, err)
	require.Equal(t, worktree.Ending{Name: "one", Path: w.Path, Branch: "worktree-one"}, e)
	s.requireClean()
	_, err = w.Finish(t.Context())
	require.Error(t, err)
}

func TestWhatChangedIsKept(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		reason string
		change func(s sandbox, w *worktree.Worktree)
	}{
		"a new file":     {"not committed", func(s sandbox, w *worktree.Worktree) { s.write("repo/.claude/worktrees/w/new", "x") }},
		"a changed file": {"not committed", func(s sandbox, w *worktree.Worktree) { s.write("repo/.claude/worktrees/w/data.txt", "two\n") }},
		"a removed file": {"not committed", func(s sandbox, w *worktree.Worktree) { require.NoError(s.t, os.Remove(w.Path+"/data.txt")) }},
		"a staged file": {"not committed", func(s sandbox, w *worktree.Worktree) {
			s.write("repo/.claude/worktrees/w/new", "x")
			s.in(w.Path, "add", "new")
		}},
		"a hidden new file": {"not committed", func(s sandbox, w *worktree.Worktree) {
			s.git("config", "status.showUntrackedFiles", "no")
			s.write("repo/.claude/worktrees/w/new", "x")
		}},
		"a commit":       {"commits", func(s sandbox, w *worktree.Worktree) { s.in(w.Path, "commit", "--allow-empty", "-qm", "x") }},
		"another branch": {"another branch", func(s sandbox, w *worktree.Worktree) { s.in(w.Path, "switch", "-qc", "mine") }},
		"no branch":      {"another branch", func(s sandbox, w *worktree.Worktree) { s.in(w.Path, "switch", "-q", "--detach") }},
		"a worktree below": {"other worktrees", func(s sandbox, w *worktree.Worktree) {
			s.in(w.Path, "worktree", "add", "-q", "--detach", ".claude/worktrees/x")
		}},
		"a commit, unlocked": {"commits", func(s sandbox, w *worktree.Worktree) {
			s.in(w.Path, "commit", "--allow-empty", "-qm", "x")
			s.git("worktree", "unlock", w.Path)
		}},
		"a broken index": {"could not be told", func(s sandbox, w *worktree.Worktree) { s.write("repo/.git/worktrees/w/index", "no index") }},
		"a submodule": {"submodule", func(s sandbox, w *worktree.Worktree) {
			s.in(w.Path, "submodule", "--quiet", "add", "--force", s.repo, "mod")
			s.in(w.Path, "rm", "-q", "--cached", ".gitmodules")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			w := s.add(newTrees(t), "w")
			tc.change(s, w)
			e, err := w.Finish(t.Context())
			if tc.reason != "could not be told" {
				require.NoError(t, err)
			}
			require.True(t, e.Kept)
			require.Contains(t, e.Reason, tc.reason)
			require.DirExists(t, w.Path)
			require.NotContains(t, s.git("worktree", "list", "--porcelain"), "\nlocked")
		})
	}
}

func TestRemovedByHand(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		remove func(s sandbox, w *worktree.Worktree)
		kept   bool
	}{
		"the directory":         {func(s sandbox, w *worktree.Worktree) { require.NoError(s.t, os.RemoveAll(w.Path)) }, false},
		"the directory, by git": {func(s sandbox, w *worktree.Worktree) { s.git("worktree", "remove", "-f", "-f", w.Path) }, false},
		"the branch as well": {func(s sandbox, w *worktree.Worktree) {
			s.git("worktree", "remove", "-f", "-f", w.Path)
			s.git("branch", "-D", w.Branch)
		}, false},
		"the directory with a tip": {func(s sandbox, w *worktree.Worktree) {
			s.in(w.Path, "commit", "--allow-empty", "-qm", "x")
			require.NoError(s.t, os.RemoveAll(w.Path))
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			w := s.add(newTrees(t), "w")
			tc.remove(s, w)
			e, err := w.Finish(t.Context())
			require.NoError(t, err)
			require.Equal(t, tc.kept, e.Kept, e.Reason)
			if tc.kept {
				require.Contains(t, s.git("branch"), w.Branch)
				return
			}
			s.requireClean()
		})
	}
}

// TestNothingOfTheRepositoryRuns plants every program that its configuration can name.
func TestNothingOfTheRepositoryRuns(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	mark := s.script("mark")
	s.write("repo/.gitattributes", "* filter=evil diff=evil merge=evil\n*.txt filter=a=b\nsub/* filter=proc\n")
	s.write("repo/.worktreeinclude", "*.env\n")
	s.commit("attributes")
	for _, name := range []string{"post-checkout", "reference-transaction", "post-index-change", "pre-commit", "fsmonitor-watchman", "post-merge", "pre-auto-gc", "sendemail-validate"} {
		s.script("repo/.git/hooks/" + name)
	}
	for key, value := range map[string]string{
		"core.fsmonitor": mark, "core.pager": mark, "core.editor": mark, "core.sshCommand": mark, "core.askPass": mark, "core.gitProxy": mark, "credential.helper": "!" + mark,
		"filter.evil.smudge": mark, "filter.evil.clean": mark, "filter.evil.required": "true", "filter.proc.process": mark, "filter.proc.required": "true", "filter.a=b.smudge": mark,
		"diff.evil.command": mark, "diff.evil.textconv": mark, "diff.external": mark, "merge.evil.driver": mark + " %A", "sequence.editor": mark, "interactive.diffFilter": mark,
		"hook.evil.command": mark, "hook.evil.event": "post-checkout", "alias.worktree": "!" + mark, "alias.status": "!" + mark, "gpg.program": mark, "core.alternateRefsCommand": mark,
		"submodule.recurse": "true", "gc.auto": "1", "trace2.eventTarget": filepath.Join(s.root, "ran"), "uploadpack.packObjectsHook": mark, "core.untrackedCache": "true",
	} {
		s.git("config", key, value)
	}
	s.write("repo/x.env", "secret\n")
	require.NoError(t, os.RemoveAll(filepath.Join(s.root, "ran"))) // what git ran of this test
	trees := newTrees(t)
	for _, name := range []string{"unchanged", "changed"} {
		w, err := trees.Add(t.Context(), worktree.Request{Dir: s.repo, Name: name, MayRead: func(string) bool { return true }})
		require.NoError(t, err)
		require.Equal(t, []string{"x.env"}, w.Included)
		if name == "changed" {
			s.write("repo/.claude/worktrees/changed/data.txt", "two\n")
		}
		e, err := w.Finish(t.Context())
		require.NoError(t, err)
		require.Equal(t, name == "changed", e.Kept, e.Reason)
	}
	_, err := trees.Clean(t.Context(), s.repo)
	require.NoError(t, err)
	s.requireNothingRan()
	// The programs are real: git itself runs them.
	cmd := exec.CommandContext(t.Context(), "git", "worktree", "add", "-q", filepath.Join(s.root, "plain"), "HEAD")
	cmd.Dir = s.repo
	require.Error(t, cmd.Run(), "the filter does not speak as it should")
	require.FileExists(t, filepath.Join(s.root, "ran"))
}

// TestAnAgentMisleadsGit changes where git looks while the agent works.
func TestAnAgentMisleadsGit(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	mark := s.script("mark")
	w := s.add(newTrees(t), "w")
	s.write("evil/x", "")
	s.in(filepath.Join(s.root, "evil"), "init", "-q")
	s.in(filepath.Join(s.root, "evil"), "config", "core.fsmonitor", mark)
	s.write("repo/.claude/worktrees/w/.git", "gitdir: "+filepath.Join(s.root, "evil/.git")+"\n")
	e, err := w.Finish(t.Context())
	require.True(t, e.Kept)
	require.Error(t, err)
	require.DirExists(t, w.Path)
	s.requireNothingRan()
}

func TestNestedWorktree(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	trees := newTrees(t)
	outer := s.add(trees, "outer")
	inner, err := trees.Add(t.Context(), worktree.Request{Dir: outer.Dir, Name: "inner", Base: "head"})
	require.NoError(t, err)
	require.Equal(t, filepath.Join(outer.Path, ".claude/worktrees/inner"), inner.Path)
	require.Equal(t, outer.Path, inner.Main)
	e, err := outer.Finish(t.Context())
	require.NoError(t, err)
	require.True(t, e.Kept)
	e, err = inner.Finish(t.Context())
	require.NoError(t, err)
	require.False(t, e.Kept, e.Reason)
	require.NotContains(t, s.git("branch"), "inner")
}

func TestSubdirectory(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	w, err := newTrees(t).Add(t.Context(), worktree.Request{Dir: filepath.Join(s.repo, "sub"), Name: "w"})
	require.NoError(t, err)
	require.Equal(t, filepath.Join(s.repo, "sub/.claude/worktrees/w"), w.Path)
	require.Equal(t, filepath.Join(w.Path, "sub"), w.Dir)
	require.FileExists(t, filepath.Join(w.Dir, "a.txt"))
	e, err := w.Finish(t.Context())
	require.NoError(t, err)
	require.False(t, e.Kept, e.Reason)

	s.write("repo/new/x.env", "") // a directory that no commit has
	w, err = newTrees(t).Add(t.Context(), worktree.Request{Dir: filepath.Join(s.repo, "new"), Name: "w"})
	require.NoError(t, err)
	require.DirExists(t, w.Dir)
	e, err = w.Finish(t.Context())
	require.NoError(t, err)
	require.False(t, e.Kept, e.Reason)

	require.NoError(t, os.Symlink("..", filepath.Join(s.repo, "up")))
	s.commit("a link to the main checkout, as it seems from there")
	require.NoError(t, os.Remove(filepath.Join(s.repo, "up")))
	require.NoError(t, os.Mkdir(filepath.Join(s.repo, "up"), 0o700))
	_, err = newTrees(t).Add(t.Context(), worktree.Request{Dir: filepath.Join(s.repo, "up"), Name: "w"})
	require.Error(t, err)
	require.NotContains(t, s.git("branch"), "worktree-w")
}

func TestReopen(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	trees := newTrees(t)
	request := worktree.Request{Dir: s.repo, Name: "w"}
	_, err := trees.Reopen(t.Context(), request)
	require.ErrorIs(t, err, os.ErrNotExist)
	w := s.add(trees, "w")
	_, err = trees.Reopen(t.Context(), request)
	require.ErrorIs(t, err, worktree.ErrTaken)
	s.in(w.Path, "commit", "--allow-empty", "-qm", "x")
	e, err := w.Finish(t.Context())
	require.NoError(t, err)
	require.True(t, e.Kept)

	again, err := trees.Reopen(t.Context(), request)
	require.NoError(t, err)
	require.Equal(t, []string{w.Path, w.Dir, w.Branch, w.Main}, []string{again.Path, again.Dir, again.Branch, again.Main})
	require.True(t, again.IsWhole())
	require.Contains(t, s.git("worktree", "list", "--porcelain"), "locked an agent works here")
	e, err = again.Finish(t.Context())
	require.NoError(t, err)
	require.True(t, e.Kept)
	require.Equal(t, "an earlier run had left it, and a worktree is removed only by the run that has made it", e.Reason)
	require.Equal(t, "x", s.git("log", "-1", "--format=%s", w.Branch))
	require.NotContains(t, s.git("worktree", "list", "--porcelain"), "\nlocked")
}

// TestNoTimeToFinish keeps the worktree, so that nothing is lost.
func TestNoTimeToFinish(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	w := s.add(newTrees(t), "w")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e, err := w.Finish(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.True(t, e.Kept)
	require.DirExists(t, w.Path)
	require.NotContains(t, s.git("worktree", "list", "--porcelain"), "\nlocked")
	s.git("worktree", "remove", w.Path)
}

func TestEnvironmentOfTheProgram(t *testing.T) {
	s := newSandbox(t)
	other := filepath.Join(s.root, "other")
	require.NoError(t, os.Mkdir(other, 0o700))
	s.in(other, "init", "-q")
	t.Setenv("GIT_DIR", filepath.Join(other, ".git"))
	t.Setenv("GIT_WORK_TREE", other)
	t.Setenv("GIT_INDEX_FILE", filepath.Join(other, "index"))
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
	t.Setenv("GIT_CONFIG_VALUE_0", s.script("mark"))
	w, err := newTrees(t).Add(t.Context(), worktree.Request{Dir: s.repo, Name: "w"})
	require.NoError(t, err)
	require.Equal(t, s.repo, w.Main)
	e, err := w.Finish(t.Context())
	require.NoError(t, err)
	require.False(t, e.Kept, e.Reason)
	s.requireNothingRan()
	require.NotContains(t, w.Path, other)
}

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
