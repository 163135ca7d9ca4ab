package files_test

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func TestGlobFinds(t *testing.T) {
	t.Parallel()
	tree := []string{
		"main.go", "main_test.go", ".env", "a b.txt", "[x].go",
		"cmd/one/main.go", "cmd/two/main.go", "cmd/two/.hidden/main.go", "cmd/deep/er/main.go",
		".git/config", ".github/workflows/ci.yml", "vendor/.git/HEAD", "ignored/x.log", ".gitignore", "d,e/f,g.txt",
	}
	tests := []struct {
		name, pattern, path string
		want, dirs          []string
		text                string // if it is not just the paths
	}{
		{name: "one directory", pattern: "*.go", want: []string{"[x].go", "main.go", "main_test.go"}},
		{name: "any depth", pattern: "**/main.go", want: []string{"cmd/deep/er/main.go", "cmd/one/main.go", "cmd/two/.hidden/main.go", "cmd/two/main.go", "main.go"}},
		{name: "fixed depth", pattern: "cmd/*/main.go", want: []string{"cmd/one/main.go", "cmd/two/main.go"}},
		{name: "braces", pattern: "cmd/{one,deep/er}/*", want: []string{"cmd/deep/er/main.go", "cmd/one/main.go"}},
		{name: "a plain name", pattern: "cmd/one/main.go", want: []string{"cmd/one/main.go"}},
		{name: "hidden", pattern: ".*", want: []string{".env", ".gitignore"}, dirs: []string{".git", ".github"}},
		{name: "hidden directory", pattern: "**/*.yml", want: []string{".github/workflows/ci.yml"}},
		{name: "ignored by git", pattern: "**/*.log", want: []string{"ignored/x.log"}},
		{name: "not in .git", pattern: "**/{config,HEAD}"},
		{name: "in .git if it is named first", pattern: ".git/*", want: []string{".git/config"}},
		{name: "in .git if it is named later", pattern: "**/.git/*", want: []string{".git/config", "vendor/.git/HEAD"}},
		{name: "escaped", pattern: `\[x\].go`, want: []string{"[x].go"}},
		{name: "class", pattern: `[[]x[\]].go`, want: []string{"[x].go"}},
		{name: "blank", pattern: "a b.*", want: []string{"a b.txt"}},
		{name: "unclean", pattern: "./cmd//one/./*.go", want: []string{"cmd/one/main.go"}},
		{name: "directories are not files", pattern: "cm*", dirs: []string{"cmd"}},
		{name: "below a path", pattern: "*/*.go", path: "cmd", want: []string{"cmd/one/main.go", "cmd/two/main.go"}},
		{name: "everything below a path", pattern: "**", path: "cmd/two", want: []string{"cmd/two/.hidden/main.go", "cmd/two/main.go"}},
		{name: "letter case counts", pattern: "MAIN.GO"},
		{name: "absolute pattern", pattern: "{{dir}}/cmd/one/*", want: []string{"cmd/one/main.go"}},
		{name: "absolute path", pattern: "one/*", path: "{{dir}}/cmd", want: []string{"cmd/one/main.go"}},
		{name: "a bare name, at any depth", pattern: "main.go", want: []string{"cmd/deep/er/main.go", "cmd/one/main.go", "cmd/two/.hidden/main.go", "cmd/two/main.go", "main.go"}},
		{name: "a bare name below a path", pattern: "main.go", path: "cmd/two", want: []string{"cmd/two/.hidden/main.go", "cmd/two/main.go"}},
		{name: "a path is no bare name", pattern: "./main.go", want: []string{"main.go"}},
		{name: "an absolute path", pattern: "{{dir}}/cmd/one/main.go", want: []string{"cmd/one/main.go"}},

		{name: "list", pattern: "*_test.go,cmd/one/*.go", want: []string{"main_test.go", "cmd/one/main.go"}},
		{name: "list with blanks and braces", pattern: "cmd/{one,two}/*.go, .env ,", want: []string{".env", "cmd/one/main.go", "cmd/two/main.go"}},
		{name: "list of overlapping patterns", pattern: "cmd/**/*.go,cmd/one/main.go,**/main.go", want: []string{"cmd/deep/er/main.go", "cmd/one/main.go", "cmd/two/.hidden/main.go", "cmd/two/main.go", "main.go"}},
		{name: "list of absolute patterns", pattern: "{{dir}}/cmd/one/*,{{dir}}/*_test.go", want: []string{"cmd/one/main.go", "main_test.go"}},
		{name: "comma in a name", pattern: "d,e/f,g.txt", want: []string{"d,e/f,g.txt"}},
		{name: "comma in a bare name", pattern: "f,g.txt", want: []string{"d,e/f,g.txt"}},
		{name: "comma in a name with wildcards", pattern: "d,?/*,g.txt", want: []string{"d,e/f,g.txt"}},

		{name: "directories", pattern: "*/", dirs: []string{".git", ".github", "cmd", "d,e", "ignored", "vendor"}},
		{name: "directories at any depth", pattern: "**/*e*/", dirs: []string{"cmd/deep", "cmd/deep/er", "cmd/one", "cmd/two/.hidden", "d,e", "ignored", "vendor"}},
		{name: "directories and files", pattern: "cmd/*/,*_test.go", want: []string{"main_test.go"}, dirs: []string{"cmd/deep", "cmd/one", "cmd/two"}},
		{name: "no directory", pattern: "x*/", text: "No directories found"},
		{name: "a listing", pattern: "*", path: "cmd/two", want: []string{"cmd/two/main.go"}, dirs: []string{"cmd/two/.hidden"}},
		{name: "a listing by a slash", pattern: "cmd/two/", want: []string{"cmd/two/main.go"}, dirs: []string{"cmd/two/.hidden"}},
		{name: "a listing of directories", pattern: "cmd/", dirs: []string{"cmd/deep", "cmd/one", "cmd/two"}},
		{name: "only directories", pattern: "**/deep", dirs: []string{"cmd/deep"}, text: "No files match, only directories:\ncmd/deep/\n[To list a directory put a slash behind it: the pattern \"{{dir}}/cmd/deep/\".]"},
		{name: "all depths name no directories beside files", pattern: "**/*e*", path: "cmd/deep", dirs: []string{"cmd/deep/er"}, text: "No files match, only directories:\ncmd/deep/er/\n[To list a directory put a slash behind it: the pattern \"{{dir}}/cmd/deep/er/\".]"},
		{name: "a directory without a slash", pattern: "{{dir}}/cmd/two", want: []string{"cmd/two/main.go"}, dirs: []string{"cmd/two/.hidden"}, text: "cmd/two/main.go\ncmd/two/.hidden/\n[{{dir}}/cmd/two is a directory. This is what is directly in it.]"},
		{name: "the directory itself", pattern: ".", path: "cmd/one", want: []string{"cmd/one/main.go"}, text: "cmd/one/main.go\n[{{dir}}/cmd/one is a directory. This is what is directly in it.]"},
		{name: "only below", pattern: "*.yml", text: "No files found\n[Nothing matches directly in the directory, but files below it do: use the pattern \"**/*.yml\".]"},
		{name: "a file as directory", pattern: "main.go/", text: "No files found\n[{{dir}}/main.go is not a directory. Give the directory it is in, or use Read.]"},
		{name: "a file that is not there", pattern: "cmd/one/man.go", text: "No files found\n[{{dir}}/cmd/one/man.go does not exist. The working directory is {{dir}}. Did you mean {{dir}}/cmd/one/main.go?]"},
	}
	g := newGround(t, pegboard.SessionConfig{})
	for _, name := range tree {
		require.NoError(t, os.Chtimes(g.put(t, name, ""), time.Unix(1, 0), time.Unix(1, 0)))
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			text, out := g.glob(t, map[string]any{
				"pattern": strings.ReplaceAll(tc.pattern, "{{dir}}", g.dir),
				"path":    strings.ReplaceAll(tc.path, "{{dir}}", g.dir),
			})
			require.ElementsMatch(t, tc.want, out.Filenames)
			require.True(t, slices.IsSorted(out.Filenames), "of one age, so by name")
			require.Equal(t, len(tc.want), out.NumFiles)
			require.Equal(t, len(tc.want), out.TotalMatches)
			require.Zero(t, out.Hidden)
			require.Equal(t, tc.dirs, out.Directories)
			lines := slices.Clone(out.Filenames)
			if len(lines) == 0 && !strings.HasSuffix(tc.pattern, "*/") {
				lines = append(lines, "No files found")
				if len(tc.dirs) > 0 {
					lines[0] = "No files match, only directories:"
				}
			}
			for _, dir := range out.Directories {
				lines = append(lines, dir+"/")
			}
			if tc.text != "" {
				lines = []string{strings.ReplaceAll(tc.text, "{{dir}}", g.dir)}
			}
			require.Equal(t, strings.Join(lines, "\n"), text)
		})
	}
}

