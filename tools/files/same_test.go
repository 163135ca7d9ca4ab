package files_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// TestSameCallsOfAMessage: what a message reads or searches twice in a row is read or
// searched once. The text is the result of the first call, and the second refers to it.
func TestSameCallsOfAMessage(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name          string
		first, second map[string]any
		same          bool
	}{
		{name: "Read", first: map[string]any{"tool": "Read", "file_path": "f"}, second: map[string]any{"tool": "Read", "file_path": "f"}, same: true},
		{name: "Read from elsewhere", first: map[string]any{"tool": "Read", "file_path": "f"}, second: map[string]any{"tool": "Read", "file_path": "f", "offset": 3}},
		{name: "Read of no file", first: map[string]any{"tool": "Read", "file_path": "none"}, second: map[string]any{"tool": "Read", "file_path": "none"}, same: true},
		{name: "Glob", first: map[string]any{"tool": "Glob", "pattern": "*"}, second: map[string]any{"tool": "Glob", "pattern": "*"}, same: true},
		{name: "Glob of another pattern", first: map[string]any{"tool": "Glob", "pattern": "*"}, second: map[string]any{"tool": "Glob", "pattern": "f"}},
		{name: "Grep", first: map[string]any{"tool": "Grep", "pattern": "line", "paths": []string{"f"}}, second: map[string]any{"tool": "Grep", "pattern": "line", "paths": []string{"f"}}, same: true},
		{name: "Grep of other files", first: map[string]any{"tool": "Grep", "pattern": "line", "paths": []string{"f"}}, second: map[string]any{"tool": "Grep", "pattern": "line", "paths": []string{"."}}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t, pegboard.SessionConfig{})
			g.put(t, "f", long)
			outs := g.message(t, tc.first, tc.second)
			first, second := outs[0], outs[1]
			require.Nil(t, first.SameAs)
			require.Equal(t, tc.same, second.SameAs != nil)
			require.Equal(t, first.Result.IsError, second.Result.IsError)
			if tc.same {
				require.Contains(t, second.Result.Text(), "a call before it in this message (1) is the same")
				require.Equal(t, first.Result.Data, second.Result.Data)
			}
			if read, ok := first.Result.Data.(files.ReadOutput); ok {
				require.Equal(t, "text", read.Type, "the text stands above the call that refers to it")
			}
		})
	}
}
