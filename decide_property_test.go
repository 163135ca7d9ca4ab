package pegboard_test

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// policy returns random permissions.
func (d dice) policy(t testing.TB) pegboard.Permissions {
	t.Helper()
	mode, _ := d.mode(laxest)
	return rules(t, mode, pegboard.RuleSet{Allow: d.rules(3), Ask: d.rules(2), Deny: d.rules(1)})
}

// opinion returns one that a hook or a tool may have.
func (d dice) opinion() pegboard.Decision {
	b := one(d, pegboard.Undecided, pegboard.Allow, pegboard.Allow, pegboard.Ask, pegboard.Deny)
	return pegboard.Decision{Behavior: b, Reason: "its word"}
}

// TestHooksNeverLoosen: no Pre hook weakens a deny rule, an ask rule or the need for a
// person, and a call that it denies is denied.
func TestHooksNeverLoosen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stood, spared := 0, 0
	for seed := range effort.Of(t, uint64(2000)) {
		d := dice{rand.New(rand.NewPCG(seed, 5)), []string{dir, dir, filepath.Dir(dir)}}
		a, p := d.actor(), d.policy(t)
		said := d.opinion()
		on := func(pre func(ctx, *pegboard.HookCall) (pegboard.Decision, error)) verdict {
			pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: dir, Classifier: undecided, Hooks: pegboard.Hooks{Pre: pre}}))
			require.NoError(t, pool.Session().SetPermissions(p))
			return judge(t, pool)
		}
		base := on(nil)
		got := on(func(ctx, *pegboard.HookCall) (pegboard.Decision, error) { return said, nil })
		at := "seed %d: %+v, the hook says %v\nunder %v: %s\nand with the hook: %s"
		with := []any{seed, a.traits, said.Behavior, p, base.reason, got.reason}
		switch said.Behavior {
		case pegboard.Undecided:
			require.Equal(t, base, got, append([]any{at}, with...)...)
		case pegboard.Allow:
			require.LessOrEqual(t, got.behavior, base.behavior, append([]any{at}, with...)...)
		default:
			require.GreaterOrEqual(t, got.behavior, max(base.behavior, said.Behavior), append([]any{at}, with...)...)
		}
		if base.behavior > pegboard.Allow && (base.rule != "" || a.user || cautious(&a)) {
			require.GreaterOrEqual(t, got.behavior, base.behavior, append([]any{at}, with...)...)
			stood++
		} else if got.behavior < base.behavior {
			spared++
		}
	}
	if effort.Full(t) {
		require.Greater(t, min(stood, spared), 30, "both happen")
	}
}

func cautious(a *actor) bool {
	return slices.ContainsFunc(a.traits.Targets, func(x pegboard.Target) bool { return x.AskReason != "" })
}

// talkative is a wrapper that overrides every stage before the call.
type talkative struct {
	pegboard.Tool
	own    pegboard.Decision
	traits *pegboard.Traits // if it has something to say of that
}

func (w talkative) Permit(ctx, *pegboard.Call) pegboard.Decision { return w.own }

func (w talkative) Validate(ctx, *pegboard.Call) error { return nil }

func (w talkative) Traits(c *pegboard.Call) pegboard.Traits {
	if w.traits != nil {
		return *w.traits
	}
	return w.Tool.Traits(c)
}

// TestWrappersNeverLoosen: a wrapper that leaves the traits alone weakens no deny or ask
// rule about the call's targets, and no wrapper weakens one about the tool.
func TestWrappersNeverLoosen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stood := 0
	for seed := range effort.Of(t, uint64(2000)) {
		d := dice{rand.New(rand.NewPCG(seed, 6)), []string{dir, dir, filepath.Dir(dir)}}
		a := d.actor()
		a.own, a.source = pegboard.Decision{}, ""
		mode, _ := d.mode(laxest)
		set := pegboard.RuleSet{Allow: d.rules(2), Ask: d.rules(2), Deny: d.rules(2)}
		lies := d.IntN(2) == 0
		if lies { // only rules on the tool bind it then
			set.Ask, set.Deny = one(d, nil, []string{"T"}), one(d, nil, []string{"Old"})
		}
		s := session(t, pegboard.SessionConfig{Dir: dir, Classifier: undecided})
		plain := a.pool(t, s)
		tool, ok := plain.Lookup("T")
		require.True(t, ok)
		w := talkative{Tool: tool, own: d.opinion()}
		if lies {
			w.traits = &pegboard.Traits{ReadOnly: true}
		}
		wrapped := registryOf(t, w).AssemblePool(s, pegboard.PoolConfig{})
		require.NoError(t, s.SetPermissions(rules(t, mode, set)))
		base, got := judge(t, plain), judge(t, wrapped)
		if base.rule == "" || base.behavior == pegboard.Allow {
			continue
		}
		stood++
		require.GreaterOrEqual(t, got.behavior, base.behavior, "seed %d: %+v, the wrapper says %v\n%s\n%s", seed, a.traits, w.own.Behavior, base.reason, got.reason)
	}
	if effort.Full(t) {
		require.Greater(t, stood, 300)
	}
}

// TestAddingARestrictionNeverMakesLaxer: a deny rule, or an ask rule, on top of
// random permissions.
func TestAddingARestrictionNeverMakesLaxer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for seed := range effort.Of(t, uint64(1000)) {
		d := dice{rand.New(rand.NewPCG(seed, 1)), []string{dir, dir, filepath.Dir(dir)}}
		a := d.actor()
		mode, _ := d.mode(laxest)
		p := rules(t, mode, pegboard.RuleSet{Allow: d.rules(3), Ask: d.rules(1), Deny: d.rules(1)})
		pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: dir, Classifier: undecided}))
		require.NoError(t, pool.Session().SetPermissions(p))
		before := judge(t, pool)
		with := func(set pegboard.RuleSet) verdict {
			more, err := p.WithRules(set)
			require.NoError(t, err)
			require.NoError(t, pool.Session().SetPermissions(more))
			return judge(t, pool)
		}
		denied := with(pegboard.RuleSet{Deny: d.rules(2)})
		require.GreaterOrEqual(t, denied.behavior, before.behavior, "seed %d: %+v\nwith %v: %s", seed, a.traits, p, denied.reason)
		asked := with(pegboard.RuleSet{Ask: d.rules(2)})
		require.GreaterOrEqual(t, asked.behavior, before.behavior, "seed %d: %+v\nwith %v: %s", seed, a.traits, p, asked.reason)
	}
}
