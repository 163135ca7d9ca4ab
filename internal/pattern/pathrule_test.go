package pattern_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

// want is what a rule makes of a subject.
type want int

const (
	no      want = iota
	touches      // a deny rule is about it, an allow rule is not
	covers       // both are
)

func requireWant(t *testing.T, w want, tool, text string, x pattern.Subject, b pattern.Base) {
	t.Helper()
	s, err := pattern.Parse(tool, text)
	require.NoError(t, err, text)
	require.Equal(t, w == covers, s.Covers(x, b), "%s(%s) covers %v", tool, text, x.Names)
	require.Equal(t, w >= touches, s.Touches(x, b), "%s(%s) touches %v", tool, text, x.Names)
}

// TestPathWildcards goes through the sentences on Read and Edit in Claude Code's
// documentation of permission rules. The base is
// /srv/app with the source's root /srv.
func TestPathWildcards(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, path string
		want             want
	}{
		{name: "a star stays within a name", text: "./*.go", path: "/srv/app/a.go", want: covers},
		{name: "a star crosses no slash", text: "./*.go", path: "/srv/app/b/a.go"},
		{name: "a star in the middle", text: "a/*/c", path: "/srv/app/a/b/c", want: covers},
		{name: "a star is one name", text: "a/*/c", path: "/srv/app/a/b/b/c"},
		{name: "a star is nothing too", text: "./a*b", path: "/srv/app/ab", want: covers},
		{name: "a hidden file is a file", text: "./*", path: "/srv/app/.env", want: covers},
		{name: "two stars cross", text: "a/**/c", path: "/srv/app/a/b/b/c", want: covers},
		{name: "two stars are nothing too", text: "a/**/c", path: "/srv/app/a/c", want: covers},
		{name: "two stars before", text: "**/c", path: "/srv/app/a/b/c", want: covers},
		{name: "two stars before, on top", text: "**/c", path: "/srv/app/c", want: covers},
		{name: "two stars behind", text: "/app/src/**", path: "/srv/app/src/a/b.go", want: covers},
		{name: "two stars behind, the directory", text: "/app/src/**", path: "/srv/app/src", want: touches},
		{name: "two stars behind, a name that begins alike", text: "/app/src/**", path: "/srv/app/srcx/a.go"},
		{name: "two stars in a name are one", text: "./a**b", path: "/srv/app/a/b"},
		{name: "everything", text: "//**", path: "/etc/passwd", want: covers},
		{name: "everything at home", text: "~/**", path: "/home/ada/x/y", want: covers},
		{name: "everything in the working directory", text: "./**", path: "/srv/app/x/y", want: covers},
		{name: "everything in the working directory, above", text: "./**", path: "/srv/x"},
		{name: "a question mark", text: "./a?c", path: "/srv/app/abc", want: covers},
		{name: "a question mark is one character", text: "./a?c", path: "/srv/app/aéc", want: covers},
		{name: "a question mark is not nothing", text: "./a?c", path: "/srv/app/ac"},
		{name: "a question mark is no slash", text: "a?c", path: "/srv/app/a/c"},
		{name: "a class", text: "./[id].ts", path: "/srv/app/i.ts", want: covers},
		{name: "a class is no text", text: "./[id].ts", path: "/srv/app/[id].ts"},
		{name: "a class with a range", text: "./[a-c]", path: "/srv/app/b", want: covers},
		{name: "a class that excludes", text: "./[!a]", path: "/srv/app/b", want: covers},
		{name: "a class that excludes, excluded", text: "./[^a]", path: "/srv/app/a"},
		{name: "a named class", text: "./[[:digit:]x]", path: "/srv/app/7", want: covers},
		{name: "a class with a bracket", text: "./[]a]", path: "/srv/app/]", want: covers},
		{name: "an escape", text: `./\[id\].ts`, path: "/srv/app/[id].ts", want: covers},
		{name: "an escaped star", text: `./\*`, path: "/srv/app/a"},
		{name: "an escaped exclamation mark", text: `\!a`, path: "/srv/app/!a", want: covers},
		{name: "a number sign begins no comment", text: "#a", path: "/srv/app/#a", want: covers},
		{name: "blanks at the end do not count", text: "a  ", path: "/srv/app/a", want: covers},
		{name: "an escaped blank does", text: `a\ `, path: "/srv/app/a ", want: covers},

		{name: "a bare name is at any depth", text: "*.env", path: "/srv/app/a/b/x.env", want: covers},
		{name: "a bare name is below the directory", text: "*.env", path: "/srv/x.env"},
		{name: "a bare star is everything", text: "*", path: "/srv/app/a/b", want: covers},

		{name: "one directory, on top", text: "src/**", path: "/srv/app/src/a/b.go", want: covers},
		{name: "one directory, deeper: deny and ask only", text: "src/**", path: "/srv/app/x/src/b.go", want: touches},
		{name: "one directory with a wildcard, deeper", text: "s*/**", path: "/srv/app/x/src/b.go", want: touches},
		{name: "one directory, not below", text: "src/**", path: "/srv/src/b.go"},
		{name: "two directories, deeper", text: "src/a/**", path: "/srv/app/x/src/a/b.go"},
		{name: "one directory with an anchor, deeper", text: "/src/**", path: "/srv/app/src/b.go"},
		{name: "one directory with a dot, deeper", text: "./src/**", path: "/srv/app/x/src/b.go"},
		{name: "one directory at any depth", text: "**/src/**", path: "/srv/app/x/src/b.go", want: covers},
		{name: "a file in one directory, deeper", text: "src/*.go", path: "/srv/app/x/src/b.go"},

		{name: "a directory is all below", text: "/app/src", path: "/srv/app/src/a/b", want: covers},
		{name: "a directory with a wildcard: deny and ask only", text: "/app/src/*", path: "/srv/app/src/a/b", want: touches},
		{name: "a directory with a wildcard, itself", text: "/app/src/*", path: "/srv/app/src/a", want: covers},
		{name: "a wildcard with a slash is a directory", text: "/app/s*/", path: "/srv/app/src/a/b", want: covers},
		{name: "a wildcard with a slash may be a file", text: "/app/s*/", path: "/srv/app/src", want: touches},
		{name: "two stars with a slash", text: "/app/**/", path: "/srv/app/a/b", want: covers},
		{name: "two stars with a slash, a file on top", text: "/app/**/", path: "/srv/app/a", want: touches},
		{name: "the directory above", text: "/app/src/*.go", path: "/srv/app/src"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			requireWant(t, tc.want, "Edit", tc.text, writes(tc.path), base)
		})
	}
}

