package pegboard_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// TestDecideRefuses: Decide denies calls that an executor answers with an error before
// it decides, and says why.
func TestDecideRefuses(t *testing.T) {
	t.Parallel()
	type input struct {
		N int `json:"n"`
	}
	crash := pegboard.Build(pegboard.Definition[input, string]{
		Info: pegboard.Info{Name: "Crash"}, Description: "For a test.", Traits: pegboard.Traits{ReadOnly: true},
		Permit: func(ctx, input, *pegboard.Call) pegboard.Decision { panic("oh") },
		Call:   func(ctx, input, *pegboard.Call) (string, error) { return "", nil },
	})
	pool := registryOf(t, crash).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
	for _, tc := range []struct{ name, input, says string }{
		{name: "None", says: "unknown tool: None"},
		{name: "Crash", input: `{"n":"x"}`, says: "n"},
		{name: "Crash", input: `{"n":1,"n":1}`, says: "n"},
		{name: "Crash", input: `{"n":1}`, says: "panic: oh"},
	} {
		trace := pool.ExplainDecision(t.Context(), call("1", tc.name, tc.input))
		require.Equal(t, pegboard.Deny, trace.Decision.Behavior)
		require.Contains(t, trace.Decision.Reason, tc.says)
		ex := executor(pegboard.Executor{})
		require.Error(t, ex.Run(t.Context(), pool, call("1", tc.name, tc.input))[0].Err)
	}
}

// TestDecideRunsAndAsksNothing: no tool is called and no asker.
func TestDecideRunsAndAsksNothing(t *testing.T) {
	t.Parallel()
	never := func(ctx, *pegboard.Question) (pegboard.Decision, error) {
		return pegboard.Decision{}, errors.New("somebody was asked")
	}
	asked := 0
	a := actor{name: "T", call: func(ctx, *pegboard.Call) error { asked++; return nil }}
	s := session(t, pegboard.SessionConfig{
		Ask:        func(c ctx, q *pegboard.Question) (pegboard.Decision, error) { asked++; return never(c, q) },
		Classifier: func(c ctx, q *pegboard.Question) (pegboard.Decision, error) { asked++; return never(c, q) },
		Hooks: pegboard.Hooks{
			Pre:        func(ctx, *pegboard.HookCall) (pegboard.Decision, error) { asked++; return pegboard.Decision{}, nil },
			Permission: func(c ctx, q *pegboard.Question) (pegboard.Decision, error) { asked++; return never(c, q) },
		},
	})
	pool := a.pool(t, s)
	for _, mode := range strictness() {
		require.NoError(t, s.SetPermissions(rules(t, mode, pegboard.RuleSet{})))
		require.NotEqual(t, pegboard.Undecided, pool.Decide(t.Context(), call("1", "T", ``)).Behavior)
	}
	require.Zero(t, asked)
}

// TestDecideIsTheExecutorsDecision for random policies and calls.
func TestDecideIsTheExecutorsDecision(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	seen := map[pegboard.Behavior]int{}
	for seed := range effort.Of(t, uint64(1500)) {
		d := dice{rand.New(rand.NewPCG(seed, 4)), []string{dir, dir, filepath.Dir(dir)}}
		a := d.actor()
		mode, _ := d.mode(laxest)
		pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: dir, Classifier: undecided}))
		require.NoError(t, pool.Session().SetPermissions(rules(t, mode, pegboard.RuleSet{Allow: d.rules(3), Ask: d.rules(1), Deny: d.rules(1)})))
		trace, done := pool.ExplainDecision(t.Context(), call("1", names(pool)[0], ``)), judge(t, pool)
		require.Equal(t, done.behavior.String(), trace.Decision.Behavior.String(), "seed %d\n%s", seed, trace)
		require.Equal(t, done.reason, trace.Decision.Reason, "seed %d", seed)
		var by string
		if trace.Decision.Rule != nil {
			by = trace.Decision.Rule.String()
		}
		require.Equal(t, done.rule, by, "seed %d\n%s", seed, trace)
		seen[done.behavior]++
		last := pegboard.Deny + 1
		for _, s := range trace.Steps {
			if s.Rule == nil {
				continue
			}
			if s.Rule.Behavior == pegboard.Deny && s.Behavior == pegboard.Ask { // after the ask rules: it cannot be compared
				require.Equal(t, pegboard.Ask, trace.Decision.Behavior, "seed %d\n%s", seed, trace)
				require.Equal(t, trace.Decision.Rule, s.Rule)
				require.Contains(t, s.Reason, s.Rule.String())
				last = pegboard.Undecided // no rule is compared after it
				continue
			}
			require.LessOrEqual(t, s.Rule.Behavior, last, "deny, ask, allow\n%s", trace)
			last = s.Rule.Behavior
			require.Contains(t, s.Reason, s.Rule.String())
			require.Contains(t, []pegboard.Behavior{pegboard.Undecided, s.Rule.Behavior}, s.Behavior)
		}
		require.NotEmpty(t, trace.Steps)
		require.Contains(t, trace.String(), trace.Decision.Reason)
	}
	if effort.Full(t) {
		require.Greater(t, min(seen[pegboard.Allow], seen[pegboard.Ask], seen[pegboard.Deny]), 100, "all happen")
	}
}

