package agents_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// TestForegroundRun: an agent reads its task, calls a tool and reports.
func TestForegroundRun(t *testing.T) {
	t.Parallel()
	var task []pegboard.Part
	loop := scripted(func(a *agents.Agent) []tooltest.Turn {
		require.Equal(t, "You look.", a.System)
		require.Equal(t, pegboard.RoleSubAgent, a.Session.Role())
		require.Equal(t, []string{a.ID}, a.Session.AgentPath())
		return []tooltest.Turn{
			{Text: "I look.", Calls: []pegboard.Call{tooltest.Call("Look", `{}`)}, Expect: tooltest.WantErrors(nil)},
			{Text: "There was nothing."},
		}
	})
	h := newHouse(t, pegboard.SessionConfig{}, func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		reply, err := loop(ctx, a)
		task = append(task, pegboard.Part{Text: string(a.History()[0])})
		return reply, err
	}, nil, look())
	out := h.call(t, map[string]any{"subagent_type": "looker"})
	require.NoError(t, out.Err)
	require.Regexp(t, `^There was nothing.\n\n\(Agent of the type looker: 1 call, [0-9.]+m?s, 22 tokens.\)$`, out.Result.Text())
	require.JSONEq(t, `{"role":"user","content":"Do it.\n"}`, task[0].Text)
	got, ok := out.Result.Data.(agents.Result)
	require.True(t, ok)
	require.Equal(t, agents.StatusCompleted, got.Status)
	require.Equal(t, 1, got.TotalToolUses)
	require.Equal(t, 22, got.TotalTokens)
	list := h.agents.List(h.session)
	require.Len(t, list, 1)
	require.Equal(t, agents.Completed, list[0].State)
	require.Equal(t, 1, list[0].Calls)
}
