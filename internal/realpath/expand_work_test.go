package realpath_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

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
