package files_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/files"
)

// TestEditShowsTheChangeAndLittleElse: what stands on long lines, in many places or in
// many new lines is no reason for a long result.
func TestEditShowsTheChangeAndLittleElse(t *testing.T) {
	t.Parallel()
	words := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "é%d;", i)
		}
		return b.String()
	}
	numbered := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "new %d\n", i)
		}
		return b.String()
	}
	tests := []struct {
		name, text, from, to string
		all                  bool
		says                 []string
		not                  string
	}{
		{name: "a token of a minified file", text: strings.Repeat(words(5000)+"\n", 9), from: "\n" + words(3000) + "é3000;", to: "\n" + words(3000) + "X;", all: true,
			says: []string{"8 replacements", "é2999;X;é3001;", "more bytes in this line; Read shows them with offset "}},
		{name: "one place of a minified file", text: words(20000) + "token" + words(20000), from: ";token", to: ";TOKEN",
			says: []string{"[from byte ", "é19999;TOKENé0;é1;", "more bytes in this line; Read shows them with offset 1 and byte_offset "}, not: "é19000;"},
		{name: "at the end of a long line", text: words(20000) + "token\nnext\n", from: "token\n", to: "TOKEN\n", says: []string{"é19999;TOKEN\n     2\tnext"}, not: "more bytes"},
		{name: "many places", text: strings.Repeat("one\ntwo\n3\n4\n5\n6\n7\n8\n9\n", 500), from: "one", to: "ONE", all: true, says: []string{"500 replacements", "     1\tONE\n     2\ttwo", "[480 further places not shown]"}},
		{name: "many places on long lines", text: strings.Repeat(strings.Repeat("x", 1000)+"one\n", 100), from: "one", to: "ONE", all: true, says: []string{"xONE\n", "[80 further places not shown]"}},
		{name: "many new lines", text: "a\nb\nc\n", from: "b\n", to: numbered(300), says: []string{"     1\ta\n     2\tnew 0\n", "new 7\n...\n", "   301\tnew 299\n   302\tc"}, not: "new 100\n"},
		{name: "lines above and below", text: "1\n2\n3\n4\n5\n6\n7\n8\n9\n", from: "5", to: "V", says: []string{"     2\t2\n     3\t3\n     4\t4\n     5\tV\n     6\t6\n     7\t7\n     8\t8"}, not: "     9\t9"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := editable(t, files.Edit(files.WriteOptions{AllowUnread: true}))
			path := g.put(t, "f", tt.text)
			out := g.call(t.Context(), t, "Edit", map[string]any{"file_path": "f", "old_string": tt.from, "new_string": tt.to, "replace_all": tt.all})
			require.NoError(t, out.Err, out.Result.Text())
			text := out.Result.Text()
			for _, want := range tt.says {
				require.Contains(t, text, want)
			}
			if tt.not != "" {
				require.NotContains(t, text, tt.not)
			}
			require.LessOrEqual(t, len(text), 6500)
			require.True(t, utf8.ValidString(text))
			require.Equal(t, strings.ReplaceAll(tt.text, tt.from, tt.to), content(t, path))
		})
	}
}

// TestEditOfALongLineShowsTheRest: the call that the result names shows what it left out.
func TestEditOfALongLineShowsTheRest(t *testing.T) {
	t.Parallel()
	g := editable(t)
	g.put(t, "f", "first\n"+strings.Repeat("ab", 5000)+"token"+strings.Repeat("cd", 5000))
	g.read(t, map[string]any{"file_path": "f"})
	out := g.edit(t, "f", "token", "TOKEN")
	require.NoError(t, out.Err)
	var more, line, byteOffset int
	advice := out.Result.Text()
	_, err := fmt.Sscanf(advice[strings.LastIndex(advice, "[")+1:], "%d more bytes in this line; Read shows them with offset %d and byte_offset %d]", &more, &line, &byteOffset)
	require.NoError(t, err)
	_, file := g.read(t, map[string]any{"file_path": "f", "offset": line, "byte_offset": byteOffset})
	require.True(t, strings.HasPrefix(strings.TrimPrefix(file.Content, "d"), "cdcd"))
	require.Equal(t, 20005, byteOffset+more)
}

// TestDifferenceOfLongLinesShowsTheRest: what an error leaves out of a line, Read shows.
func TestDifferenceOfLongLinesShowsTheRest(t *testing.T) {
	t.Parallel()
	g := editable(t)
	line := "let x = 1; " + strings.Repeat("call(1); ", 6000) + "the end"
	g.put(t, "f", "first\n"+line+"\n")
	g.read(t, map[string]any{"file_path": "f"})
	out := g.edit(t, "f", "first\n"+strings.Replace(line, "x = 1", "x = 2", 1)+"\nlast\n", "new")
	require.Error(t, out.Err)
	var more, offset, byteOffset int
	advice := out.Result.Text()
	_, err := fmt.Sscanf(advice[strings.LastIndex(advice, "… [")+len("… ["):], "%d more bytes in this line; Read shows them with offset %d and byte_offset %d]", &more, &offset, &byteOffset)
	require.NoError(t, err, advice)
	require.Equal(t, len(line), byteOffset+more)
	text, _ := g.read(t, map[string]any{"file_path": "f", "offset": offset, "byte_offset": byteOffset, "limit": 1})
	require.Contains(t, text, line[byteOffset:byteOffset+1000])
}
