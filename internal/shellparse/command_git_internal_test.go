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
	"github.com/seed49eaa51d/pegboard/internal/template"
)

// wordsOf splits a line at blanks. A word that starts with "?" is not known,
// one with "*" outside quotes is a glob, and quotes only keep "*" from that.
func wordsOf(line string) []arg {
	var args []arg
	for word := range strings.FieldsSeq(line) {
		value := strings.Trim(word, "'")
		args = append(args, arg{
			value: value, source: word, known: !strings.HasPrefix(word, "?"),
			glob: value == word && strings.ContainsAny(word, "*"),
		})
	}
	return args
}

func TestGitReadsOnly(t *testing.T) {
	t.Parallel()
	for _, line := range strings.Split(`status
status -sb
status --porcelain=v1 -uno
diff
diff --cached -- a.go *.md
diff --name-only main...other
diff HEAD~1 HEAD -U3 -M90%
diff src/*.go
log -5
log -n 5 --oneline --graph --all --decorate
log --since=2.weeks --author='x' --grep=signature
log --format='%an' -3
log -p -1 -- README.md
log -Sfoo -G bar -L1,5:a.go
show HEAD:README.md
show --stat HEAD
shortlog -sne HEAD
branch
branch -a
branch -vv --sort -committerdate
branch --list 'feat/*'
branch --contains HEAD
branch --merged
branch --show-current
tag
tag -l 'v*'
tag -n5 --sort=-creatordate
remote
remote -v
remote get-url origin
rev-parse --show-toplevel
rev-parse --abbrev-ref HEAD
rev-list --count HEAD
ls-files -m -o --exclude-standard
ls-tree -r HEAD --name-only
cat-file -p HEAD
blame -L 1,5 README.md
grep -n hello
grep -e --output -- src
describe --tags --always --dirty
merge-base main other
reflog
reflog -5
reflog show main
reflog HEAD@{1}
stash list
stash show -p stash@{0}
worktree list --porcelain
config --get user.name
config --list
config -l --show-origin
config user.name
config get user.name
for-each-ref --sort=-committerdate
symbolic-ref --short HEAD
check-ignore -v a
notes list
--no-pager log
-C sub log
-C sub --no-pager status`, "\n") {
		e := gitEffect(wordsOf(line))
		require.Equal(t, ReadOnly, e.class, "%s: %s", line, e.reason)
		require.NotNil(t, e.git, line)
	}
}

func TestGitIsNotKnownToReadOnly(t *testing.T) {
	t.Parallel()
	for _, line := range strings.Split(`-c core.fsmonitor=x status
--config-env=core.fsmonitor=X status
--git-dir=evil status
--work-tree / status
--exec-path=. status
-p log
--paginate log
-C
-C ?x log
-C * log
?sub
* status
log ?x
diff *
diff -*
diff 'x' *
diff --output=marker
diff --output marker
diff --outp=marker
diff -o marker
log -1 --output=marker
show HEAD --oneline --output=marker
diff --ext-diff
diff --textconv
diff --no-index -- a b
diff -O../x
diff -O ../x
log -pO../x
log --stat -- -x
log --since -- *
stash list -- *
describe -- *
log --since --output=x
log -n --output=x
log --show-signature
log --format=%G?
log --format=%+GS
log --pretty='%h%GK'
log --remerge-diff
log --diff-merges=remerge
log -p --submodule=diff
log --stdin
branch --format=%(signature)
for-each-ref --sort=signature
blame --contents x README.md
grep --open='x' hello
grep --open-files-in-pager hello
grep -Ox hello
grep -nO hello
grep --no-index x
grep --textconv x
ls-remote --exec=x .
fetch
cat-file --filters HEAD:x
cat-file --textconv HEAD:x
rev-parse --show-superproject-working-tree
config --includes -f x --list
config -e
archive -o marker HEAD
bundle create marker HEAD
difftool -y -x x HEAD~1
help
help log
log --help
var GIT_EDITOR
st
whatchanged
submodule status
remote show origin
tag -v v1
-
diff -`, "\n") {
		e := gitEffect(wordsOf(line))
		require.NotEqual(t, ReadOnly, e.class, line)
		require.NotEmpty(t, e.reason, line)
	}
}

func TestGitChanges(t *testing.T) {
	t.Parallel()
	for _, line := range strings.Split(`commit -m x
add -A
branch new
branch -v new
branch --sort=x new
tag v9
tag --sort=x v9
tag -- v9
remote add x y
remote -v update
symbolic-ref HEAD refs/heads/zz
symbolic-ref HEAD -- refs/heads/zz
reflog delete HEAD@{0}
reflog expire
reflog -5 expire
stash
stash drop
stash pop
notes add
notes remove
config user.name x
config user.name --get
config user.name --global
config edit
config set user.name c
worktree add x
update-ref refs/heads/zz HEAD
clean
rebase -x x HEAD~1
bisect run x
hash-object -w README.md
sparse-checkout set x`, "\n") {
		e := gitEffect(wordsOf(line))
		require.Equal(t, Mutating, e.class, "%s: %s", line, e.reason)
		require.NotEmpty(t, e.reason, line)
	}
}

