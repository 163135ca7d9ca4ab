package resulttrim_test

import (
	"math"
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
