package resulttrim_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/resulttrim"
)

const (
	whole    = resulttrim.Whole
	replaced = resulttrim.Replaced
	masked   = resulttrim.Masked
)

func TestBudget(t *testing.T) {
	t.Parallel()
	huge := math.MaxInt
	tests := []struct {
		name    string
		limits  resulttrim.Limits
		results []resulttrim.Result
		want    []resulttrim.Form
	}{
		{name: "nothing", limits: resulttrim.Limits{PerMessage: 10}, want: []resulttrim.Form{}},
		{
			name: "no limit",
			results: []resulttrim.Result{
				{ID: "a", Turn: 1, Size: huge},
				{ID: "b", Turn: 1, Size: huge},
			},
			want: []resulttrim.Form{whole, whole},
		},
		{
			name:   "what fits exactly is whole",
			limits: resulttrim.Limits{PerMessage: 100},
			results: []resulttrim.Result{
				{ID: "a", Turn: 1, Size: 60},
				{ID: "b", Turn: 1, Size: 40},
			},
			want: []resulttrim.Form{whole, whole},
		},
		{
			name:   "the largest goes first",
			limits: resulttrim.Limits{PerMessage: 100, MinSize: 10},
			results: []resulttrim.Result{
				{ID: "a", Turn: 1, Size: 40},
				{ID: "b", Turn: 1, Size: 61},
				{ID: "c", Turn: 1, Size: 20},
			},
			want: []resulttrim.Form{whole, replaced, whole},
		},
		{
			name:   "the earlier of two equal ones",
			limits: resulttrim.Limits{PerMessage: 100, MinSize: 10},
			results: []resulttrim.Result{
				{ID: "a", Turn: 1, Size: 20},
				{ID: "b", Turn: 1, Size: 50},
				{ID: "c", Turn: 1, Size: 50},
			},
			want: []resulttrim.Form{whole, replaced, whole},
		},
		{
			name:   "what stands in for a result needs room too",
			limits: resulttrim.Limits{PerMessage: 100, MinSize: 41},
			results: []resulttrim.Result{
				{ID: "a", Turn: 1, Size: 60},
				{ID: "b", Turn: 1, Size: 80},
			},
			want: []resulttrim.Form{replaced, replaced},
		},
		{
			name:   "every turn has the whole limit",
			limits: resulttrim.Limits{PerMessage: 100},
			results: []resulttrim.Result{
				{ID: "a", Turn: 1, Size: 100},
				{ID: "b", Turn: 2, Size: 100},
				{ID: "c", Turn: 1, Size: 100}, // numbers need not ascend
			},
			want: []resulttrim.Form{whole, whole, whole},
		},
		{
			name:   "small and fixed results stay, even above the limit",
			limits: resulttrim.Limits{PerMessage: 10, MinSize: 50},
			results: []resulttrim.Result{
				{ID: "a", Turn: 1, Size: 50},
				{ID: "b", Turn: 1, Size: 900, Fixed: true},
				{ID: "c", Turn: 1, Size: 51},
			},
			want: []resulttrim.Form{whole, whole, replaced},
		},
		{
			name:   "a negative size makes no room",
			limits: resulttrim.Limits{PerMessage: 100},
			results: []resulttrim.Result{
				{ID: "a", Turn: 1, Size: -50},
				{ID: "b", Turn: 1, Size: 101},
			},
			want: []resulttrim.Form{whole, replaced},
		},
		{
			name:   "sums do not overflow",
			limits: resulttrim.Limits{PerMessage: math.MaxInt32, MinSize: math.MinInt},
			results: []resulttrim.Result{
				{ID: "a", Turn: 1, Size: huge},
				{ID: "b", Turn: 1, Size: huge},
				{ID: "c", Turn: 1, Size: huge},
			},
			want: []resulttrim.Form{replaced, replaced, whole},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var s resulttrim.State
			require.Equal(t, tt.want, forms(s.Decide(tt.results, tt.limits)))
		})
	}
}

