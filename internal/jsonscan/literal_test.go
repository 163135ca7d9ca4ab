package jsonscan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
)

func TestUnquote(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name          string
		literal, want string
		surrogate     int // offset of the first lone one, -1 for none
	}{
		{name: "empty", literal: `""`, surrogate: -1},
		{name: "plain", literal: `"déjà"`, want: "déjà", surrogate: -1},
		{name: "short escapes", literal: `"\"\\\/\b\f\n\r\t"`, want: "\"\\/\b\f\n\r\t", surrogate: -1},
		{name: "code points", literal: `"a\u0026\u00e9\u20ACb"`, want: "a&é€b", surrogate: -1},
		{name: "pair", literal: `"\ud83d\ude00"`, want: "😀", surrogate: -1},
		{name: "high half at the end", literal: `"a\ud83d"`, want: "a\ufffd", surrogate: 2},
		{name: "low half first", literal: `"\n\ude00\ud83d"`, want: "\n\ufffd\ufffd", surrogate: 3},
		{name: "high half before another escape", literal: `"\ud83d\u0041"`, want: "\ufffdA", surrogate: 1},
		{name: "two high halves before a low one", literal: `"\ud83d\ud83d\ude00"`, want: "\ufffd😀", surrogate: 1},
		{name: "escaped backslash before u", literal: `"\\ud83d"`, want: `\ud83d`, surrogate: -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, jsonscan.Unquote([]byte(tt.literal)))
			require.Equal(t, tt.surrogate, jsonscan.IndexLoneSurrogate([]byte(tt.literal)))
		})
	}
}

func TestChar(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		content string
		want    rune
		size    int
	}{
		{name: "ASCII", content: "ab", want: 'a', size: 1},
		{name: "several bytes", content: "éa", want: 'é', size: 2},
		{name: "short escape", content: `\na`, want: '\n', size: 2},
		{name: "escaped quote", content: `\"`, want: '"', size: 2},
		{name: "code point", content: `\u00e9\u00e9`, want: 'é', size: 6},
		{name: "pair", content: `\ud83d\ude00\n`, want: '😀', size: 12},
		{name: "half", content: `\ud83dabcdef`, want: jsonscan.LoneSurrogate, size: 6},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, size := jsonscan.Char([]byte(tt.content))
			require.Equal(t, tt.want, r)
			require.Equal(t, tt.size, size)
		})
	}
}
