package agents_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

func TestReadyMade(t *testing.T) {
	var registry pegboard.Registry
	for _, name := range pegboard.BuiltinNames() {
		tool := pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: name}, Description: "Stands in for " + name,
			Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "", nil },
		})
		require.NoError(t, registry.Add(tool))
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Role: pegboard.RoleSubAgent})
	require.NoError(t, err)
	defer session.Close(t.Context()) //nolint:errcheck // no tool runs
	pool := registry.AssemblePool(session, pegboard.PoolConfig{})
	have := map[string]bool{}
	for _, d := range agents.ReadyMade() {
		have[d.Name] = true
		require.NotEmpty(t, d.Description)
		require.NotEmpty(t, d.Prompt)
		require.False(t, d.Custom)
		resolved, err := pool.Resolve(d.Tools, d.DisallowedTools)
		require.NoError(t, err)
		if d.Name == "general-purpose" {
			require.Equal(t, pool.Len(), resolved.Pool.Len())
			continue
		}
		require.True(t, d.OneShot)
		require.Equal(t, policy.ModePlan, d.Mode)
		for tool := range resolved.Pool.All() {
			require.Contains(t, []string{"Read", "Grep", "Glob", "Bash", "PowerShell", "LSP", "WebFetch", "WebSearch", "ToolSearch"}, tool.Info().Name)
		}
	}
	require.Equal(t, map[string]bool{"general-purpose": true, "Explore": true, "Plan": true}, have)
}

// A ready-made definition names tools that a host need not have: neither the model nor the log
// hears of those.
func TestReadyMadeNamesToolsThatMayBeMissing(t *testing.T) {
	read := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Read"}, Description: "Reads.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "", nil },
	})
	h := newHouse(t, pegboard.SessionConfig{}, says("found"), func(o *agents.Options) {
		o.Definitions = func(*pegboard.Session) []agents.Definition { return agents.ReadyMade() }
	}, read)
	out := h.call(t, map[string]any{"subagent_type": "Explore"})
	require.NoError(t, out.Err)
	require.NotContains(t, out.Result.Text(), "names tools")
	for d := range h.pool().Declarations(pegboard.Builtin) {
		if d.Name == "Agent" {
			require.Contains(t, d.Description, "(tools that only look)")
		}
	}
}