// TestTree: a tree is covered if all below is, and touched if a name below could
// be meant.
func TestTree(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, path string
		write            bool
		want             want
	}{
		{name: "everything in it", text: "/app/src/**", path: "/srv/app/src/a", want: covers},
		{name: "everything in it, itself", text: "/app/src/**", path: "/srv/app/src", want: covers},
		{name: "everything in it, to remove", text: "/app/src/**", path: "/srv/app/src", write: true, want: touches},
		{name: "everything in it, a part to remove", text: "/app/src/**", path: "/srv/app/src/a", write: true, want: covers},
		{name: "everything, above", text: "/app/src/**", path: "/srv/app", want: touches},
		{name: "a bare star", text: "*", path: "/srv/app", want: covers},
		{name: "one level is not all", text: "/app/src/*", path: "/srv/app/src/a", want: touches},
		{name: "some below", text: "/app/src/*.go", path: "/srv/app/src", want: touches},
		{name: "some far below", text: "/app/*/gen/*.go", path: "/srv/app/src", want: touches},
		{name: "some beside", text: "/app/*/gen/*.go", path: "/srv/app/src/main"},
		{name: "some in another directory", text: "/app/src/*.go", path: "/srv/app/docs"},
		{name: "at any depth", text: "**/*.go", path: "/srv/app/docs/a", want: touches},
		{name: "at any depth, from above", text: "*.go", path: "/", want: touches},
		{name: "at any depth, elsewhere", text: "*.go", path: "/etc"},
		{name: "deeper than the rule", text: "/app/a/b", path: "/srv/app/a/b/c", want: covers},
		{name: "one directory at any depth", text: "src/**", path: "/srv/app/x", want: touches},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			x := tree(tc.path)
			tool := "Read"
			if x.Write = tc.write; tc.write {
				tool = "Edit"
			}
			requireWant(t, tc.want, tool, tc.text, x, base)
		})
	}
}

