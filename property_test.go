package pegboard_test

import (
	"math/rand/v2"
	"os"
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

// TestHooksNeverLoosen: what a rule denies or asks about, or needs a person, stays
// so whatever a Pre hook says; what it refuses is refused.
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
func (w talkative) Validate(ctx, *pegboard.Call) error           { return nil }
func (w talkative) Traits(c *pegboard.Call) pegboard.Traits {
	if w.traits != nil {
		return *w.traits
	}
	return w.Tool.Traits(c)
}

// TestWrappersNeverLoosen a deny or an ask rule: none on what the call acts on, as
// long as they leave the traits alone, and none on the tool in any case.
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

// TestChildIsNeverLaxerInAnyPairOfModes, nor after the parent took any other mode
// or rules, or the child a rule.
func TestChildIsNeverLaxerInAnyPairOfModes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sub := filepath.Join(dir, "sub")
	require.NoError(t, os.Mkdir(sub, 0o700))
	modes := strictness()
	seed := uint64(0)
	for i, mode := range modes {
		for _, childs := range modes[:i+1] {
			for _, later := range modes {
				seed++
				d := dice{rand.New(rand.NewPCG(seed, 7)), []string{dir, sub, filepath.Dir(dir)}}
				a := d.actor()
				parent := session(t, pegboard.SessionConfig{Dir: dir, Classifier: undecided})
				above := a.pool(t, parent)
				allowed := d.rules(3)
				require.NoError(t, parent.SetPermissions(rules(t, mode, pegboard.RuleSet{Allow: allowed, Ask: d.rules(1), Deny: d.rules(1)})))
				child := forked(t, parent, pegboard.SessionConfig{
					Dir: one(d, "", sub), Permissions: rules(t, childs, pegboard.RuleSet{Allow: allowed, Ask: d.rules(1), Deny: d.rules(1)}),
				})
				under := a.pool(t, child)
				compare := func(when string) {
					p, c := settledBehavior(t, above), settledBehavior(t, under)
					require.GreaterOrEqual(t, c, p, "seed %d, %s: %s, the child %s, later %s\n%+v\nparent %v\nchild %v", seed, when, mode, childs, later, a.traits, parent.Permissions(), child.Permissions())
				}
				compare("at first")
				require.NoError(t, child.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) {
					return p.WithRules(pegboard.RuleSet{Ask: d.rules(1), Deny: d.rules(1)})
				}))
				compare("after a rule of the child")
				require.NoError(t, parent.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) { return p.WithMode(later) }))
				compare("after the parent took another mode")
				require.NoError(t, parent.SetPermissions(d.policy(t)))
				compare("after the parent took other rules")
			}
		}
	}
}

// TestTraceSaysWhatDecideDoes: to explain, every rule is tried, and to decide only
// those that an index names. Both find the same rule first.
func TestTraceSaysWhatDecideDoes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ruled := map[pegboard.Behavior]int{}
	for seed := range effort.Of(t, uint64(1500)) {
		d := dice{rand.New(rand.NewPCG(seed, 9)), []string{dir, dir, filepath.Dir(dir)}}
		a := d.actor()
		a.name = one(d, "T", "Bash")
		mode, _ := d.mode(laxest)
		pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: dir}))
		var rare []string // which concern none of these calls, but fill the index
		for range d.IntN(40) {
			word := string(rune('c' + d.IntN(20)))
			rare = append(rare, one(d, "Read("+word+")", "Edit(/"+word+"/**)", "Read(**/*."+word+")", "Bash("+word+":*)", "Bash(*"+word+")", "WebFetch(domain:*."+word+")", "Agent("+word+")"))
		}
		p, err := pegboard.NewPermissions(mode,
			pegboard.RuleSet{Allow: rare, Ask: rare[:len(rare)/2], Deny: rare[:len(rare)/3]},
			pegboard.RuleSet{Allow: d.rules(3), Ask: d.rules(1), Deny: d.rules(1)})
		require.NoError(t, err)
		require.NoError(t, pool.Session().SetPermissions(p))
		c := call("1", names(pool)[0], ``)
		quick, trace := pool.Decide(t.Context(), c), pool.ExplainDecision(t.Context(), c)
		require.Equal(t, trace.Decision, quick, "seed %d: %+v\n%s", seed, a.traits, trace)
		if quick.Rule != nil {
			ruled[quick.Behavior]++
		}
	}
	if effort.Full(t) {
		require.Greater(t, min(ruled[pegboard.Allow], ruled[pegboard.Ask], ruled[pegboard.Deny]), 30, "all happen")
	}
}

// settledBehavior returns what Decide says of the pool's only tool, which is
// denied if a rule took it out of the pool.
func settledBehavior(t testing.TB, p *pegboard.Pool) pegboard.Behavior {
	t.Helper()
	if p.Len() == 0 {
		return pegboard.Deny
	}
	return p.Decide(t.Context(), call("1", names(p)[0], ``)).Behavior
}

// TestUpdatesAgainstAList applies random updates to permissions and to a plain
// list, which must stay the same.
func TestUpdatesAgainstAList(t *testing.T) {
	t.Parallel()
	type rule struct {
		b        pegboard.Behavior
		tool, of string
	}
	behaviors := []pegboard.Behavior{pegboard.Deny, pegboard.Ask, pegboard.Allow}
	for seed := range effort.Of(t, uint64(500)) {
		d := dice{rand.New(rand.NewPCG(seed, 8)), nil}
		var p pegboard.Permissions
		var list []rule
		for range 12 {
			u := pegboard.PermissionUpdate{Type: one(d, pegboard.UpdateAddRules, pegboard.UpdateAddRules, pegboard.UpdateReplaceRules, pegboard.UpdateRemoveRules), Behavior: one(d, behaviors...), Destination: one(d, pegboard.SourceUser, pegboard.SourceSession)}
			var given []rule
			for _, tool := range slices.Compact([]string{one(d, "A", "B"), one(d, "B", "C")}) {
				u.Rules = append(u.Rules, pegboard.PermissionUpdateRule{Tool: tool})
				given = append(given, rule{u.Behavior, tool, string(u.Destination)})
			}
			list = slices.DeleteFunc(list, func(r rule) bool {
				return slices.Contains(given, r) || u.Type == pegboard.UpdateReplaceRules && r.b == u.Behavior && r.of == string(u.Destination)
			})
			if u.Type != pegboard.UpdateRemoveRules {
				list = append(list, given...)
			}
			q, err := p.Apply(u)
			require.NoError(t, err)
			p = q
		}
		var want, got []rule
		for _, b := range behaviors {
			for _, r := range list {
				if r.b == b {
					want = append(want, r)
				}
			}
		}
		for _, r := range p.Rules() {
			got = append(got, rule{r.Behavior, r.Tool, string(r.Source)})
		}
		require.Equal(t, want, got, "seed %d", seed)
	}
}
