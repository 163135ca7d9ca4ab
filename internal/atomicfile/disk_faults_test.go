package atomicfile_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
)

// fullAfter is a disk with room for n more bytes in files whose name ends so. It
// writes what there is room for.
func fullAfter(n int, suffix string) atomicfile.Faults {
	return atomicfile.Faults{WriteAt: func(f *os.File, p []byte, off int64) (int, error) {
		if !strings.HasSuffix(f.Name(), suffix) || len(p) <= n {
			return f.WriteAt(p, off)
		}
		wrote, _ := f.WriteAt(p[:n], off)
		n = plenty // whatever was in the way is gone
		return wrote, syscall.ENOSPC
	}}
}

func failSync(suffix string) atomicfile.Faults {
	failed := false
	return atomicfile.Faults{Sync: func(f *os.File) error {
		if failed || !strings.HasSuffix(f.Name(), suffix) {
			return f.Sync()
		}
		failed = true
		return syscall.EIO
	}}
}

func failRename(err error) atomicfile.Faults {
	return atomicfile.Faults{Rename: func(*os.Root, string, string) error {
		return &os.LinkError{Op: "renameat", Old: ".f.tmp", New: "f", Err: err}
	}}
}

// TestReplaceOnABadDisk: whatever fails, the old content stands and nothing is left over.
func TestReplaceOnABadDisk(t *testing.T) {
	t.Parallel()
	short := atomicfile.Faults{WriteAt: func(f *os.File, p []byte, off int64) (int, error) {
		return f.WriteAt(p[:len(p)/2], off)
	}}
	shortOnce := func(suffix string) atomicfile.Faults {
		done := false
		return atomicfile.Faults{WriteAt: func(f *os.File, p []byte, off int64) (int, error) {
			if done || !strings.HasSuffix(f.Name(), suffix) {
				return f.WriteAt(p, off)
			}
			done = true
			return f.WriteAt(p[:len(p)/2], off)
		}}
	}
	tests := []struct {
		name   string
		link   bool
		faults atomicfile.Faults
		want   error
	}{
		{name: "short write", faults: short, want: io.ErrShortWrite},
		{name: "no room at all", faults: fullAfter(0, ".tmp"), want: syscall.ENOSPC},
		{name: "no room after 1000 bytes", faults: fullAfter(1000, ".tmp"), want: syscall.ENOSPC},
		{name: "sync", faults: failSync(".tmp"), want: syscall.EIO},
		{name: "rename", faults: failRename(syscall.EIO), want: syscall.EIO},
		{name: "link, backup cut short", link: true, faults: shortOnce(".bak"), want: io.ErrShortWrite},
		{name: "link, no room for the backup", link: true, faults: fullAfter(100, ".bak"), want: syscall.ENOSPC},
		{name: "link, sync of the backup", link: true, faults: failSync(".bak"), want: syscall.EIO},
		{name: "link, cut short", link: true, faults: shortOnce("f"), want: io.ErrShortWrite},
		{name: "link, no room past the end", link: true, faults: fullAfter(0, "f"), want: syscall.ENOSPC},
		{name: "link, no room after 1000 bytes", link: true, faults: fullAfter(1000, "f"), want: syscall.ENOSPC},
		{name: "link, sync", link: true, faults: failSync("f"), want: syscall.EIO},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := tempDir(t)
			old := strings.Repeat("old", 2000)
			path := write(t, filepath.Join(dir, "f"), old)
			if tc.link {
				require.NoError(t, os.Link(path, path+"2"))
			}
			entries := names(t, dir)
			var s atomicfile.Store
			snap := load(t, &s, path)
			s.Inject(tc.faults)
			next, err := snap.Replace(t.Context(), []byte(strings.Repeat("longer", 2000)))
			require.ErrorIs(t, err, tc.want)
			require.Nil(t, next)
			var pe *fs.PathError
			require.ErrorAs(t, err, &pe)
			require.Equal(t, path, pe.Path, "the caller's name for it")
			require.Equal(t, old, read(t, path))
			require.Equal(t, entries, names(t, dir))
			s.Inject(atomicfile.Faults{})
			_, err = snap.Replace(t.Context(), []byte("new"))
			require.NoError(t, err, "the snapshot still holds")
		})
	}
}

