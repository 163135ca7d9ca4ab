package languageserver_test

import (
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/internal/languageserver"
)

func TestPositionColumns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, line, encoding string
		column, units        int
		outside              bool
	}{
		{name: "begin", line: "abc", encoding: "utf-16", column: 1},
		{name: "end", line: "abc", encoding: "utf-16", column: 4, units: 3},
		{name: "behind the end", line: "abc", encoding: "utf-16", column: 5, units: 3, outside: true},
		{name: "zero", line: "abc", encoding: "utf-16", outside: true},
		{name: "negative", line: "abc", encoding: "utf-16", column: -1, outside: true},
		{name: "empty line", encoding: "utf-16", column: 1},
		{name: "behind an emoji in UTF-16", line: "😀x", encoding: "utf-16", column: 2, units: 2},
		{name: "behind an emoji in UTF-8", line: "😀x", encoding: "utf-8", column: 2, units: 4},
		{name: "behind an emoji in UTF-32", line: "😀x", encoding: "utf-32", column: 2, units: 1},
		{name: "Chinese in UTF-16", line: "漢字x", encoding: "utf-16", column: 3, units: 2},
		{name: "Chinese in UTF-8", line: "漢字x", encoding: "utf-8", column: 3, units: 6},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			units, ok, back := languageserver.Convert(tt.line, tt.encoding, tt.column)
			require.Equal(t, !tt.outside, ok)
			if ok {
				require.Equal(t, tt.units, units)
				require.Equal(t, tt.column, back)
			}
		})
	}
}

// TestPositionOfAServer converts positions that a server should not send.
func TestPositionOfAServer(t *testing.T) {
	t.Parallel()
	require.Equal(t, 1, languageserver.ColumnOf("😀x", "utf-16", 1), "inside a surrogate pair")
	require.Equal(t, 1, languageserver.ColumnOf("😀x", "utf-8", 3), "inside a character")
	require.Equal(t, 3, languageserver.ColumnOf("😀x", "utf-16", 1<<31-1), "behind the end")
}

func FuzzPositionColumns(f *testing.F) {
	f.Add("a😀漢\t", 3)
	f.Fuzz(func(t *testing.T, line string, column int) {
		if !utf8.ValidString(line) {
			t.Skip("a document is valid UTF-8")
		}
		runes := []rune(line)
		inside := column >= 1 && column <= len(runes)+1
		for name, units := range map[string]func([]rune) int{
			"utf-8":  func(r []rune) int { return len(string(r)) },
			"utf-16": func(r []rune) int { return len(utf16.Encode(r)) },
			"utf-32": func(r []rune) int { return len(r) },
		} {
			got, ok, back := languageserver.Convert(line, name, column)
			require.Equal(t, inside, ok, name)
			if ok {
				require.Equal(t, units(runes[:column-1]), got, name)
				require.Equal(t, column, back, name)
			}
		}
	})
}
