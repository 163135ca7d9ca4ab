package reads_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/internal/reads"
)

// shown returns the view of text[from:to].
func shown(text string, from, to int) reads.View {
	return reads.View{
		Size: int64(len(text)), From: int64(from), To: int64(to),
		Sum: sha256.Sum256([]byte(text[from:to])),
	}
}

func cut(v reads.View) reads.View {
	v.Truncated = true
	return v
}

func part(v reads.View) reads.View {
	v.Excerpt = true
	return v
}

func TestKnowledge(t *testing.T) {
	t.Parallel()
	const text = "one\ntwo\nthree\n"
	for _, tt := range []struct {
		name  string
		views []reads.View
		wrote string
		now   string
		want  reads.Knowledge
	}{
		{name: "never read", now: text, want: reads.Unread},
		{name: "whole", views: []reads.View{shown(text, 0, 14)}, now: text, want: reads.Current},
		{name: "whole, then changed", views: []reads.View{shown(text, 0, 14)}, now: "one\nTWO\nthree\n", want: reads.Stale},
		{name: "whole, then grown", views: []reads.View{shown(text, 0, 14)}, now: text + "four\n", want: reads.Current},
		{name: "whole, then shorter", views: []reads.View{shown(text, 0, 14)}, now: "one\n", want: reads.Stale},
		{name: "a stretch, changed elsewhere", views: []reads.View{shown(text, 4, 8)}, now: "ONE\ntwo\nthree\n", want: reads.Current},
		{name: "a stretch, moved", views: []reads.View{shown(text, 4, 8)}, now: "zero\n" + text, want: reads.Stale},
		{name: "one of two stretches", views: []reads.View{shown(text, 0, 4), shown(text, 4, 8)}, now: "ONE\ntwo\n", want: reads.Current},
		{name: "part of it", views: []reads.View{part(shown(text, 0, 14))}, now: text, want: reads.Current},
		{name: "cut by a limit", views: []reads.View{cut(shown(text, 0, 4))}, now: text, want: reads.Truncated},
		{name: "cut by a limit and changed", views: []reads.View{cut(shown(text, 0, 4)), shown(text, 4, 8)}, now: "x", want: reads.Stale},
		{name: "a later cut does not undo a view", views: []reads.View{shown(text, 0, 14), cut(shown(text, 0, 4))}, now: text, want: reads.Current},
		{name: "empty then", views: []reads.View{{}}, now: "", want: reads.Current},
		{name: "empty then, not now", views: []reads.View{{}}, now: text, want: reads.Stale},
		{name: "past the end", views: []reads.View{shown(text, 14, 14)}, now: text, want: reads.Stale},
		{name: "own writing", wrote: text, now: text, want: reads.Current},
		{name: "own writing, changed since", wrote: text, now: "x", want: reads.Stale},
		{name: "own writing of nothing", views: []reads.View{shown(text, 0, 14)}, wrote: "", now: "", want: reads.Stale},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var st reads.State
			for _, v := range tt.views {
				st.Record("/f", v)
			}
			if tt.wrote != "" {
				st.RecordWrite("/f", []byte(tt.wrote), false)
			}
			require.Equal(t, tt.want, st.Knowledge("/f", []byte(tt.now)))
			require.Equal(t, reads.Unread, st.Knowledge("/other", []byte(tt.now)))
			st.Forget()
			require.Equal(t, reads.Unread, st.Knowledge("/f", []byte(tt.now)))
		})
	}
}

