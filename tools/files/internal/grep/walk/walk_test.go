package walk_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/grep/walk"
)

// run walks dir without collecting anything.
func run(ctx context.Context, t testing.TB, dir string, o walk.Options, visit func(int, *walk.Entry) error) error {
	t.Helper()
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer func() { require.NoError(t, root.Close()) }()
	_, err = walk.Run(ctx, root, dir, o, visit)
	return err
}

// wide returns a directory with many files in few directories.
func wide(t testing.TB) string {
	t.Helper()
	dir := tempDir(t)
	for i := range 300 {
		put(t, dir, fmt.Sprintf("%d/%d", i%3, i), "")
	}
	return dir
}

func TestEntryOpensAndLooksUp(t *testing.T) {
	t.Parallel()
	dir := tree{"d/a": "hello"}.make(t)
	at := time.Unix(1_000_000, 5000)
	require.NoError(t, os.Chtimes(filepath.Join(dir, "d", "a"), at, at))
	require.NoError(t, run(t.Context(), t, dir, walk.Options{}, func(_ int, e *walk.Entry) error {
		require.Equal(t, "d/a", e.Rel)
		info, err := e.Info()
		require.NoError(t, err)
		require.Equal(t, int64(5), info.Size)
		require.True(t, info.ModTime.Equal(at))
		f, err := e.Open()
		require.NoError(t, err)
		require.Equal(t, info, f.Info())
		text, err := io.ReadAll(f)
		require.NoError(t, err)
		require.Equal(t, "hello", string(text))
		return f.Close()
	}))
}

// TestOther names directories and links, also those that are not entered and those below
// MaxDepth, but none that is not selected.
func TestOther(t *testing.T) {
	t.Parallel()
	dir := tree{"a/b/c/f": "", "no/x/f": "", "ignored/x/f": "", ".ignore": "ignored\n", ".hidden/f": ""}.make(t)
	for name, to := range map[string]string{"l": "a", "a/l": "nowhere", "a/b/l": "/", "ignored/l": "x"} {
		require.NoError(t, os.Symlink(to, filepath.Join(dir, filepath.FromSlash(name))))
	}
	tests := []struct {
		name    string
		options walk.Options
		want    []string
	}{
		{name: "all", want: []string{"a", "a/b", "a/b/c", "a/b/l@", "a/l@", "l@", "no", "no/x"}},
		{name: "not entered", options: walk.Options{Enter: func(rel string) bool { return rel != "no" && rel != "a/b" }}, want: []string{"a", "a/b", "a/l@", "l@", "no"}},
		{name: "depth", options: walk.Options{MaxDepth: 1, NoIgnore: true}, want: []string{"a", "ignored", "l@", "no"}},
		{name: "hidden", options: walk.Options{MaxDepth: 1, Hidden: true}, want: []string{".hidden", "a", "l@", "no"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var got []string
			tt.options.Other = func(_ int, rel string, link bool) {
				mu.Lock()
				defer mu.Unlock()
				if link {
					rel += "@"
				}
				got = append(got, rel)
			}
			require.NoError(t, run(t.Context(), t, dir, tt.options, func(int, *walk.Entry) error { return nil }))
			require.ElementsMatch(t, tt.want, got)
		})
	}
}

func TestRunEndsWithTheErrorOfVisit(t *testing.T) {
	t.Parallel()
	wrong := errors.New("wrong")
	err := run(t.Context(), t, wide(t), walk.Options{Workers: 4}, func(int, *walk.Entry) error { return wrong })
	require.ErrorIs(t, err, wrong)
}

func TestRunSurvivesAPanicOfVisit(t *testing.T) {
	t.Parallel()
	var visits atomic.Int32
	err := run(t.Context(), t, wide(t), walk.Options{Workers: 4}, func(int, *walk.Entry) error {
		if visits.Add(1) == 100 {
			panic("wrong")
		}
		return nil
	})
	var panicked *goroutine.PanicError
	require.ErrorAs(t, err, &panicked)
	require.Equal(t, "wrong", panicked.Value)
}

