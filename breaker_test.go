package pegboard_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestTheThirdIdenticalCallAsks, and the person's answer counts.
func TestTheThirdIdenticalCallAsks(t *testing.T) {
	t.Parallel()
	for _, answer := range []pegboard.Behavior{pegboard.Allow, pegboard.Deny} {
		asked := 0
		cfg := pegboard.SessionConfig{Breaker: pegboard.BreakerLimits{Denials: -1, Repeats: 3}, Ask: func(context.Context, *pegboard.Question) (pegboard.Decision, error) {
			asked++
			return pegboard.Decision{Behavior: answer}, nil
		}}
		s := session(t, cfg)
		reg := registryOf(t, slow(pegboard.Info{Name: "T"}, false))
		for i := range 3 {
			out := run(t, reg, s, call(fmt.Sprint(i), "T", `{}`))
			require.Equal(t, i == 2 && answer == pegboard.Deny, out.Err != nil)
		}
		require.Equal(t, 1, asked)
		s.NewTurn()
		require.NoError(t, run(t, reg, s, call("4", "T", ` { } `)).Err)
		require.Equal(t, 1, asked, "the user spoke in between")
	}
}

// TestPollingIsNoLoop exempts a tool that says so.
func TestPollingIsNoLoop(t *testing.T) {
	t.Parallel()
	poll := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Poll", Polls: true}, Description: "Polls.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(ctx, struct{}, *pegboard.Call) (string, error) { return "not yet", nil },
	})
	s := session(t, pegboard.SessionConfig{Breaker: pegboard.BreakerLimits{Repeats: 3}})
	for i := range 10 {
		require.NoError(t, run(t, registryOf(t, poll), s, call(fmt.Sprint(i), "Poll", ``)).Err)
	}
}

// TestThreeErrorsInARowAsk, of one tool; a success in between starts anew.
func TestThreeErrorsInARowAsk(t *testing.T) {
	t.Parallel()
	fail := true
	tool := pegboard.Build(pegboard.Definition[job, string]{
		Info: pegboard.Info{Name: "T"}, Description: "Fails or not.", Traits: readsData,
		Call: func(ctx, job, *pegboard.Call) (string, error) {
			if fail {
				return "", errors.New("no")
			}
			return "yes", nil
		},
	})
	s := session(t, pegboard.SessionConfig{Breaker: pegboard.BreakerLimits{Errors: 3}})
	reg := registryOf(t, tool)
	n := 0
	next := func() error {
		n++
		return run(t, reg, s, call(fmt.Sprint(n), "T", fmt.Sprintf(`{"ms":%d}`, n))).Err
	}
	require.NotErrorIs(t, next(), pegboard.ErrDenied)
	require.NotErrorIs(t, next(), pegboard.ErrDenied)
	fail = false
	require.NoError(t, next())
	fail = true
	for range 3 {
		require.NotErrorIs(t, next(), pegboard.ErrDenied)
	}
	require.ErrorIs(t, next(), pegboard.ErrDenied, "nobody is there to ask")
}

// TestThreeDenialsInARowStopTheTurn, and the model is told.
func TestThreeDenialsInARowStopTheTurn(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Breaker: pegboard.BreakerLimits{Denials: 3}})
	reg := registryOf(t, inert("A"), inert("B"), inert("C"))
	for i, name := range []string{"A", "B", "C"} {
		out := run(t, reg, s, call(name, name, ``))
		require.ErrorIs(t, out.Err, pegboard.ErrDenied)
		require.Equal(t, i == 2, out.StopTurn)
	}
}

// The same call with the same result is a loop, also when the result is so long that it
// is stored under a name of its own.
func TestRepeatedLongResultIsALoop(t *testing.T) {
	t.Parallel()
	for _, n := range []int{10, 5_000} {
		s := session(t, pegboard.SessionConfig{Results: dirStore(t, pegboard.DirOptions{}), Breaker: pegboard.BreakerLimits{Repeats: 3}})
		reg := registryOf(t, teller(pegboard.Info{Name: "Tell"}, func(*pegboard.Call) (*pegboard.Result, error) { return pegboard.TextResult(lines(n)), nil }))
		var last pegboard.Outcome
		for i := range 5 {
			last = run(t, reg, s, call(fmt.Sprint("id", i), "Tell", `{}`))
		}
		require.ErrorIs(t, last.Err, pegboard.ErrNoApprover, "lines: %d", n)
	}
}