func TestGlobPutsTheNewestFirst(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{}, files.Glob(files.GlobOptions{MaxResults: 3}))
	for i, name := range []string{"oldest", "d/newest", "b", "a"} {
		at := time.Unix([]int64{100, 400, 200, 200}[i], 0)
		require.NoError(t, os.Chtimes(g.put(t, name, ""), at, at))
	}
	text, out := g.glob(t, map[string]any{"pattern": "**"})
	require.Equal(t, []string{"d/newest", "a", "b"}, out.Filenames)
	require.True(t, out.Truncated)
	require.Equal(t, 4, out.TotalMatches)
	require.Equal(t, "d/newest\na\nb\n[Cut: the 3 files changed last of 4. Use a narrower pattern or path to see others.]", text)
}

// TestGlobAgreesWithBash compares with the patterns of bash on a tree of hard
// names. Bash lists directories and goes through links in some patterns, Glob
// does neither, so these are taken out of what bash says.
func TestGlobAgreesWithBash(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is the oracle of this test and not installed")
	}
	g := newGround(t, pegboard.SessionConfig{}, files.Glob(files.GlobOptions{MaxResults: 100_000}))
	hardTree(t, g)
	patterns := []string{
		"*", "**", "**/*", "*/*", "**/a*", "**/*.txt", "a/**", "**/b/**", "**/b/*", "*/**/*", "**/[ab]*", "**/[!a]*", "**/[a-c]", "?", "**/??",
		"**/ *", "**/.*", "**/*\\[*", "**/*\\**", "**/*[*?]*", "**/*\n*", "**/ä*", "**/*ä", "**/?", "link/*", "**/link/*", "b/*/c", "b/**/c", "-*", "**/*'*", "**/*\\\\*", "a b/*",
	}
	for _, pattern := range patterns {
		_, out := g.glob(t, map[string]any{"pattern": pattern})
		require.ElementsMatch(t, bashGlob(t, g.dir, pattern, fs.FileMode.IsRegular), out.Filenames, "pattern %q", pattern)
		if strings.HasSuffix(pattern, "**") { // in bash a/** has the files of all depths, and a/**/ also has a itself
			continue
		}
		_, out = g.glob(t, map[string]any{"pattern": pattern + "/"})
		require.ElementsMatch(t, bashGlob(t, g.dir, pattern+"/", fs.FileMode.IsDir), out.Directories, "pattern %q", pattern+"/")
		require.Empty(t, out.Filenames)
	}
}

