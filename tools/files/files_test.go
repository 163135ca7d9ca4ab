package files_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed49eaa51d/pegboard/tools/tooltest"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
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