func TestRunEndsWithItsContext(t *testing.T) {
	t.Parallel()
	why := errors.New("enough")
	c, cancel := context.WithCancelCause(t.Context())
	err := run(c, t, wide(t), walk.Options{Workers: 2}, func(int, *walk.Entry) error {
		cancel(why)
		return nil
	})
	require.ErrorIs(t, err, why)
}

func TestRunUsesAWorkersNumberOnceAtATime(t *testing.T) {
	t.Parallel()
	o := walk.Options{Workers: 4}
	counts := make([]int, o.NumWorkers()) // the race detector watches
	require.NoError(t, run(t.Context(), t, wide(t), o, func(worker int, _ *walk.Entry) error {
		counts[worker]++
		return nil
	}))
	total := 0
	for _, n := range counts {
		total += n
	}
	require.Equal(t, 300, total)
}

// TestRunGoesDeep walks more levels than directories may be open, with
// directories on each that wait.
func TestRunGoesDeep(t *testing.T) {
	t.Parallel()
	const levels = 450
	dir := tempDir(t)
	for i := range levels {
		below := strings.Repeat("d/", i)
		for _, name := range []string{"a/f", "z/f", "d/"} {
			put(t, dir, below+name, "")
		}
	}
	require.Len(t, find(t, dir, walk.Options{}), 2*levels)
	require.Len(t, find(t, dir, walk.Options{Workers: 1}), 2*levels)
}

func TestRunOfADirectoryThatIsGone(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	require.NoError(t, root.Close())
	_, err = walk.Run(t.Context(), root, dir, walk.Options{}, nil)
	require.ErrorIs(t, err, os.ErrClosed)
}

// FuzzRun compares with ripgrep what a glob and an ignore file say of a few
// names.
func FuzzRun(f *testing.F) {
	f.Add("*.go", "a\n!b/", "a/b.go")
	f.Add("!{a,**/b}*/", "/**/[!a-c]\\ ", "b/ ")
	f.Add("[]-]?\\*", "#\n\\#\r\n/", "#/-a*")
	f.Add("}**", "**/**\n!**", "x/.y")
	rg := needRipgrep(f)
	f.Fuzz(func(t *testing.T, glob, rules, name string) {
		if strings.ContainsAny(name+glob, "\x00\n") || !utf8.ValidString(glob) || strings.HasSuffix(name, ".") || strings.Contains(name, "./") {
			t.Skip("no name, no argument, or one that ripgrep 13 gets wrong")
		}
		dir := tempDir(t)
		put(t, dir, ".ignore", rules)
		put(t, dir, "a/b/c.go", "")
		if tryPut(dir, "x/"+name, "") != nil {
			t.Skip("no name of a file")
		}
		compare(t, rg, dir, walk.Options{})
		compare(t, rg, dir, walk.Options{Globs: []string{glob}})
		compare(t, rg, dir, walk.Options{Globs: []string{"*", glob}})
	})
}

// TestRunAgreesWithGit compares with the files that git would add, in trees with
// names that ripgrep 13 gets wrong. Braces mean nothing to git, and a class that
// is negated matches a slash only for ripgrep, so there are none here.
func TestRunAgreesWithGit(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is the oracle of this test and not installed")
	}
	for seed := range effort.Of(t, 30) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			m := maker{Rand: rand.New(rand.NewPCG(uint64(seed), 2))}
			dir := tempDir(t)
			git(t, dir, "init", "-q")
			for range 60 {
				var path []string
				for range 1 + m.IntN(4) {
					path = append(path, m.pick("a", "b", "ab", "a.", ".a", "a.go", "new\nline", "*", `a\b`, "ä", "bad\xff"))
				}
				_ = tryPut(dir, strings.Join(path, "/"), "") // a file may be in the way
			}
			for _, d := range append(m.directories(t, dir), dir) {
				if !strings.Contains(d, ".git") {
					_ = tryPut(d, ".gitignore", m.gitRules())
				}
			}
			want := strings.FieldsFunc(git(t, dir, "ls-files", "-z", "--others", "--exclude-standard"), func(r rune) bool { return r == 0 })
			want = append([]string{}, want...)
			slices.Sort(want)
			got := find(t, dir, walk.Options{Hidden: true, Enter: func(rel string) bool { return rel != ".git" }})
			require.Equal(t, want, got)
		})
	}
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "PATH=" + os.Getenv("PATH")}
	out, err := cmd.Output()
	require.NoError(t, err)
	return string(out)
}

