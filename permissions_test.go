package pegboard_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// actor is a tool that says of its calls what a test wants decided.
type actor struct {
	name    string
	aliases []string
	source  string // it is attached from; empty: built in
	user    bool   // RequiresUser
	traits  pegboard.Traits
	own     pegboard.Decision
	call    func(ctx ctx, c *pegboard.Call) error // may be nil
}

// pool registers a and assembles a pool of it for s. Rules that are set later
// are decided, where those of now could hide the tool.
func (a *actor) pool(t testing.TB, s *pegboard.Session) *pegboard.Pool {
	t.Helper()
	tool := pegboard.Build(pegboard.Definition[map[string]any, string]{
		Info: pegboard.Info{Name: a.name, Aliases: a.aliases, RequiresUser: a.user}, Description: "For a test.",
		Inspect: func(map[string]any, *pegboard.Call) pegboard.Traits { return a.traits },
		Permit:  func(ctx, map[string]any, *pegboard.Call) pegboard.Decision { return a.own },
		Call: func(ctx ctx, _ map[string]any, c *pegboard.Call) (string, error) {
			if a.call == nil {
				return "done", nil
			}
			return "done", a.call(ctx, c)
		},
	})
	var reg pegboard.Registry
	if a.source == "" {
		require.NoError(t, reg.Add(tool))
	} else {
		_, err := reg.Attach(a.source, tool)
		require.NoError(t, err)
	}
	return reg.AssemblePool(s, pegboard.PoolConfig{Gates: pegboard.Gates{PowerShell: true, Features: []pegboard.Feature{pegboard.FeatureMonitors}}})
}

// verdict is a decision as it was before anybody was asked.
type verdict struct {
	behavior pegboard.Behavior
	reason   string
	rule     string // that decided, if one did
}

// judge returns what is decided of a call of the pool's only tool. The session
// must have nobody to ask. A tool that a rule took out of the pool is denied.
func judge(t testing.TB, p *pegboard.Pool) verdict {
	t.Helper()
	if out := p.Excluded(); len(out) == 1 {
		require.Contains(t, out[0].Reason, "deny rule")
		return verdict{behavior: pegboard.Deny, reason: out[0].Reason}
	}
	require.Equal(t, 1, p.Len())
	ex := executor(pegboard.Executor{})
	out := ex.Run(t.Context(), p, call("1", names(p)[0], ``))[0]
	d := out.Decision
	require.NotEqual(t, pegboard.Undecided, d.Behavior, out.Result.Text())
	require.Equal(t, d.Behavior != pegboard.Allow, errors.Is(out.Err, pegboard.ErrDenied))
	v := verdict{behavior: d.Behavior}
	if d.Rule != nil {
		v.rule = d.Rule.String()
	}
	var asked bool
	if v.reason, _, asked = strings.Cut(d.Reason, ", and nobody can be asked"); asked {
		v.behavior = pegboard.Ask
	}
	return v
}

// ground is one reason to decide a call one way or the other.
type ground struct {
	name string
	rank int    // of two grounds the lower one decides
	slot string // two grounds of one slot exclude each other
	add  func(*trial)
	want verdict // reason: a part of it
}

// trial is a call with everything that speaks for and against it.
type trial struct {
	actor actor
	cfg   pegboard.SessionConfig
	mode  pegboard.Mode
	set   pegboard.RuleSet
}

