package realpath_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

func TestPhysical(t *testing.T) {
	t.Parallel()
	root := tempDir(t)
	write(t, filepath.Join(root, "work", "f"))
	write(t, filepath.Join(root, "far", "deep", "f"))
	require.NoError(t, os.Symlink(filepath.Join(root, "far", "deep"), filepath.Join(root, "work", "link")))
	require.NoError(t, os.Symlink("../../work", filepath.Join(root, "far", "deep", "back")))
	require.NoError(t, os.Symlink("nowhere", filepath.Join(root, "work", "gone")))
	tests := []struct {
		name, home, in, want string
	}{
		{name: "relative", in: "f", want: "work/f"},
		{name: "nothing", in: "", want: "work"},
		{name: "absolute", in: root + "/far", want: "far"},
		{name: "parent", in: "../far", want: "far"},
		{name: "parent of a link", in: "link/../f", want: "far/f"},
		{name: "parent of the link's parent", in: "link/../../work/f", want: "work/f"},
		{name: "parent through two links", in: "link/back/../far", want: "far"},
		{name: "link at the end", in: "link", want: "far/deep"},
		{name: "link that leads nowhere", in: "gone/x", want: "work/nowhere/x"},
		{name: "parent of what does not exist", in: "none/../f", want: "work/f"},
		{name: "below what does not exist", in: "none/a/../b", want: "work/none/b"},
		{name: "dots and slashes", in: ".//link/./..//f", want: "far/f"},
		{name: "home", home: root + "/far", in: "~", want: "far"},
		{name: "below home", home: root + "/far", in: "~/deep/../x", want: "far/x"},
		{name: "home behind a link", home: root + "/work/link", in: "~/../x", want: "far/x"},
		{name: "another user's home is a name", home: root + "/far", in: "~you/a", want: "work/~you/a"},
		{name: "no home", in: "~/a", want: "work/~/a"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, filepath.Join(root, tc.want), realpath.Physical(filepath.Join(root, "work"), tc.home, tc.in))
		})
	}
	require.Equal(t, root, realpath.Physical(root, "", strings.Repeat("../", 40)+root), "no higher than the root")
}

// TestPhysicalAgreesWithReadlink asks GNU readlink, which takes names as the system
// does, about names in random trees.
func TestPhysicalAgreesWithReadlink(t *testing.T) {
	t.Parallel()
	if out, err := exec.CommandContext(t.Context(), "readlink", "-m", "/a/../b").Output(); err != nil || string(out) != "/b\n" {
		t.Skip("there is no GNU readlink here")
	}
	for seed := range effort.Of(t, uint64(20)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			root, rnd := tempDir(t), rand.New(rand.NewPCG(seed, 1))
			randomTree(t, rnd, root)
			var names []string
			for range 60 {
				name := somePath(rnd)
				if _, err := os.Stat(root + "/" + name); err == nil { // readlink may not return from a circle of links
					names = append(names, name)
				}
			}
			for _, name := range names {
				out, err := exec.CommandContext(t.Context(), "readlink", "-m", "--", root+"/"+name).Output()
				require.NoError(t, err)
				require.Equal(t, strings.TrimSuffix(string(out), "\n"), realpath.Physical(root, "", name), "of %s", name)
			}
		})
	}
}

