package files_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// words counts a token for each word, the number of a line included.
func words(text []byte) int { return len(bytes.Fields(text)) }

func TestReadCountsTokens(t *testing.T) {
	t.Parallel()
	ten := strings.Repeat("a b c\n", 10) // four tokens each, with the number
	tests := []struct {
		name   string
		opts   files.ReadOptions
		text   string
		input  map[string]any
		want   string // the beginning of the answer
		refuse bool
		lines  int
		capped bool
	}{
		{name: "just enough", opts: files.ReadOptions{MaxTokens: 40, Tokens: words}, text: ten, want: "     1\ta b c\n", lines: 10},
		{name: "the whole file is too much", opts: files.ReadOptions{MaxTokens: 39, Tokens: words}, text: ten, lines: 9, capped: true,
			want: "[PARTIAL view: lines 1 to 9 of 10; the file has 60 bytes. One call shows about 39 tokens at most. Go on with offset 10 and limit 9.]\n     1\ta b c\n"},
		{name: "the lines asked for are too many", opts: files.ReadOptions{MaxTokens: 15, Tokens: words}, text: ten,
			input: map[string]any{"offset": 3, "limit": 5}, refuse: true,
			want: "Lines 3 to 7 are about 20 tokens, more than the 15 that one call shows. Ask for offset 3 and limit 3, which fits, or find the place with Grep."},
		{name: "the lines advised then", opts: files.ReadOptions{MaxTokens: 15, Tokens: words}, text: ten,
			input: map[string]any{"offset": 3, "limit": 3}, lines: 3, want: "[PARTIAL view: lines 3 to 5 of 10;"},
		{name: "the rest is too much", opts: files.ReadOptions{MaxTokens: 15, Tokens: words}, text: ten,
			input: map[string]any{"offset": 5}, refuse: true, want: "Lines 5 to 10 are about 24 tokens,"},
		{name: "a limit alone is a range", opts: files.ReadOptions{MaxTokens: 15, Tokens: words}, text: ten,
			input: map[string]any{"limit": 4}, refuse: true, want: "Lines 1 to 4 are about 16 tokens,"},
		{name: "a first line that is too long is shown", opts: files.ReadOptions{MaxTokens: 2, Tokens: words}, text: ten, lines: 1, capped: true,
			want: "[PARTIAL view: lines 1 to 1 of 10;"},
		{name: "even if it was asked for", opts: files.ReadOptions{MaxTokens: 2, Tokens: words}, text: ten,
			input: map[string]any{"limit": 1}, lines: 1, want: "[PARTIAL view: lines 1 to 1 of 10;"},
		{name: "too long to be counted", opts: files.ReadOptions{MaxTokens: 2, Tokens: words}, text: strings.Repeat(strings.Repeat("x", 1<<20)+"\n", 20),
			input: map[string]any{"limit": 19}, refuse: true, want: "Lines 1 to 10 are more than about 170 tokens"},
		{name: "a negative count is none", opts: files.ReadOptions{MaxTokens: 2, Tokens: func([]byte) int { return -1 }}, text: ten, lines: 10, want: "     1\ta b c\n"},
		{name: "the estimate of ASCII", opts: files.ReadOptions{MaxTokens: 5}, text: "a\nbc\n", lines: 2, want: "     1\ta\n"}, // 8 and 10 bytes
		{name: "one too many", opts: files.ReadOptions{MaxTokens: 4}, text: "a\nbc\n", lines: 1, capped: true, want: "[PARTIAL view: lines 1 to 1 of 2;"},
		{name: "the estimate of other characters", opts: files.ReadOptions{MaxTokens: 2 + 3 + 2 + 2}, text: "日本語\n\U0001F600é\n", lines: 2, want: "     1\t日"},
		{name: "one of them too many", opts: files.ReadOptions{MaxTokens: 2 + 3 + 2 + 1}, text: "日本語\n\U0001F600é\n", lines: 1, capped: true, want: "[PARTIAL"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t, pegboard.SessionConfig{}, files.Read(tc.opts))
			input := map[string]any{"file_path": g.put(t, "f", tc.text)}
			for k, v := range tc.input {
				input[k] = v
			}
			out := g.call(t.Context(), t, "Read", input)
			require.Equal(t, tc.refuse, out.Result.IsError)
			require.True(t, strings.HasPrefix(out.Result.Text(), tc.want), out.Result.Text())
			if !tc.refuse {
				_, file := g.read(t, map[string]any{"file_path": input["file_path"], "offset": 1, "limit": 1})
				require.Equal(t, 1, file.NumLines)
				shown := readText(t, out)
				require.Equal(t, tc.lines, shown.NumLines)
				require.Equal(t, tc.capped, shown.TruncatedByTokenCap)
			}
		})
	}
}

