package shell_test

import (
	"context"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// Files are gone after a call that was cancelled with much output.
func TestCancelledCommandLeavesNoFiles(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, t.TempDir(), "Bash")
	c, cancel := context.WithCancel(t.Context())
	ended := starting(c, poolOf(t, s, shell.Bash(shell.Options{})), "Bash", `{"command":"seq 1 1000000; sleep 60"}`)
	time.Sleep(time.Second)
	cancel()
	out := <-ended
	require.LessOrEqual(t, len(out.Result.Text()), shell.MaxShownFailed+1000)
	dir, err := background.Of(s).Dir()
	require.NoError(t, err)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestToolsTellAClassifierWhatTheyRun: a classifier that is told nothing is not asked.
func TestToolsTellAClassifierWhatTheyRun(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		tool        pegboard.Tool
		input, text string
	}{
		{shell.Bash(shell.Options{}), `{"command":"make all"}`, "make all"},
		{shell.PowerShell(shell.Options{}), `{"command":"Get-Item x"}`, "Get-Item x"},
		{shell.Monitor(shell.Options{}), `{"description":"d","command":"tail -f x"}`, "tail -f x"},
		{shell.REPL(shell.REPLOptions{}), `{"code":"1+1","language":"javascript"}`, "javascript\n1+1"},
		{shell.TaskStop(), `{"task_id":"b1"}`, "end task b1"},
		{shell.TaskOutput(), `{"task_id":"b1"}`, ""}, // it is always allowed
	} {
		require.Equal(t, tc.text, tc.tool.ClassifierInput(&pegboard.Call{Input: json.RawMessage(tc.input)}), tc.tool.Info().Name)
	}
}