// grounds are those that exist, in the order in which they win.
func grounds() []ground {
	hook := func(b pegboard.Behavior) func(*trial) {
		return func(x *trial) {
			x.cfg.Hooks.Pre = func(ctx, *pegboard.HookCall) (pegboard.Decision, error) {
				return pegboard.Decision{Behavior: b, Reason: "the hook's word"}, nil
			}
		}
	}
	own := func(b pegboard.Behavior) func(*trial) {
		return func(x *trial) { x.actor.own = pegboard.Decision{Behavior: b, Reason: "the tool's word"} }
	}
	const rule = "Read(f)"
	return []ground{
		{"deny rule", 1, "", func(x *trial) { x.set.Deny = []string{rule} }, verdict{pegboard.Deny, "deny rule", rule}},
		{"hook denies", 2, "hook", hook(pegboard.Deny), verdict{pegboard.Deny, "the hook's word", ""}},
		{"tool denies", 2, "tool", own(pegboard.Deny), verdict{pegboard.Deny, "the tool's word", ""}},
		{"ask rule", 3, "", func(x *trial) { x.set.Ask = []string{rule} }, verdict{pegboard.Ask, "ask rule", rule}},
		{"requires a person", 4, "", func(x *trial) { x.actor.user = true }, verdict{pegboard.Ask, "only a person", ""}},
		{"hook asks", 5, "hook", hook(pegboard.Ask), verdict{pegboard.Ask, "the hook's word", ""}},
		{"tool asks", 5, "tool", own(pegboard.Ask), verdict{pegboard.Ask, "the tool's word", ""}},
		{"bypass", 6, "mode", func(x *trial) { x.mode = pegboard.ModeBypass }, verdict{pegboard.Allow, "bypassPermissions", ""}},
		{"plan", 7, "mode", func(x *trial) { x.mode = pegboard.ModePlan }, verdict{pegboard.Ask, "in plan mode", ""}},
		{"allow rule", 8, "", func(x *trial) { x.set.Allow = []string{rule} }, verdict{pegboard.Allow, "allow rule", rule}},
		{"hook allows", 9, "hook", hook(pegboard.Allow), verdict{pegboard.Allow, "the hook's word", ""}},
		{"tool allows", 9, "tool", own(pegboard.Allow), verdict{pegboard.Allow, "the tool's word", ""}},
		{"harmless read", 10, "mode", func(x *trial) { x.actor.traits.ReadOnly = true }, verdict{pegboard.Allow, "only reads", ""}},
		{"nothing", 11, "", func(*trial) {}, verdict{pegboard.Ask, "no rule allows it", ""}},
	}
}

// TestDecisionOrder lets every two grounds compete for one call.
func TestDecisionOrder(t *testing.T) {
	t.Parallel()
	all := grounds()
	for i, first := range all {
		for _, second := range all[i+1:] {
			if first.rank == second.rank || first.slot == second.slot && first.slot != "" {
				continue
			}
			t.Run(first.name+" over "+second.name, func(t *testing.T) {
				t.Parallel()
				x := trial{actor: actor{name: "T", traits: pegboard.Traits{
					Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: "f"}},
				}}}
				second.add(&x)
				first.add(&x)
				pool := x.actor.pool(t, session(t, x.cfg))
				require.NoError(t, pool.Session().SetPermissions(rules(t, x.mode, x.set)))
				got := judge(t, pool)
				require.Equal(t, first.want.behavior.String(), got.behavior.String(), got.reason)
				require.Contains(t, got.reason, first.want.reason)
				require.Equal(t, first.want.rule, got.rule)
			})
		}
	}
}

