package agents_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/structured"
)

// TestStructuredValue: the loop makes the tool of a request's schema, and the agent's value comes
// back, also if its definition lists other tools only.
func TestStructuredValue(t *testing.T) {
	t.Parallel()
	h := newHouse(t, pegboard.SessionConfig{}, func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		if _, err := a.Next(ctx, agents.Usage{}); err != nil {
			return agents.Reply{}, err
		}
		out, err := structured.New(a.Schema)
		if err != nil {
			return agents.Reply{}, err
		}
		p, err := a.Pool(out.Tool())
		if err != nil {
			return agents.Reply{}, err
		}
		for _, input := range []string{`{"lines": "many"}`, `{"lines": 120}`} {
			outcomes := (&pegboard.Executor{}).Run(ctx, p, pegboard.Call{ID: input, Name: structured.Name, Input: []byte(input)})
			if _, err := out.Next(outcomes...); err != nil {
				return agents.Reply{}, err
			}
		}
		value, _ := out.Value()
		return agents.Reply{Structured: value}, nil
	}, nil, look())
	request := agents.Request{Prompt: "Count.", Type: "looker", Schema: []byte(`{"type":"object","properties":{"lines":{"type":"integer"}},"required":["lines"]}`)}
	result, err := h.agents.Start(t.Context(), h.session, request)
	require.NoError(t, err)
	require.JSONEq(t, `{"lines":120}`, string(result.Structured))
	require.Equal(t, 2, result.TotalToolUses)
}