// hardTree makes a tree of names that are hard to list.
func hardTree(t *testing.T, g *ground) {
	t.Helper()
	names := []string{"a", "b", "c", "a b", " x", "-n", ".hidden", "new\nline", "[a]", "*", "?", "{a,b}", "ä", "日本", "e.txt", `back\slash`, "it's", `"quoted"`, "~", "a.TXT"}
	rnd := rand.New(rand.NewPCG(8, 8))
	for range 150 {
		p := g.dir
		for range rnd.IntN(4) {
			p = filepath.Join(p, names[rnd.IntN(len(names))])
		}
		if os.MkdirAll(p, 0o755) != nil {
			continue // a file is in the way
		}
		file := filepath.Join(p, names[rnd.IntN(len(names))])
		if _, err := os.Lstat(file); err != nil {
			require.NoError(t, os.WriteFile(file, nil, 0o644))
		}
	}
	_ = os.Symlink(".", filepath.Join(g.dir, "b", "link")) // a circle, if b is a directory
	link(t, ".", filepath.Join(g.dir, "link"))
}

// bashGlob returns the files of a kind that bash finds without going through a
// link, but for one that pattern begins with.
func bashGlob(t *testing.T, dir, pattern string, kind func(fs.FileMode) bool) []string {
	t.Helper()
	// The pattern arrives as data: it is expanded by an unquoted variable, with
	// no splitting into words.
	cmd := exec.CommandContext(t.Context(), "bash", "-O", "globstar", "-O", "dotglob", "-O", "nullglob", "-c", `IFS=; printf '%s\0' $0`, pattern)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "LC_ALL=C.UTF-8")
	out, err := cmd.Output()
	require.NoError(t, err)
	first, _, _ := strings.Cut(pattern, "/")
	found := []string{}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		fi, err := os.Lstat(filepath.Join(dir, filepath.Clean(name)))
		if name == "" || err != nil || !kind(fi.Mode()) || throughLink(dir, filepath.Clean(name), first) {
			continue
		}
		found = append(found, filepath.Clean(name))
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func throughLink(dir, name, first string) bool {
	segs := strings.Split(name, "/")
	for i := range segs[:len(segs)-1] {
		p := strings.Join(segs[:i+1], "/")
		if fi, err := os.Lstat(filepath.Join(dir, p)); err == nil && fi.Mode()&fs.ModeSymlink != 0 && p != first {
			return true
		}
	}
	return false
}