// TestNoRuleAnswersTheQuestionAboutALoop: the same call again and again is asked
// about whatever the rules say, also by one that an answer adds.
func TestNoRuleAnswersTheQuestionAboutALoop(t *testing.T) {
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

// TestEqualCallsOfOneMessageAreNoLoop: the model has not read the result of the first when
// it makes the others.
func TestEqualCallsOfOneMessageAreNoLoop(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Breaker: pegboard.BreakerLimits{Repeats: 3, Denials: 3}})
	reg := registryOf(t, teller(pegboard.Info{Name: "Tell"}, func(*pegboard.Call) (*pegboard.Result, error) { return pegboard.TextResult("same"), nil }))
	var calls []pegboard.Call
	for i := range 2000 {
		calls = append(calls, call(fmt.Sprint(i), "Tell", `{}`))
	}
	ex := executor(pegboard.Executor{})
	for _, out := range ex.Run(t.Context(), reg.AssemblePool(s, pegboard.PoolConfig{}), calls...) {
		require.NoError(t, out.Err)
		require.False(t, out.StopTurn)
	}
}

// TestDenialsOfOneMessageEndedTheTurn by the order in which they were decided, although
// calls beside them succeeded.
func TestDenialsOfOneMessageEndedTheTurn(t *testing.T) {
	t.Parallel()
	allowed := make(chan struct{})
	tell := func(name string) pegboard.Tool {
		return pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: name}, Description: "x.", Traits: pegboard.Traits{Concurrency: pegboard.Shared},
			Call: func(ctx, struct{}, *pegboard.Call) (string, error) { <-allowed; return "ok", nil },
		})
	}
	run := func(t *testing.T, ex anywhere, p *pegboard.Pool, stream bool, calls []pegboard.Call) (stops []bool) {
		t.Helper()
		if !stream {
			for _, out := range ex.Run(t.Context(), p, calls...) {
				stops = append(stops, out.StopTurn)
			}
			return stops
		}
		s := ex.Stream(t.Context(), p)
		for _, c := range calls {
			s.Submit(c)
		}
		s.Finish(pegboard.FinishToolCalls)
		for out := range s.Outcomes() {
			stops = append(stops, out.StopTurn)
		}
		return stops
	}
	for _, stream := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			allowed = make(chan struct{})
			denials := 0
			ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
				if e.Kind == pegboard.EventFinished && e.Call.Name == "No" {
					if denials++; denials%3 == 0 {
						close(allowed) // the successes come last
					}
				}
			}})
			p := registryOf(t, tell("Yes"), tell("No")).AssemblePool(session(t, pegboard.SessionConfig{
				Breaker: pegboard.BreakerLimits{Repeats: 3, Denials: 3}, Permissions: rules(t, "", pegboard.RuleSet{Allow: []string{"Yes"}}),
			}), pegboard.PoolConfig{})
			yes := func(id string) pegboard.Call { return call(id, "Yes", `{}`) }
			no := func(id string) pegboard.Call { return call(id, "No", `{}`) }
			mixed := []pegboard.Call{no("1"), yes("2"), no("3"), yes("4"), no("5")}
			require.Equal(t, make([]bool, 5), run(t, ex, p, stream, mixed), "one message in which some calls ran")
			allowed = make(chan struct{})
			require.Equal(t, make([]bool, 3), run(t, ex, p, stream, []pegboard.Call{no("6"), no("7"), no("8")}), "the second in a row")
			allowed = make(chan struct{})
			require.Equal(t, []bool{true, false, false, false}, run(t, ex, p, stream, []pegboard.Call{no("9"), no("10"), no("11"), yes("12")}), "the third in a row")
			p.Session().NewTurn()
			require.Equal(t, []bool{false}, run(t, ex, p, stream, []pegboard.Call{no("13")}))
		})
	}
}

// TestCallsInsideACallAreNoLoop: the model reads the result of the outer call only.
func TestCallsInsideACallAreNoLoop(t *testing.T) {
	t.Parallel()
	script := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Script"}, Description: "x.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(ctx ctx, _ struct{}, c *pegboard.Call) (string, error) {
			for range 10 {
				if out := c.Run(ctx, call("", "Tell", `{}`))[0]; out.Err != nil {
					return "", out.Err
				}
			}
			return "done", nil
		},
	})
	reg := registryOf(t, script, teller(pegboard.Info{Name: "Tell"}, func(*pegboard.Call) (*pegboard.Result, error) { return pegboard.TextResult("same"), nil }))
	out := run(t, reg, session(t, pegboard.SessionConfig{Breaker: pegboard.BreakerLimits{Repeats: 3, Denials: 3}}), call("1", "Script", `{}`))
	require.NoError(t, out.Err)
	require.Equal(t, "done", out.Result.Text())
}

