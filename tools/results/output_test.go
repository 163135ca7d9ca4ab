package results_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/results"
)

func TestPages(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		o          results.Options
		in         fields
		notice     string // behind the reference
		unseekable string // the same of a store that cannot seek, if it differs
		want       string
	}{
		{name: "all", text: "one\ntwo\n", notice: "bytes 0 to 8 of 8, lines 1 to 2. This is its end.]", want: "one\ntwo\n"},
		{name: "an open end", text: "one\ntwo", notice: "bytes 0 to 7 of 7, lines 1 to 2. This is its end.]", want: "one\ntwo"},
		{
			name: "whole lines", text: "one\ntwo\nthree\n", in: fields{"limit": 10},
			notice:     "bytes 0 to 8 of 14, lines 1 to 2. Go on with offset 8.]",
			unseekable: "bytes 0 to 8 (of how many, the store does not tell), lines 1 to 2. Go on with offset 8.]",
			want:       "one\ntwo\n",
		},
		{name: "the rest", text: "one\ntwo\nthree\n", in: fields{"offset": 8}, notice: "bytes 8 to 14 of 14, lines 3 to 3. This is its end.]", want: "three\n"},
		{
			name: "a long line", text: "one\n" + strings.Repeat("漢", 10), o: results.Options{MaxBytes: 12},
			notice:     "bytes 0 to 10 of 34, lines 1 to 2. Go on with offset 10, where the last line goes on.]",
			unseekable: "bytes 0 to 10 (of how many, the store does not tell), lines 1 to 2. Go on with offset 10, where the last line goes on.]",
			want:       "one\n漢漢",
		},
		{name: "no more than the maximum", text: "one\ntwo\n", o: results.Options{MaxBytes: 5}, in: fields{"offset": 4, "limit": 99}, notice: "bytes 4 to 8 of 8, lines 2 to 2. This is its end.]", want: "two\n"},
		{name: "room for one character at least", text: "😀", in: fields{"limit": 1}, notice: "bytes 0 to 4 of 4, lines 1 to 1. This is its end.]", want: "😀"},
		{
			name: "what is no text", text: "a\x00b\xff\xfec\n",
			notice: "bytes 0 to 7 of 7, lines 1 to 1. This is its end. Some bytes are no UTF-8 text; each run of them is shown as \uFFFD.]", want: "a\uFFFDb\uFFFDc\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, put := range []func(testing.TB, string) (*pegboard.Session, pegboard.StoredResult){kept, inMemory} {
				s, stored := put(t, tt.text)
				in := fields{"ref": stored.Ref}
				for k, v := range tt.in {
					in[k] = v
				}
				notice, text, out := read(t, s, tt.o, in)
				want := tt.notice
				if stored.Path == "" && tt.unseekable != "" {
					want = tt.unseekable
				}
				require.Equal(t, "[Result "+stored.Ref+": "+want, notice)
				require.Equal(t, tt.want, text)
				require.Equal(t, strings.Contains(notice, "Go on"), out.More)
			}
		})
	}
}

