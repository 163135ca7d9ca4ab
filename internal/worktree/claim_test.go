package worktree_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/script"
	"github.com/seed49eaa51d/pegboard/internal/worktree"
)

// childVariable makes this program add a worktree for the directory in it, say that it is
// there, and work until it is killed.
const childVariable = "PEGBOARD_WORKTREE_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childVariable); dir != "" {
		workUntilKilled(dir)
	}
	os.Exit(m.Run())
}

func workUntilKilled(dir string) {
	trees := new(worktree.Trees)
	for n := 0; ; n++ {
		w, err := trees.Add(context.Background(), worktree.Request{Dir: dir, Name: fmt.Sprintf("w%d", n), MayRead: func(string) bool { return true }})
		if err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		fmt.Println("made", w.Path)
		if n%2 == 1 {
			err = os.WriteFile(filepath.Join(w.Path, "work"), []byte("done"), 0o600)
			fmt.Println("worked", w.Path)
		}
		if err != nil {
			os.Exit(1)
		}
		_, _ = w.Finish(context.Background())
	}
}

// TestKilled kills a program at random moments. Nothing stays but worktrees in which something
// was done, and none of these is lost.
func TestKilled(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.write("repo/.worktreeinclude", "*.env\n")
	s.write("repo/.gitignore", "*.env\n.worktreeinclude\n")
	s.write("repo/x.env", "x")
	s.commit("ignore")
	trees := newTrees(t)
	for range effort.Of(t, 60) {
		out, err := os.Create(filepath.Join(s.root, "out"))
		require.NoError(t, err)
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), childVariable+"="+s.repo), out, out
		require.NoError(t, cmd.Start())
		time.Sleep(time.Duration(rand.IntN(600)) * time.Millisecond)
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait()
		require.NoError(t, out.Close())
		text, err := os.ReadFile(out.Name())
		require.NoError(t, err)
		require.NotContains(t, string(text), "error")

		s.cleanAfterKill(trees)
		for line := range strings.Lines(string(text)) {
			if path, ok := strings.CutPrefix(strings.TrimSpace(line), "worked "); ok {
				require.FileExists(t, filepath.Join(path, "work"))
				s.git("worktree", "remove", "--force", path) // fails if it is locked
				s.git("branch", "-D", worktree.BranchPrefix+filepath.Base(path))
			}
		}
		for line := range strings.Lines(s.git("worktree", "list", "--porcelain")) { // killed between the file and the word
			if path, ok := strings.CutPrefix(strings.TrimSpace(line), "worktree "); ok && path != s.repo {
				require.FileExists(t, filepath.Join(path, "work"), "%s", text)
				s.git("worktree", "remove", "--force", path)
				s.git("branch", "-D", worktree.BranchPrefix+filepath.Base(path))
			}
		}
		if _, err := os.Stat(filepath.Join(s.repo, worktree.Folder)); err == nil {
			s.requireClean()
		}
	}
}

// cleanAfterKill cleans until no worktree is in use: a process that the killed program was about
// to start has its locks for a moment.
func (s sandbox) cleanAfterKill(trees *worktree.Trees) {
	s.t.Helper()
	shared := filepath.Join(s.repo, ".git/packed-refs.lock")
	require.Eventually(s.t, func() bool {
		_, err := trees.Clean(s.t.Context(), s.repo)
		if err != nil && strings.Contains(err.Error(), shared) {
			err = os.Remove(shared) // of a git that was killed; only a person may know that
		}
		claims, globErr := filepath.Glob(filepath.Join(s.repo, ".git/pegboard-worktrees/*.json"))
		require.NoError(s.t, errors.Join(err, globErr))
		return len(claims) == 0
	}, time.Minute, 10*time.Millisecond)
}

