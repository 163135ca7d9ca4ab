package atomicfile_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

func TestCreate(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	mask := func(perm fs.FileMode) fs.FileMode { // what the system leaves of it
		f, err := os.OpenFile(filepath.Join(t.TempDir(), "f"), os.O_CREATE|os.O_WRONLY, perm)
		require.NoError(t, err)
		defer func() { require.NoError(t, f.Close()) }()
		info, err := f.Stat()
		require.NoError(t, err)
		return info.Mode()
	}
	long := strings.Repeat("x", 255)
	tests := []struct {
		name, path string
		perm, want fs.FileMode
	}{
		{name: "beside others", path: "f", want: mask(0o666)},
		{name: "private", path: "secret", perm: 0o600, want: 0o600},
		{name: "program", path: "run.sh", perm: 0o755, want: mask(0o755)},
		{name: "read-only", path: "fixed", perm: 0o400, want: 0o400},
		{name: "three directories down", path: "a/b/c/f", want: mask(0o666)},
		{name: "the longest name", path: long, want: mask(0o666)},
		{name: "a name with a newline", path: "x\ny/z", want: mask(0o666)},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(dir, filepath.FromSlash(tc.path))
			var s atomicfile.Store
			snap, err := s.Create(t.Context(), path, []byte("data"), tc.perm)
			require.NoError(t, err)
			require.Equal(t, "data", read(t, path))
			require.Equal(t, tc.want, stat(t, path).Mode())
			_, err = s.Create(t.Context(), path, []byte("other"), tc.perm)
			require.ErrorIs(t, err, fs.ErrExist)
			next, err := snap.Replace(t.Context(), []byte("more"))
			require.NoError(t, err)
			require.False(t, os.SameFile(snap.Info, next.Info))
			require.Equal(t, "more", read(t, path))
		})
	}
}

func TestCreateRefuses(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	write(t, filepath.Join(dir, "d", "f"), "x")
	require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, "gone")))
	require.NoError(t, os.Symlink("d", filepath.Join(dir, "way")))
	before := names(t, dir)
	tests := []struct {
		name, path string
		want       error
	}{
		{name: "a file", path: "d/f", want: fs.ErrExist},
		{name: "a directory", path: "d", want: fs.ErrExist},
		{name: "a link that leads nowhere", path: "gone", want: fs.ErrExist},
		{name: "through a link", path: "way/g", want: realpath.ErrMoved},
		{name: "through a link, further down", path: "way/a/b/g", want: realpath.ErrMoved},
		{name: "through a link that leads nowhere", path: "gone/a/g", want: realpath.ErrMoved},
		{name: "below a file", path: "d/f/g", want: realpath.ErrNotDir},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var s atomicfile.Store
			_, err := s.Create(t.Context(), filepath.Join(dir, tc.path), []byte("data"), 0)
			require.ErrorIs(t, err, tc.want)
			require.Equal(t, "x", read(t, filepath.Join(dir, "d", "f")))
			require.Equal(t, []string{"f"}, names(t, filepath.Join(dir, "d")))
			require.Equal(t, before, names(t, dir))
		})
	}
	var s atomicfile.Store
	_, err := s.Create(t.Context(), filepath.Join(dir, "a", "b", strings.Repeat("x", 256)), nil, 0)
	require.Error(t, err)
	require.Equal(t, before, names(t, dir))
}

// TestCreateOnce: of many who create one file, in directories that are not there,
// one succeeds.
func TestCreateOnce(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	var s atomicfile.Store
	results := make(chan error)
	for i := range 20 {
		go func() {
			_, err := s.Create(t.Context(), filepath.Join(dir, "a", "b", "f"), []byte(strings.Repeat("x", 1+i)), 0)
			results <- err
		}()
	}
	won := 0
	for range 20 {
		if err := <-results; err == nil {
			won++
		} else {
			require.ErrorIs(t, err, fs.ErrExist)
		}
	}
	require.Equal(t, 1, won)
	require.Equal(t, []string{"f"}, names(t, filepath.Join(dir, "a", "b")))
}

// TestCreateKeepsWhatOthersMade: a directory that somebody uses by now stays.
func TestCreateKeepsWhatOthersMade(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	var s atomicfile.Store
	s.Inject(atomicfile.Faults{Sync: func(f *os.File) error {
		write(t, filepath.Join(dir, "a", "theirs"), "x")
		return fs.ErrInvalid
	}})
	_, err := s.Create(t.Context(), filepath.Join(dir, "a", "b", "f"), []byte("data"), 0)
	require.ErrorIs(t, err, fs.ErrInvalid)
	require.Equal(t, []string{"theirs"}, names(t, filepath.Join(dir, "a")))
}
