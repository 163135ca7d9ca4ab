package walk_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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
