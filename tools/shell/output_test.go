package shell_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// TestOutputHasTheDocumentedNames.
func TestOutputHasTheDocumentedNames(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, t.TempDir(), "Bash")
	var got map[string]any
	raw, err := json.Marshal(bash(t, s, shell.Options{}, `{"command":"echo a | grep b"}`).Result.Data)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &got))
	require.Equal(t, map[string]any{
		"stdout": "", "stderr": "Exit code 1: nothing matched.", "interrupted": false, "exitCode": 1.0,
		"returnCodeInterpretation": "nothing matched",
	}, got)
	require.True(t, outputOf(t, bash(t, s, shell.Options{}, `{"command":"mkdir a && touch a/b"}`)).NoOutputExpected)
	require.False(t, outputOf(t, bash(t, s, shell.Options{}, `{"command":"mkdir c && ls c"}`)).NoOutputExpected)
}