func TestSeenWhole(t *testing.T) {
	t.Parallel()
	const text = "one\ntwo\nthree\n"
	for _, tt := range []struct {
		name  string
		views []reads.View
		wrote string
		part  bool // of wrote
		now   string
		want  bool
	}{
		{name: "never read", now: ""},
		{name: "own writing", wrote: text, now: text, want: true},
		{name: "own change of a part", wrote: text, part: true, now: text},
		{name: "at once", views: []reads.View{shown(text, 0, 14)}, now: text, want: true},
		{name: "in pages, the last first", views: []reads.View{shown(text, 8, 14), cut(shown(text, 0, 8))}, now: text, want: true},
		{name: "then a part of it", views: []reads.View{shown(text, 0, 14), part(shown(text, 0, 14))}, now: text, want: true},
		{name: "another text, then a part of this", views: []reads.View{shown("one\nTWO\nthree\n", 0, 14), part(shown(text, 0, 14))}, now: text},
		{name: "with a gap", views: []reads.View{shown(text, 0, 4), shown(text, 8, 14)}, now: text},
		{name: "without the end", views: []reads.View{shown(text, 0, 8)}, now: text},
		{name: "grown since", views: []reads.View{shown(text, 0, 14)}, now: text + "four\n"},
		{name: "one page changed", views: []reads.View{shown(text, 0, 8), shown(text, 8, 14)}, now: "one\nTWO\nthree\n"},
		{name: "part of it", views: []reads.View{part(shown(text, 0, 14))}, now: text},
		{name: "empty", views: []reads.View{{}}, now: "", want: true},
		{name: "empty then", views: []reads.View{{}}, now: text},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var st reads.State
			for _, v := range tt.views {
				st.Record("/f", v)
			}
			if tt.wrote != "" {
				st.RecordWrite("/f", []byte(tt.wrote), tt.part)
			}
			require.Equal(t, tt.want, st.SeenWhole("/f", []byte(tt.now)))
		})
	}
}

func TestOutdated(t *testing.T) {
	t.Parallel()
	const text = "one\ntwo\nthree\n"
	later := func(v reads.View) reads.View {
		v.Changed = time.Unix(9, 0)
		return v
	}
	noted := func(v reads.View) reads.View {
		v.Size = -1
		return v
	}
	for _, tt := range []struct {
		name  string
		views []reads.View
		wrote bool
		now   string
		want  bool
	}{
		{name: "never read", now: text},
		{name: "whole", views: []reads.View{shown(text, 0, 14)}, now: text},
		{name: "whole, then changed", views: []reads.View{shown(text, 0, 14)}, now: "one\nTWO\nthree\n", want: true},
		{name: "whole, then grown", views: []reads.View{shown(text, 0, 14)}, now: text + "four\n", want: true},
		{name: "a part", views: []reads.View{shown(text, 0, 4)}, now: text},
		{name: "a part, then grown", views: []reads.View{shown(text, 0, 4)}, now: text + "four\n", want: true},
		{name: "a part, then changed elsewhere", views: []reads.View{shown(text, 0, 4)}, now: "one\nTWO\nthree\n"},
		{name: "two parts, one changed", views: []reads.View{shown(text, 0, 8), shown(text, 8, 14)}, now: "one\nTWO\nthree\n", want: true},
		{name: "changed, then a part", views: []reads.View{shown("one\nTWO\nthree\n", 0, 14), later(shown(text, 0, 8))}, now: text},
		{name: "a note of a part", views: []reads.View{noted(shown(text, 0, 4))}, now: text},
		{name: "a note of a part that changed", views: []reads.View{noted(shown(text, 0, 4))}, now: "ONE\ntwo\n", want: true},
		{name: "a note of nothing", views: []reads.View{{Size: -1}}, now: text},
		{name: "empty", views: []reads.View{{}}, now: ""},
		{name: "empty, then grown", views: []reads.View{{}}, now: text, want: true},
		{name: "own writing", wrote: true, now: text},
		{name: "own writing, then grown", wrote: true, now: text + "four\n", want: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var st reads.State
			for _, v := range tt.views {
				st.Record("/f", v)
			}
			if tt.wrote {
				st.RecordWrite("/f", []byte(text), true)
			}
			require.Equal(t, tt.want, st.Outdated("/f", []byte(tt.now)))
			require.False(t, st.Outdated("/other", []byte(tt.now)))
		})
	}
}

func TestSeenPrefix(t *testing.T) {
	t.Parallel()
	const text = "one\ntwo\nthree\n"
	var st reads.State
	require.Equal(t, 0, st.SeenPrefix("/f", []byte(text)))
	st.Record("/f", shown(text, 8, 14))
	require.Equal(t, 0, st.SeenPrefix("/f", []byte(text)), "the beginning was not seen")
	st.Record("/f", shown(text, 0, 4))
	require.Equal(t, 4, st.SeenPrefix("/f", []byte(text)))
	st.Record("/f", part(shown(text, 4, 8)))
	require.Equal(t, 4, st.SeenPrefix("/f", []byte(text)))
	st.Record("/f", shown(text, 4, 8))
	require.Equal(t, len(text), st.SeenPrefix("/f", []byte(text)))
}