func TestGitDirectory(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"log": "", "-C a log": "a", "-C a -C b log": "a/b", "-C a -C /b log": "/b", "-C a/ -C .. log": "a//..", "-C . log": ".",
	} {
		require.Equal(t, &Git{Dir: want}, gitEffect(wordsOf(line)).git, line)
	}
	for _, line := range []string{"", "--version", "version", "-C a"} {
		require.Equal(t, effect{}, gitEffect(wordsOf(line)), line)
	}
}

func TestGitFiles(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		line         string
		reads, maybe []string
	}{
		{line: "log HEAD -- a.go", maybe: []string{"HEAD", "a.go"}},
		{line: "log -- ../a /b", reads: []string{"../a", "/b"}},
		{line: "diff a /b", reads: []string{"a/", "/b/"}},
		{line: "diff HEAD:.env", reads: []string{"HEAD:.env/"}, maybe: []string{".env/"}},
		{line: "show HEAD:.env", maybe: []string{".env/"}},
		{line: "show :0:.env", maybe: []string{".env/"}},
		{line: "log -- :(top).env :!b :/c", maybe: []string{".env", "c"}},
		{line: "grep /v1/users", maybe: []string{"./"}},
		{line: "grep x HEAD~1", maybe: []string{"HEAD~1/", "./"}},
		{line: "grep x src", maybe: []string{"src/"}},
		{line: "grep x -- src", maybe: []string{"src/"}},
		{line: "grep x HEAD -- src/*.go", maybe: []string{"HEAD/", "src/./"}},
		{line: "grep x -- '*.go'", maybe: []string{"./"}},
		{line: "grep x -- :!src", maybe: []string{"./"}},
		{line: "grep x main:", maybe: []string{"./"}},
		{line: "grep x :/", maybe: []string{"./"}},
		{line: "-C sub grep x", reads: []string{"sub/"}, maybe: []string{"sub/./"}},
		{line: "diff -- ../a b .", reads: []string{"../a/", "b/", "."}},
		{line: "show HEAD -- a", maybe: []string{"HEAD/", "a/"}},
		{line: "log -p -- a", maybe: []string{"a/"}},
		{line: "log -L1,5:.env", maybe: []string{".env"}},
		{line: "log -L :main:.env -1", maybe: []string{".env"}},
		{line: "grep -e /v1/users .env", maybe: []string{".env/"}},
		{line: "grep -f ../words x", reads: []string{"../words"}, maybe: []string{"x/"}},
		{line: "blame --ignore-revs-file /x a", reads: []string{"/x"}, maybe: []string{"a"}},
		{line: "config -f ../x --list", reads: []string{"../x"}},
		{line: "-C sub diff ../a", reads: []string{"sub/", "sub/../a/"}},
		{line: "-C sub log -- a", reads: []string{"sub/"}, maybe: []string{"sub/a"}},
	} {
		var reads, maybe []string
		for _, f := range gitEffect(wordsOf(tc.line)).files {
			require.False(t, f.write, tc.line)
			name := f.value
			if f.tree {
				name += "/"
			}
			if f.guess {
				maybe = append(maybe, name)
			} else {
				reads = append(reads, name)
			}
		}
		require.Equal(t, tc.reads, reads, tc.line)
		require.Equal(t, tc.maybe, maybe, tc.line)
	}
}

func TestGitHosts(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		"clone https://user:pw@example.com:8080/a.git b": {"example.com"},
		"clone git@example.com:a/b.git":                  {"example.com"},
		"fetch ssh://git@[::1]:22/x":                     {"::1"},
		"push origin main":                               nil,
		"clone ./a:b":                                    nil,
	} {
		e := gitEffect(wordsOf(line))
		require.Equal(t, Unknown, e.class)
		require.Equal(t, want, e.hosts, line)
	}
}

// A gitTree is a repository to try the tables on.
type gitTree struct{ root, dir string }

// gitTreeFiles are those of a new gitTree.
var gitTreeFiles template.Tree

func newGitTree(t *testing.T) gitTree {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git, which is the judge here, is not installed")
	}
	root := t.TempDir()
	g := gitTree{root: root, dir: filepath.Join(root, "repo")}
	gitTreeFiles.Copy(t, root, func(dir string) { gitTree{root: dir, dir: filepath.Join(dir, "repo")}.make(t) })
	out, err := g.git(t, "update-index", "-q", "--refresh")
	require.NoError(t, err, out)
	return g
}

func (g gitTree) make(t *testing.T) {
	t.Helper()
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