// TestRepairingTestsIsNoLoop: a command that fails again and again while files are edited
// in between is how work is done.
func TestRepairingTestsIsNoLoop(t *testing.T) {
	t.Parallel()
	cfg := bypass(t)
	cfg.Breaker = pegboard.BreakerLimits{Repeats: 3, Denials: 3}
	s := session(t, cfg)
	reg := registryOf(t, writing(), teller(pegboard.Info{Name: "Bash"}, func(*pegboard.Call) (*pegboard.Result, error) { return nil, errors.New("exit code 1") }))
	for i := range 20 {
		require.NotErrorIs(t, run(t, reg, s, call(fmt.Sprint("b", i), "Bash", `{}`)).Err, pegboard.ErrDenied)
		require.NoError(t, run(t, reg, s, call(fmt.Sprint("e", i), "Write", fmt.Sprintf(`{"path":"f%d"}`, i))).Err)
	}
}

// TestLoopInAModeThatAsksNobody is denied: neither the person, nor an approver, a hook or
// the classifier is asked about a call that repeats, nor about what it checks.
func TestLoopInAModeThatAsksNobody(t *testing.T) {
	t.Parallel()
	for _, mode := range []pegboard.Mode{pegboard.ModeDontAsk, pegboard.ModeDeny} {
		for _, inFork := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/fork %v", mode, inFork), func(t *testing.T) {
				t.Parallel()
				asked := func(ctx, *pegboard.Question) (pegboard.Decision, error) {
					t.Error("somebody was asked")
					return pegboard.Decision{Behavior: pegboard.Allow}, nil
				}
				limits := pegboard.BreakerLimits{Repeats: 3, Denials: -1}
				s := session(t, pegboard.SessionConfig{Dir: t.TempDir(), Breaker: limits, Permissions: rules(t, mode, pegboard.RuleSet{Allow: []string{"T"}}),
					Ask: asked, Approvers: []pegboard.Asker{asked}, Classifier: asked, Hooks: pegboard.Hooks{Permission: asked}})
				if inFork { // the mode is its parent's
					s = forked(t, s, pegboard.SessionConfig{Breaker: limits})
				}
				var checked []error
				a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true}, call: func(ctx ctx, c *pegboard.Call) error {
					checked = append(checked, c.Check(ctx, pathTo(pegboard.AccessWrite, "f")), c.Check(ctx, pegboard.Target{Kind: pegboard.TargetHost, Access: pegboard.AccessRead, Value: "h.test", AskReason: "it is far"}))
					return nil
				}}
				pool, ex := a.pool(t, s), executor(pegboard.Executor{})
				for i := range 4 {
					o := ex.Run(t.Context(), pool, call(fmt.Sprint(i), "T", `{}`))[0]
					if i < 2 {
						require.NoError(t, o.Err)
						require.NoError(t, checked[2*i], "the allow rule covers it")
						require.ErrorIs(t, checked[2*i+1], pegboard.ErrDenied)
						require.ErrorContains(t, checked[2*i+1], "asks nobody")
						continue
					}
					require.ErrorIs(t, o.Err, pegboard.ErrDenied)
					require.NotErrorIs(t, o.Err, pegboard.ErrNoApprover)
					require.Equal(t, pegboard.ByMode, o.Decision.By)
					require.Contains(t, o.Result.Text(), fmt.Sprintf("mode %s asks nobody", mode))
				}
				require.Len(t, checked, 4)
			})
		}
	}
}

// TestClassifierDoesNotAnswerForALoop: a call that repeats is for the user.
func TestClassifierDoesNotAnswerForALoop(t *testing.T) {
	t.Parallel()
	by := ""
	s := session(t, pegboard.SessionConfig{Breaker: pegboard.BreakerLimits{Repeats: 3}, Permissions: rules(t, pegboard.ModeAuto, pegboard.RuleSet{}),
		Classifier: func(ctx, *pegboard.Question) (pegboard.Decision, error) {
			by += "c"
			return pegboard.Decision{Behavior: pegboard.Allow}, nil
		},
		Ask: func(ctx, *pegboard.Question) (pegboard.Decision, error) {
			by += "p"
			return pegboard.Decision{Behavior: pegboard.Allow}, nil
		}})
	for i := range 3 {
		require.NoError(t, run(t, registryOf(t, inert("T")), s, call(fmt.Sprint(i), "T", `{}`)).Err)
	}
	require.Equal(t, "ccp", by)
}
