package spool_test

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/spool"
)

// damage changes a file behind the back of the package.
func damage(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

func TestEntryLife(t *testing.T) {
	t.Parallel()
	d := open(t, "", "s", spool.Options{})
	e := put(t, d, "id", "text")
	info, err := d.Stat(e.Ref)
	require.NoError(t, err)
	require.Equal(t, e.Size, info.Size())
	r, err := d.Open(e.Ref)
	require.NoError(t, err)
	require.NoError(t, d.Remove(t.Context(), e.Ref))
	data, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, "text", string(data), "who reads is not hurt")
	require.NoError(t, r.Close())
	require.Zero(t, ledger(t, filepath.Join(d.Path(), ".spool-size")))
	require.Zero(t, ledger(t, filepath.Join(d.Path(), "..", ".spool-total")))
	for _, err := range []error{firstError(d.Open(e.Ref)), firstError(d.Stat(e.Ref))} {
		require.ErrorIs(t, err, fs.ErrNotExist)
	}
}

func firstError[T any](_ T, err error) error { return err }

// TestNoEntry asks for what is in the folder and no entry, and for what is outside.
func TestNoEntry(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	d := open(t, root, "s", spool.Options{})
	foreign := filepath.Join(d.Path(), "notes.txt")
	damage(t, foreign, "theirs")
	damage(t, filepath.Join(root, "a-x01234567.txt"), "theirs")
	for _, ref := range []string{"", ".", "..", "notes.txt", ".spool-size", "../a-x01234567.txt", "../s/notes.txt", foreign, `..\a-x01234567.txt`, "a\x00-x01234567.txt"} {
		for _, err := range []error{firstError(d.Open(ref)), firstError(d.Stat(ref))} {
			require.ErrorIs(t, err, fs.ErrNotExist, ref)
		}
	}
	require.FileExists(t, foreign)
}

// TestPlanted has something else under the name that an entry would get.
func TestPlanted(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links need a right here")
	}
	outside := filepath.Join(t.TempDir(), "outside")
	tests := []struct {
		name  string
		plant func(t *testing.T, path string)
	}{
		{name: "link to the outside", plant: func(t *testing.T, path string) { t.Helper(); require.NoError(t, os.Symlink(outside, path)) }},
		{name: "link to a ledger", plant: func(t *testing.T, path string) { t.Helper(); require.NoError(t, os.Symlink(".spool-size", path)) }},
		{name: "link to nothing", plant: func(t *testing.T, path string) { t.Helper(); require.NoError(t, os.Symlink("nothing", path)) }},
		{name: "folder", plant: func(t *testing.T, path string) { t.Helper(); require.NoError(t, os.Mkdir(path, 0o700)) }},
	}
	damage(t, outside, "outside")
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			o := spool.Options{MaxSession: 10}
			d := open(t, "", "s", o)
			ref := spool.EntryName("id", "txt")
			tc.plant(t, filepath.Join(d.Path(), ref))
			planted, err := os.Lstat(filepath.Join(d.Path(), ref))
			require.NoError(t, err)
			require.ErrorContains(t, firstError(d.Open(ref)), "not a regular file")
			require.ErrorContains(t, firstError(d.Stat(ref)), "not a regular file")
			e := put(t, d, "id", "text")
			require.NotEqual(t, ref, e.Ref)
			require.Equal(t, "text", content(t, d, e.Ref))
			put(t, d, "id2", "0123456789") // evicts
			require.NoError(t, d.Sweep(t.Context()))
			still, err := os.Lstat(filepath.Join(d.Path(), ref))
			require.NoError(t, err)
			require.True(t, os.SameFile(planted, still), "what is no file of ours stays")
			data, err := os.ReadFile(outside)
			require.NoError(t, err)
			require.Equal(t, "outside", string(data))
		})
	}
}

// TestPlantedFolder has links where the session and the ledgers should be.
func TestPlantedFolder(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links need a right here")
	}
	root, outside := t.TempDir(), t.TempDir()
	require.NoError(t, os.Symlink(outside, filepath.Join(root, "out")))
	require.Error(t, firstError(spool.Open(root, "out", spool.Options{})))
	require.NoError(t, os.Mkdir(filepath.Join(root, "other"), 0o700))
	require.NoError(t, os.Symlink("other", filepath.Join(root, "in")))
	require.ErrorContains(t, firstError(spool.Open(root, "in", spool.Options{})), "is a link")
	require.NoError(t, os.Mkdir(filepath.Join(root, "s"), 0o700))
	require.NoError(t, os.Symlink(filepath.Join("..", "other", "x"), filepath.Join(root, "s", ".spool-size")))
	require.ErrorContains(t, firstError(spool.Open(root, "s", spool.Options{})), "not a regular file")
	require.Empty(t, names(t, outside))
	require.Empty(t, names(t, filepath.Join(root, "other")))

	damage(t, filepath.Join(root, "file"), "")
	require.Error(t, firstError(spool.Open(filepath.Join(root, "file"), "s", spool.Options{})))
	require.Error(t, firstError(spool.Open(root, "file", spool.Options{})))
}

func TestPermissions(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no such permissions here")
	}
	root := filepath.Join(t.TempDir(), "a", "b")
	d := open(t, root, "s", spool.Options{})
	put(t, d, "id", "text")
	seen := 0
	require.NoError(t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := e.Info()
		require.NoError(t, err)
		want := fs.FileMode(0o600)
		if e.IsDir() {
			want = 0o700
		}
		require.Equal(t, want, info.Mode().Perm(), path)
		seen++
		return nil
	}))
	require.Equal(t, 6, seen)
}

// TestRealPath opens the root through a link.
func TestRealPath(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links need a right here")
	}
	base := t.TempDir()
	real, err := filepath.EvalSymlinks(base)
	require.NoError(t, err)
	require.NoError(t, os.Symlink(base, filepath.Join(base, "link")))
	d := open(t, filepath.Join(base, "link", "root"), "s", spool.Options{})
	require.Equal(t, filepath.Join(real, "root", "s"), d.Path())
}

func TestOpenTemp(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	d, err := spool.OpenTemp(parent, spool.Options{})
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(d.Path(), parent))
	e := put(t, d, "id", "text")
	require.FileExists(t, e.Path)
	require.NoError(t, d.Close())
	require.NoError(t, d.Close())
	require.Empty(t, names(t, parent))
}
