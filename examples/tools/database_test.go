package main

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func TestQueryDB(t *testing.T) {
	t.Parallel()
	tool := shop().tool()
	require.NoError(t, tooltest.Check(tool, `{"table":"orders"}`, `{"table":"orders","limit":1}`))
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"QueryDB(orders)"}})
	require.NoError(t, err)
	s, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: perms})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })

	out := tooltest.Run(t.Context(), tool, s, `{"table":"orders","limit":2}`)
	require.NoError(t, out.Err)
	require.Len(t, out.Result.Data, 2)
	require.Equal(t, policy.ByRule, out.Decision.By)
	out = tooltest.Run(t.Context(), tool, s, `{"table":"products"}`)
	require.NoError(t, out.Err)
	require.Equal(t, policy.ByTool, out.Decision.By)
	out = tooltest.Run(t.Context(), tool, s, `{"table":"salaries"}`)
	require.ErrorIs(t, out.Err, pegboard.ErrDenied)
	out = tooltest.Run(t.Context(), tool, s, `{"table":"nothing"}`)
	require.ErrorContains(t, out.Err, "choose one of orders, products, salaries")

	count, ok := rowsRead.Get(s)
	require.True(t, ok)
	require.EqualValues(t, 5, count.Load())
	count.Store(maxRows)
	out = tooltest.Run(t.Context(), tool, s, `{"table":"orders"}`)
	require.ErrorContains(t, out.Err, "go on with what you have")
}
