package edit

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// plainDistance is the distance by its definition.
func plainDistance(a, b []rune) int {
	last := make([]int, len(b)+1)
	for j, r := range b {
		last[j+1] = last[j] + weight(r)
	}
	for _, r := range a {
		row := []int{last[0] + weight(r)}
		for j, other := range b {
			change := max(weight(r), weight(other))
			if r == other {
				change = 0
			}
			row = append(row, min(last[j]+change, last[j+1]+weight(r), row[j]+weight(other)))
		}
		last = row
	}
	return last[len(b)]
}

func TestDistanceEqualsTheWholeTable(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(11, 12))
	text := func() []rune {
		var out []rune
		for range random.IntN(14) {
			out = append(out, []rune("ab é\t")[random.IntN(5)])
		}
		return out
	}
	lev := levenshtein{budget: maxFuzzyWork}
	for range effort.Of(t, 5000) {
		a, b, limit := text(), text(), random.IntN(60)
		want := plainDistance(a, b)
		got, ok := lev.distance(a, b, limit)
		require.Equal(t, want <= limit, ok, "%q %q %d", string(a), string(b), limit)
		if ok {
			require.Equal(t, want, got, "%q %q %d", string(a), string(b), limit)
		}
	}
}

func TestDistanceStopsWhenTheBudgetIsUsedUp(t *testing.T) {
	t.Parallel()
	lev := levenshtein{budget: 10}
	_, ok := lev.distance([]rune("abcdefgh"), []rune("ijklmnop"), 1000)
	require.False(t, ok)
	require.Negative(t, lev.budget)
}