// TestWhatModesAndOpinionsGrant covers how far each of them goes.
func TestWhatModesAndOpinionsGrant(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "f")
	path := func(access pegboard.Access, v string) []pegboard.Target {
		return []pegboard.Target{{Kind: pegboard.TargetPath, Access: access, Value: v}}
	}
	command := []pegboard.Target{{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "make"}}
	yes := pegboard.Decision{Behavior: pegboard.Allow}
	type traits = pegboard.Traits
	tests := []struct {
		name  string
		actor actor
		hook  pegboard.Decision
		mode  pegboard.Mode
		set   pegboard.RuleSet
		want  pegboard.Behavior
	}{
		{name: "tool allows, on nothing said", actor: actor{own: yes}, want: pegboard.Allow},
		{name: "tool allows, inside", actor: actor{own: yes, traits: traits{Targets: path(pegboard.AccessWrite, "f")}}, want: pegboard.Allow},
		{name: "tool allows, outside", actor: actor{own: yes, traits: traits{Targets: path(pegboard.AccessWrite, outside)}}, want: pegboard.Ask},
		{name: "tool allows, one of two outside", actor: actor{own: yes, traits: traits{Targets: append(path(pegboard.AccessRead, outside), path(pegboard.AccessWrite, "f")...)}}, want: pegboard.Ask},
		{name: "attached tool allows", actor: actor{own: yes, source: "srv"}, want: pegboard.Ask},
		{name: "attached tool allows, inside", actor: actor{own: yes, source: "srv", traits: traits{Targets: path(pegboard.AccessWrite, "f")}}, want: pegboard.Ask},
		{name: "attached tool denies", actor: actor{own: pegboard.Decision{Behavior: pegboard.Deny}, source: "srv"}, mode: pegboard.ModeBypass, want: pegboard.Deny},
		{name: "hook allows, outside", actor: actor{traits: traits{Targets: path(pegboard.AccessWrite, outside)}}, hook: yes, want: pegboard.Allow},
		{name: "hook allows an attached tool", actor: actor{source: "srv"}, hook: yes, want: pegboard.Allow},

		{name: "default, read inside", actor: actor{traits: traits{ReadOnly: true, Targets: path(pegboard.AccessRead, "f")}}, want: pegboard.Allow},
		{name: "default, write inside", actor: actor{traits: traits{Targets: path(pegboard.AccessWrite, "f")}}, want: pegboard.Ask},
		{name: "default, said to read what it writes", actor: actor{traits: traits{ReadOnly: true, Targets: path(pegboard.AccessWrite, "f")}}, want: pegboard.Ask},
		{name: "default, command", actor: actor{traits: traits{Targets: command}}, want: pegboard.Ask},

		{name: "plan, read inside", actor: actor{traits: traits{ReadOnly: true, Targets: path(pegboard.AccessRead, "f")}}, mode: pegboard.ModePlan, want: pegboard.Allow},
		{name: "plan, read outside", actor: actor{traits: traits{ReadOnly: true, Targets: path(pegboard.AccessRead, outside)}}, mode: pegboard.ModePlan, want: pegboard.Ask},
		{name: "plan, read outside with a rule", actor: actor{traits: traits{ReadOnly: true, Targets: path(pegboard.AccessRead, outside)}}, mode: pegboard.ModePlan, set: pegboard.RuleSet{Allow: []string{"T"}}, want: pegboard.Allow},
		{name: "plan, write inside", actor: actor{traits: traits{Targets: path(pegboard.AccessWrite, "f")}}, mode: pegboard.ModePlan, want: pegboard.Deny},
		{name: "plan, write with a rule", actor: actor{traits: traits{Targets: path(pegboard.AccessWrite, "f")}}, mode: pegboard.ModePlan, set: pegboard.RuleSet{Allow: []string{"T"}}, want: pegboard.Deny},
		{name: "plan, write with a hook's allow", actor: actor{traits: traits{Targets: path(pegboard.AccessWrite, "f")}}, mode: pegboard.ModePlan, hook: yes, want: pegboard.Deny},
		{name: "plan, write with the tool's allow", actor: actor{own: yes, traits: traits{Targets: path(pegboard.AccessWrite, "f")}}, mode: pegboard.ModePlan, want: pegboard.Deny},
		{name: "plan, said to read what it writes", actor: actor{traits: traits{ReadOnly: true, Targets: path(pegboard.AccessWrite, "f")}}, mode: pegboard.ModePlan, want: pegboard.Deny},
		{name: "plan, command with a rule", actor: actor{traits: traits{Targets: command}}, mode: pegboard.ModePlan, set: pegboard.RuleSet{Allow: []string{"T"}}, want: pegboard.Ask},
		{name: "plan, unknown", mode: pegboard.ModePlan, want: pegboard.Ask},

		{name: "bypass, unknown", mode: pegboard.ModeBypass, want: pegboard.Allow},
		{name: "bypass, attached", actor: actor{source: "srv", traits: traits{OpenWorld: true, Destructive: true}}, mode: pegboard.ModeBypass, want: pegboard.Allow},
		{name: "bypass, write outside", actor: actor{traits: traits{Targets: path(pegboard.AccessWrite, outside)}}, mode: pegboard.ModeBypass, want: pegboard.Allow},
		{name: "bypass, bare deny", actor: actor{own: yes}, hook: yes, mode: pegboard.ModeBypass, set: pegboard.RuleSet{Allow: []string{"T"}, Deny: []string{"T"}}, want: pegboard.Deny},
		{name: "bypass, bare ask", actor: actor{own: yes}, hook: yes, mode: pegboard.ModeBypass, set: pegboard.RuleSet{Allow: []string{"T"}, Ask: []string{"T"}}, want: pegboard.Ask},
		{name: "broad deny, narrow allow", actor: actor{traits: traits{Targets: path(pegboard.AccessWrite, "f")}}, set: pegboard.RuleSet{Allow: []string{"Edit(./f)"}, Deny: []string{"T"}}, want: pegboard.Deny},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.actor.name = "T"
			cfg := pegboard.SessionConfig{Hooks: pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (pegboard.Decision, error) { return tc.hook, nil }}}
			pool := tc.actor.pool(t, session(t, cfg))
			require.NoError(t, pool.Session().SetPermissions(rules(t, tc.mode, tc.set)))
			got := judge(t, pool)
			require.Equal(t, tc.want.String(), got.behavior.String(), got.reason)
		})
	}
}

