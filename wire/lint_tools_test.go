package wire_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/results"
	"github.com/seed49eaa51d/pegboard/tools/shell"
	"github.com/seed49eaa51d/pegboard/wire"
)

// TestLintFindsNothingInTheToolsThatShip, for any provider.
func TestLintFindsNothingInTheToolsThatShip(t *testing.T) {
	t.Parallel()
	tools := append(files.Tools(), files.MultiEdit(files.WriteOptions{}), files.ApplyPatch(files.WriteOptions{}), shell.Bash(shell.Options{}), shell.PowerShell(shell.Options{}), shell.REPL(shell.REPLOptions{}),
		shell.TaskOutput(), shell.TaskStop(), shell.Monitor(shell.Options{}), pegboard.ToolSearch(pegboard.SearchOptions{}))
	for _, test := range []struct {
		name  string
		tools []pegboard.Tool
	}{
		{name: "all but the reader of results", tools: tools},
		{name: "the reader of results", tools: []pegboard.Tool{results.Read(results.Options{})}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var r pegboard.Registry
			require.NoError(t, r.Add(test.tools...))
			s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir()})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, s.Close(t.Context())) })
			pool := r.AssemblePool(s, pegboard.PoolConfig{Gates: pegboard.Gates{PowerShell: true}})
			require.Equal(t, len(test.tools), pool.Len())
			for _, to := range []wire.Provider{wire.Anthropic, wire.OpenAIChat, wire.OpenAIResponses, wire.Gemini} {
				require.Empty(t, wire.Lint(pool, to), "%v", to)
			}
		})
	}
}