func TestExpand(t *testing.T) {
	t.Parallel()
	root, other := tempDir(t), tempDir(t)
	for _, name := range []string{"a.go", "b.go", "ab.go", ".hidden.go", "é.go", "sub/c.go", "sub/.d.go", "sub2/c.go", "-", "[x].go", "a*"} {
		write(t, filepath.Join(root, filepath.FromSlash(name)))
	}
	write(t, filepath.Join(other, "far.go"))
	require.NoError(t, os.Symlink(other, filepath.Join(root, "link")))
	require.NoError(t, os.Symlink("nowhere.go", filepath.Join(root, "gone.go")))
	tests := []struct {
		name, pattern string
		want          []string
		refused       bool
	}{
		{name: "no wildcard", pattern: "sub/c.go", want: []string{"sub/c.go"}},
		{name: "no wildcard, and nothing there", pattern: "none/x", want: []string{"none/x"}},
		{name: "star", pattern: "*.go", want: []string{"[x].go", "a.go", "ab.go", "b.go", "gone.go", "é.go"}},
		{name: "star alone", pattern: "sub/*", want: []string{"sub/c.go"}},
		{name: "two stars are one", pattern: "s**2/c.go", want: []string{"sub2/c.go"}},
		{name: "question mark", pattern: "?.go", want: []string{"a.go", "b.go", "é.go"}},
		{name: "set", pattern: "[ax].go", want: []string{"a.go"}},
		{name: "range", pattern: "[a-c].go", want: []string{"a.go", "b.go"}},
		{name: "complement", pattern: "[!a].go", want: []string{"b.go", "é.go"}},
		{name: "complement, spelled otherwise", pattern: "[^a].go", want: []string{"b.go", "é.go"}},
		{name: "a dot at the start is not met", pattern: "sub/*.go", want: []string{"sub/c.go"}},
		{name: "nor by a question mark", pattern: "sub/?d.go"},
		{name: "nor by a set", pattern: "sub/[.]d.go"},
		{name: "a dot and a star, which shells read in several ways", pattern: "sub/.*", refused: true},
		{name: "in a directory", pattern: "sub*/c.go", want: []string{"sub/c.go", "sub2/c.go"}},
		{name: "never over a slash", pattern: "*c.go"},
		{name: "through a link", pattern: "l*/f*", want: []string{"link/far.go"}},
		{name: "escaped", pattern: `a\*`, refused: true},
		{name: "escaped set", pattern: `\[x].go`, refused: true},
		{name: "dots and slashes", pattern: ".//sub/./*", want: []string{"sub/c.go"}},
		{name: "up and down", pattern: "sub/../s*2/*", want: []string{"sub2/c.go"}},
		{name: "below a file", pattern: "a.go/*"},
		{name: "a dot and a star below a file", pattern: "a.go/.*"},
		{name: "nothing", pattern: "z*"},
		{name: "set that is not closed", pattern: "[a", refused: true},
		{name: "set that is not closed, and nothing before it", pattern: "zzz[a", refused: true},
		{name: "escape at the end", pattern: `a\`, refused: true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if filepath.Separator != '/' && strings.ContainsAny(tc.pattern, `\[`) {
				t.Skip("these are names of another system")
			}
			for _, pattern := range []string{tc.pattern, root + "/" + tc.pattern} {
				found, ok := realpath.Expand(root, pattern, 100)
				require.Equal(t, !tc.refused, ok)
				var want []string
				for _, name := range tc.want {
					want = append(want, root+"/"+name)
				}
				slices.Sort(want)
				slices.Sort(found)
				require.Equal(t, want, slices.Clip(append([]string(nil), found...)))
			}
		})
	}
}

func TestExpandKeepsItsLimit(t *testing.T) {
	t.Parallel()
	root := tempDir(t)
	for i := range 6 {
		write(t, filepath.Join(root, fmt.Sprint("d", i%3), fmt.Sprint("f", i)))
	}
	for _, tc := range []struct {
		pattern string
		limit   int
		want    bool
	}{
		{pattern: "d*", limit: 3, want: true},
		{pattern: "d*", limit: 2},
		{pattern: "d*/f*", limit: 6, want: true},
		{pattern: "d*/f*", limit: 5},
		{pattern: "d*/f0", limit: 3, want: true},
		{pattern: "d0/f*", limit: 2, want: true},
	} {
		found, ok := realpath.Expand(root, tc.pattern, tc.limit)
		require.Equal(t, tc.want, ok, tc.pattern)
		require.Equal(t, tc.want, len(found) > 0, tc.pattern)
	}
}

// TestExpandFindsWhatBashDoes compares random patterns in random trees. What a
// shell would touch and Expand does not know of would be hidden from the rules.
func TestExpandFindsWhatBashDoes(t *testing.T) {
	t.Parallel()
	if out, err := exec.CommandContext(t.Context(), "bash", "--norc", "-c", "echo $((6*7))").Output(); err != nil || string(out) != "42\n" {
		t.Skip("there is no bash here")
	}
	some := 0
	for seed := range effort.Of(t, uint64(10)) {
		root, rnd := tempDir(t), rand.New(rand.NewPCG(seed, 2))
		for range 40 {
			p := filepath.Join(root, someOf(rnd, "a", "b", "ab", ".a", "é", "-", "!", "a b"), someOf(rnd, "", "", "a", ".b", "ab"))
			switch rnd.IntN(3) {
			case 0:
				_ = os.MkdirAll(p, 0o755) // something else may stand there or on the way
			case 1:
				_ = os.WriteFile(p, nil, 0o644)
			case 2:
				_ = os.Symlink(root+"/"+someOf(rnd, "a", "b", "ab"), p)
			}
		}
		var patterns []string
		for range 60 {
			var segs []string
			for range 1 + rnd.IntN(2) {
				segs = append(segs, someOf(rnd, "", "", "a", ".", "*")+someOf(rnd, "*", "?", "[ab]", "[!a]", "[^b]", "[a-c]", "a", "?*", "[.]", "[!-]")+someOf(rnd, "", "", "b", "*", "?"))
			}
			patterns = append(patterns, strings.Join(segs, "/"))
		}
		for i, names := range bashNames(t, root, patterns) {
			found, ok := realpath.Expand(root, patterns[i], 1000)
			if !ok { // it counts as all that lies below
				continue
			}
			there := slices.DeleteFunc(found, func(name string) bool { _, err := os.Lstat(name); return err != nil })
			require.ElementsMatch(t, names, there, "seed %d, of %s", seed, patterns[i])
			some += len(names)
		}
	}
	if effort.Full(t) {
		require.Greater(t, some, 500, "many patterns stand for something")
	}
}

func someOf(rnd *rand.Rand, words ...string) string { return words[rnd.IntN(len(words))] }

// bashNames returns the names that bash puts in the place of each pattern.
func bashNames(t *testing.T, root string, patterns []string) (names [][]string) {
	t.Helper()
	script := "shopt -s nullglob; LC_ALL=C.UTF-8\n"
	for _, p := range patterns {
		script += `for f in ` + p + `; do [ -e "$f" ] || [ -L "$f" ] && printf '%s\0' "$PWD/$f"; done; printf '|\0'` + "\n"
	}
	cmd := exec.CommandContext(t.Context(), "bash", "--norc", "-c", script)
	cmd.Dir = root
	out, err := cmd.Output()
	require.NoError(t, err)
	for list := range strings.SplitSeq(strings.TrimSuffix(string(out), "|\x00"), "|\x00") {
		var found []string
		for name := range strings.SplitSeq(list, "\x00") {
			if name != "" && !slices.Contains([]string{".", ".."}, filepath.Base(name)) {
				found = append(found, name)
			}
		}
		names = append(names, found)
	}
	require.Len(t, names, len(patterns))
	return names
}

// TestExpandHidesNothing: what a shell may find is found, or the pattern refused.
func TestExpandHidesNothing(t *testing.T) {
	t.Parallel()
	tests := []struct{ pattern, file string }{
		{pattern: "[[:alpha:]]x", file: "ax"},
		{pattern: `\.x*`, file: ".xy"},
		{pattern: "[a[!]x", file: "!x"},
		{pattern: ".*/secret", file: "../secret"},
	}
	for _, tc := range tests {
		dir := filepath.Join(tempDir(t), "d")
		write(t, filepath.Join(dir, "keep"))
		write(t, filepath.Join(dir, tc.file))
		if found, ok := realpath.Expand(dir, tc.pattern, 100); ok {
			require.Contains(t, found, dir+"/"+tc.file)
		}
	}
}

// TestExpandGoesUpFromWhereALinkLeads asks cat, and so the system, which files
// the patterns are about.
func TestExpandGoesUpFromWhereALinkLeads(t *testing.T) {
	t.Parallel()
	root := tempDir(t)
	for _, name := range []string{"work/outside.txt", "far/outside.txt", "far/deep/f", "far/deep/er/f", "work/dl0/f"} {
		write(t, filepath.Join(root, name))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(filepath.Join(root, name)+"\n"), 0o600))
	}
	require.NoError(t, os.Symlink("../far/deep", filepath.Join(root, "work", "dlink")))
	require.NoError(t, os.Symlink("../far/deep/er", filepath.Join(root, "work", "er")))
	for _, tc := range []struct {
		pattern string
		want    []string
	}{
		{pattern: "dl*/../outside.txt", want: []string{"far/outside.txt", "work/outside.txt"}},
		{pattern: "dli*/../outside.txt", want: []string{"far/outside.txt"}},
		{pattern: "dli*/../out*", want: []string{"far/outside.txt"}},
		{pattern: "dlink/../out*", want: []string{"far/outside.txt"}},
		{pattern: "e?/../../out*", want: []string{"far/outside.txt"}},
		{pattern: "e?/../f", want: []string{"far/deep/f"}},
		{pattern: "dl*/../../*/outside.txt", want: []string{"far/outside.txt", "work/outside.txt"}},
	} {
		t.Run(tc.pattern, func(t *testing.T) {
			t.Parallel()
			var want []string
			for _, name := range tc.want {
				want = append(want, filepath.Join(root, name))
			}
			found, ok := realpath.Expand(filepath.Join(root, "work"), tc.pattern, 100)
			require.True(t, ok)
			require.ElementsMatch(t, want, found)
			if _, err := exec.LookPath("sh"); err != nil {
				t.Skip("there is no sh here")
			}
			cmd := exec.CommandContext(t.Context(), "sh", "-c", "cat "+tc.pattern+" | sort -u")
			cmd.Dir = filepath.Join(root, "work")
			out, err := cmd.Output()
			require.NoError(t, err)
			require.ElementsMatch(t, strings.Fields(string(out)), found)
		})
	}
}

func TestExpandBoundsItsWork(t *testing.T) {
	t.Parallel()
	root := tempDir(t)
	for i := range 60 {
		write(t, filepath.Join(root, "d", fmt.Sprint("f", i)))
	}
	require.NoError(t, os.Symlink(root, filepath.Join(root, "d", "root")))
	for _, tc := range []struct {
		name, pattern string
		limit         int
		want          bool
	}{
		{name: "few of many entries", pattern: "d/*9", limit: 6, want: true},
		{name: "few of too many entries", pattern: "d/*9x", limit: 1},
		{name: "entries of many directories", pattern: strings.Repeat("d/r*/", 9), limit: 10},
		{name: "entries of some directories", pattern: strings.Repeat("d/r*/", 5), limit: 10, want: true},
		{name: "names on the way", pattern: strings.Repeat("d/../", 30), limit: 1},
		{name: "names that are one", pattern: "d/f*/../f1", limit: 60, want: true},
		{name: "a long pattern", pattern: strings.Repeat("d/../", 820), limit: 1000},
		{name: "a pattern that is not too long", pattern: strings.Repeat("d/../", 819), limit: 1000, want: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, ok := realpath.Expand(root, tc.pattern, tc.limit)
			require.Equal(t, tc.want, ok)
		})
	}
}
