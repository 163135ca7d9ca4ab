package atomicfile_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

func TestLoad(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	tests := []struct {
		name  string
		size  int
		limit int64
		over  int64 // the size in the error
	}{
		{name: "empty", size: 0, limit: 0},
		{name: "at the limit", size: 10, limit: 10},
		{name: "over the limit", size: 11, limit: 10, over: 11},
		{name: "over nothing", size: 1, limit: 0, over: 1},
		{name: "several pieces", size: 3<<20 + 1, limit: plenty},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			data := strings.Repeat("x", tc.size)
			path := write(t, filepath.Join(dir, tc.name), data)
			var s atomicfile.Store
			snap, err := s.Load(t.Context(), path, tc.limit)
			if tc.over > 0 {
				var size *atomicfile.SizeError
				require.ErrorAs(t, err, &size)
				require.Equal(t, atomicfile.SizeError{Path: path, Size: tc.over, Limit: tc.limit}, *size)
				return
			}
			require.NoError(t, err)
			require.Equal(t, data, string(snap.Data))
			require.Equal(t, sha256.Sum256([]byte(data)), snap.Sum)
			require.Equal(t, int64(tc.size), snap.Info.Size())
			require.Equal(t, path, snap.Path())
		})
	}
}

func TestLoadOfAFileWithoutEnd(t *testing.T) {
	t.Parallel()
	path := filepath.Join(tempDir(t), "large")
	f, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, f.Truncate(1<<40)) // takes no room
	require.NoError(t, f.Close())
	var s atomicfile.Store
	_, err = s.Load(t.Context(), path, 1<<20)
	require.ErrorAs(t, err, new(*atomicfile.SizeError))
}

func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	write(t, filepath.Join(dir, "d", "f"), "x")
	require.NoError(t, os.Symlink("d/f", filepath.Join(dir, "link")))
	require.NoError(t, os.Symlink("d", filepath.Join(dir, "way")))
	tests := []struct {
		name, path string
		want       error
	}{
		{name: "nothing", path: "none", want: fs.ErrNotExist},
		{name: "a link", path: "link", want: realpath.ErrMoved},
		{name: "a link on the way", path: "way/f", want: realpath.ErrMoved},
		{name: "a directory", path: "d", want: realpath.ErrNotRegular},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var s atomicfile.Store
			_, err := s.Load(t.Context(), filepath.Join(dir, tc.path), plenty)
			require.ErrorIs(t, err, tc.want)
		})
	}
}

func TestReplace(t *testing.T) {
	t.Parallel()
	const long = "0123456789"
	tests := []struct {
		name, old, data string
		mode            fs.FileMode
		link            bool // a second name, so that it is written in place
		aged            bool // last changed long ago
	}{
		{name: "longer", old: "a", data: long, mode: 0o644},
		{name: "shorter", old: long, data: "b", mode: 0o644},
		{name: "to nothing", old: long, data: "", mode: 0o644},
		{name: "from nothing", old: "", data: long, mode: 0o644},
		{name: "aged", old: long, data: "b", mode: 0o644, aged: true},
		{name: "program", old: "a", data: "b", mode: 0o755},
		{name: "secret", old: "a", data: "b", mode: 0o600},
		{name: "more than the mask allows", old: "a", data: "b", mode: 0o666},
		{name: "link, longer", old: "a", data: long, mode: 0o640, link: true},
		{name: "link, shorter", old: long, data: "b", mode: 0o755, link: true},
		{name: "link, to nothing", old: long, data: "", mode: 0o644, link: true},
		{name: "link, aged", old: long, data: "b", mode: 0o644, link: true, aged: true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			path := write(t, filepath.Join(tempDir(t), "f"), tc.old)
			require.NoError(t, os.Chmod(path, tc.mode))
			if tc.link {
				require.NoError(t, os.Link(path, path+"2"))
			}
			if tc.aged {
				past := time.Now().Add(-time.Hour)
				require.NoError(t, os.Chtimes(path, past, past))
			}
			before, entries := stat(t, path), names(t, filepath.Dir(path))
			var s atomicfile.Store
			next, err := load(t, &s, path).Replace(t.Context(), []byte(tc.data))
			require.NoError(t, err)
			require.Equal(t, tc.link, os.SameFile(before, next.Info))
			require.Equal(t, tc.data, read(t, path))
			require.Equal(t, tc.mode, stat(t, path).Mode())
			require.Equal(t, entries, names(t, filepath.Dir(path)), "nothing is left over")
			require.Equal(t, sha256.Sum256([]byte(tc.data)), next.Sum)
			require.True(t, os.SameFile(next.Info, stat(t, path)))
			if tc.link {
				require.Equal(t, tc.data, read(t, path+"2"))
			}
			last, err := next.Replace(t.Context(), []byte("again"))
			require.NoError(t, err, "what was written can be replaced")
			require.Equal(t, "again", read(t, path))
			require.Equal(t, tc.link, os.SameFile(before, last.Info))
			require.Zero(t, s.Locked())
		})
	}
}

