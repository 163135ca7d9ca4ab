package edit

import (
	"math/rand/v2"
	"slices"
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

func TestDistanceIsThatOfTheWholeTable(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(11, 12))
	text := func() []rune {
		var out []rune
		for range random.IntN(14) {
			out = append(out, []rune("ab é\t")[random.IntN(5)])
		}
		return out
	}
	m := levenshtein{budget: maxFuzzyWork}
	for range effort.Of(t, 5000) {
		a, b, most := text(), text(), random.IntN(60)
		want := plainDistance(a, b)
		got, ok := m.distance(a, b, most)
		require.Equal(t, want <= most, ok, "%q %q %d", string(a), string(b), most)
		if ok {
			require.Equal(t, want, got, "%q %q %d", string(a), string(b), most)
		}
	}
}

func TestBoundIsNoMoreThanTheDistance(t *testing.T) {
	t.Parallel()
	lines := []string{"ab c", "b", "", "xyz", "ab", "c é", "é"}
	old := []string{"ab", "c é"}
	for _, w := range candidates(lines, old) {
		other := []rune(lines[w.start] + "\n" + lines[w.start+1])
		require.LessOrEqual(t, w.distance, plainDistance([]rune("ab\nc é"), other), "%q", string(other))
	}
	require.Len(t, candidates(lines, old), len(lines)-1)
}

func TestSimilarStopsWhenTheWorkIsUsedUp(t *testing.T) {
	t.Parallel()
	m := levenshtein{budget: 10}
	_, ok := m.distance([]rune("abcdefgh"), []rune("ijklmnop"), 1000)
	require.False(t, ok)
	require.Negative(t, m.budget)
}

// TestFindIsThatOfEveryPlace compares with the definition.
func TestFindIsThatOfEveryPlace(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(13, 14))
	lines := func(least, most int) (all []string) {
		for range least + random.IntN(most) {
			all = append(all, []string{"a", "a", "b"}[random.IntN(3)])
		}
		return all
	}
	for range effort.Of(t, 2000) {
		have, want := lines(0, 20), lines(1, 5)
		var plain []interval
		for i := 0; i+len(want) <= len(have); i++ {
			if slices.Equal(have[i:i+len(want)], want) {
				plain = append(plain, interval{i, i + len(want)})
			}
		}
		require.Equal(t, plain, findLines(have, want), "%q in %q", want, have)
	}
}

// TestClosestIsThatOfAllPairs compares with the definition.
func TestClosestIsThatOfAllPairs(t *testing.T) {
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