// TestDenialSaysWhichRule it was, and of which source.
func TestDenialSaysWhichRule(t *testing.T) {
	t.Parallel()
	a := actor{name: "T"}
	pool := a.pool(t, session(t, pegboard.SessionConfig{}))
	p, err := pegboard.NewPermissions("", pegboard.RuleSet{Source: pegboard.SourcePolicy, Deny: []string{"T"}},
		pegboard.RuleSet{Source: pegboard.SourceUser, Deny: []string{"T"}, Allow: []string{"T"}})
	require.NoError(t, err)
	require.NoError(t, pool.Session().SetPermissions(p))
	require.Equal(t, verdict{pegboard.Deny, `deny rule "T" from policySettings covers it`, "T"}, judge(t, pool))
}

func TestNewPermissions(t *testing.T) {
	t.Parallel()
	var zero pegboard.Permissions
	require.Equal(t, pegboard.ModeDefault, zero.Mode())
	require.Empty(t, zero.Rules())

	p, err := pegboard.NewPermissions("",
		pegboard.RuleSet{Source: pegboard.SourceUser, Allow: []string{"A"}, Ask: []string{"B"}, Deny: []string{"C"}},
		pegboard.RuleSet{Source: pegboard.SourceCLI, Allow: []string{"D"}, Deny: []string{"E(x)"}})
	require.NoError(t, err)
	require.Equal(t, pegboard.ModeDefault, p.Mode())
	written := func(p pegboard.Permissions) (list []string) {
		for _, r := range p.Rules() {
			list = append(list, fmt.Sprint(r.Behavior, " ", r, " ", r.Source))
		}
		return list
	}
	want := []string{"deny C userSettings", "deny E(x) cliArg", "ask B userSettings", "allow A userSettings", "allow D cliArg"}
	require.Equal(t, want, written(p))

	p.Rules()[0].Tool = "changed"
	more, err := p.WithRules(pegboard.RuleSet{Source: pegboard.SourceSession, Deny: []string{"F"}, Allow: []string{"G"}})
	require.NoError(t, err)
	require.Equal(t, want, written(p), "the value is immutable")
	require.Equal(t, []string{"deny C userSettings", "deny E(x) cliArg", "deny F session", "ask B userSettings",
		"allow A userSettings", "allow D cliArg", "allow G session"}, written(more))

	plan, err := p.WithMode(pegboard.ModePlan)
	require.NoError(t, err)
	require.Equal(t, pegboard.ModePlan, plan.Mode())
	require.Equal(t, want, written(plan))
	require.Equal(t, pegboard.ModeDefault, p.Mode())
}

func TestPermissionsRefuse(t *testing.T) {
	t.Parallel()
	for _, mode := range []pegboard.Mode{"acceptedits", "Default", "bypass", " plan", "delegate", "Manual"} {
		_, err := pegboard.NewPermissions(mode)
		require.ErrorContains(t, err, fmt.Sprintf("unknown permission mode %q", mode))
		_, err = pegboard.Permissions{}.WithMode(mode)
		require.ErrorContains(t, err, fmt.Sprintf("unknown permission mode %q", mode))
	}
	for _, set := range []pegboard.RuleSet{{Deny: []string{"Ok", "Bash("}}, {Ask: []string{"Bash("}}, {Allow: []string{"Bash("}}} {
		p, err := pegboard.NewPermissions("", set)
		require.ErrorContains(t, err, `rule "Bash(": the closing parenthesis is missing`)
		require.Equal(t, pegboard.Permissions{}, p)
		_, err = pegboard.Permissions{}.WithRules(set)
		require.Error(t, err)
	}
}

// dice makes random policies and calls that have something to do with each
// other.
type dice struct {
	*rand.Rand
	dirs []string
}

func one[T any](d dice, from ...T) T { return from[d.IntN(len(from))] }

// mode returns a mode that is not laxer than the one at place atMost of strictness.
func (d dice) mode(atMost int) (pegboard.Mode, int) {
	i := d.IntN(atMost + 1)
	return strictness()[i], i
}

// strictness lists all modes, the strictest first: the order in which a fork may
// take them.
func strictness() []pegboard.Mode {
	return []pegboard.Mode{
		pegboard.ModeDeny, pegboard.ModeDontAsk, pegboard.ModeAsk, pegboard.ModePlan, pegboard.ModeDefault,
		pegboard.ModeAcceptEdits, pegboard.ModeAuto, pegboard.ModeBypass,
	}
}

const laxest = 7 // of strictness

