package inspect_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/inspect"
	"github.com/seed49eaa51d/pegboard/policy"
)

// TestRulesSayHowOftenTheyDecided, also those that only asked, and those that never did.
func TestRulesSayHowOftenTheyDecided(t *testing.T) {
	t.Parallel()
	for _, contents := range []bool{true, false} {
		perms, err := policy.New(policy.ModeDefault,
			policy.RuleSet{Source: policy.SourceUser, Allow: []string{"Edit(/out/**)", "Edit(/never/**)"}, Ask: []string{"Edit(/ask)"}},
			policy.RuleSet{Source: policy.SourceSession, Deny: []string{"Edit(/k4nary)"}})
		require.NoError(t, err)
		ask := func(context.Context, *pegboard.Question) (policy.Decision, error) {
			return policy.Decision{Behavior: policy.Allow}, nil
		}
		b := newBench(t, pegboard.SessionConfig{Permissions: perms, Ask: ask}, func(o *inspect.Options) { o.Contents = contents }, writer("Write"))
		fork, err := b.session.Fork(pegboard.SessionConfig{AgentID: "scout"})
		require.NoError(t, err)
		b.run(t, call("1", "Write", `{"path":"out/a"}`), call("2", "Write", `{"path":"out/b"}`), call("3", "Write", `{"path":"ask"}`), call("4", "Write", `{"path":"k4nary"}`))
		b.executor.Run(t.Context(), b.registry.AssemblePool(fork, pegboard.PoolConfig{}), call("1", "Write", `{"path":"out/c"}`))
		page := b.see(t, "/rules")
		require.Contains(t, page, "<td>userSettings</td><td>allow</td><td>Edit(/out/**)</td><td>3</td>")
		require.Contains(t, page, "<td>userSettings</td><td>allow</td><td>Edit(/never/**)</td><td>never</td>")
		require.Contains(t, page, "<td>userSettings</td><td>ask</td><td>Edit(/ask)</td><td>1</td>")
		require.Contains(t, page, "<h2>scout, mode default</h2>")
		hidden := "<td>session</td><td>deny</td><td>Edit(…)</td><td>1</td>"
		if contents {
			hidden = "<td>session</td><td>deny</td><td>Edit(/k4nary)</td><td>1</td>"
		}
		require.Contains(t, page, hidden)
	}
}