// readText returns the text that a call of Read showed.
func readText(t testing.TB, out pegboard.Outcome) files.TextFile {
	t.Helper()
	data, ok := out.Result.Data.(files.ReadOutput)
	require.True(t, ok, out.Result.Text())
	text, ok := data.File.(files.TextFile)
	require.True(t, ok, out.Result.Text())
	return text
}

// TestReadShowsTheDefaultNumberOfTokens reads a file of usual lines with the
// defaults.
func TestReadShowsTheDefaultNumberOfTokens(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{})
	path := g.put(t, "f", strings.Repeat("a line of a usual length, with a few words in it\n", 5000))
	text, file := g.read(t, map[string]any{"file_path": path})
	require.True(t, file.TruncatedByTokenCap)
	require.Equal(t, 25_000/14, file.NumLines, "a line has 55 bytes with its number, and an end")
	require.Contains(t, text, fmt.Sprintf("One call shows about 25000 tokens at most. Go on with offset %d and limit %d.]", file.NumLines+1, file.NumLines))
}

// TestReadLeavesALongLine would take minutes if the line were read to its end.
func TestReadLeavesALongLine(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{})
	path := g.put(t, "f", "first\n"+strings.Repeat("x", 10_000))
	require.NoError(t, os.Truncate(path, 1<<40))
	text, file := g.read(t, map[string]any{"file_path": path})
	require.Equal(t, 2, file.NumLines)
	require.True(t, file.Partial)
	require.Equal(t, -1, file.TotalLines)
	require.Contains(t, text, "[PARTIAL view: lines 1 to 2, more lines follow; the file has 1099511627776 bytes. Go on with offset 3.]\n")
	require.Regexp(t, `\n     2\tx+ … \[at least \d+ more bytes in this line; go on with offset 2 and byte_offset 2000\]$`, text)
}

// TestReadOfALineAtTheBorder leaves lines of about the length from which on
// their end is not looked for, and counts the others all the same.
func TestReadOfALineAtTheBorder(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{NoUnchanged: true}))
	for _, size := range []int{8<<20 + 8_000, 8<<20 + 64<<10} {
		for _, end := range []string{"", "\n", "\nlast", "\nlast\n"} {
			path := g.put(t, "f", strings.Repeat("x", size)+end)
			_, file := g.read(t, map[string]any{"file_path": path})
			want := 1 + strings.Count(end, "last")
			require.Equal(t, want, file.TotalLines, "%d bytes and %q", size, end)
			if file.NumLines < want {
				require.True(t, file.Partial)
				_, file = g.read(t, map[string]any{"file_path": path, "offset": 2})
				require.Equal(t, "last", file.Content)
			}
		}
	}
}

// TestLineThatIsTooLongToBePassed: nothing follows it, and the file can be edited.
func TestLineThatIsTooLongToBePassed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		behind  string
		input   map[string]any
		partial bool
	}{
		{name: "alone", input: map[string]any{}},
		{name: "alone, by its number", input: map[string]any{"offset": 1, "limit": 5}},
		{name: "with another behind it, by its number", behind: "\nb", input: map[string]any{"limit": 1}, partial: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := editable(t)
			path := g.put(t, "f", strings.Repeat("x", 9<<20)+"END"+tt.behind)
			tt.input["file_path"] = "f"
			text, data := g.read(t, tt.input)
			require.Equal(t, tt.partial, data.Partial)
			require.Equal(t, tt.partial, strings.Contains(text, "Go on with offset 2"))
			require.NoError(t, g.edit(t, "f", "END", "end").Err)
			require.True(t, strings.HasSuffix(content(t, path), "xend"+tt.behind))
		})
	}
}
