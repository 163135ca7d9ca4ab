package anthropic_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
)

// TestNewestPool: a server connects while ToolSearch waits for it. The request that the
// call came from does not hold its tools, so that nothing can refer to them yet.
func TestNewestPool(t *testing.T) {
	t.Parallel()
	var r pegboard.Registry
	require.NoError(t, r.Add(pegboard.ToolSearch(pegboard.SearchOptions{Newest: func(s *pegboard.Session) *pegboard.Pool {
		_, err := r.Attach("maps", waiting(t, "route", anyObject))
		require.NoError(t, err)
		return r.AssemblePool(s, pegboard.PoolConfig{})
	}}), tool(t, "clock", "", anyObject)))
	s := session(t)
	p := r.AssemblePool(s, pegboard.PoolConfig{})
	w := anthropic.New(p, anthropic.Config{})
	body := `{"type":"message","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"ToolSearch","input":{"query":"select:route"}}]}`
	m, err := w.Read(strings.NewReader(body)).Message()
	require.NoError(t, err)
	var e pegboard.Executor
	got := w.Results(m, e.Run(context.Background(), p, m.Calls...))
	require.Contains(t, string(got[0]), "mcp__maps__route came just now. Load it in your next message")
	require.NotContains(t, string(got[0]), "tool_reference")
	next := r.AssemblePool(s, pegboard.PoolConfig{})
	m, err = anthropic.New(next, anthropic.Config{}).Read(strings.NewReader(strings.ReplaceAll(body, "t1", "t2"))).Message()
	require.NoError(t, err)
	got = anthropic.New(next, anthropic.Config{}).Results(m, e.Run(context.Background(), next, m.Calls...))
	require.Contains(t, string(got[0]), `{"type":"tool_reference","tool_name":"mcp__maps__route"}`)
}