func TestMasking(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		limits  resulttrim.Limits
		results []resulttrim.Result
		want    []resulttrim.Form
	}{
		{
			name:   "never without a limit",
			limits: resulttrim.Limits{MaskStep: 1},
			results: []resulttrim.Result{
				{ID: "a", Turn: 1, Size: 1000},
				{ID: "b", Turn: 2, Size: 1000},
				{ID: "c", Turn: 3, Size: 1000},
			},
			want: []resulttrim.Form{whole, whole, whole},
		},
		{
			name:   "the last turn does not count",
			limits: resulttrim.Limits{KeepRecent: 100},
			results: []resulttrim.Result{
				{ID: "a", Turn: 1, Size: 100},
				{ID: "b", Turn: 2, Size: 900},
			},
			want: []resulttrim.Form{whole, whole},
		},
		{
			name:   "the result that crosses the limit goes, and all before it",
			limits: resulttrim.Limits{KeepRecent: 100},
			results: []resulttrim.Result{
				{ID: "a", Turn: 1, Size: 10},
				{ID: "b", Turn: 1, Size: 30},
				{ID: "c", Turn: 2, Size: 80},
				{ID: "d", Turn: 3, Size: 20},
				{ID: "e", Turn: 4, Size: 1},
			},
			want: []resulttrim.Form{masked, masked, whole, whole, whole},
		},
		{
			name:   "too little for a batch",
			limits: resulttrim.Limits{KeepRecent: 100, MaskStep: 51},
			results: []resulttrim.Result{
				{ID: "a", Turn: 1, Size: 50},
				{ID: "b", Turn: 2, Size: 100},
				{ID: "c", Turn: 3, Size: 1},
			},
			want: []resulttrim.Form{whole, whole, whole},
		},
		{
			name:   "exactly a batch, out of two turns",
			limits: resulttrim.Limits{KeepRecent: 100, MaskStep: 51},
			results: []resulttrim.Result{
				{ID: "a", Turn: 1, Size: 50},
				{ID: "b", Turn: 2, Size: 1},
				{ID: "c", Turn: 3, Size: 100},
				{ID: "d", Turn: 4, Size: 1},
			},
			want: []resulttrim.Form{masked, masked, whole, whole},
		},
		{
			name:   "a second batch waits again",
			limits: resulttrim.Limits{KeepRecent: 100, MaskStep: 50},
			results: []resulttrim.Result{
				{ID: "a", Turn: 1, Size: 50},
				{ID: "b", Turn: 2, Size: 40},
				{ID: "c", Turn: 3, Size: 100},
				{ID: "d", Turn: 4, Size: 40},
				{ID: "e", Turn: 5, Size: 100},
				{ID: "f", Turn: 6, Size: 40},
			},
			want: []resulttrim.Form{masked, masked, masked, whole, whole, whole},
		},
		{
			name:   "small and fixed results stay and make no batch",
			limits: resulttrim.Limits{KeepRecent: 100, MaskStep: 60, MinSize: 20},
			results: []resulttrim.Result{
				{ID: "a", Turn: 1, Size: 900, Fixed: true},
				{ID: "b", Turn: 1, Size: 20},
				{ID: "c", Turn: 1, Size: 59},
				{ID: "d", Turn: 2, Size: 100},
				{ID: "e", Turn: 3, Size: 1},
			},
			want: []resulttrim.Form{whole, whole, whole, whole, whole},
		},
		{
			name:   "fixed results use up what is spared",
			limits: resulttrim.Limits{KeepRecent: 100},
			results: []resulttrim.Result{
				{ID: "a", Turn: 1, Size: 50},
				{ID: "b", Turn: 2, Size: 60, Fixed: true},
				{ID: "c", Turn: 3, Size: 1},
			},
			want: []resulttrim.Form{masked, whole, whole},
		},
		{
			name:   "replaced results do not count, and stay replaced",
			limits: resulttrim.Limits{PerMessage: 100, KeepRecent: 100},
			results: []resulttrim.Result{
				{ID: "a", Turn: 1, Size: 50},
				{ID: "b", Turn: 2, Size: 900},
				{ID: "c", Turn: 3, Size: 50},
				{ID: "d", Turn: 4, Size: 1},
			},
			want: []resulttrim.Form{whole, replaced, whole, whole},
		},
		{
			name:   "sums do not overflow",
			limits: resulttrim.Limits{KeepRecent: math.MaxInt32, MaskStep: math.MaxInt32},
			results: []resulttrim.Result{
				{ID: "a", Turn: 1, Size: math.MaxInt},
				{ID: "b", Turn: 2, Size: math.MaxInt},
				{ID: "c", Turn: 3, Size: math.MinInt},
			},
			want: []resulttrim.Form{masked, whole, whole},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var s resulttrim.State
			require.Equal(t, tt.want, forms(s.Decide(tt.results, tt.limits)))
		})
	}
}

