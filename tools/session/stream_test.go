package session_test

import (
	"context"
	"log/slog"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/session"
)

// TestPlanToolsInAStream: while the model still writes its message, a question may be asked, and
// no mode changes.
func TestPlanToolsInAStream(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 4)
	d := newDesk(t, pegboard.SessionConfig{Ask: func(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
		asked <- q.Call.Name
		if _, ok := session.Asked(q); ok {
			return session.Answer(q, session.Answers{Response: "go on"})
		}
		return allow, nil
	}}, policy.ModeAcceptEdits)
	executor := pegboard.Executor{Logger: slog.New(slog.DiscardHandler)}
	s := executor.Stream(t.Context(), d.registry.AssemblePool(d.Session, pegboard.PoolConfig{}))
	numbered := func(id string, c pegboard.Call) pegboard.Call { c.ID = id; return c }
	s.Submit(numbered("1", call("AskUserQuestion", both)))
	require.Equal(t, "AskUserQuestion", <-asked)
	s.Submit(numbered("2", enter()))
	s.Submit(numbered("3", write("a")))
	s.Submit(numbered("4", exit("1. Write b")))
	s.Submit(numbered("5", write("b")))
	require.Equal(t, policy.ModeAcceptEdits, d.mode())
	s.Finish(pegboard.FinishToolCalls)
	outs := slices.Collect(s.Outcomes())
	require.Len(t, outs, 5)
	require.ErrorIs(t, outs[2].Err, pegboard.ErrDenied)
	require.NoError(t, outs[4].Err)
	require.False(t, d.has("a"))
	require.True(t, d.has("b"))
	require.Equal(t, "ExitPlanMode", <-asked)
	require.Equal(t, policy.ModeAcceptEdits, d.mode())
}
