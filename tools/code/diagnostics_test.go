package code_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/code"
)

// TestDiagnosticsTellsNewErrors edits a file with an error of its own, before and after the
// server runs.
func TestDiagnosticsTellsNewErrors(t *testing.T) {
	t.Parallel()
	o := code.Options{Servers: []code.Server{gopls(t)}}
	texts := module()
	texts["use.go"] += "\nvar old = missing\n"
	g := newGround(t, o, pegboard.SessionConfig{Permissions: acceptEdits(t), Hooks: code.Diagnostics(o)}, texts)
	file := filepath.Join(g.dir, "use.go")
	require.NoError(t, g.call(t, "Read", map[string]any{"file_path": file}).Err)
	said := func(from, to string) (text string) {
		t.Helper()
		out := g.call(t, "Edit", map[string]any{"file_path": file, "old_string": from, "new_string": to})
		require.NoError(t, out.Err, out.Result.Text())
		for _, part := range out.Result.Messages {
			text += part.Text
		}
		return text
	}
	require.Empty(t, said("g.Greet()", "g.Gret()"), "no server runs")
	require.Empty(t, said("g.Gret()", "g.Greet()"))
	require.NoError(t, g.ask(t, "goToDefinition", "use.go", 3, 49).Err)
	var text string
	for begun := time.Now(); text == "" && time.Since(begun) < time.Minute; { // a late server tells nothing, and a busy machine makes it late
		if text = said("g.Greet()", "g.Gret()"); text == "" {
			said("g.Gret()", "g.Greet()")
		}
	}
	require.Contains(t, text, "New errors in use.go, found by gopls:\n  3:39: g.Gret undefined")
	require.NotContains(t, text, "missing")
	require.Empty(t, said("g.Gret()", "g.Greet()"))
}
