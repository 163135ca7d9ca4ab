package gitrepo_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/script"
	"github.com/seed49eaa51d/pegboard/internal/template"
)

// A sandbox is a repository to try git on, with a program that leaves a mark
// when somebody starts it.
type sandbox struct {
	t    *testing.T
	root string // repo, home and evil are in it
	repo string
	evil string // the path of the program
	mark string // the file that the program makes
}

// sandboxFiles are home and repo, before anybody has tried anything.
var sandboxFiles template.Tree

// newSandbox makes a repository in which every part of git that can start a
// program has something to do: a changed file with attributes, a signed commit
// at the head, a merge that had a conflict, a stash.
func newSandbox(t *testing.T) sandbox {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the planted program is a shell script")
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git, which is the judge here, is not installed")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	s := sandbox{t: t, root: root, repo: filepath.Join(root, "repo")}
	s.evil, s.mark = filepath.Join(root, "evil"), filepath.Join(root, "mark")
	script.Write(t, s.evil, "#!/bin/sh\n: > '"+s.mark+"'\n[ \"$1\" = quit ] || cat\n")
	sandboxFiles.Copy(t, root, func(dir string) { sandbox{t: t, root: dir, repo: filepath.Join(dir, "repo")}.make() })
	s.git("update-index", "-q", "--refresh")
	// Git writes its index anew, and calls the hook for that, if a file looks changed and is not.
	old := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(s.repo, ".gitattributes"), old, old))
	return s
}

func (s sandbox) make() {
	s.t.Helper()
	s.write("home/.gitconfig", "")
	s.write("repo/.gitattributes", "*.txt diff=z filter=z merge=z\n")
	s.write("repo/data.txt", "hello\n")
	s.git("init", "-q", "-b", "main")
	s.commit("first")
	s.git("checkout", "-q", "-b", "other")
	s.write("repo/data.txt", "theirs\n")
	s.commit("theirs")
	s.git("checkout", "-q", "main")
	s.write("repo/data.txt", "ours\n")
	s.commit("ours")
	s.try("merge", "other")
	s.write("repo/data.txt", "both\n")
	s.commit("merged")
	s.git("tag", "merge")
	s.write("repo/data.txt", "stashed\n")
	s.git("stash")
	s.sign()
	s.write("repo/data.txt", "changed\n")
	require.NoError(s.t, os.Remove(filepath.Join(s.root, "commit")))
}

// sign adds a commit that looks signed.
func (s sandbox) sign() {
	s.t.Helper()
	s.write("repo/data.txt", "signed\n")
	s.commit("signed")
	head, rest, _ := strings.Cut(s.git("cat-file", "commit", "HEAD"), "\n\n")
	s.write("commit", head+"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----\n\n"+rest)
	id := strings.TrimSpace(s.git("hash-object", "-t", "commit", "-w", filepath.Join(s.root, "commit")))
	s.git("update-ref", "HEAD", id)
}

func (s sandbox) write(name, text string) {
	s.t.Helper()
	name = filepath.Join(s.root, name)
	require.NoError(s.t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(s.t, os.WriteFile(name, []byte(text), 0o600))
}

func (s sandbox) commit(message string) {
	s.t.Helper()
	s.git("add", "-A")
	s.git("commit", "-q", "-m", message)
}

// set sets a key of the repository in dir, with EVIL and MARK replaced.
func (s sandbox) set(dir, key, value string) {
	s.t.Helper()
	s.run(nil, "-C", dir, "config", "--add", key, s.fill(value))
}

func (s sandbox) fill(text string) string {
	return strings.NewReplacer("EVIL", s.evil, "MARK", s.mark, "ROOT", s.root).Replace(text)
}

// git runs git in the repository and requires that it works.
func (s sandbox) git(args ...string) string {
	s.t.Helper()
	return s.run(nil, args...)
}

func (s sandbox) run(env []string, args ...string) string {
	s.t.Helper()
	out, err := s.command(s.repo, env, args...).Output()
	require.NoError(s.t, err, "git %q: %s", args, out)
	return string(out)
}

// try runs git in the repository, whether or not it works.
func (s sandbox) try(args ...string) string { return s.in(s.repo, nil, args...) }

// in runs git in a directory, whether or not it works.
func (s sandbox) in(dir string, env []string, args ...string) string {
	out, _ := s.command(dir, env, args...).CombinedOutput()
	return string(out)
}

func (s sandbox) command(dir string, env []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(s.t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = append([]string{
		"HOME=" + filepath.Join(s.root, "home"), "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b",
	}, env...)
	return cmd
}

// marked reports whether the planted program ran, and removes the mark.
func (s sandbox) marked() bool { return os.Remove(s.mark) == nil }

// reading are commands that read, of all kinds.
func reading() [][]string {
	var all [][]string
	for _, line := range []string{
		"status", "status -sb", "status -v", "diff", "diff --stat HEAD~1", "diff --cached", "diff main other", "log -p", "log --stat -2 -m",
		"log --format=%(trailers:key=x)%(describe)", "show HEAD", "show merge", "show --stat -m merge", "blame data.txt",
		"grep -n hello", "ls-files -m", "ls-files -o", "ls-tree -r HEAD", "branch -a -vv", "tag -n", "remote -v", "stash list",
		"stash show -p", "rev-parse HEAD", "rev-list --objects --all", "describe --always --dirty", "for-each-ref",
		"cat-file -p HEAD", "config --list", "config user.name", "worktree list", "shortlog -sn HEAD", "reflog",
		"range-diff main other", "check-ignore data.txt", "check-attr -a data.txt", "diff-tree -p HEAD", "diff-index -p HEAD",
		"diff-files -p", "show-ref", "symbolic-ref HEAD", "count-objects -v", "name-rev HEAD", "merge-base main other", "cherry main other",
		"notes list", "show-branch", "version", "sparse-checkout list",
	} {
		all = append(all, strings.Fields(line))
	}
	return all
}
