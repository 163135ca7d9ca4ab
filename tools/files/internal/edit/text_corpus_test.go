package edit_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/edit"
)

// A recordedEdit is an edit that a model asked for.
type recordedEdit struct {
	Old string `json:"old_string"`
	New string `json:"new_string"`
}

func recordedEdits(t *testing.T, folder string) []recordedEdit {
	t.Helper()
	var edits []recordedEdit
	for number, line := range corpus.Lines(t, filepath.Join(folder, "transcripts", "tool_calls.jsonl")) {
		var call struct {
			Tool  string          `json:"tool"`
			Input json.RawMessage `json:"input"`
		}
		require.NoError(t, json.Unmarshal(line, &call), "line %d", number)
		if call.Tool != "Edit" {
			continue
		}
		var e recordedEdit
		require.NoError(t, json.Unmarshal(call.Input, &e), "line %d", number)
		edits = append(edits, e)
	}
	return edits
}

// TestRecordedEdits makes the edits that models asked for, in files that differ
// from what the model believes in one way each.
func TestRecordedEdits(t *testing.T) {
	t.Parallel()
	const before, behind = "first line of the file\n\n", "\n\nlast line of the file\n"
	changes := []struct {
		name  string
		make  func(string) string // of the file
		level edit.MatchLevel
	}{
		{name: "exact", make: func(s string) string { return s }, level: edit.Exact},
		{name: "CRLF", make: func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }, level: edit.Exact},
		{name: "trailing space", make: func(s string) string { return strings.ReplaceAll(s, "\n", " \n") }, level: edit.TrailingSpace},
		{name: "deeper", make: func(s string) string { return "\t" + strings.ReplaceAll(s, "\n", "\n\t") }, level: edit.Indentation},
		{name: "no-break spaces", make: func(s string) string { return strings.ReplaceAll(s, " ", "\u00a0") }, level: edit.Punctuation},
	}
	for _, folder := range corpus.Folders(t) {
		edits := recordedEdits(t, folder)
		done := map[string]int{}
		for _, e := range edits {
			for _, c := range changes {
				// The file has the lines of the old text in full.
				file := before + c.make(e.Old) + behind
				change, err := parse(t, file).Replace(edit.Replacement{Old: e.Old, New: e.New})
				if err != nil {
					t.Logf("%s: %v", c.name, err)
					continue
				}
				require.LessOrEqual(t, change.Level, c.level)
				require.True(t, strings.HasPrefix(change.New, before))
				require.True(t, strings.HasSuffix(change.New, behind))
				if c.level == edit.Exact {
					require.Equal(t, before+e.New+behind, change.New)
				}
				done[c.name]++
			}
		}
		corpus.Report(t, folder, "%d edits, made: %v", len(edits), done)
		for _, c := range changes {
			require.GreaterOrEqual(t, done[c.name]*10, len(edits)*9, c.name)
		}
	}
}