// viewOfFile returns the view of a new file.
func viewOfFile(t *testing.T) reads.View {
	t.Helper()
	p := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(p, []byte("text"), 0o600))
	fi, err := os.Stat(p)
	require.NoError(t, err)
	v := shown("text", 0, 4)
	v.Info, v.Changed = fi, time.Unix(1, 0)
	return v
}

func TestShownBy(t *testing.T) {
	t.Parallel()
	base, two := viewOfFile(t), viewOfFile(t).Info
	var st reads.State
	st.Record("/f", base)
	require.Empty(t, st.ShownBy("/f", base), "no result has shown it yet")
	st.SetShown("/f", base, "7")
	for _, tt := range []struct {
		name   string
		change func(v *reads.View)
		want   bool
	}{
		{name: "the same", change: func(*reads.View) {}, want: true},
		{name: "another stretch", change: func(v *reads.View) { v.To = 2 }},
		{name: "other content", change: func(v *reads.View) { v.Sum[0]++ }},
		{name: "another size", change: func(v *reads.View) { v.Size++ }},
		{name: "another time", change: func(v *reads.View) { v.Changed = time.Unix(2, 0) }},
		{name: "another file", change: func(v *reads.View) { v.Info = two }},
		{name: "no identity", change: func(v *reads.View) { v.Info = nil }},
		{name: "cut", change: func(v *reads.View) { v.Truncated = true }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := base
			tt.change(&v)
			require.Equal(t, tt.want, st.ShownBy("/f", v) == "7")
			var other reads.State
			other.Record("/f", v)
			other.SetShown("/f", base, "7")
			require.Equal(t, tt.want, other.ShownBy("/f", v) == "7", "only what is recorded can be marked")
		})
	}
	require.Empty(t, st.ShownBy("/other", base))
}

func TestShownIsKept(t *testing.T) {
	t.Parallel()
	var st reads.State
	base := viewOfFile(t)
	st.Record("/f", base)
	st.SetShown("/f", base, "7")
	st.Record("/f", base)
	require.Equal(t, "7", st.ShownBy("/f", base), "a script that reads it again takes nothing away")
	st.SetShown("/f", base, "")
	require.Empty(t, st.ShownBy("/f", base))
	st.SetShown("/f", base, "8")
	touched := base
	touched.Changed = time.Unix(3, 0)
	st.Record("/f", touched)
	require.Empty(t, st.ShownBy("/f", touched))
	require.Empty(t, st.ShownBy("/f", base))
	st.SetShown("/f", touched, "9")
	st.RecordWrite("/f", []byte("text"), false)
	st.SetShown("/f", touched, "9")
	require.Empty(t, st.ShownBy("/f", touched), "the session has written the file since")
}

func TestOldViewsAreDropped(t *testing.T) {
	t.Parallel()
	text := fmt.Sprintf("%0100d", 0)
	var st reads.State
	for i := range 100 {
		st.Record("/f", shown(text, i, i+1))
	}
	// Only the first is still as it was, and it is forgotten.
	require.Equal(t, reads.Stale, st.Knowledge("/f", []byte("0")))
}

func TestForkBeginsWithACopy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		main, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir()})
		require.NoError(t, err)
		defer func() { require.NoError(t, main.Close(context.Background())) }()
		fi, err := os.Stat(main.Dir())
		require.NoError(t, err)
		v := shown("text", 0, 4)
		v.Info = fi
		reads.Of(main).Record("/before", v)
		reads.Of(main).SetShown("/before", v, "1")
		fork, err := main.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent})
		require.NoError(t, err)
		reads.Of(main).Record("/after", v)
		reads.Of(fork).Record("/own", v)
		reads.Of(fork).SetShown("/own", v, "2")

		text := []byte("text")
		require.Equal(t, reads.Current, reads.Of(fork).Knowledge("/before", text))
		require.Equal(t, reads.Unread, reads.Of(fork).Knowledge("/after", text), "the fork has not seen it")
		require.Equal(t, reads.Unread, reads.Of(main).Knowledge("/own", text), "the parent has not seen it")
		require.Equal(t, "1", reads.Of(main).ShownBy("/before", v))
		require.Empty(t, reads.Of(fork).ShownBy("/before", v), "its conversation is another")
		require.Equal(t, "2", reads.Of(fork).ShownBy("/own", v))
	})
}
