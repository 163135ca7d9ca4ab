package files_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// FuzzRead takes windows of arbitrary texts apart in the simplest way and
// compares.
func FuzzRead(f *testing.F) {
	f.Add("a\r\nb\n\r\r\nc", 2, 2)
	f.Add("\n\n\n", 3, 9)
	f.Add("é€\U0001F600\r\ny", 2, 1)
	f.Fuzz(func(t *testing.T, text string, offset, limit int) {
		if offset < 1 || limit < 1 || !utf8.ValidString(text) || strings.HasPrefix(text, "\uFEFF") || strings.Contains(text, "\x00") {
			t.Skip("not an input that the schema accepts, or text that Read shows otherwise")
		}
		g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{MaxLineLength: math.MaxInt, MaxBytes: 1 << 30, MaxTokens: 1 << 30}))
		out := g.call(t.Context(), t, "Read", map[string]any{"file_path": g.put(t, "f", text), "offset": offset, "limit": limit})
		data, ok := out.Result.Data.(files.ReadOutput)
		if !ok || data.Type == "image" {
			t.Skip("it begins like an image or a PDF")
		}
		got, ok := data.File.(files.TextFile)
		require.True(t, ok)

		want := simplyLines(text)
		require.Equal(t, len(want), got.TotalLines)
		want = want[min(offset-1, len(want)):]
		require.Equal(t, len(want) > limit, got.Partial)
		want = want[:min(limit, len(want))]
		require.Equal(t, len(want), got.NumLines)
		require.Equal(t, strings.Join(want, "\n"), got.Content)
	})
}

// FuzzReadWithinLine reads one line in parts, each from the byte where the one before it
// ended, and compares them with the line.
func FuzzReadWithinLine(f *testing.F) {
	f.Add("abc€\U0001F600déf", 1)
	f.Add(strings.Repeat("ä", 50), 7)
	f.Add("a", 1)
	f.Fuzz(func(t *testing.T, line string, width int) {
		if width < 1 || width > 1<<20 || len(line) > 500 || !utf8.ValidString(line) || strings.HasPrefix(line, "\uFEFF") || strings.ContainsAny(line, "\x00\r\n") {
			t.Skip("no line that Read shows as it is")
		}
		g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{MaxLineLength: width}))
		path := g.put(t, "f", "# text\n"+line+"\n")
		var whole strings.Builder
		for whole.Len() < len(line) {
			out := g.call(t.Context(), t, "Read", map[string]any{"file_path": path, "offset": 2, "byte_offset": whole.Len(), "limit": 1})
			data, ok := out.Result.Data.(files.ReadOutput)
			require.True(t, ok, out.Result.Text())
			got, ok := data.File.(files.TextFile)
			require.True(t, ok)
			rest := line[whole.Len():]
			part := rest[:min(len(rest), len(string([]rune(rest)[:min(width, utf8.RuneCountInString(rest))])))]
			want := part
			if n := len(rest) - len(part); n > 0 {
				want = fmt.Sprintf("%s … [%d more bytes in this line; go on with offset 2 and byte_offset %d]", part, n, whole.Len()+len(part))
			}
			require.Equal(t, want, got.Content)
			whole.WriteString(part)
		}
		require.Equal(t, line, whole.String())
	})
}

func simplyLines(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if last := len(lines) - 1; lines[last] == "" {
		lines = lines[:last]
	}
	for i, l := range lines {
		if l, ok := strings.CutSuffix(l, "\n"); ok {
			lines[i] = strings.TrimSuffix(l, "\r")
		}
	}
	return lines
}
