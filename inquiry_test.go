package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestApproversComeFirst asks them in their order, and the person only if none of them
// decides.
func TestApproversComeFirst(t *testing.T) {
	t.Parallel()
	say := func(b pegboard.Behavior, reason string) pegboard.Asker {
		return func(ctx, *pegboard.Question) (pegboard.Decision, error) {
			return pegboard.Decision{Behavior: b, Reason: reason}, nil
		}
	}
	fails := func(ctx, *pegboard.Question) (pegboard.Decision, error) {
		return pegboard.Decision{Behavior: pegboard.Allow}, errors.New("down")
	}
	panics := func(ctx, *pegboard.Question) (pegboard.Decision, error) { panic("down") }
	tests := []struct {
		name         string
		checks, fork []pegboard.Asker
		user         bool
		by           pegboard.Decider
		reason       string
	}{
		{name: "none", by: pegboard.ByPerson, reason: "person"},
		{name: "allows", checks: []pegboard.Asker{say(pegboard.Allow, "one"), say(pegboard.Deny, "two")}, by: pegboard.ByApprover, reason: "one"},
		{name: "abstains, fails, panics", checks: []pegboard.Asker{say(pegboard.Undecided, ""), fails, panics, say(pegboard.Deny, "four")}, by: pegboard.ByApprover, reason: "four"},
		{name: "all abstain", checks: []pegboard.Asker{say(pegboard.Ask, ""), panics}, by: pegboard.ByPerson, reason: "person"},
		{name: "only a person may", user: true, checks: []pegboard.Asker{say(pegboard.Allow, "one")}, by: pegboard.ByPerson, reason: "person"},
		{name: "a fork's cannot allow", fork: []pegboard.Asker{say(pegboard.Allow, "fork")}, by: pegboard.ByPerson, reason: "person"},
		{name: "a fork's can deny", fork: []pegboard.Asker{say(pegboard.Deny, "fork")}, by: pegboard.ByApprover, reason: "fork"},
		{name: "a fork's come later", checks: []pegboard.Asker{say(pegboard.Allow, "parent")}, fork: []pegboard.Asker{say(pegboard.Deny, "fork")}, by: pegboard.ByApprover, reason: "parent"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := session(t, pegboard.SessionConfig{Approvers: tc.checks, Ask: say(pegboard.Allow, "person")})
			s = forked(t, s, pegboard.SessionConfig{Approvers: tc.fork})
			a := actor{name: "T", user: tc.user}
			ex := executor(pegboard.Executor{})
			d := ex.Run(t.Context(), a.pool(t, s), call("1", "T", ``))[0].Decision
			require.Equal(t, tc.by, d.By)
			require.Equal(t, tc.reason, d.Reason)
		})
	}
}

// TestWhyAQuestionHadNoAnswer: the error tells whether there was no approver or the
// question expired.
func TestWhyAQuestionHadNoAnswer(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		cfg  pegboard.SessionConfig
		fork pegboard.SessionConfig
		is   error
		says string
	}{
		{name: "no asker", is: pegboard.ErrNoApprover, says: "nobody can be asked"},
		{name: "an agent that must not disturb", cfg: pegboard.SessionConfig{Ask: pegboard.AskLater}, fork: pegboard.SessionConfig{NoPrompts: true}, is: pegboard.ErrNoApprover, says: "nobody can be asked"},
		{name: "its parent must not", cfg: pegboard.SessionConfig{Ask: pegboard.AskLater, NoPrompts: true}, is: pegboard.ErrNoApprover, says: "nobody can be asked"},
		{name: "nobody at the other end", cfg: pegboard.SessionConfig{Ask: func(ctx, *pegboard.Question) (pegboard.Decision, error) { return pegboard.Decision{}, nil }}, is: pegboard.ErrNoApprover, says: "nobody can be asked"},
		{name: "no answer in time", cfg: pegboard.SessionConfig{Ask: pegboard.AskLater, AskTimeout: time.Minute}, is: pegboard.ErrExpired, says: "nobody answered in time: waited 1m0s"},
		{name: "a bridge that gave up", cfg: pegboard.SessionConfig{Ask: func(ctx, *pegboard.Question) (pegboard.Decision, error) {
			return pegboard.Decision{}, context.DeadlineExceeded
		}}, is: pegboard.ErrExpired, says: "nobody answered in time"},
		{name: "a fork of less patience", cfg: pegboard.SessionConfig{Ask: pegboard.AskLater, AskTimeout: time.Hour}, fork: pegboard.SessionConfig{AskTimeout: time.Second}, is: pegboard.ErrExpired, says: "waited 1s"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := forked(t, session(t, tc.cfg), tc.fork)
				a := actor{name: "T"}
				ex := executor(pegboard.Executor{})
				o := ex.Run(t.Context(), a.pool(t, s), call("1", "T", ``))[0]
				require.ErrorIs(t, o.Err, tc.is)
				require.ErrorIs(t, o.Err, pegboard.ErrDenied)
				require.NotErrorIs(t, o.Err, pegboard.ErrCancelled)
				require.Contains(t, o.Result.Text(), tc.says)
				require.Contains(t, o.Result.Text(), "No person refused it")
				require.Equal(t, pegboard.ByNobody, o.Decision.By)
			})
		})
	}
}

