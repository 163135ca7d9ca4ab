package pegboard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestCallWithoutAnExecutorMayTouchNothing: Check and Filter deny everything for a call
// that no executor admitted.
func TestCallWithoutAnExecutorMayTouchNothing(t *testing.T) {
	t.Parallel()
	c := call("1", "T", `{}`)
	require.ErrorIs(t, c.Check(t.Context()), pegboard.ErrDenied)
	require.ErrorIs(t, c.Check(t.Context(), pegboard.Target{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: "."}), pegboard.ErrDenied)
	require.False(t, c.Filter(pegboard.Target{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: "."}))
	require.Nil(t, c.Session())
	require.Nil(t, c.Targets())
	require.False(t, c.ReadOnly())
	c.Emit("into the void")
}

// The pool of a call is known in its first event and in the outcome of a call that
// failed early.
func TestCallKnowsItsPoolFromTheFirstEvent(t *testing.T) {
	t.Parallel()
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Call.Pool() == nil {
			t.Errorf("no pool at %v", e.Kind)
		}
	}})
	out := ex.Run(t.Context(), registryOf(t, inert("A")).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}), call("1", "A", `{`))[0]
	require.NotNil(t, out.Call.Pool())
}