func TestGlobOfNamesThatAreNoText(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{})
	names := []string{"bad\xffname/f", "two\nlines"}
	for _, name := range names {
		if err := os.MkdirAll(filepath.Join(g.dir, filepath.Dir(name)), 0o755); err != nil {
			t.Skip("this file system has no such names: ", err)
		}
		at := time.Unix(1, 0)
		require.NoError(t, os.Chtimes(g.put(t, name, ""), at, at))
	}
	text, out := g.glob(t, map[string]any{"pattern": "**"})
	require.Equal(t, names, out.Filenames)
	require.Equal(t, `"bad\xffname/f"`+"\n"+`"two\nlines"`, text)
}

func TestGlobRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		input map[string]any
		says  string
	}{
		{name: "no pattern", input: map[string]any{}, says: "pattern"},
		{name: "empty pattern", input: map[string]any{"pattern": ""}, says: "pattern"},
		{name: "class not closed", input: map[string]any{"pattern": "a[b"}, says: "cannot be read"},
		{name: "brace not closed", input: map[string]any{"pattern": "a{b"}, says: "cannot be read"},
		{name: "up", input: map[string]any{"pattern": "../*"}, says: "give the directory above as path"},
		{name: "up from below", input: map[string]any{"pattern": "src/../../out/*"}, says: "give the directory above as path"},
		{name: "up in braces", input: map[string]any{"pattern": "{../out/*,*.md}"}, says: "give the directory above as path"},
		{name: "absolute paths in braces", input: map[string]any{"pattern": "{/src,/out}/*"}, says: "write whole patterns with commas between"},
		{name: "a long list", input: map[string]any{"pattern": strings.Repeat("a,", 101)}, says: "make several calls"},
		{name: "up in a list", input: map[string]any{"pattern": "*.go,../*"}, says: "give the directory above as path"},
		{name: "NUL in the pattern", input: map[string]any{"pattern": "a\x00"}, says: "NUL"},
		{name: "NUL in the path", input: map[string]any{"pattern": "*", "path": "a\x00"}, says: "NUL"},
		{name: "missing path", input: map[string]any{"pattern": "*", "path": "scr"}, says: "Did you mean"},
		{name: "a file as path", input: map[string]any{"pattern": "*", "path": "src/f"}, says: "is not a directory"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t, pegboard.SessionConfig{Ask: yes})
			g.put(t, "src/f", "")
			g.put(t, "../out/f", "")
			out := g.call(t.Context(), t, "Glob", tc.input)
			require.Error(t, out.Err)
			require.True(t, out.Result.IsError)
			require.Contains(t, out.Result.Text(), tc.says)
		})
	}
}

