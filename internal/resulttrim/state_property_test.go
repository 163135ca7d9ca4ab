package resulttrim_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/resulttrim"
)

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
