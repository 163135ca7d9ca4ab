package spool_test

import (
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/spool"
)

func TestOldestFirst(t *testing.T) {
	t.Parallel()
	d := open(t, "", "s", spool.Options{MaxSession: 10})
	a, b, c := put(t, d, "a", "aaaa"), put(t, d, "b", "bbb"), put(t, d, "c", "ccc")
	require.Len(t, names(t, d.Path()), 3, "exactly full")
	reader, err := d.Open(a.Ref)
	require.NoError(t, err)
	e := put(t, d, "e", "e")
	require.ElementsMatch(t, []string{b.Ref, c.Ref, e.Ref}, names(t, d.Path()))
	data, err := io.ReadAll(reader)
	require.NoError(t, err)
	require.Equal(t, "aaaa", string(data), "who reads is not hurt")
	require.NoError(t, reader.Close())
	f := put(t, d, "f", "ffff")
	require.ElementsMatch(t, []string{c.Ref, e.Ref, f.Ref}, names(t, d.Path()))
}

// TestPutAnew has an entry that was the oldest when somebody looked, and is no more.
func TestPutAnew(t *testing.T) {
	t.Parallel()
	d := open(t, "", "s", spool.Options{MaxSession: 10})
	put(t, d, "a", "aaa")
	b, c := put(t, d, "b", "bbb"), put(t, d, "c", "ccc")
	e := put(t, d, "e", "ee") // looks, and removes a
	require.NoError(t, d.Remove(t.Context(), b.Ref))
	require.Equal(t, b.Ref, put(t, d, "b", "bbb").Ref)
	f := put(t, d, "f", "ffff")
	require.ElementsMatch(t, []string{e.Ref, b.Ref, f.Ref}, names(t, d.Path()), c.Ref)
}

// TestTiesByName has entries of one age.
func TestTiesByName(t *testing.T) {
	t.Parallel()
	d := open(t, "", "s", spool.Options{MaxSession: 10})
	a, b := put(t, d, "b", "bbbbb"), put(t, d, "a", "aaaaa")
	info, err := d.Stat(a.Ref)
	require.NoError(t, err)
	require.NoError(t, os.Chtimes(b.Path, info.ModTime(), info.ModTime()))
	c := put(t, d, "c", "c")
	require.ElementsMatch(t, []string{a.Ref, c.Ref}, names(t, d.Path()))
}

// TestCutToQuota has a stream for which there is no room at all.
func TestCutToQuota(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789abcde\n", 64<<10)
	tests := []struct {
		name           string
		session, total int64
		noted          bool
	}{
		{name: "session", session: 300_000, noted: true},
		{name: "total", total: 300_000, noted: true},
		{name: "less than a buffer", session: 1000, noted: true},
		{name: "no room for a note", session: 100},
		{name: "a byte", session: 1},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			d := open(t, "", "s", spool.Options{MaxFile: -1, MaxSession: tc.session, MaxTotal: tc.total})
			put(t, d, "old", "x")
			e := put(t, d, "id", text)
			require.True(t, e.Cut)
			require.EqualValues(t, len(text), e.Total)
			require.Equal(t, []string{e.Ref}, names(t, d.Path()))
			limit := max(tc.session, tc.total)
			require.LessOrEqual(t, sizeOf(t, d.Path()), limit)
			require.Greater(t, sizeOf(t, d.Path()), limit-300, "what there is room for is used")
			file := content(t, d, e.Ref)
			require.Equal(t, text[:e.Size], file[:e.Size])
			require.Equal(t, tc.noted, strings.HasSuffix(file, "request.]\n"))
			require.Equal(t, int64(len(file)), ledger(t, filepath.Join(d.Path(), ".spool-size")))
		})
	}
}

// TestGrowing looks at the quota while a stream grows.
func TestGrowing(t *testing.T) {
	t.Parallel()
	const quota = 3 << 20
	d := open(t, "", "s", spool.Options{MaxFile: -1, MaxSession: quota})
	old := put(t, d, "old", strings.Repeat("o", 1<<20))
	block := []byte(strings.Repeat("0123456789abcde\n", 4<<10))
	reads, gone := 0, 0
	r := readerFunc(func(p []byte) (int, error) {
		if reads++; reads == 100 {
			return 0, io.EOF
		}
		require.LessOrEqual(t, sizeOf(t, d.Path()), int64(quota))
		if _, err := d.Stat(old.Ref); err != nil && gone == 0 {
			gone = reads
		}
		return copy(p, block), nil
	})
	e, err := d.Put(t.Context(), "id", "txt", r)
	require.NoError(t, err)
	require.True(t, e.Cut)
	require.EqualValues(t, 99*len(block), e.Total)
	require.Greater(t, gone, (2<<20)/len(block), "the old entry stays until there is no room")
}

