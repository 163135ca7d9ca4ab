package pegboard_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// TestForcedDecision: the caller's word in every situation.
func TestForcedDecision(t *testing.T) {
	t.Parallel()
	type set = pegboard.RuleSet
	hook := func(b pegboard.Behavior) pegboard.Hooks {
		return pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (pegboard.Decision, error) {
			return pegboard.Decision{Behavior: b, Reason: "the hook's word"}, nil
		}}
	}
	write := actor{traits: pegboard.Traits{Targets: []pegboard.Target{pathTo(pegboard.AccessWrite, "f")}}}
	fatal := actor{traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetResource, Value: "x", AskReason: "it is the end"}}}}
	protected := actor{traits: pegboard.Traits{Targets: []pegboard.Target{pathTo(pegboard.AccessWrite, ".git/config")}}}
	reads := actor{traits: pegboard.Traits{ReadOnly: true}}
	own := func(b pegboard.Behavior) actor {
		return actor{own: pegboard.Decision{Behavior: b, Reason: "the tool's word"}}
	}
	const deny, ask, allow, none = pegboard.Deny, pegboard.Ask, pegboard.Allow, pegboard.Undecided
	const caller, mode, rule, tool, byHook = pegboard.ByCaller, pegboard.ByMode, pegboard.ByRule, pegboard.ByTool, pegboard.ByHook
	tests := []struct {
		name  string
		force pegboard.Behavior
		actor actor
		mode  pegboard.Mode
		set   set
		hooks pegboard.Hooks
		want  pegboard.Behavior
		by    pegboard.Decider // unless it is asked
	}{
		{name: "nothing", want: ask},
		{name: "undecided", force: none, want: ask},
		{name: "what is no behavior", force: 9, actor: reads, want: deny, by: caller},

		{name: "deny", force: deny, want: deny, by: caller},
		{name: "deny what an allow rule covers", force: deny, set: set{Allow: []string{"T"}}, want: deny, by: caller},
		{name: "deny in bypass mode", force: deny, mode: pegboard.ModeBypass, want: deny, by: caller},
		{name: "deny what only reads", force: deny, actor: reads, want: deny, by: caller},
		{name: "deny what a hook allows", force: deny, hooks: hook(allow), want: deny, by: caller},

		{name: "ask", force: ask, actor: reads, want: ask},
		{name: "ask what an allow rule covers", force: ask, set: set{Allow: []string{"T"}}, want: ask},
		{name: "ask in bypass mode", force: ask, mode: pegboard.ModeBypass, want: ask},
		{name: "ask what a hook allows", force: ask, hooks: hook(allow), want: ask},
		{name: "ask, and a deny rule", force: ask, actor: write, set: set{Deny: []string{"Edit(f)"}}, want: deny, by: rule},
		{name: "ask where nobody is asked", force: ask, actor: reads, mode: pegboard.ModeDontAsk, want: deny, by: mode},

		{name: "allow", force: allow, want: allow, by: caller},
		{name: "allow an edit", force: allow, actor: write, want: allow, by: caller},
		{name: "allow in mode ask", force: allow, mode: pegboard.ModeAsk, want: allow, by: caller},
		{name: "allow in auto mode", force: allow, mode: pegboard.ModeAuto, want: allow, by: caller},
		{name: "allow in plan mode", force: allow, mode: pegboard.ModePlan, want: allow, by: caller},
		{name: "allow an edit in plan mode", force: allow, actor: write, mode: pegboard.ModePlan, want: deny, by: mode},
		{name: "allow where nobody is asked", force: allow, mode: pegboard.ModeDontAsk, want: deny, by: mode},
		{name: "allow in mode deny", force: allow, mode: pegboard.ModeDeny, want: deny, by: mode},
		{name: "allow, and a deny rule", force: allow, actor: write, set: set{Deny: []string{"Edit(f)"}}, want: deny, by: rule},
		{name: "allow, and an ask rule", force: allow, set: set{Ask: []string{"T"}}, want: ask},
		{name: "allow, and an ask rule that cannot be compared", force: allow, set: set{Ask: []string{"T(x)"}}, want: ask},
		{name: "allow, and an allow rule", force: allow, set: set{Allow: []string{"T"}}, want: allow, by: rule},
		{name: "allow, only a person may", force: allow, actor: actor{user: true}, want: ask},
		{name: "allow what must not happen unseen", force: allow, actor: fatal, want: ask},
		{name: "allow what must not happen unseen, in bypass mode", force: allow, actor: fatal, mode: pegboard.ModeBypass, want: ask},
		{name: "allow a protected file", force: allow, actor: protected, want: ask},
		{name: "allow, and a hook asks", force: allow, hooks: hook(ask), want: ask},
		{name: "allow, and a hook denies", force: allow, hooks: hook(deny), want: deny, by: byHook},
		{name: "allow, and the tool asks", force: allow, actor: own(ask), want: ask},
		{name: "allow, and the tool denies", force: allow, actor: own(deny), want: deny, by: tool},
		{name: "allow, attached", force: allow, actor: actor{source: "srv"}, want: allow, by: caller},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.actor.name = "T"
			s := session(t, pegboard.SessionConfig{Dir: t.TempDir(), Hooks: tc.hooks, Classifier: undecided})
			pool := tc.actor.pool(t, s)
			require.NoError(t, s.SetPermissions(rules(t, tc.mode, tc.set)))
			c := call("1", names(pool)[0], `{}`)
			if tc.name != "nothing" {
				c = pegboard.ForceDecision(c, tc.force, "the caller's word")
			}
			ex := executor(pegboard.Executor{})
			o := ex.Run(t.Context(), pool, c)[0]
			if tc.want == ask {
				require.ErrorIs(t, o.Err, pegboard.ErrNoApprover)
			} else {
				require.Equal(t, tc.want == allow, o.Err == nil, o.Result.Text())
				require.Equal(t, tc.by, o.Decision.By, o.Decision.Reason)
			}
			if tc.by == caller {
				require.Contains(t, o.Decision.Reason, "the caller's word")
			}
			if tc.want == deny && tc.by == caller {
				require.Contains(t, o.Result.Text(), "the caller's word")
			}
			if tc.hooks.Pre == nil { // Decide knows no hooks
				x := pool.ExplainDecision(t.Context(), c)
				require.Equal(t, tc.want, x.Decision.Behavior, x)
				require.Equal(t, x.Decision, pool.Decide(t.Context(), c))
			}
		})
	}
}

