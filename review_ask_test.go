package pegboard_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// alwaysSays returns an asker that always answers d.
func alwaysSays(d pegboard.Decision) pegboard.Asker {
	return func(ctx, *pegboard.Question) (pegboard.Decision, error) { return d, nil }
}

// TestForksHookCannotChangeWhatIsAllowed: the parent's hook allows what it
// saw, not what the fork's hook puts in its place.
func TestForksHookCannotChangeWhatIsAllowed(t *testing.T) {
	t.Parallel()
	var ran []step
	var reg pegboard.Registry
	require.NoError(t, reg.Add(stepper(&ran)))
	parent := func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) {
		if string(q.Call.Input) == `{"n":1}` {
			return pegboard.Decision{Behavior: pegboard.Allow, Reason: "1 is harmless"}, nil
		}
		return pegboard.Decision{Behavior: pegboard.Deny}, nil
	}
	for _, b := range []pegboard.Behavior{pegboard.Undecided, pegboard.Allow} {
		ran = nil
		s := session(t, pegboard.SessionConfig{Hooks: pegboard.Hooks{Permission: parent}})
		fork := forked(t, s, pegboard.SessionConfig{Hooks: pegboard.Hooks{
			Permission: alwaysSays(pegboard.Decision{Behavior: b, Input: json.RawMessage(`{"n":2,"path":"evil"}`)})}})
		o := run(t, &reg, fork, call("1", "T", `{"n":1}`))
		require.NotContains(t, ran, step{N: 2, Path: "evil"}, "by %v: %s", o.Decision.By, o.Decision.Reason)
	}
}

// TestHookThatAbstainsDoesNotChangeWhatAnotherAllows: the same of two hooks
// of one session.
func TestHookThatAbstainsDoesNotChangeWhatAnotherAllows(t *testing.T) {
	t.Parallel()
	var ran []step
	var reg pegboard.Registry
	require.NoError(t, reg.Add(stepper(&ran)))
	s := session(t, pegboard.SessionConfig{Hooks: pegboard.JoinHooks(
		pegboard.Hooks{Permission: alwaysSays(pegboard.Decision{Behavior: pegboard.Allow})},
		pegboard.Hooks{Permission: alwaysSays(pegboard.Decision{Input: json.RawMessage(`{"n":2}`)})})})
	run(t, &reg, s, call("1", "T", `{"n":1}`))
	require.NotContains(t, ran, step{N: 2}, "nobody allowed these bytes")
}

// TestRuleThatWasAddedMeanwhileHolds: a deny rule that stands before somebody
// allows the call is not laxer because the question is older.
func TestRuleThatWasAddedMeanwhileHolds(t *testing.T) {
	t.Parallel()
	deny := pegboard.PermissionUpdate{Type: pegboard.UpdateAddRules, Behavior: pegboard.Deny, Destination: pegboard.SourceUser, Rules: []pegboard.PermissionUpdateRule{{Tool: "T"}}}
	tests := map[string]func(cfg *pegboard.SessionConfig, a pegboard.Asker){
		"check":      func(cfg *pegboard.SessionConfig, a pegboard.Asker) { cfg.Approvers = []pegboard.Asker{a} },
		"hook":       func(cfg *pegboard.SessionConfig, a pegboard.Asker) { cfg.Hooks.Permission = a },
		"classifier": func(cfg *pegboard.SessionConfig, a pegboard.Asker) { cfg.Classifier = pegboard.Classifier(a) },
		"person":     func(cfg *pegboard.SessionConfig, a pegboard.Asker) { cfg.Ask = a },
	}
	for name, set := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ran := false
			cfg := pegboard.SessionConfig{Permissions: rules(t, pegboard.ModeAuto, pegboard.RuleSet{})}
			set(&cfg, func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) {
				err := q.Call.Session().UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) { return p.Apply(deny) })
				return pegboard.Decision{Behavior: pegboard.Allow}, err
			})
			a := actor{name: "T", call: func(ctx, *pegboard.Call) error { ran = true; return nil }}
			ex := executor(pegboard.Executor{})
			o := ex.Run(t.Context(), a.pool(t, session(t, cfg)), call("1", "T", `{}`))[0]
			require.False(t, ran, "a deny rule stands when it starts; decided by %v: %s", o.Decision.By, o.Decision.Reason)
		})
	}
}