// TestLateResults covers a turn that grows after it was sent.
func TestLateResults(t *testing.T) {
	t.Parallel()
	limits := resulttrim.Limits{PerMessage: 100, MinSize: 10}
	sent := []resulttrim.Result{
		{ID: "a", Turn: 1, Size: 60},
		{ID: "b", Turn: 1, Size: 90},
	}
	tests := []struct {
		name string
		text string // stands in for b
		size int    // of the late result
		want resulttrim.Form
	}{
		{name: "room beside the least size", size: 30, want: whole},
		{name: "no room beside the least size", size: 31, want: replaced},
		{name: "room beside a text", text: "äöü", size: 37, want: whole},
		{name: "no room beside a text", text: "äöü", size: 38, want: replaced},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var s resulttrim.State
			decisions := s.Decide(sent, limits)
			require.Equal(t, []resulttrim.Form{whole, replaced}, forms(decisions))
			s.SetText(decisions[1].Key, tt.text)
			late := resulttrim.Result{ID: "c", Turn: 1, Size: tt.size}
			got := s.Decide(append(sent[:2:2], late), limits)
			require.Equal(t, []resulttrim.Form{whole, replaced, tt.want}, forms(got))
		})
	}
}

func TestManyEqualResults(t *testing.T) {
	t.Parallel()
	var results []resulttrim.Result
	var want []resulttrim.Form
	for i := range 100 {
		results = append(results, resulttrim.Result{ID: strconv.Itoa(i), Turn: 1, Size: 10 + i%2})
		switch {
		case i%2 == 1, i < 40: // the fifty larger ones, and twenty of the others
			want = append(want, replaced)
		default:
			want = append(want, whole)
		}
	}
	var s resulttrim.State
	require.Equal(t, want, forms(s.Decide(results, resulttrim.Limits{PerMessage: 300})))
}

// TestLeastAboveSize: what was replaced never counts for more than it had.
func TestLeastAboveSize(t *testing.T) {
	t.Parallel()
	results := []resulttrim.Result{{ID: "a", Turn: 1, Size: 101}}
	var s resulttrim.State
	require.Equal(t, []resulttrim.Form{replaced}, forms(s.Decide(results, resulttrim.Limits{PerMessage: 100})))
	results = append(results, resulttrim.Result{ID: "b", Turn: 1, Size: 300})
	got := s.Decide(results, resulttrim.Limits{PerMessage: 401, MinSize: 200})
	require.Equal(t, []resulttrim.Form{replaced, whole}, forms(got))
}

func TestLimitsThatChangeUndoNothing(t *testing.T) {
	t.Parallel()
	results := []resulttrim.Result{
		{ID: "a", Turn: 1, Size: 100},
		{ID: "b", Turn: 2, Size: 300},
		{ID: "c", Turn: 3, Size: 100},
		{ID: "d", Turn: 4, Size: 100},
	}
	var s resulttrim.State
	got := s.Decide(results, resulttrim.Limits{PerMessage: 200, KeepRecent: 100})
	require.Equal(t, []resulttrim.Form{masked, replaced, whole, whole}, forms(got))
	got = s.Decide(results, resulttrim.Limits{})
	require.Equal(t, []resulttrim.Form{masked, replaced, whole, whole}, forms(got), "looser")
	got = s.Decide(results, resulttrim.Limits{PerMessage: 10})
	require.Equal(t, []resulttrim.Form{masked, replaced, whole, whole}, forms(got), "a tighter budget")
	got = s.Decide(results, resulttrim.Limits{KeepRecent: 50})
	require.Equal(t, []resulttrim.Form{masked, replaced, masked, whole}, forms(got), "tighter masking")
	results[0].Fixed, results[1].Fixed = true, true
	got = s.Decide(results, resulttrim.Limits{})
	require.Equal(t, []resulttrim.Form{masked, replaced, masked, whole}, forms(got), "fixed too late")
}

