package atomicfile_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
)

// tree returns the files below dir with their content, and its directories.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		rel, err := filepath.Rel(dir, path)
		require.NoError(t, err)
		if d.IsDir() {
			all[rel+"/"] = ""
		} else {
			all[rel] = read(t, path)
		}
		return nil
	}))
	return all
}

// steps replace a, create new/dir/b and c, and remove d and e.
func steps(t *testing.T, s *atomicfile.Store, dir string) []atomicfile.Step {
	t.Helper()
	return []atomicfile.Step{
		{Before: load(t, s, filepath.Join(dir, "d")), Remove: true},
		{Before: load(t, s, filepath.Join(dir, "a")), Data: []byte("A")},
		{Path: filepath.Join(dir, "new", "dir", "b"), Data: []byte("b"), Perm: 0o755},
		{Path: filepath.Join(dir, "c"), Data: []byte("c")},
		{Before: load(t, s, filepath.Join(dir, "e")), Remove: true},
	}
}

func commitDir(t *testing.T) string {
	t.Helper()
	dir := tempDir(t)
	for _, name := range []string{"a", "d", "e", "other"} {
		write(t, filepath.Join(dir, name), name)
	}
	return dir
}

func TestCommit(t *testing.T) {
	t.Parallel()
	dir := commitDir(t)
	var s atomicfile.Store
	next, err := s.Commit(t.Context(), steps(t, &s, dir))
	require.NoError(t, err)
	require.Equal(t, map[string]string{"./": "", "a": "A", "c": "c", "new/": "", "new/dir/": "", "new/dir/b": "b", "other": "other"}, tree(t, dir))
	require.Nil(t, next[0])
	require.Equal(t, "A", string(next[1].Data))
	require.Equal(t, filepath.Join(dir, "new", "dir", "b"), next[2].Path())
	require.NotZero(t, stat(t, next[2].Path()).Mode()&0o100)
	require.Zero(t, s.Locked())
}

// TestCommitOfNoneIsNothing: whatever step fails, in whatever way, all is as it was.
func TestCommitOfNoneIsNothing(t *testing.T) {
	t.Parallel()
	failRenameOf := func(name string) func(s *atomicfile.Store, dir string) {
		return func(s *atomicfile.Store, _ string) {
			s.Inject(atomicfile.Faults{Rename: func(dir *os.Root, from, to string) error {
				if from == name || to == name {
					return syscall.EIO
				}
				return dir.Rename(from, to)
			}})
		}
	}
	tests := []struct {
		name string
		harm func(s *atomicfile.Store, dir string) // after the files were loaded
		want error
		also map[string]string // what harm does to the files
	}{
		{name: "the first removal", harm: failRenameOf("d"), want: syscall.EIO},
		{name: "the last removal", harm: failRenameOf("e"), want: syscall.EIO},
		{name: "the replacement", harm: failRenameOf("a"), want: syscall.EIO},
		{name: "no room for a new file", harm: func(s *atomicfile.Store, _ string) {
			s.Inject(atomicfile.Faults{WriteAt: func(f *os.File, p []byte, off int64) (int, error) {
				if strings.Contains(f.Name(), ".c.") {
					return 0, syscall.ENOSPC
				}
				return f.WriteAt(p, off)
			}})
		}, want: syscall.ENOSPC},
		{name: "a new name is taken", harm: func(_ *atomicfile.Store, dir string) {
			_ = os.WriteFile(filepath.Join(dir, "c"), []byte("mine"), 0o600)
		}, want: fs.ErrExist, also: map[string]string{"c": "mine"}},
		{name: "a file changed", harm: func(_ *atomicfile.Store, dir string) {
			_ = os.WriteFile(filepath.Join(dir, "a"), []byte("mine"), 0o600)
		}, want: atomicfile.ErrChanged, also: map[string]string{"a": "mine"}},
		{name: "a file to be removed changed", harm: func(_ *atomicfile.Store, dir string) {
			_ = os.WriteFile(filepath.Join(dir, "e"), []byte("mine"), 0o600)
		}, want: atomicfile.ErrChanged, also: map[string]string{"e": "mine"}},
		{name: "a file to be removed is gone", harm: func(_ *atomicfile.Store, dir string) { _ = os.Remove(filepath.Join(dir, "e")) }, want: fs.ErrNotExist, also: map[string]string{"e": ""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := commitDir(t)
			want := tree(t, dir)
			var s atomicfile.Store
			all := steps(t, &s, dir)
			tt.harm(&s, dir)
			for name, text := range tt.also {
				want[name] = text
				if text == "" {
					delete(want, name)
				}
			}
			_, err := s.Commit(t.Context(), all)
			require.ErrorIs(t, err, tt.want)
			require.NotErrorAs(t, err, new(*atomicfile.UndoError))
			require.Equal(t, want, tree(t, dir))
			require.Zero(t, s.Locked())
		})
	}
}

func TestCommitThatIsCancelled(t *testing.T) {
	t.Parallel()
	dir := commitDir(t)
	want := tree(t, dir)
	var s atomicfile.Store
	all := steps(t, &s, dir)
	ctx, cancel := context.WithCancel(t.Context())
	s.Inject(atomicfile.Faults{Rename: func(dir *os.Root, from, to string) error {
		if to == "a" {
			cancel() // between two steps
		}
		return dir.Rename(from, to)
	}})
	_, err := s.Commit(ctx, all)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, want, tree(t, dir))
}

// TestCommitThatCannotBeUndone says which files, and keeps what was in them.
func TestCommitThatCannotBeUndone(t *testing.T) {
	t.Parallel()
	dir := commitDir(t)
	var s atomicfile.Store
	all := steps(t, &s, dir)
	s.Inject(atomicfile.Faults{
		Rename: func(dir *os.Root, from, to string) error {
			if from == "e" {
				_ = os.WriteFile(filepath.Join(dir.Name(), "a"), []byte("mine"), 0o600) // meanwhile
				return syscall.EIO
			}
			return dir.Rename(from, to)
		},
		Publish: func(dir *os.Root, from, to string) error {
			if to == "d" {
				return syscall.EIO
			}
			return dir.Link(from, to)
		},
	})
	_, err := s.Commit(t.Context(), all)
	require.ErrorIs(t, err, syscall.EIO)
	var failed *atomicfile.UndoError
	require.ErrorAs(t, err, &failed)
	require.Equal(t, []string{filepath.Join(dir, "d"), filepath.Join(dir, "a")}, failed.Paths)
	require.Len(t, failed.Backup, 1)
	require.Equal(t, "d", read(t, failed.Backup[0]))
	require.Equal(t, "mine", read(t, filepath.Join(dir, "a")), "what somebody else wrote is not lost")
	require.NoFileExists(t, filepath.Join(dir, "c"))
	require.NoDirExists(t, filepath.Join(dir, "new"))
	require.Contains(t, err.Error(), filepath.Join(dir, "d")+", "+filepath.Join(dir, "a")+" could not get the old state back")
}

func TestCommitNotSynced(t *testing.T) {
	t.Parallel()
	dir := commitDir(t)
	var s atomicfile.Store
	all := steps(t, &s, dir)
	s.Inject(failSync(string(filepath.Separator) + "."))
	next, err := s.Commit(t.Context(), all)
	require.ErrorIs(t, err, atomicfile.ErrNotSynced)
	require.Len(t, next, len(all))
	require.NoFileExists(t, filepath.Join(dir, "d"))
	require.Equal(t, "A", read(t, filepath.Join(dir, "a")))
}
