package edit

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBestPart compares with the distances of all parts.
func TestBestPart(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 8))
	text := func(n int) string {
		var b strings.Builder
		for range random.IntN(n) {
			b.WriteByte("ab\n"[random.IntN(3)])
		}
		return b.String()
	}
	for range 500 {
		in, old := text(9), strings.ReplaceAll(text(6)+"a", "\n", "")
		want := len(old)
		for from := range len(in) + 1 {
			for to := from; to <= len(in) && !strings.Contains(in[from:to], "\n"); to++ {
				want = min(want, byteDistance(in[from:to], old))
			}
		}
		distance, part := bestPart(in, old)
		require.Equal(t, want, distance, "%q in %q", old, in)
		if distance < len(old) {
			require.Equal(t, distance, byteDistance(in[part.start:part.end], old), "%q in %q", old, in)
		}
	}
}

// byteDistance is the edit distance in bytes as it is defined.
func byteDistance(a, b string) int {
	if a == "" || b == "" {
		return len(a) + len(b)
	}
	cost := 1
	if a[0] == b[0] {
		cost = 0
	}
	return min(byteDistance(a[1:], b[1:])+cost, byteDistance(a[1:], b)+1, byteDistance(a, b[1:])+1)
}
