package pegboard_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

func TestOneLine(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", pegboard.MaxLine-1)
	tests := []struct{ name, text, want string }{
		{name: "empty"},
		{name: "plain", text: "Read main.go", want: "Read main.go"},
		{name: "space", text: " \t a \u00a0\u3000 b\n", want: "a b"},
		{name: "line breaks", text: "a\nb\r\n\tc\u2028d\u0085e\v\ff", want: "a ⏎ b ⏎ c ⏎ d ⏎ e ⏎ f"},
		{name: "nothing but space", text: " \n\t\u2029 "},
		{name: "cursor movements", text: "rm -rf ~\x1b[2K\x07\x00", want: `rm -rf ~\x1b[2K\a\x00`},
		{name: "direction of writing", text: "a\u202eb\u2066c\u200dd\ufeff", want: `a\u202eb\u2066c\u200dd\ufeff`},
		{name: "invalid UTF-8", text: "a\xff\xc3b", want: "a\ufffd\ufffdb"},
		{name: "quotes and backslashes stay", text: `say "a\n"`, want: `say "a\n"`},
		{name: "letters of all scripts", text: "日本 שלום é ñ 🙂", want: "日本 שלום é ñ 🙂"},
		{name: "just fits", text: long + "é", want: long + "é"},
		{name: "one too many", text: long + "éa", want: long + "…"},
		{name: "space counts once", text: long[2:] + "  \t  y", want: long[2:] + " y"},
		{name: "an escape at the end", text: long[3:] + "\x1b", want: long[3:] + `\x1b`},
		{name: "an escape is not divided", text: long[2:] + "\x1b", want: long[2:] + "…"},
		{name: "a letter keeps its marks", text: long[1:] + "e\u0301\u0323", want: long[1:] + "…"},
		{name: "a skin keeps its color", text: long + "👍🏽", want: long + "…"},
		{name: "a flag", text: long[1:] + "🇨🇭", want: long[1:] + "🇨🇭"},
		{name: "a flag is not divided", text: long + "🇨🇭", want: long + "…"},
		{name: "the second of two flags", text: long[2:] + "🇨🇭🇩🇪", want: long[2:] + "🇨🇭…"},
		{name: "marks without end", text: "a" + strings.Repeat("\u0301", 1000), want: "a" + strings.Repeat("\u0301", pegboard.MaxLine-2) + "…"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := pegboard.OneLine(tt.text)
			if tt.name == "marks without end" { // cut between two groups of marks
				require.Regexp(t, "^a\u0301{150,}…$", got)
			} else {
				require.Equal(t, tt.want, got)
			}
			requireLine(t, got)
		})
	}
}

// requireLine expects what OneLine promises.
func requireLine(t *testing.T, line string) {
	t.Helper()
	require.True(t, utf8.ValidString(line), "%q", line)
	require.LessOrEqual(t, utf8.RuneCountInString(line), pegboard.MaxLine, "%q", line)
	require.Equal(t, strings.TrimSpace(line), line)
	require.NotContains(t, line, "  ")
	require.False(t, strings.ContainsFunc(line, func(r rune) bool {
		return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
	}), "%q", line)
	require.Equal(t, line, pegboard.OneLine(line))
}

func FuzzOneLine(f *testing.F) {
	for _, text := range []string{"", "a\nb", "\x1b[2K", "e\u0301", "🇨🇭🇩🇪", "\xff", strings.Repeat("e\u0301 \u202e", 90), strings.Repeat("🇨", 250)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		line := pegboard.OneLine(text)
		requireLine(t, line)
		require.Equal(t, strings.TrimSpace(text) == "", line == "")
	})
}
