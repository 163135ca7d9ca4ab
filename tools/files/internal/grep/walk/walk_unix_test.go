//go:build unix

package walk_test

import (
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/files/internal/grep/walk"
)

func TestRunPassesOverWhatIsNoFile(t *testing.T) {
	t.Parallel()
	dir := tree{"a": "", "d/b": ""}.make(t)
	outside := tree{"secret": ""}.make(t)
	for _, name := range []string{"pipe", ".ignore", ".gitignore", "d/.rgignore"} {
		require.NoError(t, syscall.Mkfifo(filepath.Join(dir, name), 0o644))
	}
	require.NoError(t, os.Symlink(filepath.Join(outside, "secret"), filepath.Join(dir, "file")))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "directory")))
	require.NoError(t, os.Symlink(".", filepath.Join(dir, "d", "circle")))
	require.Equal(t, []string{"a", "d/b"}, find(t, dir, walk.Options{}))
}

func TestRunReadsNoRulesThroughLinks(t *testing.T) {
	t.Parallel()
	outside := tree{"rules": "a"}.make(t)
	dir := tree{"a": ""}.make(t)
	require.NoError(t, os.Symlink(filepath.Join(outside, "rules"), filepath.Join(dir, ".ignore")))
	require.Equal(t, []string{"a"}, find(t, dir, walk.Options{}))
}

func TestRunCountsWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	dir := tree{"a": "", "d/b": ""}.make(t)
	require.NoError(t, os.Chmod(filepath.Join(dir, "d"), 0))
	found, report, err := tryFind(t, dir, walk.Options{})
	require.NoError(t, os.Chmod(filepath.Join(dir, "d"), 0o755))
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, found)
	require.Equal(t, walk.Report{Unreadable: 1}, report)
}

// TestRunStaysInside swaps directories for links and files for pipes while it is
// walked.
func TestRunStaysInside(t *testing.T) {
	t.Parallel()
	outside := tree{"f": "secret", "d/f": "secret"}.make(t)
	dir := tree{"x/d/f": "open", "x/f": "open"}.make(t)
	var swaps sync.WaitGroup
	stop := make(chan struct{})
	swaps.Go(func() {
		x, away := filepath.Join(dir, "x"), filepath.Join(dir, ".away")
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Rename(x, away)
			_ = os.Symlink(outside, x)
			_ = os.Remove(x)
			_ = os.Rename(away, x)
			f := filepath.Join(x, "f")
			_ = os.Remove(f)
			_ = syscall.Mkfifo(f, 0o644)
			_ = os.Remove(f)
			_ = os.WriteFile(f, []byte("open"), 0o644)
		}
	})
	for range 500 {
		require.NoError(t, run(t.Context(), t, dir, walk.Options{}, func(_ int, e *walk.Entry) error {
			if f, err := e.Open(); err == nil { // otherwise it was swapped
				text, err := io.ReadAll(f)
				require.NoError(t, err)
				require.NotContains(t, string(text), "secret")
				require.NoError(t, f.Close())
			}
			return nil
		}))
	}
	close(stop)
	swaps.Wait()
}
