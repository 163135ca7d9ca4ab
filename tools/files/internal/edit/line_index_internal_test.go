package edit

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// TestFindLinesFindsEveryPlace compares with the definition.
func TestFindLinesFindsEveryPlace(t *testing.T) {
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
