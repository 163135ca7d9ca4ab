package edit

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
)

func TestCandidatesHaveALowerBoundOfTheDistance(t *testing.T) {
	t.Parallel()
	lines := []string{"ab c", "b", "", "xyz", "ab", "c é", "é"}
	old := []string{"ab", "c é"}
	for _, w := range candidates(lines, old) {
		other := []rune(lines[w.start] + "\n" + lines[w.start+1])
		require.LessOrEqual(t, w.distance, plainDistance([]rune("ab\nc é"), other), "%q", string(other))
	}
	require.Len(t, candidates(lines, old), len(lines)-1)
}

// TestClosestDropsWhatOverlapsACloserOne compares with the definition.
func TestClosestDropsWhatOverlapsACloserOne(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(15, 16))
	for range effort.Of(t, 2000) {
		var all []candidate
		first := 0
		for range random.IntN(12) {
			first += random.IntN(3)
			all = append(all, candidate{interval{first, first + 1 + random.IntN(4)}, random.IntN(4)})
		}
		var plain []interval
		for _, w := range all {
			better := func(o candidate) bool { return o.start < w.end && w.start < o.end && o.distance < w.distance }
			if !slices.ContainsFunc(all, better) {
				plain = append(plain, w.interval)
			}
		}
		require.Equal(t, plain, closest(all), "%v", all)
	}
}