func TestRepeatedIDs(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"", "call_0", "\xff"} {
		t.Run("id "+id, func(t *testing.T) {
			t.Parallel()
			limits := resulttrim.Limits{PerMessage: 100}
			results := []resulttrim.Result{
				{ID: id, Turn: 1, Size: 90},
				{ID: id, Turn: 1, Size: 91},
				{ID: id, Turn: 2, Size: 92},
			}
			var s resulttrim.State
			before := s.Decide(results, limits)
			require.Equal(t, []resulttrim.Form{whole, replaced, whole}, forms(before))
			require.True(t, s.SetText(before[1].Key, "second"))

			results = append(results,
				resulttrim.Result{ID: id, Turn: 3, Size: 90},
				resulttrim.Result{ID: "other", Turn: 3, Size: 80},
			)
			for _, s := range []*resulttrim.State{&s, s.Clone(), reloaded(t, &s)} {
				after := s.Decide(results, limits)
				require.Equal(t, before, after[:3])
				require.Equal(t, []resulttrim.Form{replaced, whole}, forms(after[3:]))
				text, ok := s.Text(after[1].Key)
				require.True(t, ok)
				require.Equal(t, "second", text)
				_, ok = s.Text(after[3].Key)
				require.False(t, ok)
			}

			compacted := s.Decide(results[1:], limits)
			require.Equal(t, []resulttrim.Form{whole, replaced}, forms(compacted[:2]), "the later ones move up, as documented")
		})
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	var s resulttrim.State
	_, ok := s.Text(resulttrim.Key{})
	require.False(t, ok)
	require.False(t, s.SetText(resulttrim.Key{}, "x"), "of no result")

	d := s.Decide([]resulttrim.Result{
		{ID: "a", Turn: 1, Size: 90},
		{ID: "b", Turn: 1, Size: 91},
	}, resulttrim.Limits{PerMessage: 100})
	require.False(t, s.SetText(d[0].Key, "x"), "a whole one")
	_, ok = s.Text(d[0].Key)
	require.False(t, ok)

	require.False(t, s.SetText(d[1].Key, ""), "an empty text")
	_, ok = s.Text(d[1].Key)
	require.False(t, ok)

	fork := s.Clone()
	require.True(t, s.SetText(d[1].Key, "\xff\xfe é"))
	require.False(t, s.SetText(d[1].Key, "another"))
	for _, s := range []*resulttrim.State{&s, s.Clone(), reloaded(t, &s)} {
		text, ok := s.Text(d[1].Key)
		require.True(t, ok)
		require.Equal(t, "\uFFFD\uFFFD é", text)
	}
	_, ok = fork.Text(d[1].Key)
	require.False(t, ok, "a fork has what there was when it was made")
}

func TestLost(t *testing.T) {
	t.Parallel()
	limits := resulttrim.Limits{KeepRecent: 10, MaskStep: 1, PerMessage: 100}
	result := func(id string, turn, size int) resulttrim.Result {
		return resulttrim.Result{ID: id, Turn: turn, Size: size}
	}
	var s resulttrim.State
	require.False(t, s.Lost("a"), "it was never met")
	history := []resulttrim.Result{result("a", 1, 50), result("big", 1, 90)}
	s.Decide(history, limits)
	require.False(t, s.Lost("a"))
	require.True(t, s.Lost("big"), "it is replaced")
	history = append(history, result("b", 2, 5), result("c", 3, 5))
	s.Decide(history, limits)
	require.True(t, s.Lost("a"), "it is masked")
	require.False(t, s.Lost("b"))
	require.False(t, s.Lost("new"))

	saved, err := s.MarshalJSON()
	require.NoError(t, err)
	var again resulttrim.State
	require.NoError(t, again.UnmarshalJSON(saved))
	require.True(t, again.Lost("a"))
	require.False(t, again.Lost("b"), "nothing is known of the history yet")

	s.Decide(history[:2], limits)
	require.True(t, s.Lost("b"), "it is gone")
	s.Decide(history, limits)
	require.False(t, s.Lost("b"), "it is back")

	twice := resulttrim.State{}
	twice.Decide([]resulttrim.Result{result("x", 1, 5), result("x", 2, 50), result("y", 3, 10), result("z", 4, 10)}, limits)
	require.True(t, twice.Lost("x"), "one of two is masked")
}