// TestPlace: a link at the start of a specifier leads to where the rest of it holds.
func TestLiteralPrefix(t *testing.T) {
	t.Parallel()
	windows := pattern.Base{Dir: `C:\srv\app`, Root: `C:\srv`, Home: `C:\Users\ada`, Platform: pattern.Windows}
	tests := []struct {
		text  string
		base  pattern.Base
		place string // empty: none
	}{
		{text: "/app/link", base: base, place: "/srv/app/link"},
		{text: "/app/link/*.go", base: base, place: "/srv/app/link"},
		{text: "link/**", base: base, place: "/srv/app/link"},
		{text: "//**/x", base: base, place: "/"},
		{text: "//etc", base: base, place: "/etc"},
		{text: "/*.go", base: base, place: "/srv"},
		{text: `./\[id]/x`, base: base, place: "/srv/app/[id]/x"},
		{text: "~/x", base: empty},
		{text: ".env", base: base},
		{text: "//c/Users/*", base: windows, place: "c:/Users"},
		{text: `C:\Users\Ada\*`, base: windows, place: "c:/Users/Ada"},
		{text: "/app/Link", base: windows, place: `C:\srv/app/Link`},
	}
	for _, tc := range tests {
		s, err := pattern.Parse("Read", tc.text)
		require.NoError(t, err)
		place, ok := s.LiteralPrefix(tc.base)
		require.Equal(t, tc.place, place, tc.text)
		require.Equal(t, tc.place != "", ok, tc.text)
	}
}

func TestTouchesLinkTargets(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		x          pattern.Subject
		want       bool
	}{
		{name: "the place", text: "/app/link", x: reads("/real"), want: true},
		{name: "below the place", text: "/app/link", x: reads("/real/a/b"), want: true},
		{name: "beside the place", text: "/app/link", x: reads("/real2/a")},
		{name: "what the rest says", text: "/app/link/*.go", x: reads("/real/a.go"), want: true},
		{name: "what the rest does not say", text: "/app/link/*.go", x: reads("/real/a.txt")},
		{name: "what the rest says, in a tree", text: "/app/link/*/x.go", x: tree("/real/a"), want: true},
		{name: "what the rest does not say, in a tree", text: "/app/link/*/x.go", x: tree("/real/a/b")},
		{name: "a tree around the place", text: "/app/link/*.go", x: tree("/"), want: true},
		{name: "everything", text: "/app/link/**", x: reads("/real/a/b"), want: true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s, err := pattern.Parse("Read", tc.text)
			require.NoError(t, err)
			require.Equal(t, tc.want, s.WithLinkTargets("/real").Touches(tc.x, base), "told once")
			require.False(t, s.Touches(tc.x, base) && !tc.x.Tree, "not told")
			require.False(t, s.WithLinkTargets("/real").Covers(tc.x, base), "an allow rule")
		})
	}
}

// TestExact: what wants an exact rule is not covered by one with wildcards.
func TestNoWildcards(t *testing.T) {
	t.Parallel()
	tests := []struct {
		tool, text string
		x          pattern.Subject
		want       want
	}{
		{tool: "Bash", text: "find . -delete", x: runs("find . -delete"), want: covers},
		{tool: "Bash", text: "find *", x: runs("find . -delete"), want: touches},
		{tool: "Bash", text: "find:*", x: runs("find . -delete"), want: touches},
		{tool: "Edit", text: "/app/*", x: writes("/srv/app/a"), want: touches},
		{tool: "Edit", text: "/app/a", x: writes("/srv/app/a"), want: covers},
		{tool: "WebFetch", text: "domain:*.b.c", x: reaches("a.b.c"), want: touches},
		{tool: "Skill", text: "a *", x: called("a"), want: touches},
		{tool: "Skill", text: "a", x: called("a"), want: covers},
	}
	for _, tc := range tests {
		tc.x.NoWildcards = true
		requireWant(t, tc.want, tc.tool, tc.text, tc.x, base)
	}
}

