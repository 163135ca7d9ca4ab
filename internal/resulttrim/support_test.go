package resulttrim_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/resulttrim"
)

// forms are those of decisions, without the keys.
func forms(decisions []resulttrim.Decision) []resulttrim.Form {
	out := make([]resulttrim.Form, len(decisions))
	for i, d := range decisions {
		out[i] = d.Form
	}
	return out
}

// byID is for histories in which no id repeats.
func byID(results []resulttrim.Result, decisions []resulttrim.Decision) map[string]resulttrim.Form {
	out := make(map[string]resulttrim.Form, len(results))
	for i, r := range results {
		out[r.ID] = decisions[i].Form
	}
	return out
}

// seeded runs check many times, each with its own random numbers. A failure names
// the seed, with which the run can be repeated alone: -run 'Name/seed_7$'.
func seeded(t *testing.T, check func(t *testing.T, rnd *rand.Rand)) {
	t.Helper()
	for seed := range effort.Of(t, uint64(150)) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			check(t, rand.New(rand.NewPCG(seed, 18)))
		})
	}
}

// randomLimits are such that each rule applies to some of what randomTurns makes.
func randomLimits(rnd *rand.Rand) resulttrim.Limits {
	return resulttrim.Limits{
		PerMessage: rnd.IntN(300),
		KeepRecent: rnd.IntN(500),
		MaskStep:   rnd.IntN(400),
		MinSize:    rnd.IntN(30),
	}
}

// randomTurns makes turns, with ids that begin with prefix, in one history.
func randomTurns(rnd *rand.Rand, prefix string, first, count int) []resulttrim.Result {
	var out []resulttrim.Result
	for turn := first; turn < first+count; turn++ {
		for range 1 + rnd.IntN(5) {
			out = append(out, resulttrim.Result{
				ID:    fmt.Sprintf("%s%d", prefix, len(out)),
				Turn:  turn,
				Size:  rnd.IntN(8) * rnd.IntN(30), // often equal, often 0
				Fixed: rnd.IntN(8) == 0,
			})
		}
	}
	return out
}

// prefixes are the histories that there were: one per turn, the whole one last.
func prefixes(results []resulttrim.Result) [][]resulttrim.Result {
	var out [][]resulttrim.Result
	for i := range results {
		if i+1 == len(results) || results[i+1].Turn != results[i].Turn {
			out = append(out, results[:i+1])
		}
	}
	return out
}

// reloaded is what a host reads that wrote the State and was started again.
func reloaded(t *testing.T, s *resulttrim.State) *resulttrim.State {
	t.Helper()
	data, err := json.Marshal(s)
	require.NoError(t, err)
	var out resulttrim.State
	require.NoError(t, json.Unmarshal(data, &out))
	again, err := json.Marshal(out)
	require.NoError(t, err)
	require.Equal(t, string(data), string(again))
	return &out
}

// A model follows the rules to the letter, prefix by prefix and result by result.
// It is slow, and it knows only histories in which no id repeats.
type model map[string]resulttrim.Form

func (m model) decide(results []resulttrim.Result, l resulttrim.Limits) []resulttrim.Form {
	for _, prefix := range prefixes(results) {
		last := len(prefix) - 1
		for last > 0 && prefix[last-1].Turn == prefix[last].Turn {
			last--
		}
		m.budget(prefix[last:], l)
		m.mask(prefix[:last], l)
	}
	out := make([]resulttrim.Form, len(results))
	for i, r := range results {
		out[i] = m[r.ID]
	}
	return out
}

func (m model) budget(turn []resulttrim.Result, l resulttrim.Limits) {
	fresh := make(map[string]bool)
	for _, r := range turn {
		if m[r.ID] == 0 {
			fresh[r.ID] = true
			m[r.ID] = resulttrim.Whole
		}
	}
	for l.PerMessage > 0 {
		sum, largest := 0, -1
		for i, r := range turn {
			if m[r.ID] != resulttrim.Whole {
				sum += min(max(r.Size, 0), l.MinSize)
				continue
			}
			sum += max(r.Size, 0)
			if fresh[r.ID] && !r.Fixed && r.Size > l.MinSize && (largest < 0 || r.Size > turn[largest].Size) {
				largest = i
			}
		}
		if sum <= l.PerMessage || largest < 0 {
			return
		}
		m[turn[largest].ID] = resulttrim.Replaced
	}
}

func (m model) mask(before []resulttrim.Result, l resulttrim.Limits) {
	if l.KeepRecent <= 0 {
		return
	}
	sum, waste := 0, 0
	var prunable []string
	for _, r := range slices.Backward(before) {
		if m[r.ID] != resulttrim.Whole {
			continue
		}
		sum += max(r.Size, 0)
		if sum > l.KeepRecent && !r.Fixed && r.Size > l.MinSize {
			prunable = append(prunable, r.ID)
			waste += r.Size
		}
	}
	if waste < l.MaskStep {
		return
	}
	for _, id := range prunable {
		m[id] = resulttrim.Masked
	}
}
