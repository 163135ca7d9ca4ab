package spool_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/spool"
)

func TestPut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789abcde\n", 64<<10) // 1 MiB: several buffers
	tests := []struct {
		name    string
		text    string
		maxFile int64
		kept    string // what the file begins with; all of it unless cut
		cut     string // what follows what is kept of a cut stream
		lines   int64
	}{
		{name: "empty"},
		{name: "a line", text: "one\n", kept: "one\n", lines: 1},
		{name: "no end of the last line", text: "one\ntwo", kept: "one\ntwo", lines: 2},
		{name: "empty lines", text: "\n\n\n", kept: "\n\n\n", lines: 3},
		{name: "long", text: long, kept: long, lines: 64 << 10},
		{name: "exactly the limit", text: "one\ntwo", maxFile: 7, kept: "one\ntwo", lines: 2},
		{name: "cut after a line", text: "one\ntwo\n", maxFile: 7, kept: "one\n", cut: "[cut here: only the first 4 of 8 bytes were kept. ", lines: 2},
		{name: "cut at a line's end", text: "one\ntwo\n", maxFile: 4, kept: "one\n", cut: "[cut here: only the first 4 of 8 bytes", lines: 2},
		{name: "cut without a line", text: "abcdefgh", maxFile: 6, kept: "abcdef", cut: "\n[cut here: only the first 6 of 8 bytes", lines: 1},
		{name: "cut before a character", text: "aé漢字", maxFile: 8, kept: "aé漢", cut: "\n[cut here: only the first 6 of 9 bytes", lines: 1},
		{name: "cut after a character", text: "aé漢字z", maxFile: 9, kept: "aé漢字", cut: "\n[cut here: only the first 9 of 10 bytes", lines: 1},
		{name: "cut in four bytes", text: "ab😀😀", maxFile: 9, kept: "ab😀", cut: "\n[cut here: only the first 6 of 10 bytes", lines: 1},
		{name: "cut in what is no text", text: "\x80\x80\x80\x80\x80\x80", maxFile: 5, kept: "\x80\x80\x80\x80\x80", cut: "\n[cut here: only the first 5 of 6 bytes", lines: 1},
		{name: "cut of many buffers", text: long, maxFile: 500_000, kept: long[:500_000/16*16], cut: "[cut here: only the first 500000 of 1048576 bytes", lines: 64 << 10},
		{name: "line too far back", text: "a\n" + strings.Repeat("b", 200_000), maxFile: 190_000, kept: "a\n" + strings.Repeat("b", 189_998), cut: "\n[cut here: only the first 190000", lines: 2},
	}
	readers := []struct {
		name string
		of   func(string) io.Reader
	}{
		{name: "whole", of: func(s string) io.Reader { return strings.NewReader(s) }},
		{name: "halves", of: func(s string) io.Reader { return iotest.HalfReader(strings.NewReader(s)) }},
		{name: "data with EOF", of: func(s string) io.Reader { return iotest.DataErrReader(strings.NewReader(s)) }},
	}
	for _, tc := range tests {
		for _, r := range readers {
			t.Run(tc.name+", "+r.name, func(t *testing.T) {
				t.Parallel()
				o := unlimited()
				if tc.maxFile > 0 {
					o.MaxFile = tc.maxFile
				}
				d := open(t, "", "s", o)
				e, err := d.Put(t.Context(), "id", "txt", r.of(tc.text))
				require.NoError(t, err)
				require.Equal(t, spool.Entry{
					Ref: spool.EntryName("id", "txt"), Path: filepath.Join(d.Path(), e.Ref),
					Size: int64(len(tc.kept)), Total: int64(len(tc.text)), Lines: tc.lines,
					Cut: tc.cut != "",
				}, e)
				file := content(t, d, e.Ref)
				rest, ok := strings.CutPrefix(file, tc.kept)
				require.True(t, ok, "the file has %d bytes", len(file))
				if tc.cut == "" {
					require.Empty(t, rest)
				} else {
					require.True(t, strings.HasPrefix(rest, tc.cut), rest)
					require.True(t, strings.HasSuffix(rest, "run the tool again with a narrower request.]\n"), rest)
				}
				require.Equal(t, []string{e.Ref}, names(t, d.Path()))
				require.EqualValues(t, len(file), ledger(t, filepath.Join(d.Path(), ".spool-size")))
				require.EqualValues(t, len(file), ledger(t, filepath.Join(d.Path(), "..", ".spool-total")))
			})
		}
	}
}

