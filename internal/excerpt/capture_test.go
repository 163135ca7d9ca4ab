package excerpt_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/excerpt"
)

// slowOutput says the same as a Capture that was given all at once.
func slowOutput(all []byte, keep int) excerpt.Output {
	output := excerpt.Output{Head: all, Total: int64(len(all))}
	if len(all) > keep/2 {
		output.Head, output.Tail = all[:keep/2], all[keep/2:]
	}
	if size := keep - keep/2; len(output.Tail) > size {
		output.Omitted = int64(len(output.Tail) - size)
		output.Tail = output.Tail[len(output.Tail)-size:]
	}
	return output
}

func requireSame(t *testing.T, want, got excerpt.Output) {
	t.Helper()
	require.True(t, bytes.Equal(want.Head, got.Head), "head %q, want %q", got.Head, want.Head)
	require.True(t, bytes.Equal(want.Tail, got.Tail), "tail %q, want %q", got.Tail, want.Tail)
	require.Equal(t, want.Omitted, got.Omitted)
	require.Equal(t, want.Total, got.Total)
}

// FuzzCapture writes data in pieces of the sizes in cuts, over and over.
func FuzzCapture(f *testing.F) {
	f.Add([]byte("0123456789"), []byte{3, 1, 0, 4}, uint8(5))
	f.Add([]byte("0123456789"), []byte{255}, uint8(1))
	f.Add([]byte("0123456789"), []byte{1}, uint8(10))
	f.Add([]byte("0123456789"), []byte{6, 2}, uint8(4))
	f.Add([]byte{}, []byte{0}, uint8(3))
	f.Fuzz(func(t *testing.T, data, cuts []byte, keep uint8) {
		size := max(int(keep), 1)
		c := excerpt.Capture{Keep: size}
		var all []byte
		var early, earlyCopy excerpt.Output
		for i, rest := 0, data; len(rest) > 0; i++ {
			n := 1
			if len(cuts) > 0 {
				n = int(cuts[i%len(cuts)])
				if n == 0 && i%len(cuts) == len(cuts)-1 {
					n = 1 // some progress in each round
				}
			}
			n = min(n, len(rest))
			piece := bytes.Clone(rest[:n])
			written, err := c.Write(piece)
			require.NoError(t, err)
			require.Equal(t, n, written)
			clear(piece) // the capture must not hold on to it
			all, rest = append(all, rest[:n]...), rest[n:]
			requireSame(t, slowOutput(all, size), c.Output())
			if i == 2 {
				early = c.Output()
				earlyCopy = early
				earlyCopy.Head, earlyCopy.Tail = bytes.Clone(early.Head), bytes.Clone(early.Tail)
			}
		}
		requireSame(t, slowOutput(data, size), c.Output())
		requireSame(t, earlyCopy, early)
	})
}

func TestCaptureKeepsOneMebibyte(t *testing.T) {
	t.Parallel()
	var c excerpt.Capture
	piece := make([]byte, 100_000)
	for range 50 {
		_, err := c.Write(piece)
		require.NoError(t, err)
	}
	output := c.Output()
	require.Len(t, output.Head, 1<<19)
	require.Len(t, output.Tail, 1<<19)
	require.Equal(t, int64(5_000_000-1<<20), output.Omitted)
}