// TestGlobNamesLinks that match, since a listing without them would be wrong.
func TestGlobNamesLinks(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{}, files.Glob(files.GlobOptions{MaxResults: 2}))
	g.put(t, "d/f", "")
	for _, name := range []string{"l1", "l2", "l3", "d/l"} {
		link(t, "d/f", filepath.Join(g.dir, name))
	}
	text, out := g.glob(t, map[string]any{"pattern": "*"})
	require.Equal(t, []string{"l1", "l2"}, out.Links)
	require.Equal(t, "No files match, only directories:\nd/\n[Symbolic links that match, and are not followed: l1, l2, 1 more.]", text)
	text, _ = g.glob(t, map[string]any{"pattern": "**/*f"})
	require.Equal(t, "d/f", text)
	text, _ = g.glob(t, map[string]any{"pattern": "l1"})
	require.Equal(t, "No files found\n[Symbolic links that match, and are not followed: l1.]", text)
}

// TestGlobListsADirectory as the error of Read advises.
func TestGlobListsADirectory(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{Permissions: rules(t, policy.RuleSet{Deny: []string{"Read(/d/secret)"}})}, files.Read(files.ReadOptions{}), files.Glob(files.GlobOptions{MaxResults: 3}))
	for _, dir := range []string{"a", "b", "c", "e", "f", "secret"} {
		require.NoError(t, os.MkdirAll(filepath.Join(g.dir, "d", dir), 0o755))
	}
	advice := g.call(t.Context(), t, "Read", map[string]any{"file_path": "d"})
	require.ErrorContains(t, advice.Err, fmt.Sprintf("List it with Glob (path %q, pattern \"*\")", filepath.Join(g.dir, "d")))
	text, out := g.glob(t, map[string]any{"path": filepath.Join(g.dir, "d"), "pattern": "*"})
	require.Equal(t, []string{"d/a", "d/b", "d/c"}, out.Directories)
	require.Equal(t, "No files match, only directories:\nd/a/\nd/b/\nd/c/\n[Cut: 2 more directories match. Use a narrower pattern or path to see them.]", text)
	text, _ = g.glob(t, map[string]any{"pattern": "d/a/"})
	require.Equal(t, "No files found\n[The directory is empty.]", text)
}

func TestGlobOfDirectoriesThatAreNotThere(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{})
	g.put(t, "src/f", "")
	text, out := g.glob(t, map[string]any{"pattern": "scr/**"})
	require.Zero(t, out.NumFiles)
	require.Contains(t, text, "No files found\n[")
	require.Contains(t, text, "Did you mean "+filepath.Join(g.dir, "src")+"?")
}