// TestKilledBeforeGit kills a program, and the process of git that it started, while a process
// that this one started is about to make the worktree.
func TestKilledBeforeGit(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the git of this test is a script of sh")
	}
	s := newSandbox(t)
	git, err := exec.LookPath("git")
	require.NoError(t, err)
	begun := filepath.Join(s.root, "begun")
	require.NoError(t, os.Mkdir(filepath.Join(s.root, "bin"), 0o700))
	script.Write(t, filepath.Join(s.root, "bin/git"), fmt.Sprintf(`#!/bin/sh
case "$*" in
*"worktree add"*) (sleep 1; %[1]s "$@" >/dev/null 2>&1; touch %[2]s-ended) & touch %[2]s; wait $!;;
*) exec %[1]s "$@";;
esac
`, git, begun))
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+s.repo, "PATH="+filepath.Join(s.root, "bin")+":"+os.Getenv("PATH"))
	require.NoError(t, cmd.Start())
	exists := func(name string) func() bool {
		return func() bool { _, err := os.Stat(name); return err == nil }
	}
	require.Eventually(t, exists(begun), time.Minute, 10*time.Millisecond)
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()

	kept, err := newTrees(t).Clean(t.Context(), s.repo)
	require.NoError(t, err)
	require.Empty(t, kept)
	require.Eventually(t, exists(begun+"-ended"), time.Minute, 10*time.Millisecond)
	s.requireClean()
}

// TestCleanRemovesFoldersOfAKilledGit has folders of git as a git that was killed leaves them.
// Some of them keep every command about worktrees from working.
func TestCleanRemovesFoldersOfAKilledGit(t *testing.T) {
	t.Parallel()
	link := func(s sandbox, name string) string {
		return filepath.Join(s.repo, worktree.Folder, name, ".git") + "\n"
	}
	for _, c := range []struct {
		name     string
		files    func(s sandbox) map[string]string // in the folder of git for the worktree
		folder   string                            // its name; empty means that of the worktree
		finished bool                              // the program was killed while it removed the worktree
		stays    bool
	}{
		{name: "nothing was written", files: func(sandbox) map[string]string { return nil }},
		{name: "the lock was not written", files: func(sandbox) map[string]string { return map[string]string{"locked": ""} }},
		{name: "only the lock was written", files: func(sandbox) map[string]string { return map[string]string{"locked": "an agent works here (process 1)"} }},
		{name: "the name was taken", folder: "w17", files: func(sandbox) map[string]string { return map[string]string{"locked": "an agent works here (process 1)"} }},
		{name: "commondir is empty", files: func(s sandbox) map[string]string {
			return map[string]string{"locked": "an agent works here (process 1)", "gitdir": link(s, "w1"), "HEAD": strings.Repeat("0", 40) + "\n", "commondir": ""}
		}},
		{name: "gitdir is removed", finished: true, files: func(sandbox) map[string]string { return map[string]string{"HEAD": "ref: refs/heads/worktree-w1\n"} }},
		{name: "the lock of another program", files: func(sandbox) map[string]string { return map[string]string{"locked": "initializing"} }, stays: true},
		{name: "a worktree with a longer name", folder: "w1b", files: func(sandbox) map[string]string { return map[string]string{"locked": ""} }, stays: true},
		{name: "a worktree elsewhere", files: func(s sandbox) map[string]string {
			return map[string]string{"locked": "an agent works here (process 1)", "gitdir": link(s, "w2")}
		}, stays: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			trees := newTrees(t)
			_, err := s.add(trees, "w0").Finish(t.Context()) // for the folders
			require.NoError(t, err)
			kept := s.add(trees, "a")
			require.NoError(t, os.Remove(filepath.Join(s.repo, ".git/worktrees/a/locked")))
			folder := filepath.Join(s.repo, ".git/worktrees", cmp.Or(c.folder, "w1"))
			require.NoError(t, os.Mkdir(folder, 0o700))
			for name, text := range c.files(s) {
				require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
			}
			rec := fmt.Sprintf(`{"path":%q,"branch":"worktree-w1","base":%q`, filepath.Join(s.repo, worktree.Folder, "w1"), s.git("rev-parse", "HEAD"))
			if c.finished {
				rec += fmt.Sprintf(`,"folder":%q,"removing":true`, folder)
			}
			s.write("repo/.git/pegboard-worktrees/w1.json", rec+"}")

			endings, err := trees.Clean(t.Context(), s.repo)
			require.NoError(t, err)
			require.Empty(t, endings)
			if c.stays {
				require.DirExists(t, folder)
				return
			}
			require.NoDirExists(t, folder)
			ending, err := kept.Finish(t.Context())
			require.NoError(t, err)
			require.False(t, ending.Kept, ending.Reason)
			s.requireClean()
		})
	}
}