// TestForcedAskIsAnswered by the person, who sees the reason, and not by the classifier.
func TestForcedAskIsAnswered(t *testing.T) {
	t.Parallel()
	var asked []*pegboard.Question
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, pegboard.ModeAuto, pegboard.RuleSet{Allow: []string{"T"}}),
		Classifier: always(pegboard.Deny), Ask: answering(&asked, pegboard.Decision{Behavior: pegboard.Allow}, nil)})
	a := actor{name: "T"}
	ex := executor(pegboard.Executor{})
	o := ex.Run(t.Context(), a.pool(t, s), pegboard.ForceDecision(call("1", "T", ``), pegboard.Ask, "it looks odd"))[0]
	require.NoError(t, o.Err)
	require.Equal(t, pegboard.ByPerson, o.Decision.By)
	require.Len(t, asked, 1)
	require.Equal(t, "it looks odd", asked[0].Reason)
}

// TestForcedAllowIsAboutItsBytes: an input that was changed, by whomever, is decided anew.
func TestForcedAllowIsAboutItsBytes(t *testing.T) {
	t.Parallel()
	other := []byte(`{"k":2}`)
	hooked := pegboard.Hooks{Pre: func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
		return pegboard.Decision{Input: other}, nil
	}}
	tests := []struct {
		name   string
		hooks  pegboard.Hooks
		change func(c *pegboard.Call)
		force  pegboard.Behavior
		want   string
	}{
		{name: "unchanged", force: pegboard.Allow, want: "allow"},
		{name: "a hook changes it", hooks: hooked, force: pegboard.Allow, want: "ask"},
		{name: "a hook changes what is denied", hooks: hooked, force: pegboard.Deny, want: "deny"},
		{name: "the caller changes it afterwards", change: func(c *pegboard.Call) { c.Input = other }, force: pegboard.Allow, want: "ask"},
		{name: "the caller changes the bytes afterwards", change: func(c *pegboard.Call) { c.Input[5] = '2' }, force: pegboard.Allow, want: "ask"},
		{name: "the caller changes the name afterwards", change: func(c *pegboard.Call) { c.Name = "Old" }, force: pegboard.Allow, want: "ask"},
		{name: "the caller changes what is denied afterwards", change: func(c *pegboard.Call) { c.Input, c.Name = other, "Old" }, force: pegboard.Deny, want: "deny"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := actor{name: "T", aliases: []string{"Old"}}
			pool := a.pool(t, session(t, pegboard.SessionConfig{Hooks: tc.hooks}))
			c := pegboard.ForceDecision(call("1", "T", `{"k":1}`), tc.force, "")
			if tc.change != nil {
				tc.change(&c)
			}
			v := judgeCall(t, pool, c)
			require.Equal(t, tc.want, v.behavior.String())
			require.NotEmpty(t, v.reason)
		})
	}
}

