package worktree_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/worktree"
)

func TestBadNames(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	trees := newTrees(t)
	for _, name := range []string{
		"", ".", "..", "../x", "a/b", "/x", "-x", ".x", "a..b", "x.lock", "x.LOCK", "x.", "a b", "a\x00b", "a\nb", "é", `a\b`, "a~", "a^b", "a:b", "@{x", strings.Repeat("a", 65),
	} {
		_, err := trees.Add(t.Context(), worktree.Request{Dir: s.repo, Name: name})
		require.ErrorIs(t, err, worktree.ErrName, "%q", name)
	}
	require.NoDirExists(t, filepath.Join(s.repo, ".claude"))
	w := s.add(trees, "A-b_c.1"+strings.Repeat("x", 57))
	_, err := w.Finish(t.Context())
	require.NoError(t, err)
}

func TestNoRepository(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	trees := newTrees(t)
	s.write("plain/x", "")
	s.in(s.root, "init", "-q", "--bare", "bare")
	for _, dir := range []string{"plain", "bare", "repo/.git"} {
		_, err := trees.Add(t.Context(), worktree.Request{Dir: filepath.Join(s.root, dir), Name: "x"})
		require.ErrorIs(t, err, worktree.ErrNoRepository, dir)
		require.NoDirExists(t, filepath.Join(s.root, dir, ".claude"))
	}
	for _, dir := range []string{"relative", filepath.Join(s.root, "nothing"), filepath.Join(s.root, "plain/x")} {
		_, err := trees.Add(t.Context(), worktree.Request{Dir: dir, Name: "x"})
		require.Error(t, err)
	}
	empty := filepath.Join(s.root, "empty")
	s.in(s.root, "init", "-q", "empty")
	_, err := trees.Add(t.Context(), worktree.Request{Dir: empty, Name: "x"})
	require.ErrorContains(t, err, "no commit yet")
	require.NoDirExists(t, filepath.Join(empty, ".claude"))
	_, err = trees.Add(t.Context(), worktree.Request{Dir: s.repo, Name: "x", Base: "main"})
	require.ErrorContains(t, err, "fresh")
}

func TestBase(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.in(s.root, "clone", "-q", "repo", "clone")
	first := s.git("rev-parse", "HEAD")
	s.write("repo/data.txt", "two\n")
	s.commit("second") // at the remote, and not fetched
	clone := sandbox{t, s.root, filepath.Join(s.root, "clone")}
	clone.write("clone/mine", "")
	clone.commit("mine")
	own := clone.git("rev-parse", "HEAD")
	trees := newTrees(t)
	at := func(base string) (string, string) {
		w, err := trees.Add(t.Context(), worktree.Request{Dir: clone.repo, Name: "w", Base: base})
		require.NoError(t, err)
		commit := clone.in(w.Path, "rev-parse", "HEAD")
		e, err := w.Finish(t.Context())
		require.NoError(t, err)
		require.False(t, e.Kept, e.Reason)
		return w.Base, commit
	}
	name, commit := at("")
	require.Equal(t, []string{"origin/main", first}, []string{name, commit})
	name, commit = at("head")
	require.Equal(t, []string{"HEAD", own}, []string{name, commit})
	clone.git("remote", "set-head", "origin", "-d")
	name, _ = at("fresh")
	require.Equal(t, "origin/main", name)
	clone.git("remote", "rename", "origin", "up")
	clone.git("remote", "add", "other", s.repo)
	name, _ = at("fresh")
	require.Equal(t, "HEAD", name, "of two remotes neither is the one")
	clone.git("remote", "remove", "other")
	name, _ = at("fresh")
	require.Equal(t, "up/main", name)
}

func TestTaken(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	trees := newTrees(t)
	taken := func(name string) {
		t.Helper()
		_, err := trees.Add(t.Context(), worktree.Request{Dir: s.repo, Name: name})
		require.ErrorIs(t, err, worktree.ErrTaken)
	}
	w := s.add(trees, "used")
	taken("used")
	require.DirExists(t, w.Path)
	s.git("branch", "worktree-branch")
	taken("branch")
	require.Contains(t, s.git("branch"), "worktree-branch")
	s.write("repo/.claude/worktrees/there/x", "x")
	taken("there")
	require.FileExists(t, filepath.Join(s.repo, ".claude/worktrees/there/x"))
	require.NotContains(t, s.git("branch"), "worktree-there")
}

func TestFolderThatLeadsElsewhere(t *testing.T) {
	t.Parallel()
	for _, link := range []string{".claude", ".claude/worktrees"} {
		s := newSandbox(t)
		out := filepath.Join(s.root, "out")
		require.NoError(t, os.Mkdir(out, 0o700))
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(s.repo, link)), 0o700))
		require.NoError(t, os.Symlink(out, filepath.Join(s.repo, link)))
		_, err := newTrees(t).Add(t.Context(), worktree.Request{Dir: s.repo, Name: "w"})
		require.ErrorContains(t, err, "link")
		entries, err := os.ReadDir(out)
		require.NoError(t, err)
		require.Empty(t, entries)
	}
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	trees := newTrees(t)
	var wg sync.WaitGroup
	made, taken := make([]error, 8), make([]error, 4)
	for i := range made {
		wg.Go(func() {
			w, err := trees.Add(t.Context(), worktree.Request{Dir: s.repo, Name: "w" + string(rune('a'+i))})
			if err == nil {
				_, err = w.Finish(t.Context())
			}
			made[i] = err
		})
	}
	var kept []*worktree.Worktree
	var mu sync.Mutex
	for i := range taken {
		wg.Go(func() {
			w, err := trees.Add(t.Context(), worktree.Request{Dir: s.repo, Name: "same"})
			if err == nil {
				mu.Lock()
				kept = append(kept, w)
				mu.Unlock()
			}
			taken[i] = err
		})
	}
	wg.Wait()
	for _, err := range made {
		require.NoError(t, err)
	}
	require.Len(t, kept, 1)
	for _, err := range taken {
		require.True(t, err == nil || errors.Is(err, worktree.ErrTaken), "%v", err)
	}
	_, err := kept[0].Finish(t.Context())
	require.NoError(t, err)
	s.requireClean()
}

func TestStoppedWhileMade(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("stopped")
	cancel(why)
	_, err := newTrees(t).Add(ctx, worktree.Request{Dir: s.repo, Name: "w"})
	require.ErrorIs(t, err, why)
	require.NoDirExists(t, filepath.Join(s.repo, ".claude"))
}

// TestCheckoutThatFails has a file in its commit that the file system has no room for: a name
// that is too long.
func TestCheckoutThatFails(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	blob := s.git("hash-object", "-w", "data.txt")
	s.git("update-index", "--add", "--cacheinfo", "100644,"+blob+","+strings.Repeat("x", 300))
	s.git("commit", "-qm", "long")
	s.git("rm", "-q", "--cached", strings.Repeat("x", 300))
	_, err := newTrees(t).Add(t.Context(), worktree.Request{Dir: s.repo, Name: "w"})
	require.Error(t, err)
	s.git("reset", "-q", "--mixed", "HEAD~1")
	s.requireClean()
}