// longHistory has 10,000 results in 2,000 turns, of which each rule replaces many.
// The ids are new strings each time, as they are when a request is built anew.
func longHistory() ([]resulttrim.Result, resulttrim.Limits) {
	results := make([]resulttrim.Result, 10_000)
	for i := range results {
		results[i] = resulttrim.Result{
			ID:   fmt.Sprintf("toolu_01A09q90qw90lq91%08d", i),
			Turn: i / 5,
			Size: i * 7919 % 60_000,
		}
	}
	return results, resulttrim.Limits{PerMessage: 150_000, KeepRecent: 200_000, MaskStep: 120_000, MinSize: 2_000}
}

func BenchmarkDecideFresh(b *testing.B) {
	results, limits := longHistory()
	b.ReportAllocs()
	for b.Loop() {
		var s resulttrim.State
		s.Decide(results, limits)
	}
}

func BenchmarkDecideAgain(b *testing.B) {
	results, limits := longHistory()
	var s resulttrim.State
	for _, d := range s.Decide(results, limits) {
		s.SetText(d.Key, fmt.Sprintf("%02500d", 0))
	}
	results, _ = longHistory()
	b.ReportAllocs()
	for b.Loop() {
		s.Decide(results, limits)
	}
}

func BenchmarkClone(b *testing.B) {
	results, limits := longHistory()
	var s resulttrim.State
	s.Decide(results, limits)
	b.ReportAllocs()
	for b.Loop() {
		s.Clone()
	}
}

func BenchmarkMarshal(b *testing.B) {
	results, limits := longHistory()
	var s resulttrim.State
	s.Decide(results, limits)
	b.ReportAllocs()
	for b.Loop() {
		data, err := json.Marshal(&s)
		require.NoError(b, err)
		b.SetBytes(int64(len(data)))
	}
}

// FuzzDecide makes sure of what holds for any input whatsoever: a fate for each
// result, keys that differ, the same answers when asked again, after a restart,
// and from the transcript alone.
func FuzzDecide(f *testing.F) {
	f.Add([]byte("aaaabbbb"), 10, 10, 0, 0)
	f.Add([]byte("\x00\x01\x10\x00\x01\x01\xff\xff\x00\x02\x80\x00\xff\x02\x00\x7f"), 100, 100, 50, 5)
	f.Add([]byte("\x01\x01\x7f\x7f\x02\x02\x7f\x7f\x03\x03\x7f\x7f\x04\x04\x7f\x7f"), 1, math.MaxInt, -1, math.MinInt)
	f.Fuzz(func(t *testing.T, data []byte, message, keep, batch, least int) {
		limits := resulttrim.Limits{PerMessage: message, KeepRecent: keep, MaskStep: batch, MinSize: least}
		results := resultsFrom(data)
		var live resulttrim.State
		var before []resulttrim.Decision
		for _, prefix := range prefixes(results) {
			got := live.Decide(prefix, limits)
			requireStands(t, results[:len(before)], before, got)
			before = got
		}
		require.Len(t, before, len(results))
		keys := make(map[resulttrim.Key]bool)
		for i, d := range before {
			require.Contains(t, []resulttrim.Form{resulttrim.Whole, resulttrim.Replaced, resulttrim.Masked}, d.Form)
			if results[i].Fixed || results[i].Size <= max(least, 0) {
				require.Equal(t, resulttrim.Whole, d.Form)
			}
			keys[d.Key] = true
		}
		require.Len(t, keys, len(results))
		if len(results) == 0 {
			return
		}
		var fresh resulttrim.State
		require.Equal(t, before, fresh.Decide(results, limits))
		require.Equal(t, before, live.Decide(results, limits))
		require.Equal(t, before, reloaded(t, &live).Decide(results, limits))
	})
}

