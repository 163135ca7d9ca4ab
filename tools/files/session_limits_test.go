package files_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// TestLimitsOfTheSession: one tool serves sessions that show different amounts.
func TestLimitsOfTheSession(t *testing.T) {
	t.Parallel()
	words := func(text []byte) int { return len(strings.Fields(string(text))) }
	read := files.Read(files.ReadOptions{MaxTokens: 40}.With(files.ReadLimits{Bytes: 1000, Tokens: words}))
	glob := files.Glob(files.GlobOptions{MaxResults: 4})
	tests := []struct {
		name   string
		limits *pegboard.FileLimits // nil: none are set
		lines  int                  // of a file with 100 lines of 2 words
		files  int
		says   []string // of the descriptions
	}{
		{name: "none", lines: 20, files: 4, says: []string{"40 tokens", "4 at most"}},
		{name: "zero", limits: &pegboard.FileLimits{}, lines: 20, files: 4, says: []string{"40 tokens", "4 at most"}},
		{name: "negative", limits: &pegboard.FileLimits{ReadTokens: -1, ReadBytes: -1, GlobFiles: -1}, lines: 20, files: 4, says: []string{"40 tokens", "4 at most"}},
		{name: "fewer tokens", limits: &pegboard.FileLimits{ReadTokens: 10}, lines: 5, files: 4, says: []string{"10 tokens", "4 at most"}},
		{name: "more tokens", limits: &pegboard.FileLimits{ReadTokens: 60}, lines: 30, files: 4, says: []string{"60 tokens", "4 at most"}},
		{name: "fewer bytes", limits: &pegboard.FileLimits{ReadBytes: 80}, lines: 9, files: 4, says: []string{"40 tokens", "4 at most"}},
		{name: "fewer files", limits: &pegboard.FileLimits{GlobFiles: 2}, lines: 20, files: 2, says: []string{"40 tokens", "2 at most"}},
		{name: "more files", limits: &pegboard.FileLimits{GlobFiles: 6}, lines: 20, files: 6, says: []string{"40 tokens", "6 at most"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t, pegboard.SessionConfig{}, read, glob)
			if tt.limits != nil {
				pegboard.KeyFileLimits.Set(g.session, *tt.limits)
			}
			g.put(t, "f", strings.Repeat("x\n", 100))
			for i := range 10 {
				g.put(t, fmt.Sprintf("%d.go", i), "")
			}
			out := g.call(t.Context(), t, "Read", map[string]any{"file_path": "f"})
			require.NoError(t, out.Err)
			data, ok := out.Result.Data.(files.ReadOutput)
			require.True(t, ok)
			text, ok := data.File.(files.TextFile)
			require.True(t, ok)
			require.Equal(t, tt.lines, text.NumLines)
			_, found := g.glob(t, map[string]any{"pattern": "*.go"})
			require.Equal(t, tt.files, found.NumFiles)
			for i, tool := range []pegboard.Tool{read, glob} {
				declared, ok := tool.Declare(pegboard.Scope{Session: g.session})
				require.True(t, ok)
				require.Contains(t, declared.Description, tt.says[i])
			}
		})
	}
}
