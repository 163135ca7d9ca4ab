package atomicfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/internal/mounts"
)

// TestFullDisk fills a small file system.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	if !mounts.Own(t) {
		return
	}
	const kib = 1 << 10
	tests := []struct {
		name      string
		old, free int
		link      bool
	}{
		{name: "no room", old: 100 * kib, free: 0},
		{name: "room for a part", old: 100 * kib, free: 40 * kib},
		{name: "link, no room", old: 100 * kib, free: 0, link: true},
		{name: "link, room for a part of the backup", old: 100 * kib, free: 40 * kib, link: true},
		{name: "link, room for the backup", old: 100 * kib, free: 120 * kib, link: true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := tempDir(t)
			mounts.Mount(t, "none", dir, "tmpfs", 0, "size=512k")
			old := strings.Repeat("o", tc.old)
			path := write(t, filepath.Join(dir, "f"), old)
			if tc.link {
				require.NoError(t, os.Link(path, path+"2"))
			}
			fill(t, filepath.Join(dir, "z"), tc.free)
			entries := names(t, dir)
			var s atomicfile.Store
			snap := load(t, &s, path)
			_, err := snap.Replace(t.Context(), []byte(strings.Repeat("n", 300*kib)))
			require.ErrorIs(t, err, syscall.ENOSPC)
			require.Equal(t, old, read(t, path))
			require.Equal(t, entries, names(t, dir))
			_, err = s.Create(t.Context(), filepath.Join(dir, "a", "b", "g"), []byte(strings.Repeat("n", 300*kib)), 0)
			require.ErrorIs(t, err, syscall.ENOSPC)
			require.Equal(t, entries, names(t, dir))
			require.NoError(t, os.Remove(filepath.Join(dir, "z")))
			_, err = snap.Replace(t.Context(), []byte("new"))
			require.NoError(t, err)
		})
	}
}

// fill writes a file until only so much room is left, in whole pages.
func fill(t *testing.T, path string, free int) {
	t.Helper()
	f, err := os.Create(path)
	require.NoError(t, err)
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	require.ErrorIs(t, err, syscall.ENOSPC)
	info, err := f.Stat()
	require.NoError(t, err)
	require.NoError(t, f.Truncate(info.Size()-int64(free)))
	require.NoError(t, f.Close())
}

// TestMounts is about files and directories as containers see them.
func TestMounts(t *testing.T) {
	t.Parallel()
	if !mounts.Own(t) {
		return
	}
	tests := []struct {
		name    string
		mount   func(t *testing.T, dir, path string)
		inPlace bool
		is      error
	}{
		{name: "the file is a mount point", inPlace: true, mount: func(t *testing.T, _, path string) {
			t.Helper()
			mounts.Mount(t, write(t, filepath.Join(t.TempDir(), "f"), "old"), path, "", unix.MS_BIND, "")
		}},
		{name: "the directory is read-only, the file is not", inPlace: true, mount: func(t *testing.T, dir, path string) {
			t.Helper()
			from := write(t, filepath.Join(t.TempDir(), "f"), "old")
			mounts.Mount(t, dir, dir, "", unix.MS_BIND, "")
			require.NoError(t, unix.Mount("", dir, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""))
			mounts.Mount(t, from, path, "", unix.MS_BIND, "")
		}},
		{name: "all is read-only", is: syscall.EROFS, mount: func(t *testing.T, dir, _ string) {
			t.Helper()
			mounts.Mount(t, dir, dir, "", unix.MS_BIND, "")
			require.NoError(t, unix.Mount("", dir, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""))
		}},
		{name: "in the lower layer of an overlay", mount: func(t *testing.T, dir, _ string) {
			t.Helper()
			layers := tempDir(t)
			mounts.Mount(t, "none", layers, "tmpfs", 0, "")
			write(t, filepath.Join(layers, "low", "f"), "old")
			require.NoError(t, os.MkdirAll(filepath.Join(layers, "up"), 0o755))
			require.NoError(t, os.MkdirAll(filepath.Join(layers, "work"), 0o755))
			mounts.Mount(t, "overlay", dir, "overlay", 0, "lowerdir="+layers+"/low,upperdir="+layers+"/up,workdir="+layers+"/work")
		}},
		{name: "in a lower layer elsewhere", mount: func(t *testing.T, dir, _ string) {
			t.Helper()
			layers, low := tempDir(t), tempDir(t)
			mounts.Mount(t, "none", layers, "tmpfs", 0, "")
			write(t, filepath.Join(low, "f"), "old")
			require.NoError(t, os.MkdirAll(filepath.Join(layers, "up"), 0o755))
			require.NoError(t, os.MkdirAll(filepath.Join(layers, "work"), 0o755))
			mounts.Mount(t, "overlay", dir, "overlay", 0, "lowerdir="+low+",upperdir="+layers+"/up,workdir="+layers+"/work")
		}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(tempDir(t), "d")
			path := write(t, filepath.Join(dir, "f"), "old")
			tc.mount(t, dir, path)
			entries := names(t, dir)
			var s atomicfile.Store
			snap := load(t, &s, path)
			next, err := snap.Replace(t.Context(), []byte("new content"))
			if tc.is != nil {
				require.ErrorIs(t, err, tc.is)
				require.Equal(t, "old", read(t, path))
				_, err = s.Create(t.Context(), path+"2", nil, 0)
				require.ErrorIs(t, err, tc.is)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tc.inPlace, os.SameFile(snap.Info, next.Info))
			require.Equal(t, "new content", read(t, path))
			require.Equal(t, entries, names(t, dir))
			if tc.inPlace {
				return
			}
			_, err = s.Create(t.Context(), filepath.Join(dir, "a", "g"), []byte("data"), 0)
			require.NoError(t, err)
		})
	}
}