// FuzzUnmarshal makes sure that whatever is read can be used and written again.
func FuzzUnmarshal(f *testing.F) {
	f.Add([]byte(written))
	f.Add([]byte(`{"version":1,"results":[{"id":"","repeat":2,"fate":"masked"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var s resulttrim.State
		if json.Unmarshal(data, &s) != nil {
			return
		}
		again := reloaded(t, &s)
		results := resultsFrom(data)
		limits := resulttrim.Limits{PerMessage: 100, KeepRecent: 100}
		require.Equal(t, s.Decide(results, limits), again.Decide(results, limits))
	})
}

// resultsFrom reads four bytes per result. One bit of the id byte makes it fixed,
// another makes its size that of an extreme integer.
func resultsFrom(data []byte) []resulttrim.Result {
	var out []resulttrim.Result
	for ; len(data) >= 4; data = data[4:] {
		r := resulttrim.Result{
			ID:    string(data[0:1]),
			Turn:  int(int8(data[1])),
			Size:  int(int16(binary.BigEndian.Uint16(data[2:]))),
			Fixed: data[0]&1 != 0,
		}
		if data[0]&2 != 0 {
			r.Size <<= bits.UintSize - 17
		}
		out = append(out, r)
	}
	return out
}

// TestRules compares Decide with the rules as they are written down.
func TestRules(t *testing.T) {
	t.Parallel()
	seeded(t, func(t *testing.T, rnd *rand.Rand) {
		t.Helper()
		limits := randomLimits(rnd)
		var s resulttrim.State
		want := model{}
		history := randomTurns(rnd, "a", 1, 30)
		for _, prefix := range prefixes(history) {
			require.Equal(t, want.decide(prefix, limits), forms(s.Decide(prefix, limits)), "%+v", limits)
		}
		history = without(rnd, history)
		limits = randomLimits(rnd)
		require.Equal(t, want.decide(history, limits), forms(s.Decide(history, limits)), "other limits")
	})
}

// TestResume makes sure that the transcript alone tells what was decided, whether
// Decide was called after every turn or not.
func TestResume(t *testing.T) {
	t.Parallel()
	seeded(t, func(t *testing.T, rnd *rand.Rand) {
		t.Helper()
		limits := randomLimits(rnd)
		history := randomTurns(rnd, "a", 1, 40)
		for i := range history { // some ids repeat
			if rnd.IntN(4) == 0 {
				history[i].ID = []string{"", "again"}[rnd.IntN(2)]
			}
		}
		var live, lazy resulttrim.State
		for _, prefix := range prefixes(history) {
			got := live.Decide(prefix, limits)
			var fresh resulttrim.State
			require.Equal(t, got, fresh.Decide(prefix, limits), "from the transcript, %+v", limits)
			if rnd.IntN(4) == 0 || len(prefix) == len(history) {
				require.Equal(t, got, lazy.Decide(prefix, limits), "with calls left out, %+v", limits)
			}
		}
	})
}

// TestKeys makes sure that a key depends on the history alone, not on what a State
// has seen before.
func TestKeys(t *testing.T) {
	t.Parallel()
	seeded(t, func(t *testing.T, rnd *rand.Rand) {
		t.Helper()
		history := randomTurns(rnd, "a", 1, 20)
		for i := range history {
			if rnd.IntN(2) == 0 {
				history[i].ID = []string{"", "a", "b"}[rnd.IntN(3)]
			}
		}
		var s resulttrim.State
		for range 10 {
			rest := without(rnd, history)
			rnd.Shuffle(rnd.IntN(len(rest)), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
			var fresh resulttrim.State
			require.Equal(t, fresh.Decide(rest, resulttrim.Limits{}), s.Decide(rest, resulttrim.Limits{}))
		}
	})
}

// TestFork makes sure that a fork begins with what was decided, that the two do
// not disturb each other, and that each decides as if it were alone.
func TestFork(t *testing.T) {
	t.Parallel()
	seeded(t, func(t *testing.T, rnd *rand.Rand) {
		t.Helper()
		limits := randomLimits(rnd)
		all := prefixes(randomTurns(rnd, "a", 1, 40))
		at := rnd.IntN(len(all))
		shared := all[at]
		var s resulttrim.State
		before := s.Decide(shared, limits)
		write(&s, before, "before the fork")
		fork := s.Clone()
		untouched := s.Clone()

		for _, prefix := range all[at+1:] {
			write(&s, s.Decide(prefix, limits), "in the first")
		}
		require.Equal(t, before, fork.Decide(shared, limits))
		other := slices.Concat(shared, randomTurns(rnd, "b", at+2, 20))
		var alone resulttrim.State
		for _, prefix := range prefixes(other)[at+1:] {
			got := fork.Decide(prefix, limits)
			write(fork, got, "in the fork")
			require.Equal(t, alone.Decide(prefix, limits), got)
			requireStands(t, shared, before, got)
		}
		require.Equal(t, before, untouched.Decide(shared, limits))

		for _, d := range before {
			if d.Form == resulttrim.Whole {
				continue
			}
			for _, s := range []*resulttrim.State{&s, fork, untouched} {
				text, _ := s.Text(d.Key)
				require.Equal(t, "before the fork", text)
			}
		}
	})
}

// TestInvariant12DecisionsStand drives a conversation through turns, compactions,
// rewinds and restarts. At each step every result goes out as it did before,
// but for what is masked because turns were added.
func TestInvariant12DecisionsStand(t *testing.T) {
	t.Parallel()
	seeded(t, func(t *testing.T, rnd *rand.Rand) {
		t.Helper()
		limits := randomLimits(rnd)
		s := new(resulttrim.State)
		var history []resulttrim.Result
		sent := make(map[string]resulttrim.Form)
		texts := make(map[string]string)
		for step := range 60 {
			grew := false
			switch rnd.IntN(10) {
			case 0: // a compaction, mostly of the oldest
				history = history[rnd.IntN(len(history)+1):]
			case 1:
				history = without(rnd, history)
			case 2: // a rewind
				history = history[:rnd.IntN(len(history)+1)]
			case 3:
				s = reloaded(t, s)
			case 4:
				s = s.Clone()
			default:
				grew = true
				history = slices.Concat(history, randomTurns(rnd, fmt.Sprintf("%d-", step), step, 1+rnd.IntN(3)))
			}
			decisions := s.Decide(history, limits)
			for i, r := range history {
				requireOutgoing(t, s, decisions[i], sent[r.ID], texts[r.ID], grew)
				text := fmt.Sprintf("of step %d", step)
				if s.SetText(decisions[i].Key, text) {
					texts[r.ID] = text
				}
				sent[r.ID] = decisions[i].Form
			}
		}
	})
}

// requireOutgoing compares what goes out for a result with what went out before.
func requireOutgoing(t *testing.T, s *resulttrim.State, d resulttrim.Decision, before resulttrim.Form, text string, grew bool) {
	t.Helper()
	switch {
	case before == 0:
		require.True(t, grew, "a result from nowhere")
	case before == resulttrim.Whole && grew:
		require.NotEqual(t, resulttrim.Replaced, d.Form)
	default:
		require.Equal(t, before, d.Form)
	}
	got, _ := s.Text(d.Key)
	require.Equal(t, text, got)
}

// TestCompaction takes a prefix, some turns, or some results out of a history.
func TestCompaction(t *testing.T) {
	t.Parallel()
	seeded(t, func(t *testing.T, rnd *rand.Rand) {
		t.Helper()
		limits := randomLimits(rnd)
		history := randomTurns(rnd, "a", 1, 40)
		var s resulttrim.State
		want := byID(history, s.Decide(history, limits))
		all := prefixes(history)
		gone := make([]bool, 41)
		for i := range gone {
			gone[i] = rnd.IntN(3) == 0
		}
		tests := []struct {
			name string
			rest []resulttrim.Result
		}{
			{name: "the first turns", rest: history[len(all[rnd.IntN(len(all))]):]},
			{name: "some turns", rest: slices.DeleteFunc(slices.Clone(history), func(r resulttrim.Result) bool { return gone[r.Turn] })},
			{name: "some results", rest: without(rnd, history)},
		}
		for _, tt := range tests {
			for _, s := range []*resulttrim.State{s.Clone(), reloaded(t, &s)} {
				for id, fate := range byID(tt.rest, s.Decide(tt.rest, limits)) {
					require.Equal(t, want[id], fate, "%s: %s, %+v", tt.name, id, limits)
				}
				again := byID(history, s.Decide(history, limits))
				require.Equal(t, want, again, "%s: all are back", tt.name)
			}
		}
	})
}

// without leaves out a third of the results.
func without(rnd *rand.Rand, results []resulttrim.Result) []resulttrim.Result {
	return slices.DeleteFunc(slices.Clone(results), func(resulttrim.Result) bool { return rnd.IntN(3) == 0 })
}

// write sets a text for everything that has none.
func write(s *resulttrim.State, decisions []resulttrim.Decision, text string) {
	for _, d := range decisions {
		s.SetText(d.Key, text)
	}
}

// requireStands makes sure that later decisions only mask what was whole.
func requireStands(t *testing.T, results []resulttrim.Result, before, after []resulttrim.Decision) {
	t.Helper()
	for i, r := range results {
		if before[i].Form == resulttrim.Whole && after[i].Form == resulttrim.Masked {
			continue
		}
		require.Equal(t, before[i], after[i], r.ID)
	}
}