// TestGlobStaysWhereItWasDecided tries to get at files outside by links, in
// every place where one can stand.
func TestGlobStaysWhereItWasDecided(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, pattern, path string
		asked               bool // outside, and nobody is there to ask
	}{
		{name: "link met by the walk", pattern: "**/*"},
		{name: "link matched by a star", pattern: "*/secret.txt"},
		{name: "link named by the pattern", pattern: "d/*", asked: true},
		{name: "link given as path", pattern: "*", path: "d", asked: true},
		{name: "above", pattern: "**", path: "..", asked: true},
		{name: "absolute", pattern: "/*", asked: true},
		{name: "home", pattern: "~/*", asked: true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t, pegboard.SessionConfig{})
			g.put(t, "../out/secret.txt", "")
			link(t, "../out", filepath.Join(g.dir, "d"))
			link(t, "../out/secret.txt", filepath.Join(g.dir, "l"))
			out := g.call(t.Context(), t, "Glob", map[string]any{"pattern": tc.pattern, "path": tc.path})
			require.NotContains(t, out.Result.Text(), "secret.txt")
			if tc.asked {
				require.ErrorIs(t, out.Err, pegboard.ErrDenied)
			} else {
				require.NoError(t, out.Err)
			}
		})
	}
}

// TestGlobLeavesOutWhatMayNotBeRead lets a person allow the search as a whole,
// which says nothing of the file that a rule wants to be asked about.
func TestGlobLeavesOutWhatMayNotBeRead(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{
		Ask:         yes,
		Permissions: rules(t, policy.RuleSet{Ask: []string{"Read(key.pem)"}}),
	})
	g.put(t, "key.pem", "")
	g.put(t, "cert.pem", "")
	text, out := g.glob(t, map[string]any{"pattern": "*.pem"})
	require.Equal(t, []string{"cert.pem"}, out.Filenames)
	require.Equal(t, 1, out.Hidden)
	require.Equal(t, 1, out.TotalMatches)
	require.Equal(t, "cert.pem\n[1 file left out, for want of permission to read: tell the user if they are needed.]", text)
}

func TestGlobTimesOutWithWhatItFound(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{}, files.Glob(files.GlobOptions{Timeout: time.Nanosecond}))
	g.put(t, "a", "")
	text, out := g.glob(t, map[string]any{"pattern": "**"})
	require.True(t, out.TimedOut)
	require.Contains(t, text, "[Incomplete: the search took too long")
}

func TestGlobStopsWhenCancelled(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{})
	g.put(t, "a", "")
	c, cancel := context.WithCancel(t.Context())
	g.onEvent = func(e pegboard.Event) {
		if e.Kind == pegboard.EventStarted {
			cancel()
		}
	}
	out := g.call(c, t, "Glob", map[string]any{"pattern": "**"})
	require.ErrorIs(t, out.Err, pegboard.ErrCancelled)
}

// TestGlobRunsInOrderWithWrites starts a write into the tree and a search in one
// batch: the search has to see what was written.
func TestGlobRunsInOrderWithWrites(t *testing.T) {
	t.Parallel()
	type input struct {
		N int `json:"n"`
	}
	var g *ground
	writer := pegboard.Build(pegboard.Definition[input, string]{
		Info: pegboard.Info{Name: "Put"}, Description: "For a test.",
		Inspect: func(in input, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Concurrency: pegboard.PerTarget, Targets: []policy.Target{{Kind: policy.Path, Value: fmt.Sprintf("d/%d", in.N)}}}
		},
		Call: func(_ ctx, in input, _ *pegboard.Call) (string, error) {
			return "", os.WriteFile(filepath.Join(g.dir, "d", fmt.Sprint(in.N)), nil, 0o644)
		},
	})
	g = newGround(t, pegboard.SessionConfig{Permissions: rules(t, policy.RuleSet{Allow: []string{"Put"}})}, append(files.Tools(), writer)...)
	require.NoError(t, os.Mkdir(filepath.Join(g.dir, "d"), 0o755))
	var reg pegboard.Registry
	require.NoError(t, reg.Add(g.tools...))
	var calls []pegboard.Call
	for n := range 20 {
		calls = append(calls,
			pegboard.Call{Name: "Put", Input: fmt.Appendf(nil, `{"n":%d}`, n)},
			pegboard.Call{Name: "Glob", Input: []byte(`{"pattern":"d/*"}`)})
	}
	var ex pegboard.Executor
	for i, out := range ex.Run(t.Context(), reg.AssemblePool(g.session, pegboard.PoolConfig{}), calls...) {
		require.NoError(t, out.Err)
		if data, ok := out.Result.Data.(files.GlobOutput); ok {
			require.Equal(t, i/2+1, data.NumFiles)
		}
	}
}