// TestTotal has sessions that take room from each other.
func TestTotal(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	o := spool.Options{MaxTotal: 10}
	d1, d2 := open(t, root, "s1", o), open(t, root, "s2", o)
	a, b, c := put(t, d1, "a", "aaaa"), put(t, d2, "b", "bbbb"), put(t, d2, "c", "cc")
	e := put(t, d2, "e", "eee")
	require.Empty(t, names(t, d1.Path()), a.Ref)
	require.ElementsMatch(t, []string{b.Ref, c.Ref, e.Ref}, names(t, d2.Path()))
	require.Zero(t, ledger(t, filepath.Join(d1.Path(), ".spool-size")))
	require.EqualValues(t, 9, ledger(t, filepath.Join(d2.Path(), ".spool-size")))
	require.EqualValues(t, 9, ledger(t, filepath.Join(root, ".spool-total")))
	f := put(t, d1, "f", "ffffff")
	require.Equal(t, []string{f.Ref}, names(t, d1.Path()))
	require.Equal(t, []string{e.Ref}, names(t, d2.Path()))
}

// TestManyEntries has more entries than a survey remembers.
func TestManyEntries(t *testing.T) {
	t.Parallel()
	const count = 2*spool.MaxQueue + 100
	d := open(t, "", "s", spool.Options{MaxSession: count})
	for i := range count {
		put(t, d, fmt.Sprint(i), "x")
	}
	require.Len(t, names(t, d.Path()), count)
	last := put(t, d, "last", strings.Repeat("x", spool.MaxQueue+50))
	left := names(t, d.Path())
	require.Len(t, left, count-spool.MaxQueue-50+1)
	require.Contains(t, left, last.Ref)
	for i := range count {
		require.Equal(t, i >= spool.MaxQueue+50, slices.Contains(left, spool.EntryName(fmt.Sprint(i), "txt")), i)
	}
}

// TestForeign has files of others that a quota does not count and does not remove.
func TestForeign(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	d := open(t, root, "s", spool.Options{MaxSession: 10, MaxTotal: 10, Retention: 1})
	theirs := filepath.Join(root, "theirs")
	require.NoError(t, os.Mkdir(theirs, 0o700))
	paths := []string{
		filepath.Join(d.Path(), "notes.txt"), filepath.Join(d.Path(), ".spool-x.tmp"), filepath.Join(root, "a-x01234567.txt"),
		filepath.Join(root, "a.txt"), filepath.Join(theirs, "a-x01234567.txt"),
	}
	for _, path := range paths {
		damage(t, path, strings.Repeat("z", 100))
	}
	for i := range 5 {
		put(t, d, fmt.Sprint(i), "0123456789")
	}
	require.NoError(t, d.Sweep(t.Context()))
	for _, path := range paths {
		require.FileExists(t, path)
	}
	require.Len(t, names(t, d.Path()), 2, "only theirs")
}

// TestLedgers breaks what says how much there is.
func TestLedgers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		text string
	}{
		{name: "empty"},
		{name: "no number", text: "nothing that is a count"},
		{name: "short", text: "1"},
		{name: "negative", text: fmt.Sprintf("%19d\n", -5)},
		{name: "too much", text: fmt.Sprintf("%19d\n", 1_000_000)},
	}
	for _, tc := range tests {
		for _, file := range []string{filepath.Join("s", ".spool-size"), ".spool-total"} {
			t.Run(tc.name+" "+filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				root := t.TempDir()
				d := open(t, root, "s", spool.Options{MaxSession: 10, MaxTotal: 10})
				put(t, d, "a", "aaaa")
				put(t, d, "b", "bbbb")
				damage(t, filepath.Join(root, file), tc.text)
				put(t, d, "c", "cccc")
				require.Len(t, names(t, d.Path()), 2)
				require.EqualValues(t, 8, ledger(t, filepath.Join(d.Path(), ".spool-size")))
				require.EqualValues(t, 8, ledger(t, filepath.Join(root, ".spool-total")))
			})
		}
	}
}

// A model is what a store should hold.
type model struct {
	t       *testing.T
	dirs    []*spool.Dir
	session int64
	total   int64
	entries map[string]kept // by path
	age     int
}

