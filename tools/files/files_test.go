package files_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// TestToolsNeedAnExecutor: without one nothing was decided, and nothing is done.
func TestToolsNeedAnExecutor(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f.ipynb")
	require.NoError(t, os.WriteFile(path, []byte("secret"), 0o600))
	inputs := map[string]map[string]any{
		"Read":         {"file_path": path},
		"Write":        {"file_path": path, "content": "x"},
		"Edit":         {"file_path": path, "old_string": "secret", "new_string": "x"},
		"NotebookEdit": {"notebook_path": path, "cell_id": "a", "new_source": "x"},
		"Glob":         {"path": filepath.Dir(path), "pattern": "*"},
		"Grep":         {"path": path, "pattern": "secret"},
	}
	tools := files.Tools()
	require.Len(t, tools, len(inputs))
	for _, tool := range tools {
		raw, err := json.Marshal(inputs[tool.Info().Name])
		require.NoError(t, err)
		_, err = tool.Call(t.Context(), &pegboard.Call{Input: raw})
		require.ErrorContains(t, err, "not admitted by an executor", tool.Info().Name)
	}
	require.Equal(t, "secret", content(t, path))
}

func TestToolsKeepTheContract(t *testing.T) {
	t.Parallel()
	require.NoError(t, tooltest.Check(files.Read(files.ReadOptions{}), `{"file_path":"permission_test.go"}`, `{"file_path":"permission_test.go","offset":2,"limit":1}`))
	require.NoError(t, tooltest.Check(files.Glob(files.GlobOptions{}), `{"pattern":"*.go"}`, `{"pattern":"*.go","path":"."}`))
}

// TestToolsTellAClassifierWhatTheyDo: a classifier that is told nothing is not asked.
func TestToolsTellAClassifierWhatTheyDo(t *testing.T) {
	t.Parallel()
	want := map[string]struct{ input, text string }{
		"Read":         {`{"file_path":"/etc/passwd"}`, "/etc/passwd"},
		"Write":        {`{"file_path":"a","content":"x\ny"}`, "a\nx\ny"},
		"Edit":         {`{"file_path":"a","old_string":"x","new_string":"y"}`, "a\nreplaced:\nx\nby:\ny"},
		"NotebookEdit": {`{"notebook_path":"a.ipynb","cell_id":"c","new_source":"x"}`, "a.ipynb\nreplace cell c:\nx"},
		"MultiEdit":    {`{"file_path":"a","edits":[{"old_string":"x","new_string":"y"},{"old_string":"z","new_string":""}]}`, "a\nreplaced:\nx\nby:\ny\nreplaced:\nz\nby:\n"},
		"apply_patch":  {`{"input":"*** Begin Patch\n*** Delete File: a\n*** End Patch"}`, "*** Begin Patch\n*** Delete File: a\n*** End Patch"},
		"Glob":         {`{"pattern":"*.pem","path":"/etc"}`, "*.pem in /etc"},
		"Grep":         {`{"pattern":"key"}`, "key in ."},
	}
	for _, tool := range append(files.Tools(), files.MultiEdit(files.WriteOptions{}), files.ApplyPatch(files.WriteOptions{})) {
		name := tool.Info().Name
		require.Equal(t, want[name].text, tool.ClassifierInput(&pegboard.Call{Input: json.RawMessage(want[name].input)}), name)
	}
}

// transcribed is one call of a real session.
type transcribed struct {
	Session string
	ID      string
	Tool    string
	Input   map[string]any
}

// TestTranscripts makes the calls of real sessions: as they are, on a tree that
// lacks their files, and then on files in which they can do their work.
func TestTranscripts(t *testing.T) {
	for _, folder := range corpus.Folders(t) {
		path := filepath.Join(folder, "transcripts", "tool_calls.jsonl")
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			continue
		}
		made, refused := 0, 0
		for n, line := range corpus.Lines(t, path) {
			var row transcribed
			require.NoError(t, json.Unmarshal(line, &row), "line %d", n)
			if row.Tool != "Read" && row.Tool != "Edit" && row.Tool != "Write" {
				continue
			}
			g := editable(t)
			out := g.call(t.Context(), t, row.Tool, row.Input)
			row.requireOutcome(t, out)
			if row.replay(t) {
				made++
			} else {
				refused++
			}
		}
		corpus.Report(t, folder, "%d calls did their work, %d were refused for what they say", made, refused)
		require.Positive(t, made)
		require.Less(t, refused*20, made, "more than one of twenty calls of real sessions was refused")
	}
}

// requireOutcome wants one outcome that is no fault of the library. An edit that cannot be made is
// refused by the tool's Validate.
func (row transcribed) requireOutcome(t *testing.T, out pegboard.Outcome) {
	t.Helper()
	require.NotEmpty(t, out.Result.Text(), row.ID)
	for _, fault := range []error{pegboard.ErrPanic, pegboard.ErrUnknownTool, pegboard.ErrTimeout} {
		require.NotErrorIs(t, out.Err, fault, row.ID)
	}
	if failed := (*pegboard.CallError)(nil); errors.As(out.Err, &failed) && errors.Is(out.Err, pegboard.ErrInvalidInput) {
		require.Equal(t, pegboard.StageValidate, failed.Stage, row.ID)
	}
}

// replay makes the call on a file that has what it is about, and reports whether
// it did what it should.
func (row transcribed) replay(t *testing.T) bool {
	t.Helper()
	g := editable(t)
	row.Input["file_path"] = "file"
	old, _ := row.Input["old_string"].(string)
	text := "above\n" + strings.Repeat("line\n", 2000) + "<" + old + ">\nbelow\n"
	path := filepath.Join(g.dir, "file")
	if row.Tool != "Write" {
		g.put(t, "file", text)
	}
	if row.Tool == "Edit" {
		g.read(t, map[string]any{"file_path": "file", "offset": 1990})
	}
	out := g.call(t.Context(), t, row.Tool, row.Input)
	row.requireOutcome(t, out)
	if out.Err != nil {
		t.Logf("%s %s: %v", row.Tool, row.ID, out.Err)
		return false
	}
	switch row.Tool {
	case "Edit":
		changed, _ := row.Input["new_string"].(string)
		require.Equal(t, strings.Replace(text, old, changed, 1), content(t, path), row.ID)
	case "Write":
		require.Equal(t, row.Input["content"], content(t, path), row.ID)
	}
	return true
}
