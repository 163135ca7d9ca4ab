package files_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// TestObservedPathsAreAbsolute: hooks and logs need not know the directory of the session.
func TestObservedPathsAreAbsolute(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{Home: "/home/me"}, append(files.Tools(), files.MultiEdit(files.WriteOptions{}))...)
	var reg pegboard.Registry
	require.NoError(t, reg.Add(g.tools...))
	pool := reg.AssemblePool(g.session, pegboard.PoolConfig{})
	inside := func(name string) string { return filepath.Join(g.dir, name) }
	tests := []struct {
		name, tool string
		input      map[string]any
		property   string
		want       string
	}{
		{name: "relative", tool: "Read", input: map[string]any{"file_path": "a/../b.txt"}, property: "file_path", want: inside("b.txt")},
		{name: "absolute", tool: "Read", input: map[string]any{"file_path": "/etc/hosts"}, property: "file_path", want: "/etc/hosts"},
		{name: "at home", tool: "Read", input: map[string]any{"file_path": "~/notes"}, property: "file_path", want: "/home/me/notes"},
		{name: "written", tool: "Write", input: map[string]any{"file_path": "b.txt", "content": ""}, property: "file_path", want: inside("b.txt")},
		{name: "edited", tool: "Edit", input: map[string]any{"file_path": "b.txt", "old_string": "a", "new_string": "b"}, property: "file_path", want: inside("b.txt")},
		{name: "edited in several places", tool: "MultiEdit", input: map[string]any{"file_path": "b.txt", "edits": []any{map[string]any{"old_string": "a", "new_string": "b"}}}, property: "file_path", want: inside("b.txt")},
		{name: "a notebook", tool: "NotebookEdit", input: map[string]any{"notebook_path": "n.ipynb", "new_source": "1", "cell_id": "x"}, property: "notebook_path", want: inside("n.ipynb")},
		{name: "searched", tool: "Grep", input: map[string]any{"pattern": "a", "path": "src"}, property: "path", want: inside("src")},
		{name: "searched without a path", tool: "Grep", input: map[string]any{"pattern": "a"}, property: "path", want: g.dir},
		{name: "found", tool: "Glob", input: map[string]any{"pattern": "sub/*.go", "path": "src"}, property: "path", want: inside("src")},
		{name: "found without a path", tool: "Glob", input: map[string]any{"pattern": "sub/*.go"}, property: "path", want: g.dir},
		{name: "found by an absolute pattern", tool: "Glob", input: map[string]any{"pattern": "/etc/*.conf", "path": "src"}, property: "path", want: "/etc"},
		{name: "found by an absolute pattern inside", tool: "Glob", input: map[string]any{"pattern": filepath.ToSlash(inside("src")) + "/*.go"}, property: "path", want: inside("src")},
		{name: "found by several patterns", tool: "Glob", input: map[string]any{"pattern": "/etc/*.conf, *.go"}, property: "path", want: g.dir},
		{name: "a pattern that cannot be read", tool: "Glob", input: map[string]any{"pattern": "[", "path": "src"}, property: "path", want: inside("src")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			input, err := json.Marshal(tt.input)
			require.NoError(t, err)
			_, c, err := pool.Rebuild(pegboard.Call{ID: "1", Name: tt.tool, Input: input})
			require.NoError(t, err)
			var observed map[string]any
			require.NoError(t, json.Unmarshal(c.Observed(), &observed))
			require.Equal(t, tt.want, observed[tt.property])
			delete(observed, tt.property)
			delete(tt.input, tt.property)
			require.Equal(t, tt.input, observed, "nothing else is changed")
			require.JSONEq(t, string(input), string(c.Input))

			_, again, err := pool.Rebuild(pegboard.Call{ID: "1", Name: tt.tool, Input: c.Observed()})
			require.NoError(t, err)
			require.Equal(t, c.Targets(), again.Targets(), "it means the same")
			require.Equal(t, string(c.Observed()), string(again.Observed()))
		})
	}
}
