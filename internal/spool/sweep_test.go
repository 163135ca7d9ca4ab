package spool_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/spool"
)

// aged makes a file so old.
func aged(t *testing.T, path string, by time.Duration) {
	t.Helper()
	then := time.Now().Add(-by)
	require.NoError(t, os.Chtimes(path, then, then))
}

func TestRetention(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	tests := []struct {
		name      string
		retention time.Duration
		age       time.Duration
		gone      bool
	}{
		{name: "standard, young", age: 29 * day},
		{name: "standard, old", age: 31 * day, gone: true},
		{name: "an hour, young", retention: time.Hour, age: 59 * time.Minute},
		{name: "an hour, old", retention: time.Hour, age: 61 * time.Minute, gone: true},
		{name: "for ever", retention: -1, age: 10_000 * day},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			d := open(t, root, "s", spool.Options{Retention: tc.retention})
			other := open(t, root, "other", spool.Options{})
			old, young := put(t, d, "old", "old"), put(t, d, "young", "young")
			theirs := put(t, other, "id", "text")
			aged(t, old.Path, tc.age)
			aged(t, theirs.Path, tc.age)
			require.NoError(t, d.Sweep(t.Context()))
			want, size := []string{old.Ref, young.Ref}, int64(8)
			if tc.gone {
				want, size = []string{young.Ref}, 5
				require.NoFileExists(t, theirs.Path)
			} else {
				require.FileExists(t, theirs.Path)
			}
			require.ElementsMatch(t, want, names(t, d.Path()))
			require.Equal(t, size, ledger(t, filepath.Join(d.Path(), ".spool-size")))
			require.Equal(t, size+sizeOf(t, other.Path()), ledger(t, filepath.Join(root, ".spool-total")))
			require.DirExists(t, other.Path(), "it is open")
		})
	}
}

// TestStoredAgainIsYoung keeps a result that a conversation has come back to.
func TestStoredAgainIsYoung(t *testing.T) {
	t.Parallel()
	d := open(t, "", "s", spool.Options{Retention: time.Hour, MaxSession: 12})
	again, old := put(t, d, "again", "text"), put(t, d, "old", "text")
	aged(t, again.Path, 2*time.Hour)
	aged(t, old.Path, 30*time.Minute)
	require.Equal(t, again.Path, put(t, d, "again", "text").Path)
	require.NoError(t, d.Sweep(t.Context()))
	require.FileExists(t, again.Path)
	put(t, d, "more", "more")
	require.FileExists(t, old.Path)
	put(t, d, "and more", "more")
	require.FileExists(t, again.Path)
	require.NoFileExists(t, old.Path, "it made room")
}

// TestLeftovers has temporary files with and without a writer.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	o := spool.Options{Retention: time.Hour}
	d, sweeper := open(t, root, "s", o), open(t, root, "sweeper", o)
	dead := filepath.Join(d.Path(), ".spool-ABCDEFGHIJKLMNOPQRSTUVWXYZ.tmp")
	text := strings.Repeat("x", 1<<20)
	swept := false
	r := strings.NewReader(text)
	e, err := d.Put(t.Context(), "id", "txt", readerFunc(func(p []byte) (int, error) {
		if r.Len() < 300_000 && !swept {
			swept = true
			live := names(t, d.Path())
			require.Len(t, live, 1)
			require.True(t, spool.IsTempName(live[0]))
			aged(t, filepath.Join(d.Path(), live[0]), 2*time.Hour)
			damage(t, dead, "dead")
			require.NoError(t, sweeper.Sweep(t.Context()))
			require.NoFileExists(t, dead)
			require.FileExists(t, filepath.Join(d.Path(), live[0]))
		}
		return r.Read(p)
	}))
	require.NoError(t, err)
	require.True(t, swept)
	require.Equal(t, text, content(t, d, e.Ref))
	require.EqualValues(t, len(text), ledger(t, filepath.Join(root, ".spool-total")))
}

// TestLeftoversAreEvicted has what a dead process has left in the way.
func TestLeftoversAreEvicted(t *testing.T) {
	t.Parallel()
	d := open(t, "", "s", spool.Options{MaxSession: 10, SweepEvery: -1})
	a := put(t, d, "a", "aaaa")
	dead := filepath.Join(d.Path(), ".spool-ABCDEFGHIJKLMNOPQRSTUVWXYZ.tmp")
	damage(t, dead, "dead!")
	damage(t, filepath.Join(d.Path(), ".spool-size"), "                  9\n") // as it left it
	b := put(t, d, "b", "bbbb")
	require.ElementsMatch(t, []string{a.Ref, b.Ref}, names(t, d.Path()))
}

func TestEmptySessions(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	d := open(t, root, "s", spool.Options{})
	live := open(t, root, "live", spool.Options{})
	closed := map[string]string{}
	for _, name := range []string{"empty", "full", "foreign"} {
		other, err := spool.Open(root, name, spool.Options{})
		require.NoError(t, err)
		closed[name] = other.Path()
		if name == "full" {
			put(t, other, "id", "text")
		}
		require.NoError(t, other.Close())
	}
	damage(t, filepath.Join(closed["foreign"], "notes.txt"), "theirs")
	require.NoError(t, d.Sweep(t.Context()))
	require.NoDirExists(t, closed["empty"])
	for _, path := range []string{closed["full"], closed["foreign"], live.Path(), d.Path()} {
		require.FileExists(t, filepath.Join(path, ".spool-size"))
	}
	put(t, live, "id", "text")
	require.EqualValues(t, 8, ledger(t, filepath.Join(root, ".spool-total")))
	again := open(t, root, "empty", spool.Options{})
	put(t, again, "id", "text")
}

// TestUnaskedSweeps looks at when Open and Put sweep by themselves.
func TestUnaskedSweeps(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		const every = 10 * time.Minute
		o := spool.Options{Retention: time.Minute, SweepEvery: every}
		d := open(t, root, "s", o)
		old := put(t, d, "old", "old")
		time.Sleep(every - time.Second)
		put(t, d, "id", "text")
		require.FileExists(t, old.Path, "swept less than ten minutes ago")
		other := open(t, root, "other", o)
		require.FileExists(t, old.Path, "others see that too")
		time.Sleep(time.Second)
		e := put(t, other, "id", "text")
		require.NoFileExists(t, old.Path)
		time.Sleep(every - time.Second)
		put(t, d, "id2", "text")
		require.FileExists(t, e.Path)
		time.Sleep(time.Second)
		put(t, d, "id3", "text")
		require.NoFileExists(t, e.Path)

		// A clock was wrong.
		later := time.Now().Add(24 * time.Hour)
		require.NoError(t, os.Chtimes(filepath.Join(root, ".spool-swept"), later, later))
		e = put(t, d, "id4", "text")
		time.Sleep(2 * time.Minute)
		open(t, root, "third", o)
		require.NoFileExists(t, e.Path)

		never := open(t, root, "never", spool.Options{Retention: time.Minute, SweepEvery: -1})
		e = put(t, never, "id5", "text")
		time.Sleep(time.Hour)
		put(t, never, "id6", "text")
		require.FileExists(t, e.Path)
	})
}
