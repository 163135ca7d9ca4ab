package pegboard_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestCloseFromAsker ends when its context does, and says why.
func TestCloseFromAsker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, err := pegboard.NewSession(pegboard.SessionConfig{Ask: func(ctx ctx, q *pegboard.Question) (pegboard.Decision, error) {
			own, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			err := q.Call.Session().Close(own)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			return pegboard.Decision{Behavior: pegboard.Allow}, nil
		}})
		require.NoError(t, err)
		a := actor{name: "T"}
		ex := executor(pegboard.Executor{})
		require.ErrorIs(t, ex.Run(t.Context(), a.pool(t, s), call("1", "T", `{}`))[0].Err, pegboard.ErrClosed)
		require.NoError(t, s.Close(t.Context()))
	})
}

// TestCloseWhileAsked: the questions of a fork go with it, and nobody else's.
func TestCloseWhileAsked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := session(t, pegboard.SessionConfig{Ask: pegboard.AskLater})
		fork := forked(t, s, pegboard.SessionConfig{AgentID: "f"})
		a := actor{name: "T"}
		outs := make(chan pegboard.Outcome, 2)
		for _, s := range []*pegboard.Session{fork, s} {
			pool := a.pool(t, s)
			go func() {
				ex := executor(pegboard.Executor{})
				outs <- ex.Run(t.Context(), pool, call("1", "T", `{}`))[0]
			}()
			synctest.Wait()
		}
		require.Len(t, s.Questions(), 2)
		stale := s.Questions()[0].ID
		require.NoError(t, fork.Close(t.Context()))
		require.ErrorIs(t, (<-outs).Err, pegboard.ErrClosed)
		require.ErrorIs(t, s.Answer(stale, pegboard.Decision{Behavior: pegboard.Allow}), pegboard.ErrQuestionClosed)
		synctest.Wait()
		require.Len(t, s.Questions(), 1)
		require.ErrorIs(t, fork.Answer(s.Questions()[0].ID, pegboard.Decision{Behavior: pegboard.Allow}), pegboard.ErrQuestionClosed)
		require.NoError(t, s.Answer(s.Questions()[0].ID, pegboard.Decision{Behavior: pegboard.Allow}))
		require.NoError(t, (<-outs).Err)
	})
}

// TestLoopQuestionIsNotSettledByARule: the same call again and again is asked
// about whatever the rules say, also by one that an answer adds.
func TestLoopQuestionIsNotSettledByARule(t *testing.T) {
	t.Parallel()
	asked := 0
	s := session(t, pegboard.SessionConfig{Breaker: pegboard.BreakerLimits{Repeats: 2, Errors: -1, Denials: -1},
		Permissions: rules(t, "", pegboard.RuleSet{Allow: []string{"T"}}),
		Ask: func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) {
			asked++
			require.Empty(t, q.Suggestions(pegboard.SourceSession))
			err := q.Call.Session().UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) {
				return p.Apply(allowRule(pegboard.SourceUser, "T", ""))
			})
			require.NoError(t, err)
			return pegboard.Decision{Behavior: pegboard.Deny, Reason: "no more", Remember: []pegboard.PermissionUpdate{allowRule(pegboard.SourceLocal, "T", "")}}, nil
		}})
	var ran []step
	var reg pegboard.Registry
	require.NoError(t, reg.Add(stepper(&ran)))
	for range 3 {
		run(t, &reg, s, call("", "T", `{"n":1}`))
	}
	require.Equal(t, 2, asked)
	require.Len(t, ran, 1)
}