// TestPutAgain puts streams of one call several times.
func TestPutAgain(t *testing.T) {
	t.Parallel()
	d := open(t, "", "s", unlimited())
	first := put(t, d, "id", "one")
	before, err := d.Stat(first.Ref)
	require.NoError(t, err)
	reader, err := d.Open(first.Ref)
	require.NoError(t, err)
	defer func() { _ = reader.Close() }()

	require.Equal(t, first, put(t, d, "id", "one"))
	after, err := d.Stat(first.Ref)
	require.NoError(t, err)
	require.True(t, os.SameFile(before, after), "the file stays")

	other := put(t, d, "id", "two")
	require.NotEqual(t, first.Ref, other.Ref)
	require.True(t, spool.IsEntryName(other.Ref))
	require.Equal(t, other, put(t, d, "id", "two"))
	longer := put(t, d, "id", "longer")
	require.Equal(t, "one", content(t, d, first.Ref))
	require.Equal(t, "two", content(t, d, other.Ref))
	require.Equal(t, "longer", content(t, d, longer.Ref))
	data, err := io.ReadAll(reader)
	require.NoError(t, err)
	require.Equal(t, "one", string(data))
	require.Len(t, names(t, d.Path()), 3)
	require.EqualValues(t, 12, ledger(t, filepath.Join(d.Path(), ".spool-size")))

	// A file whose name says what is in it is put right.
	damage(t, other.Path, "\x00\x00\x00")
	require.Equal(t, other, put(t, d, "id", "two"))
	require.Equal(t, "two", content(t, d, other.Ref))
	require.EqualValues(t, 12, ledger(t, filepath.Join(d.Path(), ".spool-size")))
	// One whose name does not is left alone: somebody may have seen it.
	damage(t, first.Path, "on")
	again := put(t, d, "id", "one")
	require.NotEqual(t, first.Ref, again.Ref)
	require.Equal(t, "one", content(t, d, again.Ref))
	require.Equal(t, "on", content(t, d, first.Ref))
}

// TestIDsOfOneName has ids that look the same to a file system, or in a name.
func TestIDsOfOneName(t *testing.T) {
	t.Parallel()
	d := open(t, "", "s", unlimited())
	ids := []string{"", "_", "a", "A", "a.", "a/", "a\\", "a\x00", "../a", "con", "CON", strings.Repeat("a", 1<<20), strings.Repeat("a", 1<<20-1)}
	seen := map[string]string{}
	for _, id := range ids {
		e := put(t, d, id, "text of "+id)
		lower := strings.ToLower(e.Ref)
		require.NotContains(t, seen, lower, "%.10q", id)
		seen[lower] = e.Ref
	}
	require.Len(t, names(t, d.Path()), len(ids))
	for _, id := range ids {
		require.Equal(t, "text of "+id, content(t, d, spool.EntryName(id, "txt")))
	}
}

// A countingReader counts the bytes that were read from it.
type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

var (
	errTest = errors.New("an error of the test")
	errFull = errors.New("no room")
)

// TestPutUnstored has all that goes wrong in the middle.
func TestPutUnstored(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	text := strings.Repeat("0123456789abcde\n", size/16)
	tests := []struct {
		name   string
		reader func(cancel func()) io.Reader
		fault  func(off int64) error
		want   error
		total  int64
	}{
		{name: "full from the start", fault: func(int64) error { return errFull }, want: errFull, total: size},
		{name: "full later", fault: func(off int64) error {
			if off > 0 {
				return errFull
			}
			return nil
		}, want: errFull, total: size},
		{name: "the stream breaks", reader: func(func()) io.Reader {
			return io.MultiReader(strings.NewReader(text[:300_000]), iotest.ErrReader(errTest))
		}, want: errTest, total: 300_000},
		{name: "the stream breaks at once", reader: func(func()) io.Reader { return iotest.ErrReader(errTest) }, want: errTest},
		{name: "nothing comes", reader: func(func()) io.Reader { return iotest.ErrReader(nil) }, want: io.ErrNoProgress},
		{name: "cancelled", reader: func(cancel func()) io.Reader {
			return io.MultiReader(strings.NewReader(text[:300_000]), readerFunc(func(p []byte) (int, error) {
				cancel()
				return copy(p, text[:1000]), nil
			}), strings.NewReader(text))
		}, want: context.Canceled, total: 301_000},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			d := open(t, "", "s", unlimited())
			d.FailWrites(tc.fault)
			var r io.Reader = strings.NewReader(text)
			if tc.reader != nil {
				r = tc.reader(cancel)
			}
			counted := &countingReader{r: r}
			e, err := d.Put(ctx, "id", "txt", counted)
			require.ErrorIs(t, err, tc.want)
			var unstored *spool.UnstoredError
			require.ErrorAs(t, err, &unstored)
			require.Equal(t, e, unstored.Entry)
			require.Contains(t, err.Error(), tc.want.Error())
			require.Equal(t, tc.total, e.Total)
			require.Equal(t, tc.total, counted.n)
			require.Equal(t, (tc.total+15)/16, e.Lines)
			require.Empty(t, e.Ref)
			require.Empty(t, names(t, d.Path()))
			d.FailWrites(nil)
			require.Equal(t, text, content(t, d, put(t, d, "id", text).Ref))
			require.EqualValues(t, size, ledger(t, filepath.Join(d.Path(), ".spool-size")))
		})
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestPutPanics has a reader that panics: the file does not stay.
func TestPutPanics(t *testing.T) {
	t.Parallel()
	d := open(t, "", "s", unlimited())
	r := io.MultiReader(bytes.NewReader(make([]byte, 1<<20)), readerFunc(func([]byte) (int, error) { panic(errTest) }))
	require.PanicsWithValue(t, errTest, func() { _, _ = d.Put(t.Context(), "id", "txt", r) })
	require.Empty(t, names(t, d.Path()))
	require.Zero(t, ledger(t, filepath.Join(d.Path(), ".spool-size")))
}

func TestPutAfterClose(t *testing.T) {
	t.Parallel()
	d := open(t, "", "s", spool.Options{})
	e := put(t, d, "id", "text")
	require.NoError(t, d.Close())
	_, err := d.Put(t.Context(), "id2", "txt", strings.NewReader("text"))
	require.Error(t, err)
	_, err = d.Open(e.Ref)
	require.Error(t, err)
	require.Error(t, d.Sweep(t.Context()))
}

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
