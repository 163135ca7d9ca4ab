package excerpt_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/excerpt"
)

func TestText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		head, tail string
		omitted    int64
		want       string
	}{
		{name: "nothing", want: ""},
		{name: "whole", head: "one\ntw", tail: "o\nthree", want: "one\ntwo\nthree"},
		{name: "character between the halves", head: "caf\xc3", tail: "\xa9", want: "café"},
		{name: "invalid bytes", head: "a\xff\xfeb", tail: "\xc3", want: "a\uFFFDb\uFFFD"},
		{name: "cut at lines", head: "first line\nsec", tail: "ond\nlast line\n", omitted: 10,
			want: "first line\n[17 of 38 bytes omitted]\nlast line\n"},
		{name: "line start too far", head: "first\n", tail: "la\nst", omitted: 4,
			want: "first\n[4 of 15 bytes omitted]\nla\nst"},
		{name: "lines too long", head: "a\nlong line", tail: "long line\nz", omitted: 5,
			want: "a\nlong line\n[5 of 27 bytes omitted]\nlong line\nz"},
		{name: "no lines", head: "abc", tail: "xyz", omitted: 1, want: "abc\n[1 of 7 bytes omitted]\nxyz"},
		{name: "no head", tail: "xyz", omitted: 1, want: "[1 of 4 bytes omitted]\nxyz"},
		{name: "no tail", head: "abc", omitted: 1, want: "abc\n[1 of 4 bytes omitted]\n"},
		{name: "cut characters", head: "ab€\xe2\x82", tail: "\x82\xac€yz", omitted: 2,
			want: "ab€\n[6 of 16 bytes omitted]\n€yz"},
		{name: "cut four byte character", head: "a😀\xf0\x9f\x98", tail: "\x9f\x98\x80😀z", omitted: 2,
			want: "a😀\n[8 of 18 bytes omitted]\n😀z"},
		{name: "invalid at the cuts", head: "a\xff", tail: "\xffz", omitted: 2,
			want: "a\uFFFD\n[2 of 6 bytes omitted]\n\uFFFDz"},
		{name: "only remainders", head: "\xe2", tail: "\x82\x82\x82\x82", omitted: 2,
			want: "[6 of 7 bytes omitted]\n\uFFFD"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			output := excerpt.Output{
				Head:    []byte(tt.head),
				Tail:    []byte(tt.tail),
				Omitted: tt.omitted,
				Total:   int64(len(tt.head)+len(tt.tail)) + tt.omitted,
			}
			require.Equal(t, tt.want, output.Text())
			require.True(t, utf8.ValidString(output.Text()))
		})
	}
}

// Valid text stays valid without a replacement, wherever it is cut.
func FuzzText(f *testing.F) {
	f.Add("héllo wörld\n€😀", uint8(3))
	f.Add("one\r\ntwo\r\nthree\r\n", uint8(8))
	f.Add("😀😀😀😀", uint8(7))
	f.Add("", uint8(0))
	f.Fuzz(func(t *testing.T, s string, keep uint8) {
		c := excerpt.Capture{Keep: int(keep)}
		_, err := c.Write([]byte(s))
		require.NoError(t, err)
		output := c.Output()
		text := output.Text()
		require.True(t, utf8.ValidString(text))
		if !utf8.ValidString(s) {
			return
		}
		if strings.Contains(text, "\uFFFD") {
			require.Contains(t, s, "\uFFFD")
		}
		if output.Omitted == 0 {
			require.Equal(t, s, text)
			return
		}
		require.True(t, shortens(s, text), "%q as %q", s, text)
	})
}

// shortens reports whether text is a beginning of s, a line with the right
// number, and an end of s. Such lines may occur in s as well.
func shortens(s, text string) bool {
	for at := 0; at < len(text); at++ {
		var omitted, total int
		if n, _ := fmt.Sscanf(text[at:], "[%d of %d bytes omitted]\n", &omitted, &total); n != 2 {
			continue
		}
		_, tail, _ := strings.Cut(text[at:], "omitted]\n")
		if total != len(s) || !strings.HasSuffix(s, tail) {
			continue
		}
		head := total - omitted - len(tail)
		if head >= 0 && (text[:at] == s[:head] || text[:at] == s[:head]+"\n") {
			return true
		}
	}
	return false
}

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