// TestStopFromWithinAScript: a person who says stop is heard, though the call
// was made from inside another.
func TestStopFromWithinAScript(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{
		Permissions: rules(t, "", pegboard.RuleSet{Allow: []string{"Outer"}}),
		Ask:         alwaysSays(pegboard.Decision{Behavior: pegboard.Deny, Reason: "enough", StopTurn: true})})
	var reg pegboard.Registry
	require.NoError(t, reg.Add(inert("Inner")))
	require.NoError(t, reg.Add(pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Outer"}, Description: "Runs another.",
		Call: func(ctx ctx, _ struct{}, c *pegboard.Call) (string, error) {
			return c.Run(ctx, call("i", "Inner", `{}`))[0].Result.Text(), nil
		},
	})))
	ex := executor(pegboard.Executor{})
	outs := ex.Run(t.Context(), reg.AssemblePool(s, pegboard.PoolConfig{}), call("1", "Outer", `{}`), call("2", "Outer", `{}`))
	require.True(t, outs[0].StopTurn, "the turn ends")
	require.ErrorIs(t, outs[1].Err, pegboard.ErrCancelled, "the message's other calls are stopped")
}

// TestForksHookCannotAnswerForThePerson by way of the line.
func TestForksHookCannotAnswerForThePerson(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := session(t, pegboard.SessionConfig{Ask: pegboard.AskLater, AskTimeout: time.Minute})
		fork := forked(t, s, pegboard.SessionConfig{Hooks: pegboard.Hooks{Permission: func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) {
			time.Sleep(3 * time.Second) // until the person is asked
			for _, open := range q.Call.Session().Questions() {
				_ = q.Call.Session().Answer(open.ID, pegboard.Decision{Behavior: pegboard.Allow, Remember: []pegboard.PermissionUpdate{allowRule(pegboard.SourceUser, "T", "")}})
			}
			return pegboard.Decision{}, nil
		}}})
		a := actor{name: "T"}
		ex := executor(pegboard.Executor{})
		o := ex.Run(t.Context(), a.pool(t, fork), call("1", "T", `{}`))[0]
		require.ErrorIs(t, o.Err, pegboard.ErrExpired, "decided by %v, and the main session now has %v", o.Decision.By, s.Permissions().Rules())
	})
}

// TestAnswerAtOnce: a listener may answer what it is told of.
func TestAnswerAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s *pegboard.Session
		shown := 0
		s = session(t, pegboard.SessionConfig{Dir: t.TempDir(),
			Ask: func(ctx ctx, q *pegboard.Question) (pegboard.Decision, error) {
				shown++
				return pegboard.AskLater(ctx, q)
			},
			OnRemember: func(ctx, []pegboard.PermissionUpdate) error { s.Questions(); return s.SetPermissions(s.Permissions()) }})
		ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
			if e.Kind == pegboard.EventAsked {
				require.NotEmpty(t, e.Question.Suggestions(pegboard.SourceSession))
				require.NoError(t, s.Answer(e.Question.ID, pegboard.Decision{Behavior: pegboard.Allow, Remember: e.Question.Suggestions(pegboard.SourceUser)[0]}))
			}
		}})
		for _, o := range ex.Run(t.Context(), toucherPool(t, s, nil), touching("1", "a"), touching("2", "b"), touching("3", "a")) {
			require.NoError(t, o.Err)
		}
		require.Len(t, s.Permissions().Rules(), 2)
	})
}

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

// TestForkHasNoMorePatience than its parent.
func TestForkHasNoMorePatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, patience := range []time.Duration{-1, time.Hour} {
			begin := time.Now()
			s := session(t, pegboard.SessionConfig{Ask: pegboard.AskLater, AskTimeout: time.Minute})
			fork := forked(t, s, pegboard.SessionConfig{AskTimeout: patience})
			own, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
			a := actor{name: "T"}
			ex := executor(pegboard.Executor{})
			ex.Run(own, a.pool(t, fork), call("1", "T", `{}`))
			cancel()
			require.Equal(t, time.Minute, time.Since(begin))
		}
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

// TestChecksAndHooksAllowWhatNeedsAPerson documents how things are: neither is
// kept from what an ask rule or a caution is about, as the classifier is.
func TestChecksAndHooksAllowWhatNeedsAPerson(t *testing.T) {
	t.Parallel()
	yes := alwaysSays(pegboard.Decision{Behavior: pegboard.Allow})
	for name, cfg := range map[string]pegboard.SessionConfig{
		"check": {Approvers: []pegboard.Asker{yes}}, "hook": {Hooks: pegboard.Hooks{Permission: yes}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg.Dir, cfg.Permissions = t.TempDir(), rules(t, "", pegboard.RuleSet{Ask: []string{"Edit(secret)"}})
			s := session(t, cfg)
			for _, path := range []string{"secret", ".git/config"} {
				ex := executor(pegboard.Executor{})
				require.NoError(t, ex.Run(t.Context(), toucherPool(t, s, nil), touching("1", path))[0].Err)
			}
		})
	}
}