func TestDecideTakesNoCallForAllowed(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	tool := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "T"}, Description: "For a test.",
		Traits: pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: outside, Tree: true}}},
		Permit: func(_ ctx, _ struct{}, c *pegboard.Call) pegboard.Decision {
			if c.Filter(pegboard.Target{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: filepath.Join(outside, "f")}) {
				return pegboard.Decision{}
			}
			return pegboard.Decision{Behavior: pegboard.Deny, Reason: "not that"}
		},
		Call: func(ctx, struct{}, *pegboard.Call) (string, error) { return "", nil },
	})
	pool := registryOf(t, tool).AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{})
	require.Equal(t, judge(t, pool).behavior.String(), pool.Decide(t.Context(), call("1", "T", ``)).Behavior.String())
}

func TestDecideFollowsTheToolsInput(t *testing.T) {
	t.Parallel()
	type input struct {
		F string `json:"f"`
	}
	tool := pegboard.Build(pegboard.Definition[input, string]{
		Info: pegboard.Info{Name: "T"}, Description: "For a test.",
		Inspect: func(in input, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Value: in.F}}}
		},
		Permit: func(ctx, input, *pegboard.Call) pegboard.Decision {
			return pegboard.Decision{Input: []byte(`{"f":"denied"}`)}
		},
		Call: func(ctx, input, *pegboard.Call) (string, error) { return "", nil },
	})
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, pegboard.ModeBypass, pegboard.RuleSet{Deny: []string{"Edit(denied)"}})})
	pool := registryOf(t, tool).AssemblePool(s, pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{})
	out := ex.Run(t.Context(), pool, call("1", "T", `{"f":"a"}`))[0]
	require.Equal(t, out.Decision.Behavior.String(), pool.Decide(t.Context(), call("1", "T", `{"f":"a"}`)).Behavior.String())
}

func TestDecideSurvivesAVerifierThatPanics(t *testing.T) {
	t.Parallel()
	a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "git log", Shell: pegboard.ShellFacts{ReadOnly: true, VerifyReadOnly: func() error { panic("oh") }}}}}}
	pool := a.pool(t, session(t, pegboard.SessionConfig{}))
	require.NotPanics(t, func() { require.NotEqual(t, pegboard.Allow, pool.Decide(t.Context(), call("1", "T", ``)).Behavior) })
}

// TestDecideHeedsItsContext: whichever part of the decision the context ends in, the call is
// denied, although the mode allows it.
func TestDecideHeedsItsContext(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"before", "Inspect", "Permit", "Verify", ""} {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			ended := errors.New("the host has ended it")
			c, end := context.WithCancelCause(t.Context())
			at := func(name string) {
				if name == part {
					end(ended)
				}
			}
			tool := pegboard.Build(pegboard.Definition[struct{}, string]{
				Info: pegboard.Info{Name: "T"}, Description: "For a test.",
				Inspect: func(struct{}, *pegboard.Call) pegboard.Traits {
					at("Inspect")
					return pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "x", Shell: pegboard.ShellFacts{
						Simple: true, ReadOnly: true, VerifyReadOnly: func() error { at("Verify"); return nil },
					}}}}
				},
				Permit: func(ctx, struct{}, *pegboard.Call) pegboard.Decision { at("Permit"); return pegboard.Decision{} },
				Call:   func(ctx, struct{}, *pegboard.Call) (string, error) { return "", nil },
			})
			pool := registryOf(t, tool).AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{})
			at("before")
			d := pool.Decide(c, call("1", "T", `{}`))
			if part == "" {
				require.Equal(t, pegboard.Allow, d.Behavior, d.Reason)
				return
			}
			require.Equal(t, pegboard.Deny, d.Behavior)
			require.Contains(t, d.Reason, ended.Error())
		})
	}
}