func TestNothingToShow(t *testing.T) {
	t.Parallel()
	for _, put := range []func(testing.TB, string) (*pegboard.Session, pegboard.StoredResult){kept, inMemory} {
		s, stored := put(t, "one\ntwo\n")
		for _, offset := range []int{8, 9, 1_000_000} {
			for _, pattern := range []string{"", "one"} {
				notice, text, out := read(t, s, results.Options{}, fields{"ref": stored.Ref, "offset": offset, "pattern": pattern})
				require.Equal(t, fmt.Sprintf("[Nothing to show: offset %d is not before the end of result %s, which has 8 bytes. Use a smaller offset.]", offset, stored.Ref), notice)
				require.Empty(t, text)
				require.False(t, out.More)
			}
		}
		s, stored = put(t, "")
		notice, _, _ := read(t, s, results.Options{}, fields{"ref": stored.Ref})
		require.Equal(t, "[Result "+stored.Ref+" is empty.]", notice)
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("-", 5_000)
	tests := []struct {
		name, text string
		in         fields
		notice     string
		want       string
	}{
		{
			name: "lines", text: "one\ntwo\r\nthree\ntoo", in: fields{"pattern": "^t.o$"},
			notice: "searched bytes 0 to 18 of 18, found 2. Each is shown behind its offset and a colon. Read there with that offset.]", want: "4:two\n15:too\n",
		},
		{
			name: "none", text: "one\ntwo\n", in: fields{"pattern": "three"},
			notice: "nothing in bytes 0 to 8 of 8 matches. Try another pattern.]",
		},
		{
			name: "none behind", text: "one\ntwo\n", in: fields{"pattern": "one", "offset": 4},
			notice: "nothing in bytes 4 to 8 of 8 matches. Try another pattern, or a smaller offset.]",
		},
		{
			name: "more than may be shown", text: "one\ntwo\nthree\nfour\n", in: fields{"pattern": "o", "limit": 13},
			notice: "searched bytes 0 to 14 of 19, found 2. Each is shown behind its offset and a colon. Read there with that offset; search on with offset 14.]", want: "0:one\n4:two\n",
		},
		{
			name: "one at least", text: "one\ntwo\n", in: fields{"pattern": "o", "limit": 1},
			notice: "searched bytes 0 to 4 of 8, found 1. Each is shown behind its offset and a colon. Read there with that offset; search on with offset 4.]", want: "0:one\n",
		},
		{
			name: "a long line", text: long + "needle" + long + "needle", in: fields{"pattern": "needle"},
			notice: "searched bytes 0 to 10012 of 10012, found 2. Each is shown behind its offset and a colon. Of a line over 1000 bytes the part around a match is shown. Read there with that offset.]",
			want:   "4900:" + long[:100] + "needle" + long[:394] + "\n9906:" + long[:100] + "needle\n",
		},
		{
			name: "near to each other in a long line", text: long + "needle needle" + long + "needle", in: fields{"pattern": "needle", "limit": 600},
			notice: "searched bytes 0 to 9913 of 10019, found 1. Each is shown behind its offset and a colon. Of a line over 1000 bytes the part around a match is shown. Read there with that offset; search on with offset 9913.]",
			want:   "4900:" + long[:100] + "needle needle" + long[:387] + "\n",
		},
		{
			name: "what is no text", text: "a\x00\xffb\n", in: fields{"pattern": "b"},
			notice: "searched bytes 0 to 5 of 5, found 1. Each is shown behind its offset and a colon. Read there with that offset. Some bytes are no UTF-8 text; each run of them is shown as \uFFFD.]", want: "0:a\uFFFD\uFFFDb\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, stored := kept(t, tt.text)
			tt.in["ref"] = stored.Ref
			notice, text, _ := read(t, s, results.Options{}, tt.in)
			require.Equal(t, "[Result "+stored.Ref+": "+tt.notice, notice)
			require.Equal(t, tt.want, text)
		})
	}
}

// TestSearchOfAVeryLongLine finds what lies across the borders of the pieces in which
// such a line is searched, and everything once.
func TestSearchOfAVeryLongLine(t *testing.T) {
	t.Parallel()
	const piece = 64 << 10
	for _, at := range []int{piece - 1_000, piece - 6, piece - 3, piece, piece + 3, 3*piece - 2_000, 200_000} {
		text := strings.Repeat("é", at/2) + "needle" + strings.Repeat("é", 100_000)
		s, stored := kept(t, "short\n"+text+"\nneedle\n")
		_, shown, out := read(t, s, results.Options{}, fields{"ref": stored.Ref, "pattern": "needle"})
		require.Equal(t, 2, out.Matches, "at %d", at)
		require.Equal(t, 2, strings.Count(shown, "needle"))
		require.NotContains(t, shown, "\uFFFD")
	}
}