// FuzzEscapePath: an escaped path stands for itself, and not for a path that is
// otherwise like it.
func FuzzEscapePath(f *testing.F) {
	for _, path := range []string{"/a/b", "/a*/[id]", `/a\b`, "/a ", "/!a", "/#a?", "/a\xff", "/é"} {
		f.Add(path, byte('x'))
	}
	f.Fuzz(func(t *testing.T, path string, other byte) {
		s, err := pattern.Parse("Edit", "/"+pattern.EscapePath(path))
		if err != nil || path[0] != '/' {
			return // not an absolute clean path
		}
		require.True(t, s.Covers(writes(path), base), path)
		changed := path[:len(path)-1] + string(rune(other))
		if changed != path && path[len(path)-1] != '/' && other != '/' {
			require.False(t, s.Covers(writes(changed), base), changed)
		}
	})
}

// corpusRow is a row about paths, as far as spelling and rules decide it.
type corpusRow struct {
	ID, Class, Platform, Mode, Op, Path, Expect, Not string
	Rules                                            map[string][]string
	Fixture                                          struct{ Symlinks map[string]string }
}

// TestCorpusPaths decides the rows of a corpus that no disk is needed for, on
// their own platforms, with no more than this package: doubts, protected paths,
// rules and the working directory.
func TestCorpusPaths(t *testing.T) {
	t.Parallel()
	classes := []string{"rule-anchor", "case", "windows", "unicode", "prefix-collision", "protected", "benign"}
	all := 0
	for _, folder := range corpus.Folders(t) {
		decided := 0
		for _, line := range corpus.Lines(t, filepath.Join(folder, "security", "path.jsonl")) {
			var row corpusRow
			require.NoError(t, json.Unmarshal(line, &row))
			onDisk := len(row.Fixture.Symlinks) > 0 || strings.Contains(row.Path, "junction")
			if !slices.Contains(classes, row.Class) || onDisk || row.Expect == "any" {
				continue
			}
			for name := range strings.SplitSeq(row.Platform, "|") {
				got := row.decide(map[string]pattern.Platform{"darwin": pattern.Darwin, "windows": pattern.Windows}[name])
				decided++
				if row.Not != "" {
					require.NotEqual(t, row.Not, got, "%s on %s", row.ID, name)
				} else {
					require.Equal(t, row.Expect, got, "%s on %s", row.ID, name)
				}
			}
		}
		corpus.Report(t, folder, "%d rows decided", decided)
		all += decided
	}
	require.NotZero(t, all)
}

func (row corpusRow) decide(p pattern.Platform) string {
	b := pattern.Base{Dir: "/root/proj", Root: "/root/proj", Home: "/root/home", Platform: p}
	if p == pattern.Windows {
		b = pattern.Base{Dir: `C:\root\proj`, Root: `C:\root\proj`, Home: `C:\root\home`, Platform: p}
	}
	dir, _ := pattern.Canonical(p, b.Dir)
	root := path.Dir(dir)
	name, doubt := pattern.Canonical(p, strings.ReplaceAll(row.Path, "{{ROOT}}", root))
	if !path.IsAbs(name) {
		name = path.Join(dir, name)
	}
	name = path.Clean(name)
	x := pattern.Subject{Kind: pattern.Path, Write: row.Op != "read", Names: []string{name}}
	_, protected := pattern.Protected(p, name)
	inside := strings.HasPrefix(name, dir+"/") || strings.HasPrefix(name, root+"/lib/") // the second is an additional directory
	switch {
	case row.rule("deny", root, func(s pattern.Spec) bool { return s.Touches(x, b) }):
		return "deny"
	case row.rule("ask", root, func(s pattern.Spec) bool { return s.Touches(x, b) }):
		return "ask"
	case doubt != "", x.Write && protected:
		return "ask"
	case row.rule("allow", root, func(s pattern.Spec) bool { return s.Covers(x, b) }), inside && (!x.Write || row.Mode == "acceptEdits"):
		return "allow"
	}
	return "ask"
}

// rule reports whether a rule with a specifier is about the row's path. Rules that
// do not parse are about nothing.
func (row corpusRow) rule(list, root string, about func(pattern.Spec) bool) bool {
	return slices.ContainsFunc(row.Rules[list], func(rule string) bool {
		tool, rest, _ := strings.Cut(strings.ReplaceAll(rule, "{{ROOT}}", root), "(")
		text, whole := strings.CutSuffix(rest, ")")
		if rest == "" {
			return strings.EqualFold(tool, row.Op)
		}
		s, err := pattern.Parse(tool, text)
		return whole && err == nil && about(s)
	})
}

