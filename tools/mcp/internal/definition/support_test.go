package definition_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/definition"
)

func nothing(context.Context, *pegboard.Call, string, json.RawMessage) (*pegboard.Result, error) {
	return pegboard.TextResult("done"), nil
}

// attached attaches one definition and returns its tool, as a pool has it, or why it is
// quarantined.
func attached(t *testing.T, s definition.Server, raw string) (pegboard.Tool, pegboard.Declaration, error) {
	t.Helper()
	d := definition.Read(s, json.RawMessage(raw), nothing)
	var registry pegboard.Registry
	report, err := registry.Attach(s.Name, d.Tool)
	require.NoError(t, err)
	for _, reason := range report.Quarantined {
		return nil, pegboard.Declaration{}, reason
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, session.Close(context.Background())) })
	pool := registry.AssemblePool(session, pegboard.PoolConfig{})
	require.Len(t, report.Added, 1)
	tool, ok := pool.Lookup(report.Added[0])
	require.True(t, ok)
	declared, ok := tool.Declare(pegboard.Scope{Session: session})
	require.True(t, ok)
	return tool, declared, nil
}

// run makes a call of a definition's tool in a session that allows everything.
func run(t *testing.T, s definition.Server, raw, input string, call definition.Caller) pegboard.Outcome {
	t.Helper()
	allowed, err := policy.New(policy.ModeBypass)
	require.NoError(t, err)
	session, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: allowed})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, session.Close(context.Background())) })
	var registry pegboard.Registry
	report, err := registry.Attach(s.Name, definition.Read(s, json.RawMessage(raw), call).Tool)
	require.NoError(t, err)
	require.Len(t, report.Added, 1)
	var executor pegboard.Executor
	return executor.Run(t.Context(), registry.AssemblePool(session, pegboard.PoolConfig{}), pegboard.Call{ID: "1", Name: report.Added[0], Input: json.RawMessage(input)})[0]
}