// TestClean has records as crashes between the steps leave them.
func TestClean(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	trees := newTrees(t)
	used := s.add(trees, "used")
	head := s.git("rev-parse", "HEAD")
	path := func(name string) string { return filepath.Join(s.repo, worktree.Folder, name) }
	claim := func(name, text string) { s.write("repo/.git/pegboard-worktrees/"+name+".json", text) }
	record := func(name, folder string) string {
		return fmt.Sprintf(`{"path":%q,"branch":"worktree-%s","base":%q,"folder":%q}`, path(name), name, head, folder)
	}
	made := func(name string) {
		s.git("worktree", "add", "-q", "--lock", "-b", "worktree-"+name, path(name))
		claim(name, record(name, filepath.Join(s.repo, ".git/worktrees", name)))
	}

	claim("unwritten", "")
	claim("torn", `{"path":"/x`)
	claim("claimed", `{"base":"`+head+`"}`)
	for _, name := range []string{"wanted", "theirs"} {
		require.NoError(t, os.Mkdir(path(name), 0o700))
		claim(name, fmt.Sprintf(`{"base":%q,"wanted":%q}`, head, path(name)))
	}
	s.write("repo/.claude/worktrees/theirs/x", "x")
	claim("named", record("named", "")) // nothing was made yet
	s.write("repo/.claude/worktrees/empty/x", "")
	require.NoError(t, os.Remove(path("empty/x")))
	claim("empty", record("empty", ""))
	s.git("worktree", "add", "-q", "--lock", "-b", "worktree-half", path("half"))
	require.NoError(t, os.Remove(path("half/data.txt")))
	claim("half", record("half", ""))
	made("unchanged")
	made("changed")
	s.write("repo/.claude/worktrees/changed/new", "x")
	made("shorter")
	claim("shorter", record("shorter", filepath.Join(s.repo, ".git/worktrees", "shorter"))+`r",""}`) // killed before the end of the former record was cut off
	s.git("branch", "victim")
	claim("elsewhere", fmt.Sprintf(`{"path":%q,"branch":"victim","base":%q}`, s.repo, head))
	claim("victim", fmt.Sprintf(`{"path":%q,"branch":"victim","base":%q}`, path("victim"), head))

	kept, err := trees.Clean(t.Context(), s.repo)
	require.ErrorContains(t, err, "elsewhere")
	require.ErrorContains(t, err, "victim")
	require.Equal(t, []worktree.Ending{{Name: "changed", Path: path("changed"), Branch: "worktree-changed", Kept: true, Reason: "it has changes that are not committed"}}, kept)
	require.DirExists(t, used.Path)
	require.FileExists(t, filepath.Join(s.repo, "data.txt"))
	require.Contains(t, s.git("branch"), "victim")
	s.git("worktree", "remove", "--force", path("changed"))
	s.git("branch", "-D", "worktree-changed")
	require.FileExists(t, path("theirs/x"))
	require.NoError(t, os.RemoveAll(path("theirs")))
	kept, err = trees.Clean(t.Context(), s.repo)
	require.NoError(t, err)
	require.Empty(t, kept)
	_, err = used.Finish(t.Context())
	require.NoError(t, err)
	s.requireClean()
	_, err = trees.Clean(t.Context(), s.root)
	require.ErrorIs(t, err, worktree.ErrNoRepository)
}
