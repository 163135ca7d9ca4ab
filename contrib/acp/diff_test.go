package acp_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestDiffs shows each kind of change. The text of a hunk is that of the file, to the last
// line end.
func TestDiffs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		diff    pegboard.Diff
		content string
		line    int
	}{
		{
			name:    "a changed line",
			diff:    pegboard.Diff{Path: "/a", Hunks: []pegboard.Hunk{{OldStart: 3, OldLines: 2, NewStart: 3, NewLines: 2, Lines: []string{" one", "-two", "+2"}}}},
			content: `[{"type":"diff","path":"/a","oldText":"one\ntwo\n","newText":"one\n2\n"}]`, line: 3,
		},
		{
			name:    "two hunks",
			diff:    pegboard.Diff{Path: "/a", Hunks: []pegboard.Hunk{{NewStart: 1, Lines: []string{"+x"}}, {NewStart: 9, Lines: []string{"-y"}}}},
			content: `[{"type":"diff","path":"/a","oldText":"","newText":"x\n"},{"type":"diff","path":"/a","oldText":"y\n","newText":""}]`, line: 1,
		},
		{
			name:    "the last line gets its end",
			diff:    pegboard.Diff{Path: "/a", Hunks: []pegboard.Hunk{{NewStart: 1, Lines: []string{"-x", `\ No newline at end of file`, "+x"}}}},
			content: `[{"type":"diff","path":"/a","oldText":"x","newText":"x\n"}]`, line: 1,
		},
		{
			name:    "a new file",
			diff:    pegboard.Diff{Path: "/a", New: true, Hunks: []pegboard.Hunk{{NewStart: 1, NewLines: 1, Lines: []string{"+x", `\ No newline at end of file`}}}},
			content: `[{"type":"diff","path":"/a","newText":"x"}]`, line: 1,
		},
		{name: "a new empty file", diff: pegboard.Diff{Path: "/a", New: true}, content: `[{"type":"diff","path":"/a","newText":""}]`},
		{
			name:    "a removed file",
			diff:    pegboard.Diff{Path: "/a", Removed: true, Hunks: []pegboard.Hunk{{Lines: []string{"-x"}}}},
			content: `[{"type":"content","content":{"type":"text","text":"/a is removed."}},{"type":"diff","path":"/a","oldText":"x\n","newText":""}]`,
		},
		{name: "a moved file", diff: pegboard.Diff{Path: "/b", MovedFrom: "/a"}, content: `[{"type":"content","content":{"type":"text","text":"/a is moved to /b."}}]`},
		{
			name:    "lines that are left out",
			diff:    pegboard.Diff{Path: "/a", Omitted: 7, Hunks: []pegboard.Hunk{{NewStart: 1, Lines: []string{"+x"}}}},
			content: `[{"type":"content","content":{"type":"text","text":"The last 7 lines of the change to /a are not shown."}},{"type":"diff","path":"/a","oldText":"","newText":"x\n"}]`, line: 1,
		},
		{
			name:    "lines that are none",
			diff:    pegboard.Diff{Path: "/a", Hunks: []pegboard.Hunk{{Lines: []string{"", "?", `\`}}}},
			content: `[{"type":"diff","path":"/a","oldText":"","newText":""}]`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := opened(t, setup{turn: calling()})
			o := &pegboard.Outcome{Call: &pegboard.Call{ID: "c", Name: "Edit"}, Result: &pegboard.Result{Diffs: []pegboard.Diff{tt.diff}, Parts: []pegboard.Part{{Text: "done"}}}}
			e.h.Record(pegboard.Event{Kind: pegboard.EventFinished, Call: o.Call, Outcome: o})
			require.Equal(t, "end_turn", string(e.stops("go")))
			all := e.updates()
			require.Len(t, all, 2)
			content, err := json.Marshal(all[1].Content)
			require.NoError(t, err)
			require.JSONEq(t, tt.content, string(content))
			require.Len(t, all[1].Locations, 1)
			require.Equal(t, tt.diff.Path, all[1].Locations[0].Path)
			require.Equal(t, tt.line, all[1].Locations[0].Line)
		})
	}
}
