package files_test

import (
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