type kept struct {
	dir  *spool.Dir
	ref  string
	text string // of the file
	age  int
	info os.FileInfo
}

// put stores a stream and follows what that must do.
func (m *model) put(d *spool.Dir, id, text string, maxFile int64) {
	m.t.Helper()
	e := put(m.t, d, id, text)
	require.Equal(m.t, text[:e.Size], content(m.t, d, e.Ref)[:e.Size])
	require.EqualValues(m.t, len(text), e.Total)
	wanted := int64(len(text))
	if wanted > maxFile || e.Cut {
		require.True(m.t, e.Cut)
		wanted = min(wanted, maxFile) + 256 // with the note
	}
	gone := maps.Clone(m.entries)
	for path, old := range m.entries { // what is stored again is younger, and the same file
		info, err := os.Lstat(path)
		if err == nil && os.SameFile(info, old.info) && (path == e.Path || info.ModTime().Equal(old.info.ModTime())) {
			delete(gone, path)
		}
	}
	for path := range gone {
		delete(m.entries, path)
	}
	m.isNecessary(gone, d, wanted)
	text = content(m.t, d, e.Ref)
	if same, ok := m.entries[e.Path]; ok {
		require.Equal(m.t, same.text, text)
	}
	info, err := d.Stat(e.Ref)
	require.NoError(m.t, err)
	m.age++
	m.entries[e.Path] = kept{dir: d, ref: e.Ref, text: text, age: m.age, info: info}
}

// isNecessary checks that the oldest have gone, and that the last of them had to.
func (m *model) isNecessary(gone map[string]kept, d *spool.Dir, wanted int64) {
	m.t.Helper()
	for _, g := range gone {
		own, all := int64(0), int64(0)
		oldestOwn, oldestAll := true, true
		for _, e := range m.entries {
			all += int64(len(e.text))
			oldestAll = oldestAll && g.age < e.age
			if e.dir == g.dir {
				own += int64(len(e.text))
				oldestOwn = oldestOwn && g.age < e.age
			}
		}
		for _, other := range gone {
			if other.age > g.age {
				all += int64(len(other.text))
			}
			if other.age > g.age && other.dir == g.dir {
				own += int64(len(other.text))
			}
		}
		size := int64(len(g.text))
		bySession := g.dir == d && oldestOwn && own+size+wanted > m.session
		byTotal := oldestAll && all+size+wanted > m.total
		require.True(m.t, bySession || byTotal, "%s is gone: %d and %d bytes, %d wanted", g.ref, own, all, wanted)
	}
}

// check compares everything.
func (m *model) check() {
	m.t.Helper()
	files, all := 0, int64(0)
	for _, d := range m.dirs {
		files += len(names(m.t, d.Path()))
		own := sizeOf(m.t, d.Path())
		all += own
		require.LessOrEqual(m.t, own, m.session)
		require.Equal(m.t, own, ledger(m.t, filepath.Join(d.Path(), ".spool-size")))
	}
	require.LessOrEqual(m.t, all, m.total)
	require.Equal(m.t, all, ledger(m.t, filepath.Join(m.dirs[0].Path(), "..", ".spool-total")))
	require.Len(m.t, m.entries, files)
	for _, e := range m.entries {
		require.Equal(m.t, e.text, content(m.t, e.dir, e.ref))
	}
}

// TestModel does random things and compares with a model.
func TestModel(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(24)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 1))
			root := t.TempDir()
			maxFile := 100 + r.Int64N(3000)
			m := model{t: t, session: 500 + r.Int64N(10_000), total: 500 + r.Int64N(20_000), entries: map[string]kept{}}
			for i := range 3 {
				o := spool.Options{MaxFile: maxFile, MaxSession: m.session, MaxTotal: m.total}
				m.dirs = append(m.dirs, open(t, root, fmt.Sprint("s", i), o))
			}
			m.put(m.dirs[0], "first", "text", maxFile) // now there are counts
			for range 150 {
				d := m.dirs[r.IntN(len(m.dirs))]
				switch r.IntN(10) {
				case 0:
					for path, e := range m.entries {
						require.NoError(t, e.dir.Remove(t.Context(), e.ref))
						delete(m.entries, path)
						break
					}
				case 1:
					require.NoError(t, d.Sweep(t.Context()))
				default:
					id := fmt.Sprint("id", r.IntN(30))
					line := fmt.Sprint(id, " ", r.IntN(3), "\n")
					m.put(d, id, strings.Repeat(line, 1+r.IntN(300)), maxFile)
				}
				m.check()
			}
		})
	}
}