// TestGitAgrees holds the matcher against git, which made the syntax up. Git is
// asked about a file below each path, since it asks the disk whether a path is a
// directory.
func TestGitAgrees(t *testing.T) {
	t.Parallel()
	repository := newRepository(t)
	random := rand.New(rand.NewPCG(1, 2))
	paths := randomPaths(random, 150)
	patterns := []string{
		"a", "a/", "/a", "*", "**", "/**", "a/**", "**/a", "a/**/b", "**/a/**", "/*", "a*", "*a", "?", "[ab]", "[!a]", "a/*", "*/a", "/*/b",
		`\a`, `\*`, `[[]`, `[a\]b]`, "a/b/", "**/", "a/**/", "*/**", "**/*", "/a/**/**/b", "a**b", "a**/b", "***", "[[:alpha:]]", "[a-]", "[]a]", "[^]]", `a\ `, "a ",
	}
	for range effort.Of(t, 200) {
		patterns = append(patterns, randomPattern(random))
	}
	b := pattern.Base{Dir: "/r", Root: "/r", Home: "/h"}
	compared := 0
	for _, text := range patterns {
		// Every relative pattern with one directory is anchored for git and not
		// for a deny rule: anchor it here too.
		rule := text
		if !strings.HasPrefix(text, "/") && strings.Contains(strings.TrimSuffix(text, "/"), "/") {
			rule = "./" + text
		}
		s, err := pattern.Parse("Read", rule)
		if err != nil || gitQuirk.MatchString(text) || strings.HasPrefix(text, "//") || strings.HasPrefix(text, "./") {
			continue // the anchors that git has not
		}
		// Nobody looks at the disk: what may be a directory is taken for one.
		ignored := repository.ignored(t, strings.TrimSuffix(text, "/"), paths)
		files := repository.ignored(t, text, paths)
		around := repository.ignored(t, inWhat(text), paths)
		for _, path := range paths {
			x := reads("/r/" + path + "/file")
			got := s.Touches(x, b)
			if got && !ignored[path] && around[path] {
				continue // what says everything in a directory says the directory
			}
			require.Equal(t, ignored[path], got, "%q, %q", text, path)
			require.False(t, s.Covers(x, b) && !files[path], "%q covers %q", text, path)
			compared++
		}
	}
	if effort.Full(t) {
		require.Greater(t, compared, 20000)
	}
}

// gitQuirk finds two stars behind a letter, which git's manual calls one star,
// while git compares the letters before a wildcard apart and then takes the stars
// for the start.
var gitQuirk = regexp.MustCompile(`[^/*]\*\*`)

// inWhat returns "a" of "a/**", or a pattern that means nothing.
func inWhat(text string) string {
	trimmed := strings.TrimRight(text, "*/")
	if trimmed == text || !strings.Contains(text, "**") {
		return "# nothing"
	}
	for strings.HasSuffix(text, "/") || strings.HasSuffix(text, "/**") || strings.HasSuffix(text, "**/*") {
		text = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(text, "/"), "**/*"), "/**")
	}
	return text
}

type repository struct{ dir string }

func newRepository(t *testing.T) repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git on this machine to compare with")
	}
	r := repository{t.TempDir()}
	out, err := r.git(nil, "init", "-q")
	require.NoError(t, err, out)
	return r
}

func (r repository) git(stdin []byte, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-c", "core.ignoreCase=false", "-c", "core.excludesFile="}, args...)...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "HOME="+r.dir)
	cmd.Stdin = bytes.NewReader(stdin)
	out, err := cmd.Output()
	return string(out), err
}

// ignored returns which of the paths git ignores a file below of.
func (r repository) ignored(t *testing.T, text string, paths []string) map[string]bool {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(r.dir, ".gitignore"), []byte(text+"\n"), 0o600))
	var in bytes.Buffer
	for _, p := range paths {
		in.WriteString(p + "/file\x00")
	}
	out, _ := r.git(in.Bytes(), "check-ignore", "--no-index", "-z", "--stdin") // exits with 1 if none is ignored
	ignored := map[string]bool{}
	for line := range strings.SplitSeq(out, "\x00") {
		ignored[strings.TrimSuffix(line, "/file")] = line != ""
	}
	return ignored
}