// TestBackupIsKept if the old content cannot be put back.
func TestBackupIsKept(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	path := write(t, filepath.Join(dir, "f"), "the old content")
	require.NoError(t, os.Link(path, path+"2"))
	var s atomicfile.Store
	snap := load(t, &s, path)
	s.Inject(atomicfile.Faults{WriteAt: func(f *os.File, p []byte, off int64) (int, error) {
		if strings.HasSuffix(f.Name(), ".bak") {
			return f.WriteAt(p, off)
		}
		n, _ := f.WriteAt(p[:1], off)
		return n, syscall.EIO
	}})
	_, err := snap.Replace(t.Context(), []byte("new"))
	var be *atomicfile.BackupError
	require.ErrorAs(t, err, &be)
	require.ErrorIs(t, err, syscall.EIO)
	require.Equal(t, path, be.Path)
	require.ErrorContains(t, err, be.Backup)
	require.Equal(t, dir, filepath.Dir(be.Backup))
	require.Regexp(t, leftover("f"), filepath.Base(be.Backup))
	require.Equal(t, "the old content", read(t, be.Backup))
}

func TestNotSynced(t *testing.T) {
	t.Parallel()
	faults := atomicfile.Faults{Sync: func(f *os.File) error {
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return syscall.EIO
		}
		return f.Sync()
	}}
	dir := tempDir(t)
	path := write(t, filepath.Join(dir, "f"), "old")
	var s atomicfile.Store
	snap := load(t, &s, path)
	s.Inject(faults)
	next, err := snap.Replace(t.Context(), []byte("new"))
	require.ErrorIs(t, err, atomicfile.ErrNotSynced)
	require.ErrorIs(t, err, syscall.EIO)
	require.Equal(t, "new", string(next.Data))
	require.Equal(t, "new", read(t, path))
	_, err = s.Create(t.Context(), filepath.Join(dir, "d", "g"), []byte("new"), 0)
	require.ErrorIs(t, err, atomicfile.ErrNotSynced)
	require.Equal(t, "new", read(t, filepath.Join(dir, "d", "g")))
}

func TestCreateOnABadDisk(t *testing.T) {
	t.Parallel()
	cannot := func(*os.Root, string, string) error { return errors.ErrUnsupported }
	directly := fullAfter(10, "f")
	directly.Publish = cannot
	tests := []struct {
		name   string
		faults atomicfile.Faults
		want   error
	}{
		{name: "no room", faults: fullAfter(10, ".tmp"), want: syscall.ENOSPC},
		{name: "sync", faults: failSync(".tmp"), want: syscall.EIO},
		{name: "neither links nor such renames", faults: atomicfile.Faults{Publish: cannot}},
		{name: "neither, and no room", faults: directly, want: syscall.ENOSPC},
		{name: "somebody was faster", want: fs.ErrExist, faults: atomicfile.Faults{Publish: func(*os.Root, string, string) error {
			return &os.LinkError{Op: "linkat", Err: syscall.EEXIST}
		}}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := tempDir(t)
			var s atomicfile.Store
			s.Inject(tc.faults)
			path := filepath.Join(dir, "a", "b", "f")
			_, err := s.Create(t.Context(), path, []byte(strings.Repeat("new", 2000)), 0)
			if tc.want == nil {
				require.NoError(t, err)
				require.Equal(t, []string{"f"}, names(t, filepath.Dir(path)))
				require.Equal(t, strings.Repeat("new", 2000), read(t, path))
				return
			}
			require.ErrorIs(t, err, tc.want)
			require.Empty(t, names(t, dir), "the directories that were made are gone")
		})
	}
}

// FuzzBadDisk: wherever the room ends, the file is wholly old or wholly new.
func FuzzBadDisk(f *testing.F) {
	f.Add([]byte("old"), []byte("new and longer"), true, 5)
	f.Add([]byte("old and longer"), []byte("new"), true, 2)
	f.Add([]byte("old"), []byte("new"), false, 0)
	f.Add([]byte(""), []byte("new"), true, 1)
	f.Fuzz(func(t *testing.T, old, data []byte, link bool, room int) {
		if room < 0 {
			t.Skip("no room is 0")
		}
		path := write(t, filepath.Join(tempDir(t), "f"), string(old))
		if link {
			require.NoError(t, os.Link(path, path+"2"))
		}
		entries := names(t, filepath.Dir(path))
		var s atomicfile.Store
		snap := load(t, &s, path)
		s.Inject(fullAfter(room, ""))
		_, err := snap.Replace(t.Context(), data)
		if err != nil {
			require.ErrorIs(t, err, syscall.ENOSPC)
			data = old
		}
		require.Equal(t, string(data), read(t, path))
		require.Equal(t, entries, names(t, filepath.Dir(path)))
	})
}
