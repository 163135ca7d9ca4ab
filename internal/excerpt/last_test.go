package excerpt_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/excerpt"
)

func TestLast(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		text  string
		most  int
		later bool // the text does not begin here
		want  string
		start int
	}{
		{name: "nothing"},
		{name: "all", text: "one\ntwo", most: 7, want: "one\ntwo"},
		{name: "a whole line", text: "one\ntwo", most: 6, want: "two", start: 4},
		{name: "at a line already", text: "one\ntwo", most: 3, want: "two", start: 4},
		{name: "one line", text: "onetwo", most: 3, want: "two", start: 3},
		{name: "one line that ends", text: "onetwo\n", most: 4, want: "two\n", start: 3},
		{name: "a whole character", text: "漢字", most: 5, want: "字", start: 3},
		{name: "from the middle of a line", text: "one\ntwo", most: 10, later: true, want: "two", start: 4},
		{name: "from the middle of a character", text: "\xa2字", most: 10, later: true, want: "字", start: 1},
		{name: "marks are longer than what they stand for", text: "a\xffb\xff", most: 4, want: "b\uFFFD", start: 2},
		{name: "one mark for all", text: "a\xff\xfe\xfd", most: 4, want: "a\uFFFD"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text, start := excerpt.Last([]byte(tt.text), tt.most, !tt.later)
			require.Equal(t, tt.want, text)
			require.Equal(t, tt.start, start)
		})
	}
}

func TestLastOfRandomText(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(2000)) {
		rnd := rand.New(rand.NewPCG(seed, 5))
		text := randomText(rnd, seed%2 == 0)
		most := rnd.IntN(500)
		last, start := excerpt.Last([]byte(text), most, rnd.IntN(2) == 0)
		require.LessOrEqual(t, len(last), most)
		require.True(t, utf8.ValidString(last))
		require.Equal(t, strings.ToValidUTF8(text[start:], "\uFFFD"), last)
		if seed%2 == 0 {
			require.NotContains(t, last, "\uFFFD")
		}
		if again, from := excerpt.Last([]byte(last), most, true); start > 0 {
			require.Equal(t, last, again, "what fits is not changed")
			require.Zero(t, from)
		}
	}
}