func (m maker) gitRules() string {
	var text strings.Builder
	for range m.IntN(5) {
		text.WriteString(m.pick("", "", "!", "/"))
		for range 1 + m.IntN(3) {
			text.WriteString(m.pick("a", "b", "*", "?", ".", "[ab]", "[a-c]", "a.go", `\*`, `\\`, "ä", "/", "/**/"))
		}
		text.WriteString(m.pick("\n", "\n", "/\n", "/**\n"))
	}
	return text.String()
}

// TestRunAgreesWithRipgrep makes trees of hard names with hard rules.
func TestRunAgreesWithRipgrep(t *testing.T) {
	t.Parallel()
	rg := needRipgrep(t)
	for seed := range effort.Of(t, 40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			m := maker{Rand: rand.New(rand.NewPCG(uint64(seed), 13))}
			outside := tempDir(t)
			dir := filepath.Join(outside, "outside", "tree")
			m.tree(t, dir)
			m.ignoreFiles(t, outside)
			m.ignoreFiles(t, filepath.Dir(dir))
			user := filepath.Join(rg.home, fmt.Sprint(seed), "git", "ignore")
			put(t, filepath.Dir(user), "ignore", m.rules())
			mine := ripgrep{home: filepath.Join(rg.home, fmt.Sprint(seed))}
			for _, o := range m.options(user) {
				compare(t, mine, dir, o)
			}
			for _, sub := range m.directories(t, dir) {
				compare(t, mine, sub, walk.Options{User: user})
				compare(t, mine, sub, walk.Options{User: user, Hidden: true, Globs: m.globs()})
			}
		})
	}
}

func compare(t *testing.T, rg ripgrep, dir string, o walk.Options) {
	t.Helper()
	want, ok := rg.files(t, dir, arguments(o)...)
	got, _, err := tryFind(t, dir, o)
	if !ok {
		require.Error(t, err, "rg refuses %q", o.Globs)
		return
	}
	require.NoError(t, err, "rg accepts %q", o.Globs)
	require.Equal(t, want, got, "%s with %q", dir, arguments(o))
}

