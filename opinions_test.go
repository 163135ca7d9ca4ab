package pegboard_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestBatchHookMayChangeResultsOnly of what it is told.
func TestBatchHookMayChangeResultsOnly(t *testing.T) {
	t.Parallel()
	a := actor{name: "T"}
	cfg := bypass(t)
	cfg.Hooks.Batch = func(_ ctx, outs []pegboard.Outcome) error {
		outs[0].Call.ID = "other"
		outs[0].Call, outs[0].Err, outs[0].Decision = nil, errors.New("not this"), pegboard.Decision{}
		outs[0].Result = pegboard.TextResult("from the hook")
		return nil
	}
	ex := executor(pegboard.Executor{})
	out := ex.Run(t.Context(), a.pool(t, session(t, cfg)), call("1", "T", ``))[0]
	require.NoError(t, out.Err)
	require.Equal(t, "1", out.Call.ID)
	require.Equal(t, pegboard.Allow, out.Decision.Behavior)
	require.Equal(t, "from the hook", out.Result.Text())
}