// FuzzGlob throws arbitrary patterns and paths at a tree with a way out of it.
func FuzzGlob(f *testing.F) {
	f.Add("**/*", "")
	f.Add("{..,d}/*", "d")
	f.Add(`\[[!a-]**{,/}`, "./d/..")
	f.Add("~/*", "~")
	f.Add("d/, */,{d,\\,}/*,l", "")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		if !utf8.ValidString(pattern) || !utf8.ValidString(path) {
			t.Skip("cannot arrive by JSON")
		}
		g := newGround(t, pegboard.SessionConfig{})
		g.put(t, "d/f", "")
		g.put(t, "../out/secret", "")
		link(t, "../out", filepath.Join(g.dir, "l"))
		out := g.call(t.Context(), t, "Glob", map[string]any{"pattern": pattern, "path": path})
		require.NotErrorIs(t, out.Err, pegboard.ErrPanic)
		data, ok := out.Result.Data.(files.GlobOutput)
		if !ok {
			require.True(t, out.Result.IsError)
			return
		}
		for _, name := range data.Filenames {
			require.Equal(t, filepath.Join("d", "f"), name)
		}
		for _, name := range slices.Concat(data.Directories, data.Links) {
			require.Contains(t, []string{"d", "l"}, name)
		}
	})
}

func TestGlobOptions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		options files.GlobOptions
		want    []string
		says    string // of the description
	}{
		{
			name: "none", says: "Hidden files are found, symbolic links are not.",
			want: []string{".env", ".github/ci", ".gitignore", "kept", "out/log", "sub/.ignore", "sub/kept", "sub/tmp"},
		},
		{
			name: "ignore files", options: files.GlobOptions{Ignore: true}, says: "files that ignore files name and symbolic links are not.",
			want: []string{".env", ".github/ci", ".gitignore", "kept", "sub/.ignore", "sub/kept"},
		},
		{
			name: "not hidden", options: files.GlobOptions{NoHidden: true}, says: "Hidden files and symbolic links are not found.",
			want: []string{"kept", "out/log", "sub/kept", "sub/tmp"},
		},
		{
			name: "both", options: files.GlobOptions{Ignore: true, NoHidden: true}, says: "Hidden files, files that ignore files name and symbolic links are not found.",
			want: []string{"kept", "sub/kept"},
		},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tool := files.Glob(tc.options)
			g := newGround(t, pegboard.SessionConfig{}, tool)
			for name, text := range map[string]string{
				".gitignore": "out\n", "sub/.ignore": "tmp\n", ".git/HEAD": "",
				".env": "", ".github/ci": "", "kept": "", "out/log": "", "sub/kept": "", "sub/tmp": "",
			} {
				require.NoError(t, os.Chtimes(g.put(t, name, text), time.Unix(1, 0), time.Unix(1, 0)))
			}
			_, out := g.glob(t, map[string]any{"pattern": "**"})
			require.Equal(t, tc.want, out.Filenames)
			declared, ok := tool.Declare(pegboard.Scope{Session: g.session})
			require.True(t, ok)
			require.Contains(t, declared.Description, tc.says)
		})
	}
}

// TestGlobOfAHiddenDirectory begins in one, which is not left out.
func TestGlobOfAHiddenDirectory(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{}, files.Glob(files.GlobOptions{NoHidden: true}))
	g.put(t, ".github/workflows/ci.yml", "")
	g.put(t, ".github/.x/ci.yml", "")
	_, out := g.glob(t, map[string]any{"pattern": ".github/**/*.yml"})
	require.Equal(t, []string{".github/workflows/ci.yml"}, out.Filenames)
}

