package hooks_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// A hook replaces a part of the typed output of tools that this library has: what it is shown
// as tool_response is what it may give back.
func TestOutputOfBuiltInTools(t *testing.T) {
	t.Parallel()
	echo := `python3 -c '
import json, sys
text = json.dumps(json.load(sys.stdin)["tool_response"]).replace("secret", "******")
print(json.dumps({"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": json.loads(text)}}))'`
	o := noteOptions{rules: pegboard.RuleSet{Allow: []string{"Bash"}}, tools: []pegboard.Tool{shell.Bash(shell.Options{}), files.Read(files.ReadOptions{})}}
	s := newNoteScene(t, commandHook("PostToolUse", "Bash|Read", echo), o)
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "a.txt"), []byte("a secret\n"), 0o600))
	for _, call := range []pegboard.Call{
		{ID: "1", Name: "Bash", Input: json.RawMessage(`{"command": "echo the secret"}`)},
		{ID: "2", Name: "Read", Input: json.RawMessage(`{"file_path": "a.txt"}`)},
	} {
		out := s.exec.Run(t.Context(), s.pool, call)[0]
		require.NoError(t, out.Err)
		require.Empty(t, s.problemTexts())
		require.NotContains(t, out.Result.Text(), "secret")
		require.Contains(t, out.Result.Text(), "******")
	}
}
