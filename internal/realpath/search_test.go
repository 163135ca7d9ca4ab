package realpath_test

import (
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

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