// TestForcedAllowIsForTheMainAgentsModel: a tool that makes calls, and a fork, allow
// nothing with it, but a refusal holds there.
func TestForcedAllowIsForTheMainAgentsModel(t *testing.T) {
	t.Parallel()
	for _, b := range []pegboard.Behavior{pegboard.Allow, pegboard.Ask, pegboard.Deny} {
		s := session(t, pegboard.SessionConfig{Permissions: rules(t, "", pegboard.RuleSet{Allow: []string{"Free"}})})
		var inner []pegboard.Outcome
		outer := pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: "Script"}, Description: "Makes calls.", Traits: pegboard.Traits{ReadOnly: true},
			Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
				inner = c.Run(ctx, pegboard.ForceDecision(call("i", "T", ``), b, "my word"), pegboard.ForceDecision(call("j", "Free", ``), b, "my word"))
				return "", nil
			},
		})
		reg := registryOf(t, outer, inert("T"), inert("Free"))
		require.NoError(t, run(t, reg, s, call("1", "Script", ``)).Err)
		fork := forked(t, s, pegboard.SessionConfig{})
		ex := executor(pegboard.Executor{})
		for _, out := range [][]pegboard.Outcome{inner, ex.Run(t.Context(), reg.AssemblePool(fork, pegboard.PoolConfig{}),
			pegboard.ForceDecision(call("i", "T", ``), b, "my word"), pegboard.ForceDecision(call("j", "Free", ``), b, "my word"))} {
			require.ErrorIs(t, out[0].Err, pegboard.ErrDenied)
			require.Equal(t, b == pegboard.Deny, out[0].Decision.By == pegboard.ByCaller)
			require.Equal(t, b == pegboard.Allow, out[1].Err == nil, "the rule allows it")
		}
		d := reg.AssemblePool(fork, pegboard.PoolConfig{}).Decide(t.Context(), pegboard.ForceDecision(call("i", "T", ``), b, ""))
		require.Equal(t, max(b, pegboard.Ask), d.Behavior)
	}
}

// TestForcedAllowAnswersNoLoop: the caller did not know that the call repeats.
func TestForcedAllowAnswersNoLoop(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Breaker: pegboard.BreakerLimits{Repeats: 3}})
	pool, ex := registryOf(t, inert("T")).AssemblePool(s, pegboard.PoolConfig{}), executor(pegboard.Executor{})
	for i := range 3 {
		o := ex.Run(t.Context(), pool, pegboard.ForceDecision(call("1", "T", `{}`), pegboard.Allow, "again"))[0]
		require.Equal(t, i < 2, o.Err == nil)
	}
}

// TestForcedDecisionInAStream is the same.
func TestForcedDecisionInAStream(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{})
	ex := executor(pegboard.Executor{})
	st := ex.Stream(t.Context(), registryOf(t, inert("T")).AssemblePool(s, pegboard.PoolConfig{}))
	st.Submit(pegboard.ForceDecision(call("1", "T", ``), pegboard.Allow, "yes"))
	st.Submit(call("2", "T", ``))
	st.Finish(pegboard.FinishToolCalls)
	var errs []error
	for o := range st.Outcomes() {
		errs = append(errs, o.Err)
	}
	require.NoError(t, errs[0])
	require.ErrorIs(t, errs[1], pegboard.ErrNoApprover)
}

// TestForcedDecisionNeverOverridesARestriction: whatever the rules, mode and tool are, it
// turns no denial into anything else and answers no question but that no rule allows the
// call, or that the mode asks.
func TestForcedDecisionNeverOverridesARestriction(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	allowed, stood := 0, 0
	for seed := range effort.Of(t, uint64(3000)) {
		d := dice{rand.New(rand.NewPCG(seed, 32)), []string{dir, dir, filepath.Dir(dir)}}
		a, p, said := d.actor(), d.policy(t), d.opinion()
		force := one(d, pegboard.Allow, pegboard.Allow, pegboard.Ask, pegboard.Deny)
		s := session(t, pegboard.SessionConfig{Dir: dir, Classifier: undecided, Hooks: pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (pegboard.Decision, error) { return said, nil }}})
		pool := a.pool(t, s)
		require.NoError(t, s.SetPermissions(p))
		c := call("1", names(pool)[0], ``)
		base, got := judgeCall(t, pool, c), judgeCall(t, pool, pegboard.ForceDecision(c, force, "forced"))
		at := []any{"seed %d: %+v, forced %v under %v\n%s\n%s", seed, a.traits, force, p, base.reason, got.reason}
		switch {
		case force != pegboard.Allow:
			require.GreaterOrEqual(t, got.behavior, max(base.behavior, force), at...)
		case base.behavior != pegboard.Ask || base.rule != "" || a.user || cautious(&a) || said.Behavior == pegboard.Ask || a.own.Behavior == pegboard.Ask:
			require.Equal(t, base, got, at...)
			stood++
		case got.behavior == pegboard.Allow:
			allowed++
		}
		require.GreaterOrEqual(t, got.behavior, pegboard.Allow, at...)
	}
	if effort.Full(t) {
		require.Greater(t, min(allowed, stood), 50)
	}
}
