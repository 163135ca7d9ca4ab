package spool_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/spool"
)

func TestOpenTempNamesTheLibrary(t *testing.T) {
	t.Parallel()
	d, err := spool.OpenTemp(t.TempDir(), spool.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	require.True(t, strings.HasPrefix(filepath.Base(filepath.Dir(d.Path())), "pegboard-results-"), d.Path())
}

func TestTemporaryRootsOfDeadProcessesStayed(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	root := func(name string, age time.Duration, ledger bool) string {
		path := filepath.Join(parent, name)
		require.NoError(t, os.MkdirAll(filepath.Join(path, "session"), 0o700))
		if ledger {
			require.NoError(t, os.WriteFile(filepath.Join(path, "session", ".spool-size"), make([]byte, 8), 0o600))
		}
		at := time.Now().Add(-age)
		require.NoError(t, os.Chtimes(path, at, at))
		return path
	}
	orphan := root("pegboard-results-1", 2*time.Hour, true)
	young := root("pegboard-results-2", time.Minute, true)
	foreign := root("results-3", 2*time.Hour, true)
	other := root("pegboard-results-4", 2*time.Hour, false)
	live, err := spool.OpenTemp(parent, spool.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, live.Close()) })
	old := time.Now().Add(-2 * time.Hour)
	require.NoError(t, os.Chtimes(filepath.Dir(live.Path()), old, old))

	next, err := spool.OpenTemp(parent, spool.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, next.Close()) })
	require.NoDirExists(t, orphan)
	for _, path := range []string{young, foreign, other, live.Path(), next.Path()} {
		require.DirExists(t, path)
	}
}