func randomPaths(random *rand.Rand, n int) []string {
	names := []string{"a", "b", "c", "ab", "ba", "abc", "a.b", "[", "]", "*", `\`, "-", "a b", "a ", "A", "!a", "aab"}
	paths := make([]string, n)
	for i := range paths {
		path := make([]string, 1+random.IntN(4))
		for j := range path {
			path[j] = names[random.IntN(len(names))]
		}
		paths[i] = strings.Join(path, "/")
	}
	return paths
}

func randomPattern(random *rand.Rand) string {
	parts := []string{"a", "b", "c", "a", "b", "/", "/", "*", "**", "/**/", "?", "[ab]", "[!a]", "[a-b]", `\*`, `\[`, `\a`, "[^b-c]", ".", " "}
	var b strings.Builder
	for range 1 + random.IntN(6) {
		b.WriteString(parts[random.IntN(len(parts))])
	}
	return b.String()
}

// TestProtectedNames compares the list with that in Claude Code's documentation of
// permission modes.
func TestProtectedNames(t *testing.T) {
	t.Parallel()
	const directories = `.git .config/git .vscode .idea .husky .cargo .devcontainer .yarn .mvn .claude`
	const files = `.gitconfig .gitmodules .bashrc .bash_profile .bash_login .bash_aliases .bash_logout .zshrc .zprofile .zshenv .zlogin .zlogout
		.profile .envrc .npmrc .yarnrc .yarnrc.yml .pnp.cjs .pnp.loader.mjs .pnpmfile.cjs bunfig.toml .bunfig.toml .bazelrc .bazelversion
		.bazeliskrc .pre-commit-config.yaml lefthook.yml lefthook.yaml .lefthook.yml .lefthook.yaml gradle-wrapper.properties
		maven-wrapper.properties .devcontainer.json .ripgreprc pyrightconfig.json .mcp.json .claude.json`
	for _, name := range strings.Fields(directories + " " + files) {
		for _, path := range []string{"/a/" + name, "/" + name, "/a/b/" + strings.ToUpper(name), "/a/" + name + "/x"} {
			what, ok := pattern.Protected(pattern.Linux, path)
			require.True(t, ok, path)
			require.Equal(t, name, what, path)
		}
		_, ok := pattern.Protected(pattern.Linux, "/a/x"+name)
		require.False(t, ok, name)
		_, ok = pattern.Protected(pattern.Linux, "/a/"+name+"x")
		require.False(t, ok, name)
	}
}

func TestProtected(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, path string
		platform   pattern.Platform
		want       string // empty: free
	}{
		{name: "free", path: "/a/src/main.go"},
		{name: "the root", path: "/"},
		{name: "a work tree", path: "/a/.claude/worktrees/b/x"},
		{name: "all work trees", path: "/a/.claude/worktrees"},
		{name: "beside the work trees", path: "/a/.claude/settings.json", want: ".claude"},
		{name: "in a work tree", path: "/a/.claude/worktrees/b/.git/config", want: ".git"},
		{name: "work trees in another spelling", path: "/a/.CLAUDE/worktrees/b", want: ".claude"},
		{name: "git in .config", path: "/home/a/.config/git/config", want: ".config/git"},
		{name: "git alone", path: "/a/git/config"},
		{name: ".config alone", path: "/a/.config/x/git"},
		{name: "begins alike", path: "/a/.github/x.md"},
		{name: "ends alike", path: "/a/x.git/config"},
		{name: "an invisible character", path: "/a/.g\u200cit/config", want: ".git"},
		{name: "an invisible mark of order", path: "/a/.gi\ufefft/config", want: ".git"},
		{name: "long s", path: "/a/.huſky/x", want: ".husky"},
		{name: "dotless i", path: "/a/.ıdea/x"},
		{name: "Windows", platform: pattern.Windows, path: `C:\a\.git\hooks`, want: ".git"},
		{name: "Windows, a dot at the end", platform: pattern.Windows, path: `C:\a\.git.\hooks`, want: ".git"},
		{name: "Windows, a stream", platform: pattern.Windows, path: `C:\a\.git::$INDEX_ALLOCATION\x`, want: ".git"},
		{name: "a backslash elsewhere", path: `/a/.git\hooks`},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			what, ok := pattern.Protected(tc.platform, tc.path)
			require.Equal(t, tc.want, what)
			require.Equal(t, tc.want != "", ok)
		})
	}
}
