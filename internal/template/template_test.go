package template_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/script"
	"github.com/seed49eaa51d/pegboard/internal/template"
)

func TestCopy(t *testing.T) {
	t.Parallel()
	var tree template.Tree
	made := 0
	one := func(dir string) {
		made++
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "a", "empty"), 0o700))
		script.Write(t, filepath.Join(dir, "a", "run"), "text")
	}
	for range 2 {
		to := filepath.Join(t.TempDir(), "to")
		tree.Copy(t, to, one)
		require.DirExists(t, filepath.Join(to, "a", "empty"))
		data, err := os.ReadFile(filepath.Join(to, "a", "run"))
		require.NoError(t, err)
		require.Equal(t, "text", string(data))
		info, err := os.Stat(filepath.Join(to, "a", "run"))
		require.NoError(t, err)
		require.NotZero(t, info.Mode()&0o100)
		require.NoError(t, os.Remove(filepath.Join(to, "a", "run")), "the copy alone is changed")
	}
	require.Equal(t, 1, made)
}
