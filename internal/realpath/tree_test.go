package realpath_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// grown returns a directory with files, and links by the place they lead to.
func grown(t *testing.T, files []string, links map[string]string) string {
	t.Helper()
	root := tempDir(t)
	for _, name := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
		write(t, filepath.Join(root, name))
	}
	for name, to := range links {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
		require.NoError(t, os.Symlink(to, filepath.Join(root, name)))
	}
	return root
}

func TestWalk(t *testing.T) {
	t.Parallel()
	root := grown(t, []string{"d/a", "d/sub/b", "d/sub/deep/c", "other/x"}, map[string]string{"d/link": "../other", "to": "d"})
	for _, tc := range []struct {
		name, dir string
		limit     int
		stop      string // the name after which the visitor has enough
		want      []string
		partly    bool
	}{
		{name: "all", dir: "d", limit: 6, want: []string{"a", "link", "sub", "sub/b", "sub/deep", "sub/deep/c"}},
		{name: "through a link", dir: "to", limit: 6, want: []string{"a", "link", "sub", "sub/b", "sub/deep", "sub/deep/c"}},
		{name: "the limit is reached", dir: "d", limit: 5, partly: true},
		{name: "the visitor has enough", dir: "d/sub/deep", limit: 5, stop: "c", want: []string{"c"}, partly: true},
		{name: "a file", dir: "d/a", limit: 5},
		{name: "nothing", dir: "no/such", limit: 5},
		{name: "nothing is allowed", dir: "no/such"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var found []string
			dir := filepath.Join(root, tc.dir)
			whole := realpath.Walk(dir, tc.limit, func(path string, mode fs.FileMode) bool {
				rel, err := filepath.Rel(dir, path)
				require.NoError(t, err)
				require.Equal(t, rel == "link", mode&fs.ModeSymlink != 0)
				found = append(found, filepath.ToSlash(rel))
				return rel != tc.stop
			})
			require.Equal(t, !tc.partly, whole)
			if tc.want != nil || !tc.partly {
				require.ElementsMatch(t, tc.want, found)
			}
		})
	}
}

func TestWalkSaysWhatItCannotRead(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("nothing is closed to root")
	}
	root := grown(t, []string{"closed/a"}, nil)
	closed := filepath.Join(root, "closed")
	require.NoError(t, os.Chmod(closed, 0o300))
	t.Cleanup(func() { _ = os.Chmod(closed, 0o700) })
	require.False(t, realpath.Walk(root, 10, func(string, fs.FileMode) bool { return true }))
	_, ok := realpath.LinkTargets([]string{root}, 10)
	require.False(t, ok)
}

func TestLinkTargets(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		links map[string]string
		limit int
		want  []string // below the directory in which d stands
		more  bool
	}{
		{name: "none", limit: 9},
		{name: "within", links: map[string]string{"d/l": "a", "d/sub/up": "..", "d/self": "."}, limit: 9},
		{name: "a file outside", links: map[string]string{"d/sub/l": "../../other/x"}, limit: 9, want: []string{"other/x"}},
		{name: "nowhere yet", links: map[string]string{"d/l": "../no/such"}, limit: 9, want: []string{"no/such"}},
		{name: "one place, two links", links: map[string]string{"d/l": "../other/x", "d/m": "../other/x"}, limit: 9, want: []string{"other/x"}},
		{name: "over another link", links: map[string]string{"d/l": "../m", "m": "other/x"}, limit: 9, want: []string{"other/x"}},
		{name: "on from a directory", links: map[string]string{"d/l": "../other", "other/m": "../third/x"}, limit: 9, want: []string{"other", "third/x"}},
		{name: "in a circle", links: map[string]string{"d/l": "../other", "other/m": "../d"}, limit: 9, want: []string{"other"}},
		{name: "a circle of names", links: map[string]string{"d/l": "m", "d/m": "l"}, limit: 9},
		{name: "too much", limit: 2, more: true},
		{name: "too much behind a link", links: map[string]string{"d/l": "../other"}, limit: 4, want: []string{"other"}, more: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			root := grown(t, []string{"d/a", "d/sub/b", "other/x"}, tc.links)
			led, ok := realpath.LinkTargets([]string{filepath.Join(root, "d")}, tc.limit)
			require.Equal(t, !tc.more, ok)
			var want []string
			for _, name := range tc.want {
				want = append(want, filepath.Join(root, name))
			}
			require.ElementsMatch(t, want, led)
		})
	}
}

// TestLinkTargetsOfSeveral shares one limit among directories, and looks at none twice.
func TestLinkTargetsOfSeveral(t *testing.T) {
	t.Parallel()
	root := grown(t, []string{"d/a", "e/b", "other/x"}, map[string]string{"d/l": "../other/x", "e/l": "../d", "e/m": "../third"})
	at := func(name string) string { return filepath.Join(root, name) }
	for _, dirs := range [][]string{{at("d"), at("e")}, {at("e"), at("d"), at("e")}} {
		led, ok := realpath.LinkTargets(dirs, 5)
		require.True(t, ok)
		require.ElementsMatch(t, []string{at("other/x"), at("third")}, led)
		_, ok = realpath.LinkTargets(dirs, 4)
		require.False(t, ok)
	}
}

func BenchmarkLed(b *testing.B) {
	root := b.TempDir()
	for i := range 2000 {
		require.NoError(b, os.WriteFile(filepath.Join(root, fmt.Sprint(i)), nil, 0o600))
	}
	for b.Loop() {
		if _, ok := realpath.LinkTargets([]string{root}, 5000); !ok {
			b.Fatal("there is not that much")
		}
	}
}