func (d dice) rules(most int) (list []string) {
	for range d.IntN(most + 1) {
		path := one(d, "a", "sub", "./a", "/sub/a", "sub/a", "/sub", "**/a", "sub/**", "./*", "//**/b", ".git/**")
		list = append(list, one(d, "T", "Old", "mcp__srv", "T(r)", "Other", "WebFetch(domain:h)", "Edit("+path+")", "Read("+path+")",
			"Edit("+path+")", "Read("+path+")", "Bash(r:*)", "Bash(*)", "mcp__srv__T*", "mcp__srv__*", "WebFetch(domain:*)"))
	}
	return list
}

func (d dice) actor() actor {
	a := actor{name: "T", aliases: []string{"Old"}, source: one(d, "", "", "srv"), user: d.IntN(8) == 0}
	a.own = pegboard.Decision{Behavior: one(d, pegboard.Undecided, pegboard.Undecided, pegboard.Allow, pegboard.Ask, pegboard.Deny), Reason: "its word"}
	a.traits = pegboard.Traits{ReadOnly: d.IntN(2) == 0, OpenWorld: d.IntN(4) == 0}
	for range d.IntN(4) {
		dir := one(d, d.dirs...)
		a.traits.Targets = append(a.traits.Targets, one(d, pegboard.Target{},
			pegboard.Target{Kind: pegboard.TargetResource, Value: "r"}, pegboard.Target{Kind: pegboard.TargetHost, Value: "h"},
			pegboard.Target{
				Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "r", Shell: pegboard.ShellFacts{ReadOnly: d.IntN(2) == 0, EditsOnly: d.IntN(3) == 0, Simple: d.IntN(2) == 0, NoWildcards: d.IntN(4) == 0}, AskReason: one(d, "", "", "", "it is the end of all files"),
			},
			pegboard.Target{
				Kind: pegboard.TargetPath, Access: one(d, pegboard.AccessRead, pegboard.AccessWrite), Tree: d.IntN(4) == 0,
				Value: filepath.Join(dir, one(d, "a", "b", ".", "sub/a", ".git/config", "*")),
				Shell: pegboard.ShellFacts{FromCommand: one(d, "", "", "r"), Guess: d.IntN(6) == 0, Glob: d.IntN(4) == 0},
			}))
	}
	return a
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

// TestInvariant4ForkIsNeverLaxer compares random agents with the sessions they
// were forked from, also after these changed.
func TestInvariant4ForkIsNeverLaxer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sub := filepath.Join(dir, "sub")
	require.NoError(t, os.Mkdir(sub, 0o700))
	for _, tc := range []struct {
		name string
		dirs []string // of the forks; empty: the parent's
	}{{name: "same directory", dirs: []string{""}}, {name: "narrower directory", dirs: []string{"", sub}}} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for seed := range effort.Of(t, uint64(1000)) {
				d := dice{rand.New(rand.NewPCG(seed, 2)), []string{dir, sub, filepath.Dir(dir)}}
				a := d.actor()
				mode, lax := d.mode(laxest)
				line := []*pegboard.Session{session(t, pegboard.SessionConfig{Dir: dir, Classifier: undecided})}
				pools := []*pegboard.Pool{a.pool(t, line[0])}
				require.NoError(t, line[0].SetPermissions(rules(t, mode, pegboard.RuleSet{Allow: d.rules(3), Ask: d.rules(1), Deny: d.rules(1)})))
				for range 2 {
					mode, lax = d.mode(lax)
					fork, err := line[len(line)-1].Fork(pegboard.SessionConfig{
						Role: pegboard.RoleSubAgent, Dir: one(d, tc.dirs...),
						Permissions: rules(t, mode, pegboard.RuleSet{Ask: d.rules(1), Deny: d.rules(1)}),
					})
					if err != nil { // the parent took a narrower directory than this
						require.ErrorContains(t, err, "outside")
						continue
					}
					line = append(line, fork)
					pools = append(pools, a.pool(t, fork))
				}
				compare := func() {
					for i := range pools[1:] {
						parent, child := judge(t, pools[i]), judge(t, pools[i+1])
						require.GreaterOrEqual(t, child.behavior, parent.behavior, "seed %d: %+v\nparent %v\nchild %v\n%s: %s",
							seed, a.traits, line[i].Permissions(), line[i+1].Permissions(), parent.reason, child.reason)
					}
				}
				compare()
				mode, _ = d.mode(laxest)
				require.NoError(t, line[0].SetPermissions(rules(t, mode, pegboard.RuleSet{Allow: d.rules(2), Ask: d.rules(1), Deny: d.rules(1)})))
				compare()
			}
		})
	}
}
