package shellparse

import (
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// A gitTree is a repository to try the tables on.
type gitTree struct{ root, dir string }

func newGitTree(t *testing.T) gitTree {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git, which is the judge here, is not installed")
	}
	root := t.TempDir()
	g := gitTree{root: root, dir: filepath.Join(root, "repo")}
	require.NoError(t, os.MkdirAll(filepath.Join(g.dir, "src"), 0o755))
	write := func(text string) {
		for _, name := range []string{"README.md", "src/a.go"} {
			require.NoError(t, os.WriteFile(filepath.Join(g.dir, name), []byte(text), 0o600))
		}
	}
	git := func(line string) {
		out, err := g.git(t, strings.Fields(line)...)
		require.NoError(t, err, "%s: %s", line, out)
	}
	write("hello\n")
	git("init -q -b main --template=")
	git("add .")
	git("commit -q -m first")
	git("branch other")
	write("hello world\n")
	git("commit -q -a -m second")
	git("tag -a -m v1 v1")
	git("remote add origin ../none")
	write("stash\n")
	git("stash")
	write("hello again\n")
	return g
}

func (g gitTree) git(t *testing.T, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = g.dir
	cmd.Env = []string{
		"HOME=" + g.root, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_EDITOR=false",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b",
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// state is all that is in the tree. Of the index it is enough that it is there:
// it holds the times of files, which some commands refresh.
func (g gitTree) state(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(g.root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if filepath.Base(name) == "index" {
			data = nil
		}
		all[name] = string(data)
		return err
	}))
	return all
}

// newerThanGit39 are flags that git 2.39 does not have yet, or a later version
// no longer has.
func newerThanGit39(flag string) bool {
	return slices.Contains([]string{"--omit-empty", "--branches", "--exclude", "--all", "--regexp", "--value", "--url", "--allow-unknown-type",
		"--show-object-format"}, flag)
}

// TestGitFlagsAreGitsOwn runs every flag of every table. Git must know it, must
// change nothing with it, and where what follows "--" is said to be paths, must
// not take the "--" for a value or hand on the rest without it.
func TestGitFlagsAreGitsOwn(t *testing.T) {
	t.Parallel()
	for _, name := range effort.Sample(t, slices.Sorted(maps.Keys(gitForms))) {
		form := gitForms[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGitTree(t)
			before := g.state(t)
			for _, table := range form.flags {
				for entry := range strings.FieldsSeq(table) {
					flag := strings.TrimRight(entry, "=!?<")
					if takes, _ := gitFlagKind(form.flags, flag); flag+takes == entry {
						g.tryFlag(t, name, flag, takes)
					}
				}
			}
			require.Equal(t, before, g.state(t))
		})
	}
}

func (g gitTree) tryFlag(t *testing.T, name, flag, takes string) {
	t.Helper()
	args := append(strings.Fields(name), flag)
	switch {
	case flag == "-#":
		args[len(args)-1] = "-1"
	case takes == gitNoValue || takes == gitOptionalValue:
	case strings.HasPrefix(flag, "--") && flag != "--sort":
		args[len(args)-1] = flag + "=1"
	default:
		args = append(args, "1")
	}
	args = append(args, strings.Fields(map[string]string{
		"diff-index": "HEAD", "diff-tree": "HEAD", "rev-list": "HEAD", "range-diff": "HEAD~1 HEAD HEAD", "cat-file": "HEAD", "grep": "-e x",
		"annotate": "README.md", "blame": "README.md", "ls-tree": "HEAD", "merge-base": "main other", "name-rev": "HEAD", "symbolic-ref": "HEAD",
		"remote get-url": "origin", "config get": "user.name", "check-ignore": "a", "check-attr": "a",
	}[name])...)
	if gitForms[name].pathsAfterDashes {
		args = append(args, "--", "--output=mark")
	}
	out, _ := g.git(t, args...)
	// The plumbing of diff says no more than its usage.
	unknown := strings.HasPrefix(name, "diff-") && strings.HasPrefix(out, "usage:")
	for _, complaint := range []string{"unknown option", "unknown switch", "unrecognized argument", "invalid option", "takes no value"} {
		unknown = unknown || strings.Contains(out, complaint)
	}
	switch {
	case newerThanGit39(flag):
	case name == "diff" && flag == "--merge-base": // it wants a commit
	case name == "shortlog" && flag == "--single-worktree":
	default:
		require.False(t, unknown, "git %q: %s", args, out)
	}
}

// TestGitThatReadsChangesNothing makes up commands of good and bad words, and
// runs those that are said to only read.
func TestGitThatReadsChangesNothing(t *testing.T) {
	t.Parallel()
	g := newGitTree(t)
	before := g.state(t)
	random := rand.New(rand.NewPCG(1, 2))
	names := make([]string, 0, len(gitForms))
	for name := range gitForms {
		names = append(names, strings.Fields(name)[0])
	}
	slices.Sort(names)
	words := strings.Fields(`HEAD main other v1 new README.md src -- a..b HEAD~1 HEAD:README.md --output=mark --output mark -o -O mark -D -d -m -M -f -a
		-u -c -C --delete --force --list -l -v --all --edit -e -n -n5 -5 -1 --add --unset user.name x.y value --sort -refname --contains
		--merged --points-at show list get set get-url drop pop add remove expire delete --expire=now exists edit-description
		--edit-description --no-index --ext-diff -p --stat --cached --format=%H --batch -w -s -t -z -q - --global --get --default 1`)
	ran := 0
	for range effort.Of(t, 4000) {
		args := []string{names[random.IntN(len(names))]}
		for range random.IntN(5) {
			args = append(args, words[random.IntN(len(words))])
		}
		given := make([]arg, len(args))
		for i, a := range args {
			given[i] = arg{value: a, known: true, source: a}
		}
		if gitEffect(given).class != ReadOnly {
			continue
		}
		ran++
		_, _ = g.git(t, args...)
		if ran%20 == 0 {
			require.Equal(t, before, g.state(t), "one of the last 20 commands up to git %q", args)
		}
	}
	if effort.Full(t) {
		require.Greater(t, ran, 100)
	}
	require.Equal(t, before, g.state(t))
}
