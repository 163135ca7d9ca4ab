package excerpt_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/excerpt"
)

// TestShrinkKeepsEnds cuts outputs of every kind and compares with the stream
// they came from.
func TestShrinkKeepsEnds(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(200)) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		stream := make([]byte, rnd.IntN(200))
		for i := range stream {
			stream[i] = byte(rnd.Uint32())
		}
		c := excerpt.Capture{Keep: 1 + rnd.IntN(120)}
		_, err := c.Write(stream)
		require.NoError(t, err)
		whole := c.Output()
		for _, keep := range []int{-1, 0, 1, 7, 50, 1000} {
			o := whole.Shrink(keep)
			kept := len(o.Head) + len(o.Tail)
			require.LessOrEqual(t, kept, max(keep, 0))
			require.Equal(t, int64(len(stream)), o.Total)
			require.Equal(t, o.Total, int64(kept)+o.Omitted)
			require.Equal(t, stream[:len(o.Head)], append([]byte{}, o.Head...))
			require.Equal(t, stream[len(stream)-len(o.Tail):], append([]byte{}, o.Tail...))
		}
	}
}
