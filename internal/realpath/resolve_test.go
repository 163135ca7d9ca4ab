package realpath_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

func TestLongNamesAreNotResolved(t *testing.T) {
	t.Parallel()
	root := tempDir(t)
	write(t, filepath.Join(root, "far", "deep", "f"))
	require.NoError(t, os.Symlink("far/deep", filepath.Join(root, "link")))
	fits := "link/" + strings.Repeat("/", 4096-len("link/../f"))
	require.Equal(t, filepath.Join(root, "far/f"), realpath.Physical(root, "", fits+"../f"))
	require.Equal(t, filepath.Join(root, "f"), realpath.Physical(root, "", fits+"/../f"), "one byte longer")

	deep := filepath.Join(root, "link", strings.Repeat("/a", 3000))
	require.Equal(t, filepath.Join(root, "far/deep", strings.Repeat("/a", 3000)), realpath.Resolve(deep), "of a name in a long directory")
	deep += strings.Repeat("/a", 3000)
	require.Equal(t, deep, realpath.Resolve(deep))
}

// TestResolveOfNoPath: what is no absolute path is no place, and not the root either.
func TestResolveOfNoPath(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", ".", "..", "a/b", "~"} {
		require.Equal(t, name, realpath.Resolve(name))
	}
}

// TestPhysicalSeesWhatIsBesideTheMissing: a name that does not exist ends the
// looking only below it.
func TestPhysicalSeesWhatIsBesideTheMissing(t *testing.T) {
	t.Parallel()
	root := tempDir(t)
	write(t, filepath.Join(root, "far", "deep", "f"))
	write(t, filepath.Join(root, "file"))
	require.NoError(t, os.Symlink("far/deep", filepath.Join(root, "link")))
	require.NoError(t, os.Symlink("none/../link", filepath.Join(root, "over")))
	require.NoError(t, os.Symlink("none/a", filepath.Join(root, "gone")))
	require.NoError(t, os.Symlink("self", filepath.Join(root, "self")))
	long := strings.Repeat("n", 300)
	for _, tc := range []struct{ in, want string }{
		{in: "none/../link/../f", want: "far/f"},
		{in: "none/a/b/../../../link/../f", want: "far/f"},
		{in: "none/link/../f", want: "none/f"},
		{in: "none/a/../link/f", want: "none/link/f"},
		{in: "file/../link/../f", want: "far/f"},
		{in: "file/link/../f", want: "file/f"},
		{in: long + "/../link/../f", want: "far/f"},
		{in: "over/../f", want: "far/f"},
		{in: "gone/../../link/../f", want: "far/f"},
		{in: "gone/../link/../f", want: "none/f"},
		{in: "self/../f", want: "f"},
	} {
		require.Equal(t, filepath.Join(root, tc.want), realpath.Physical(root, "", tc.in), tc.in)
	}
}

func BenchmarkLongNames(b *testing.B) {
	root := tempDir(b)
	write(b, filepath.Join(root, "there", "f"))
	for _, bb := range []struct{ name, in string }{
		{name: "missing", in: strings.Repeat("a/", 2048)},
		{name: "missing and back", in: strings.Repeat("a/../", 819)},
		{name: "missing and all the way back", in: strings.Repeat("a/", 819) + strings.Repeat("../", 819)},
		{name: "there and back", in: strings.Repeat("there/../", 455)},
		{name: "200 kB", in: strings.Repeat("a/", 100_000)},
		{name: "200 kB and back", in: strings.Repeat("a/../", 40_000)},
	} {
		b.Run(bb.name+"/Physical", func(b *testing.B) {
			for b.Loop() {
				realpath.Physical(root, "", bb.in)
			}
		})
		b.Run(bb.name+"/Resolve", func(b *testing.B) {
			for b.Loop() {
				realpath.Resolve(realpath.Abs(root, "", bb.in))
			}
		})
	}
}

func TestMayExist(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	file := filepath.Join(dir, "file")
	write(t, file)
	require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, "dangling")))
	for _, tt := range []struct {
		name string
		path string
		want bool
	}{
		{name: "a file", path: file, want: true},
		{name: "a directory", path: dir, want: true},
		{name: "a link that leads nowhere", path: filepath.Join(dir, "dangling"), want: true},
		{name: "nothing", path: filepath.Join(dir, "nothing")},
		{name: "below a file", path: filepath.Join(file, "below")},
		{name: "too long", path: filepath.Join(dir, strings.Repeat("n", 300))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, realpath.MayExist(tt.path))
		})
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	root := grown(t, []string{"d/a", "d/sub/b", "d/sub/deep/c", "other/x"}, map[string]string{"d/link": "../other"})
	for _, tc := range []struct {
		name  string
		dirs  []string
		limit int
		skip  string // a directory that is not entered
		want  []string
	}{
		{name: "all", dirs: []string{"d"}, limit: 6, want: []string{"d/a", "d/link", "d/sub", "d/sub/b", "d/sub/deep", "d/sub/deep/c"}},
		{name: "several, each once", dirs: []string{"d/sub/deep", "d", "other"}, limit: 9, want: []string{"d/a", "d/link", "d/sub", "d/sub/b", "d/sub/deep", "d/sub/deep/c", "other/x"}},
		{name: "not entered", dirs: []string{"d"}, limit: 6, skip: "d/sub", want: []string{"d/a", "d/link", "d/sub"}},
		{name: "the nearest", dirs: []string{"d"}, limit: 5, want: []string{"d/a", "d/link", "d/sub", "d/sub/b", "d/sub/deep"}},
		{name: "what is missing, and a file", dirs: []string{"no/such", "d/a", "other"}, limit: 5, want: []string{"other/x"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var dirs, found []string
			for _, dir := range tc.dirs {
				dirs = append(dirs, filepath.Join(root, dir))
			}
			realpath.Search(dirs, tc.limit,
				func(dir string) bool { return dir != filepath.Join(root, tc.skip) },
				func(path string, mode fs.FileMode) {
					rel, err := filepath.Rel(root, path)
					require.NoError(t, err)
					require.Equal(t, rel == "d/link", mode&fs.ModeSymlink != 0)
					found = append(found, filepath.ToSlash(rel))
				})
			require.ElementsMatch(t, tc.want, found)
		})
	}
}