// TestPermissionHooksAnswerForThePerson, but for what only a person may allow.
func TestPermissionHooksAnswerForThePerson(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	tests := []struct {
		name   string
		says   pegboard.Decision
		err    error
		mode   pegboard.FailMode
		user   bool
		runs   bool
		person int // how often the person is asked; the person says yes
	}{
		{name: "allows", says: pegboard.Decision{Behavior: pegboard.Allow}, runs: true},
		{name: "denies", says: pegboard.Decision{Behavior: pegboard.Deny, Reason: "policy"}},
		{name: "abstains", runs: true, person: 1},
		{name: "fails", err: boom},
		{name: "fails, and that is ignored", err: boom, mode: pegboard.FailContinue, runs: true, person: 1},
		{name: "allows what only a person may", says: pegboard.Decision{Behavior: pegboard.Allow}, user: true, runs: true, person: 1},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			s := session(t, pegboard.SessionConfig{
				Hooks: pegboard.Hooks{
					OnFailure:  tc.mode,
					Permission: func(ctx, *pegboard.Question) (pegboard.Decision, error) { return tc.says, tc.err },
				},
				Ask: func(ctx, *pegboard.Question) (pegboard.Decision, error) {
					asked++
					return pegboard.Decision{Behavior: pegboard.Allow}, nil
				},
			})
			tool := pegboard.Build(pegboard.Definition[struct{}, string]{
				Info: pegboard.Info{Name: "T", RequiresUser: tc.user}, Description: "Is asked about.",
				Call: func(ctx, struct{}, *pegboard.Call) (string, error) { return "ran", nil },
			})
			out := run(t, registryOf(t, tool), s, call("1", "T", ``))
			require.Equal(t, tc.runs, out.Err == nil, out.Result.Text())
			require.Equal(t, tc.person, asked)
		})
	}
}

// TestPermissionHookMayChangeTheInput, which is then decided anew.
func TestPermissionHookMayChangeTheInput(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Hooks: pegboard.Hooks{Permission: func(ctx, *pegboard.Question) (pegboard.Decision, error) {
		return pegboard.Decision{Behavior: pegboard.Allow, Input: json.RawMessage(`{"path":"other","write":true}`)}, nil
	}}})
	out := run(t, registryOf(t, worker(func(job, bool) {})), s, call("1", "Work", `{"path":"a","write":true}`))
	require.NoError(t, out.Err)
	require.Equal(t, "other", out.Result.Text())
}

// TestForksHookCannotChangeWhatIsAllowed: the parent's hook allows the input that it was
// shown, not one that the fork's hook puts in its place.
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

// TestApproversAndHooksAllowWhatNeedsAPerson documents how things are: both may allow a
// call that an ask rule or a target's AskReason is about. The classifier may not.
func TestApproversAndHooksAllowWhatNeedsAPerson(t *testing.T) {
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

// TestRuleThatWasAddedMeanwhileHolds: a deny rule that is added while the question is
// open holds, also if the answer then is to allow the call.
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

// TestStopTurnInsideACallStopsTheMessage: a person who stops the turn at a call from
// inside another stops the message of the outer call.
func TestStopTurnInsideACallStopsTheMessage(t *testing.T) {
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
