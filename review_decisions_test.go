package pegboard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

func judgeOnce(t *testing.T, a actor, cfg pegboard.SessionConfig, mode pegboard.Mode, set pegboard.RuleSet) string {
	t.Helper()
	if a.name == "" {
		a.name = "T"
	}
	pool := a.pool(t, session(t, cfg))
	require.NoError(t, pool.Session().SetPermissions(rules(t, mode, set)))
	v := judge(t, pool)
	return v.behavior.String()
}

func pathTo(access pegboard.Access, v string) pegboard.Target {
	return pegboard.Target{Kind: pegboard.TargetPath, Access: access, Value: v}
}

// "exactly as it would have decided them before": in auto mode the classifier.
func TestCheckAsksTheClassifier(t *testing.T) {
	t.Parallel()
	asked := 0
	var checked error
	a := actor{name: "T", call: func(ctx ctx, c *pegboard.Call) error {
		checked = c.Check(ctx, pegboard.Target{Kind: pegboard.TargetHost, Access: pegboard.AccessRead, Value: "h.test"})
		return nil
	}}
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, pegboard.ModeAuto, pegboard.RuleSet{}), Classifier: func(ctx, *pegboard.Question) (pegboard.Decision, error) {
		asked++
		return pegboard.Decision{Behavior: pegboard.Allow}, nil
	}})
	ex := executor(pegboard.Executor{})
	require.NoError(t, ex.Run(t.Context(), a.pool(t, s), call("1", "T", ``))[0].Err)
	require.NoError(t, checked)
	require.Equal(t, 2, asked)
}
