package agents_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// TestResumeUnderTighterLimits: a message does not start again what Agent may not start any more.
func TestResumeUnderTighterLimits(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{"Agent(general-purpose)", "Task(general-purpose)", "Agent"} {
		h := newHouse(t, pegboard.SessionConfig{}, says("Done."), nil, look())
		require.NoError(t, h.call(t, map[string]any{"name": "anna"}).Err)
		require.NoError(t, h.session.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) {
			return p.WithRules(policy.RuleSet{Source: policy.SourceSession, Deny: []string{rule}})
		}))
		for _, r := range []agents.Request{{Prompt: "Do it."}, {Prompt: "Do it.", Definition: &agents.Definition{Name: "general-purpose"}}} {
			_, err := h.agents.Start(t.Context(), h.session, r)
			require.ErrorIs(t, err, pegboard.ErrDenied, rule)
			require.ErrorContains(t, err, "by the rule "+rule)
		}
		out := h.sendMessage(t, "anna")
		require.ErrorIs(t, out.Err, agents.ErrNotResumed)
		require.ErrorContains(t, out.Err, "by the rule "+rule)
	}
	t.Run("budget", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t, pegboard.SessionConfig{}, func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
			_, err := a.Next(ctx, agents.Usage{})
			return agents.Reply{Text: "Done.", Used: agents.Usage{Input: 100}}, err
		}, func(o *agents.Options) { o.MaxTokens = 50 }, look())
		require.NoError(t, h.call(t, map[string]any{"name": "anna"}).Err)
		out := h.sendMessage(t, "anna")
		require.ErrorIs(t, out.Err, agents.ErrBudget)
		require.Equal(t, agents.Completed, h.agents.List(h.session)[0].State)
	})
}
