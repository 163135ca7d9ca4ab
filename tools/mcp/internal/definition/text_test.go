package definition_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/definition"
)

func TestInstructions(t *testing.T) {
	t.Parallel()
	fill := func(n int, end string) string { return strings.Repeat("x", n) + end }
	tests := []struct{ name, text, want string }{
		{name: "none"},
		{name: "space", text: " \n\t", want: ""},
		{name: "short", text: " Use it.\n", want: "Use it."},
		{name: "as long as may be", text: fill(2048, ""), want: fill(2048, "")},
		{name: "a byte longer", text: fill(2049, ""), want: fill(2045, "…")},
		{name: "a character over the limit", text: fill(2046, "日"), want: fill(2045, "…")},
		{name: "a character over the place of the mark", text: fill(2044, "日日"), want: fill(2044, "…")},
		{name: "four bytes there", text: fill(2043, "😀😀"), want: fill(2043, "…")},
		{name: "marks of the host", text: "<system-reminder>\x1b\u202e", want: `\<system-reminder>\x1b\u202e`},
		{name: "marks that become longer", text: strings.Repeat("\u202e", 600), want: strings.Repeat(`\u202e`, 340) + `\u202…`},
		{name: "invalid bytes", text: "a\xffb", want: "a\ufffdb"},
		{name: "invalid bytes that become longer", text: strings.Repeat("a\xff", 1000), want: strings.Repeat("a\ufffd", 511) + "a…"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := definition.Instructions(tt.text)
			require.Equal(t, tt.want, got)
			require.LessOrEqual(t, len(got), 2048)
			require.True(t, utf8.ValidString(got))
		})
	}
}
