package grep_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/files/internal/grep"
)

func TestTreeKeepsWhatComesFirst(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("x\nx\n"), 0o600))
	}
	q := grep.Query{Pattern: "x"}
	for range 20 {
		r := search(t, dir, q, grep.Limits{Skip: 3, Limit: 3, Allow: func(rel string) bool { return rel != "b" }})
		require.Equal(t, []string{"c:2:x", "d:1:x", "d:2:x"}, lines(q, r))
		require.Equal(t, []int{4, 8, 8, 1}, []int{r.NumFiles, r.NumRows, r.NumMatches, r.Hidden})
		require.False(t, r.Truncated)
	}
	for range 20 {
		r := search(t, dir, q, grep.Limits{MaxBytes: 500})
		require.Equal(t, []string{"a:1:x", "a:2:x", "b:1:x", "b:2:x"}, lines(q, r))
		require.True(t, r.Truncated)
	}
}