// TestReplaceNoticesChanges: what somebody else wrote is never lost.
func TestReplaceNoticesChanges(t *testing.T) {
	t.Parallel()
	put := func(data string) func(string) error {
		return func(p string) error { return os.WriteFile(p, []byte(data), 0o644) }
	}
	tests := []struct {
		name   string
		change func(path string) error
		is     error // beside ErrChanged
		same   bool  // no change that counts
		dir    bool  // the directory moves: once it is open, it is that one which counts
	}{
		{name: "other content", change: put("other")},
		{name: "as long, and the times put back", change: func(p string) error {
			info, err := os.Stat(p)
			return errors.Join(err, put("OLD")(p), os.Chtimes(p, info.ModTime(), info.ModTime()))
		}},
		{name: "another file", change: func(p string) error { return errors.Join(put("old")(p+"2"), os.Rename(p+"2", p)) }},
		{name: "gone", is: fs.ErrNotExist, change: os.Remove},
		{name: "directory gone", dir: true, is: fs.ErrNotExist, change: func(p string) error { return os.RemoveAll(filepath.Dir(p)) }},
		{name: "a link to the same file", is: realpath.ErrMoved, change: func(p string) error {
			return errors.Join(os.Rename(p, p+"2"), os.Symlink(filepath.Base(p)+"2", p))
		}},
		{name: "a directory", is: realpath.ErrNotRegular, change: func(p string) error { return errors.Join(os.Remove(p), os.Mkdir(p, 0o755)) }},
		{name: "the directory is a link to the same", dir: true, is: realpath.ErrMoved, change: func(p string) error {
			d := filepath.Dir(p)
			return errors.Join(os.Rename(d, d+"2"), os.Symlink(d+"2", d))
		}},
		{name: "touched", same: true, change: func(p string) error { return os.Chtimes(p, time.Now(), time.Now()) }},
		{name: "written again as it was", same: true, change: put("old")},
	}
	for _, tc := range tests {
		for i := range 4 {
			aged, late := i%2 == 0, i/2 == 0 // late: after the new content was written beside it
			if late && tc.dir {
				continue // TestSwappedDirectory does this
			}
			t.Run(tc.name, func(t *testing.T) {
				t.Parallel()
				path := write(t, filepath.Join(tempDir(t), "d", "f"), "old")
				if aged {
					past := time.Now().Add(-time.Hour)
					require.NoError(t, os.Chtimes(path, past, past))
				}
				var s atomicfile.Store
				snap := load(t, &s, path)
				change := sync.OnceFunc(func() { require.NoError(t, tc.change(path)) })
				if late {
					s.Inject(atomicfile.Faults{Sync: func(f *os.File) error {
						change()
						return f.Sync()
					}})
				} else {
					change()
				}
				_, err := snap.Replace(t.Context(), []byte("new"))
				if tc.same {
					require.NoError(t, err)
					require.Equal(t, "new", read(t, path))
					return
				}
				require.ErrorIs(t, err, atomicfile.ErrChanged)
				if tc.is != nil {
					require.ErrorIs(t, err, tc.is)
				}
				if data, err := os.ReadFile(path); err == nil {
					require.NotEqual(t, "new", string(data))
				}
			})
		}
	}
}

func TestOneSnapshotIsReplacedOnce(t *testing.T) {
	t.Parallel()
	path := write(t, filepath.Join(tempDir(t), "f"), "old")
	var s atomicfile.Store
	snap := load(t, &s, path)
	results := make(chan error)
	for _, data := range []string{"one", "two", "six", "ten"} {
		go func() {
			_, err := snap.Replace(t.Context(), []byte(data))
			results <- err
		}()
	}
	won := 0
	for range 4 {
		if err := <-results; err == nil {
			won++
		} else {
			require.ErrorIs(t, err, atomicfile.ErrChanged)
		}
	}
	require.Equal(t, 1, won)
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	path := write(t, filepath.Join(dir, "f"), "old")
	var s atomicfile.Store
	snap := load(t, &s, path)
	ctx, cancel := context.WithCancel(t.Context())
	s.Inject(atomicfile.Faults{WriteAt: func(f *os.File, p []byte, off int64) (int, error) {
		cancel() // between two pieces
		return f.WriteAt(p, off)
	}})
	_, err := snap.Replace(ctx, make([]byte, 5<<20))
	require.ErrorIs(t, err, context.Canceled)
	_, err = s.Load(ctx, path, plenty)
	require.ErrorIs(t, err, context.Canceled)
	_, err = s.Create(ctx, filepath.Join(dir, "new", "f"), nil, 0)
	require.ErrorIs(t, err, context.Canceled)
	_, err = s.Lock(ctx, path)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, "old", read(t, path))
	require.Equal(t, []string{"f"}, names(t, dir))
}

func FuzzTempName(f *testing.F) {
	for _, name := range []string{"a", "main.go", ".hidden", strings.Repeat("é", 127), strings.Repeat("x", 255), strings.Repeat("\xff", 200), "100\xe2\x82"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, target string) {
		name := atomicfile.TempName(target)
		require.LessOrEqual(t, len(name), 143)
		require.True(t, strings.HasPrefix(name, "."))
		require.NotEqual(t, name, atomicfile.TempName(target))
		if utf8.ValidString(target) {
			require.True(t, utf8.ValidString(name), "%q", name)
			if len(target) <= 100 {
				require.Regexp(t, leftover(target), name)
			}
		}
	})
}