// TestGlobEntersWhatCanHoldMatches compares with a walk that enters everything.
func TestGlobEntersWhatCanHoldMatches(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{}, files.Glob(files.GlobOptions{MaxResults: 100_000}))
	hardTree(t, g)
	patterns := []string{
		"*/b/*", "?/*/c", "{a,b}/*/c", "{a,b/c}/*", "*/{a,b/c}/**/*", "{*/a,b}/{c,a}", "[ab]/**/c", "[a/b]/c", "*/**/*/a", "**/a/*/b", "*a*/b*",
		`\*/*`, `*/\?`, `\{a,b\}/*`, "{a,b}", "{a,b}/{c,e.txt}", "*/*/*", "*/*/**/*", "{,a/}*", "a{,/b}/*", "a{/b,}/c/*", "*{a,b}*/**/*", "{**,a}/b", "{**/a,b}/c", "*.txt", "**/*.t*t", `**/back\\*`,
	}
	for _, pattern := range patterns {
		_, out := g.glob(t, map[string]any{"pattern": pattern})
		require.ElementsMatch(t, everythingLike(t, g.dir, pattern), out.Filenames, "pattern %q", pattern)
	}
}

func everythingLike(t *testing.T, dir, pattern string) []string {
	t.Helper()
	found := []string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		rel, err := filepath.Rel(dir, path)
		require.NoError(t, err)
		if d.Type().IsRegular() && doublestar.MatchUnvalidated(pattern, filepath.ToSlash(rel)) {
			found = append(found, rel)
		}
		return nil
	}))
	return found
}

// TestGlobWalksAroundWhatIsDenied: a rule about some files does not cost the
// others. A rule about the directory itself does.
func TestGlobWalksAroundWhatIsDenied(t *testing.T) {
	t.Parallel()
	perms, err := policy.New("", policy.RuleSet{Deny: []string{"Read(.env)", "Read(/secret)"}})
	require.NoError(t, err)
	g := newGround(t, pegboard.SessionConfig{Permissions: perms})
	for _, name := range []string{"a", ".env", "sub/.env", "sub/b", "secret/c"} {
		g.put(t, name, "")
	}
	text, out := g.glob(t, map[string]any{"pattern": "**"})
	require.ElementsMatch(t, []string{"a", "sub/b"}, out.Filenames)
	require.Equal(t, 3, out.Hidden)
	require.NotContains(t, text, "env")

	denied := tooltest.Run(t.Context(), files.Glob(files.GlobOptions{}), g.session, `{"pattern":"*","path":"secret"}`)
	require.ErrorIs(t, denied.Err, pegboard.ErrDenied)
}

// TestApprovalOfAWalkReachesWhatItFinds, but no further and past no rule.
func TestApprovalOfAWalkReachesWhatItFinds(t *testing.T) {
	t.Parallel()
	asked := 0
	g := newGround(t, pegboard.SessionConfig{Ask: func(context.Context, *pegboard.Question) (policy.Decision, error) {
		asked++
		return policy.Decision{Behavior: policy.Allow}, nil
	}})
	g.put(t, "../out/a", "")
	g.put(t, "../out/sub/b", "")
	outside := filepath.Join(filepath.Dir(g.dir), "out")
	perms, err := policy.New("", policy.RuleSet{Deny: []string{"Read(/" + filepath.ToSlash(outside) + "/sub)"}})
	require.NoError(t, err)
	require.NoError(t, g.session.SetPermissions(perms))
	_, out := g.glob(t, map[string]any{"pattern": "**", "path": outside})
	require.Equal(t, []string{filepath.Join(outside, "a")}, out.Filenames)
	require.Equal(t, 1, out.Hidden)
	require.Equal(t, 1, asked)
}
