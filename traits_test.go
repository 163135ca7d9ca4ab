package pegboard_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

func TestReadOnlyAndDestructiveExcludeEachOther(t *testing.T) {
	t.Parallel()
	both := pegboard.Traits{ReadOnly: true, Destructive: true}
	def := pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "T"}, Description: "For a test.", Traits: both,
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "ran", nil },
	}
	_, err := pegboard.TryBuild(def)
	var wrong *pegboard.BuildError
	require.ErrorAs(t, err, &wrong)
	require.Equal(t, "Traits", wrong.Field)
	require.ErrorContains(t, err, "ReadOnly and Destructive")

	def.Traits, def.Inspect = pegboard.Traits{}, func(struct{}, *pegboard.Call) pegboard.Traits { return both }
	tool, err := pegboard.TryBuild(def)
	require.NoError(t, err)
	pool := registryOf(t, tool).AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{})
	d := pool.Decide(t.Context(), call("1", "T", `{}`))
	require.Equal(t, pegboard.Ask, d.Behavior, "a call that destroys something is asked about")
	require.Contains(t, d.Reason, "cannot be undone")
	ex := executor(pegboard.Executor{})
	require.ErrorIs(t, ex.Run(t.Context(), pool, call("1", "T", `{}`))[0].Err, pegboard.ErrDenied)
}