// TestRunAgreesWithRipgrepOnABigTree lists a real tree with nested ignore rules.
func TestRunAgreesWithRipgrepOnABigTree(t *testing.T) {
	t.Parallel()
	rg := needRipgrep(t)
	dir := os.Getenv("PEGBOARD_SEARCH_TREE")
	if dir == "" {
		t.Skip("PEGBOARD_SEARCH_TREE names no tree to list")
	}
	for _, tt := range []struct {
		name string
		o    walk.Options
	}{
		{name: "files", o: walk.Options{}},
		{name: "hidden", o: walk.Options{Hidden: true}},
		{name: "everything", o: walk.Options{NoIgnore: true, Hidden: true}},
		{name: "a glob", o: walk.Options{Globs: []string{"*.go"}}},
		{name: "a glob over everything", o: walk.Options{NoIgnore: true, Hidden: true, Globs: []string{"*.go"}}},
		{name: "globs that exclude", o: walk.Options{Globs: []string{"!vendor", "*.{go,md}"}}},
		{name: "a type", o: walk.Options{Types: []string{"go"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			compare(t, rg, dir, tt.o)
		})
	}
}

// A maker makes random things.
type maker struct{ *rand.Rand }

func (m maker) pick(from ...string) string { return from[m.IntN(len(from))] }

// name leaves out what ripgrep 13 gets wrong: names that end with a dot or hold a
// line end. They are tested without it.
func (m maker) name() string {
	return m.pick("a", "b", "c", "ab", "a.go", "b.go", "a.pb.go", "x.md", ".a", ".b.go", ".env", "ä", "ö.go", "日本", "bad\xff", "\xc3",
		"[a]", "*", "?", "a b", "a ", " b", "#c", "!a", `a\b`, `\`, "{a,b}", "a,b", "-g", "]", "~", "A", "node_modules", "build", "a}b", "Makefile")
}

// tree makes directories, files, repositories and ignore files.
func (m maker) tree(t *testing.T, dir string) {
	t.Helper()
	put(t, dir, "/", "")
	for range 20 + m.IntN(120) {
		var path []string
		for range 1 + m.IntN(4) {
			path = append(path, m.name())
		}
		_ = tryPut(dir, strings.Join(path, "/"), "") // a file may be in the way
	}
	for _, d := range append(m.directories(t, dir), dir) {
		m.ignoreFiles(t, d)
	}
	_ = os.Symlink(".", filepath.Join(dir, "link.go"))
}

// directories returns some of those below dir.
func (m maker) directories(t *testing.T, dir string) []string {
	t.Helper()
	var some []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && path != dir && m.IntN(4) == 0 {
			some = append(some, path)
		}
		return err
	}))
	return some[:min(len(some), 8)]
}

func (m maker) ignoreFiles(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{".gitignore", ".ignore", ".rgignore", ".git/info/exclude"} {
		if m.IntN(3) == 0 {
			_ = tryPut(dir, name, m.rules())
		}
	}
	if m.IntN(8) == 0 {
		_ = tryPut(dir, ".git", "gitdir: elsewhere\n")
	}
}

func (m maker) rules() string {
	var text strings.Builder
	for range m.IntN(6) {
		text.WriteString(m.glob())
		text.WriteString(m.pick("\n", "\n", "\n", "\r\n", " \n", "\\ \n", "\n\n", "\n#", "\n!"))
	}
	if m.IntN(20) == 0 {
		text.WriteString("bad\xff\n*\n")
	}
	return text.String()
}

// glob is made of parts that mean something, in an order that may not.
func (m maker) glob() string {
	var s strings.Builder
	s.WriteString(m.pick("", "", "", "", "!", "/", "**/", `\!`, `\#`, "!/"))
	for range 1 + m.IntN(4) {
		if m.IntN(3) > 0 {
			s.WriteString(m.pick("a", "b", "*", "*.go", "*", ".", ".*", "?", "**", "/", "/**/", "/**", "**/", "[ab]", "*.md"))
			continue
		}
		s.WriteString(m.pick("[!a]", "[^b]", "[a-c]", "[]a]", "[-a]", "[a-]", "[ä]", "[a-ö]", "[c-a]", "[.-/]", "{a,b}", "{a,}", "{,*.go}", "{*.go,**/a}", "{**/b,a/**}",
			"{", "}", "[", "]", ",", `\*`, `\a`, `\`, `\ `, " ", "ä", "日", "pb", "#", "!", "~", "build/", "node_modules"))
	}
	s.WriteString(m.pick("", "", "", "/", "/**", " "))
	return s.String()
}

func (m maker) globs() []string {
	var globs []string
	for range m.IntN(4) {
		globs = append(globs, strings.TrimLeft(m.glob(), "\x00"))
	}
	return globs
}

func (m maker) options(user string) []walk.Options {
	all := []walk.Options{
		{User: user},
		{User: user, Hidden: true},
		{NoIgnore: true},
		{NoIgnore: true, Hidden: true},
		{User: user, Types: []string{"go"}},
		{User: user, Types: []string{"md", "make"}, Hidden: true},
		{User: user, Types: []string{"all"}},
	}
	for range 12 {
		o := walk.Options{User: user, NoIgnore: m.IntN(4) == 0, Hidden: m.IntN(4) == 0, Globs: m.globs()}
		if m.IntN(4) == 0 {
			o.Types = []string{"go"}
		}
		all = append(all, o)
	}
	return all
}
