package pegboard_test

import (
	"bytes"
	"errors"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

const (
	yes = pegboard.FactYes
	no  = pegboard.FactNo
)

// withFacts returns p with rules on facts.
func withFacts(t testing.TB, p pegboard.Permissions, facts ...pegboard.FactRule) pegboard.Permissions {
	t.Helper()
	p, err := p.WithFactRules(facts...)
	require.NoError(t, err)
	return p
}

// TestFactRules: which calls a rule on facts decides. A call is asked about in a mode that
// allows nothing by itself.
func TestFactRules(t *testing.T) {
	t.Parallel()
	type (
		fact   = pegboard.FactRule
		traits = pegboard.Traits
		target = pegboard.Target
	)
	const deny, ask, allow = pegboard.Deny, pegboard.Ask, pegboard.Allow
	thing := target{Kind: pegboard.TargetResource, Access: pegboard.AccessRead, Value: "x"}
	line := func(verify error) target {
		return target{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "git log", Shell: pegboard.ShellFacts{ReadOnly: true, Simple: true, VerifyReadOnly: func() error { return verify }}}
	}
	host := target{Kind: pegboard.TargetHost, Access: pegboard.AccessRead, Value: "h.test"}
	guess := host
	guess.Shell.Guess = true
	reads := traits{ReadOnly: true, Targets: []target{thing}}
	writes := traits{Targets: []target{thing}}
	kills := traits{Destructive: true, Targets: []target{thing}}
	far := traits{ReadOnly: true, OpenWorld: true, Targets: []target{thing}}
	opaque := traits{}
	acts := func(readOnly bool, ts ...target) traits { return traits{ReadOnly: readOnly, Targets: ts} }
	tests := []struct {
		name   string
		rule   fact
		trusts []string
		traits traits
		source string
		set    pegboard.RuleSet
		tool   string
		mode   pegboard.Mode
		want   pegboard.Behavior // Undecided: not by the rule
	}{
		{name: "allow what reads", rule: fact{Behavior: allow, ReadOnly: yes}, traits: reads, want: allow},
		{name: "allow what reads, and it writes", rule: fact{Behavior: allow, ReadOnly: yes}, traits: writes},
		{name: "allow what reads, and it says both", rule: fact{Behavior: allow, ReadOnly: yes}, traits: traits{ReadOnly: true, Destructive: true, Targets: []target{thing}}},
		{name: "allow what reads far away", rule: fact{Behavior: allow, ReadOnly: yes, OpenWorld: yes}, traits: far, want: allow},
		{name: "allow what reads here, and it reads far away", rule: fact{Behavior: allow, ReadOnly: yes, OpenWorld: no}, traits: far},
		{name: "allow what reads here", rule: fact{Behavior: allow, ReadOnly: yes, OpenWorld: no}, traits: reads, want: allow},
		{name: "allow what reads here, and it names a host", rule: fact{Behavior: allow, ReadOnly: yes, OpenWorld: no}, traits: acts(true, host)},
		{name: "allow what reads here, and it may be about a host", rule: fact{Behavior: allow, ReadOnly: yes, OpenWorld: no}, traits: acts(true, thing, guess), want: allow},
		{name: "allow what reads, and a file is written", rule: fact{Behavior: allow, ReadOnly: yes}, traits: acts(true, thing, pathTo(pegboard.AccessWrite, "f"))},
		{name: "allow what reads, and a file is read elsewhere", rule: fact{Behavior: allow, ReadOnly: yes}, traits: acts(true, pathTo(pegboard.AccessRead, "/elsewhere/f")), want: allow},
		{name: "allow what reads, and it names nothing", rule: fact{Behavior: allow, ReadOnly: yes}, traits: acts(true), want: allow},
		{name: "allow what reads, and nobody sees what", rule: fact{Behavior: allow, ReadOnly: yes}, traits: acts(true, target{}), want: allow},
		{name: "allow what reads, and nobody sees whether it is denied", rule: fact{Behavior: allow, ReadOnly: yes}, traits: acts(true, target{}), set: pegboard.RuleSet{Deny: []string{"Read(secret)"}}},
		{name: "allow what reads, and a value is unclear", rule: fact{Behavior: allow, ReadOnly: yes}, traits: acts(true, target{Kind: pegboard.TargetHost, Access: pegboard.AccessRead, Value: "a b"})},
		{name: "allow a command that reads", rule: fact{Behavior: allow, ReadOnly: yes}, traits: acts(true, line(nil)), want: allow},
		{name: "allow a command that turns out not to read only", rule: fact{Behavior: allow, ReadOnly: yes}, traits: acts(true, line(errors.New("a filter")))},
		{name: "allow what is destructive", rule: fact{Behavior: allow, Destructive: yes}, traits: kills, want: allow},
		{name: "allow what is destructive, and a command writes elsewhere", rule: fact{Behavior: allow, Destructive: yes},
			traits: traits{Destructive: true, Targets: []target{{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "make", Shell: pegboard.ShellFacts{Simple: true}}, pathTo(pegboard.AccessWrite, "/elsewhere/f")}}},
		{name: "allow, and a deny rule", rule: fact{Behavior: allow, ReadOnly: yes}, traits: reads, set: pegboard.RuleSet{Deny: []string{"T(x)"}}},
		{name: "allow, and an ask rule", rule: fact{Behavior: allow, ReadOnly: yes}, traits: reads, set: pegboard.RuleSet{Ask: []string{"T(x)"}}},
		{name: "allow in mode deny", rule: fact{Behavior: allow, ReadOnly: yes}, traits: reads, mode: pegboard.ModeDeny, want: allow},
		{name: "allow in auto mode what is far away and could be anything", rule: fact{Behavior: allow, OpenWorld: yes}, traits: traits{OpenWorld: true, Targets: []target{thing}}, tool: "Bash", mode: pegboard.ModeAuto},
		{name: "allow in auto mode what only reads", rule: fact{Behavior: allow, ReadOnly: yes, OpenWorld: yes}, traits: far, tool: "Bash", mode: pegboard.ModeAuto, want: allow},
		{name: "allow in auto mode what is far away", rule: fact{Behavior: allow, OpenWorld: yes}, traits: traits{OpenWorld: true, Targets: []target{thing}}, mode: pegboard.ModeAuto, want: allow},

		{name: "ask about what is far away", rule: fact{Behavior: ask, OpenWorld: yes}, traits: far, set: pegboard.RuleSet{Allow: []string{"T"}}, want: ask},
		{name: "ask about what is far away, by its host", rule: fact{Behavior: ask, OpenWorld: yes}, traits: acts(true, host), set: pegboard.RuleSet{Allow: []string{"T"}}, want: ask},
		{name: "ask about what is far away, and it is here", rule: fact{Behavior: ask, OpenWorld: yes}, traits: reads, set: pegboard.RuleSet{Allow: []string{"T"}}},
		{name: "ask in bypass mode", rule: fact{Behavior: ask, Destructive: yes}, traits: kills, mode: pegboard.ModeBypass, want: ask},
		{name: "deny what is destructive", rule: fact{Behavior: deny, Destructive: yes}, traits: kills, set: pegboard.RuleSet{Allow: []string{"T"}}, want: deny},
		{name: "deny what is destructive, and it is not", rule: fact{Behavior: deny, Destructive: yes}, traits: writes},
		{name: "deny in bypass mode", rule: fact{Behavior: deny, ReadOnly: no}, traits: opaque, mode: pegboard.ModeBypass, want: deny},
		{name: "deny what writes, and a file is written", rule: fact{Behavior: deny, ReadOnly: no}, traits: acts(true, pathTo(pegboard.AccessWrite, "f")), want: deny},
		{name: "deny what writes, and it turns out not to read only", rule: fact{Behavior: deny, ReadOnly: no}, traits: acts(true, line(errors.New("a filter"))), want: deny},
		{name: "deny what writes, and it reads", rule: fact{Behavior: deny, ReadOnly: no}, traits: acts(true, line(nil))},
		{name: "deny what writes here", rule: fact{Behavior: deny, ReadOnly: no, OpenWorld: no}, traits: traits{OpenWorld: true}},

		{name: "attached/allow what reads", rule: fact{Behavior: allow, ReadOnly: yes}, traits: reads, source: "srv"},
		{name: "attached/allow what its source says reads", rule: fact{Behavior: allow, ReadOnly: yes, ToolSource: "srv"}, traits: reads, source: "srv", want: allow},
		{name: "attached/allow what another source says reads", rule: fact{Behavior: allow, ReadOnly: yes, ToolSource: "other"}, traits: reads, source: "srv"},
		{name: "attached/allow what a trusted source says reads", rule: fact{Behavior: allow, ReadOnly: yes}, trusts: []string{"other", "srv"}, traits: reads, source: "srv", want: allow},
		{name: "attached/allow what a trusted source says reads, and it writes", rule: fact{Behavior: allow, ReadOnly: yes}, trusts: []string{"other", "srv"}, traits: writes, source: "srv"},
		{name: "attached/allow what an untrusted source says reads", rule: fact{Behavior: allow, ReadOnly: yes}, trusts: []string{"other", "", "srv2"}, traits: reads, source: "srv"},
		{name: "attached/a rule for a source is not about built-in tools", rule: fact{Behavior: deny, ReadOnly: yes, ToolSource: "srv"}, traits: reads},
		{name: "attached/ask about what is far away, which it may be", rule: fact{Behavior: ask, OpenWorld: yes}, traits: reads, source: "srv", set: pegboard.RuleSet{Allow: []string{"mcp__srv"}}, want: ask},
		{name: "attached/deny what writes, which it may do", rule: fact{Behavior: deny, ReadOnly: no}, traits: reads, source: "srv", want: deny},
		{name: "attached/deny what its source says writes", rule: fact{Behavior: deny, ReadOnly: no, ToolSource: "srv"}, traits: reads, source: "srv"},
		{name: "attached/deny what is destructive, and it says so", rule: fact{Behavior: deny, Destructive: yes}, trusts: []string{"srv"}, traits: kills, source: "srv", want: deny},
		{name: "attached/deny what is destructive, and it says no", rule: fact{Behavior: deny, Destructive: yes}, trusts: []string{"srv"}, traits: writes, source: "srv"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			name := tc.tool
			if name == "" {
				name = "T"
			}
			a := actor{name: name, source: tc.source, traits: tc.traits, silent: true}
			mode := tc.mode
			if mode == "" {
				mode = pegboard.ModeDontAsk // reads inside run, by no rule
			}
			s := session(t, pegboard.SessionConfig{Dir: t.TempDir(), Classifier: undecided})
			pool := a.pool(t, s)
			tc.rule.Source = pegboard.SourceUser
			require.NoError(t, s.SetPermissions(withFacts(t, rules(t, mode, tc.set), tc.rule).WithTrustedSources(tc.trusts...)))
			ex := executor(pegboard.Executor{})
			c := call("1", names(pool)[0], ``)
			d := ex.Run(t.Context(), pool, c)[0].Decision
			x := pool.ExplainDecision(t.Context(), c).Decision
			require.Equal(t, x.FactRule, d.FactRule)
			if tc.want == pegboard.Undecided {
				require.Nil(t, d.FactRule, d.Reason)
				return
			}
			require.NotNil(t, d.FactRule, d.Reason)
			require.Equal(t, tc.rule, *d.FactRule)
			require.Nil(t, d.Rule)
			require.Contains(t, d.Reason, tc.want.String()+` rule on calls that are "`+tc.rule.String()+`" from userSettings covers it`)
			require.Equal(t, tc.want == allow, d.Behavior == allow)
			require.Equal(t, tc.want == deny, d.Behavior == deny && d.By == pegboard.ByRule)
		})
	}
}

// TestFactRulesThatAreWrong cannot be meant.
func TestFactRulesThatAreWrong(t *testing.T) {
	t.Parallel()
	good := pegboard.FactRule{Behavior: pegboard.Deny, Destructive: yes}
	for name, tc := range map[string]struct {
		rule pegboard.FactRule
		says string
	}{
		"zero":                           {pegboard.FactRule{}, "the behavior is undecided"},
		"no behavior":                    {pegboard.FactRule{ReadOnly: yes}, "a rule allows, asks or denies"},
		"unknown behavior":               {pegboard.FactRule{Behavior: 9, ReadOnly: yes}, "a rule allows, asks or denies"},
		"no fact":                        {pegboard.FactRule{Behavior: pegboard.Deny, ToolSource: "srv"}, "it names no fact"},
		"unknown fact":                   {pegboard.FactRule{Behavior: pegboard.Deny, ReadOnly: 3}, "there is no fact 3"},
		"reads and destroys":             {pegboard.FactRule{Behavior: pegboard.Deny, ReadOnly: yes, Destructive: yes}, "no call is read-only and destructive"},
		"allow what is said by silence":  {pegboard.FactRule{Behavior: pegboard.Allow, Destructive: no, OpenWorld: no}, "an allow rule needs a FactYes"},
		"a source that is no text":       {pegboard.FactRule{Behavior: pegboard.Deny, ReadOnly: no, ToolSource: "a\nb"}, "control character"},
		"allow by the silence of others": {pegboard.FactRule{Behavior: pegboard.Allow, Destructive: no, ToolSource: "srv"}, "an allow rule needs a FactYes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := pegboard.Permissions{}.WithFactRules(good, tc.rule)
			require.ErrorContains(t, err, tc.says)
			require.Equal(t, pegboard.Permissions{}, p, "none is added")
		})
	}
}

// TestFactRulesOfPermissions are immutable, in the order in which they win.
func TestFactRulesOfPermissions(t *testing.T) {
	t.Parallel()
	a := pegboard.FactRule{Behavior: pegboard.Allow, ReadOnly: yes}
	q := pegboard.FactRule{Behavior: pegboard.Ask, OpenWorld: yes}
	d := pegboard.FactRule{Behavior: pegboard.Deny, Destructive: yes}
	p := withFacts(t, pegboard.Permissions{}, a, q)
	more := withFacts(t, p, d)
	require.Equal(t, []pegboard.FactRule{q, a}, p.FactRules())
	require.Equal(t, []pegboard.FactRule{d, q, a}, more.FactRules())
	more.FactRules()[0].Behavior = pegboard.Allow
	require.Equal(t, []pegboard.FactRule{d, q, a}, more.FactRules())
	kept, err := more.Apply(setMode(pegboard.ModePlan), allowRule(pegboard.SourceSession, "X", ""))
	require.NoError(t, err)
	require.Equal(t, more.FactRules(), kept.FactRules())
	require.Empty(t, rules(t, "", pegboard.RuleSet{}).FactRules())
}

// TestFactRulesOfForks only narrow.
func TestFactRulesOfForks(t *testing.T) {
	t.Parallel()
	allowReads := pegboard.FactRule{Behavior: pegboard.Allow, ReadOnly: yes}
	denyFar := pegboard.FactRule{Behavior: pegboard.Deny, OpenWorld: yes}
	s := session(t, pegboard.SessionConfig{Permissions: withFacts(t, rules(t, pegboard.ModeDeny, pegboard.RuleSet{}), allowReads)})
	_, err := s.Fork(pegboard.SessionConfig{Permissions: withFacts(t, pegboard.Permissions{}, pegboard.FactRule{Behavior: pegboard.Allow, Destructive: yes})})
	require.ErrorContains(t, err, `cannot add the allow rule on facts "destructive"`)
	fork := forked(t, s, pegboard.SessionConfig{Permissions: withFacts(t, pegboard.Permissions{}, denyFar, allowReads)})
	require.Equal(t, []pegboard.FactRule{denyFar, allowReads}, fork.Permissions().FactRules())
	require.Equal(t, []pegboard.FactRule{allowReads}, s.Permissions().FactRules())
	far := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, OpenWorld: true}}
	near := actor{name: "T", traits: pegboard.Traits{ReadOnly: true}}
	require.Equal(t, "allow", judge(t, far.pool(t, s)).behavior.String())
	require.Equal(t, "deny", judge(t, far.pool(t, fork)).behavior.String())
	require.Equal(t, "allow", judge(t, near.pool(t, fork)).behavior.String())
	require.Error(t, fork.SetPermissions(withFacts(t, pegboard.Permissions{}, pegboard.FactRule{Behavior: pegboard.Allow, OpenWorld: yes})))
	require.ErrorContains(t, fork.SetPermissions(pegboard.Permissions{}.WithTrustedSources("srv")), `cannot trust the source "srv"`)
	require.NoError(t, s.SetPermissions(rules(t, pegboard.ModeDeny, pegboard.RuleSet{})))
	require.Equal(t, "deny", judge(t, near.pool(t, fork)).behavior.String(), "it goes with its parent's")
}

// TestTrustedSources are immutable, sorted, and those of the parent in a fork.
func TestTrustedSources(t *testing.T) {
	t.Parallel()
	p := pegboard.Permissions{}.WithTrustedSources("b", "a", "b")
	q := p.WithTrustedSources("c", "a")
	require.Equal(t, []string{"a", "b"}, p.TrustedSources())
	require.Equal(t, []string{"a", "b", "c"}, q.TrustedSources())
	q.TrustedSources()[0] = "z"
	require.Equal(t, []string{"a", "b", "c"}, q.TrustedSources())
	s := session(t, pegboard.SessionConfig{Permissions: q})
	fork := forked(t, s, pegboard.SessionConfig{Permissions: p})
	require.Equal(t, q.TrustedSources(), fork.Permissions().TrustedSources())
	require.NoError(t, s.SetPermissions(pegboard.Permissions{}))
	require.Empty(t, fork.Permissions().TrustedSources())
}

// TestFactRulesAreExplained with the others, and shown where decisions are.
func TestFactRulesAreExplained(t *testing.T) {
	t.Parallel()
	p := withFacts(t, rules(t, pegboard.ModeDontAsk, pegboard.RuleSet{Deny: []string{"Other"}, Allow: []string{"Edit(f)"}}),
		pegboard.FactRule{Behavior: pegboard.Deny, Destructive: yes}, pegboard.FactRule{Behavior: pegboard.Ask, OpenWorld: yes, Source: pegboard.SourcePolicy},
		pegboard.FactRule{Behavior: pegboard.Allow, ReadOnly: yes, OpenWorld: no}, pegboard.FactRule{Behavior: pegboard.Allow, ReadOnly: yes, ToolSource: "srv"})
	explain := func(a actor) (pegboard.Explanation, *pegboard.Pool) {
		a.name = "T"
		pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: t.TempDir(), Permissions: p}))
		return pool.ExplainDecision(t.Context(), call("1", names(pool)[0], ``)), pool
	}
	thing := pegboard.Target{Kind: pegboard.TargetResource, Value: "x", Access: pegboard.AccessRead}
	x, _ := explain(actor{traits: pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{thing}}})
	require.Equal(t, `it would read x
- deny rule "Other" is about something else
- deny rule on calls that are "destructive" is about other calls
- ask rule on calls that are "open-world" from policySettings is about other calls
- allow rule "Edit(f)" does not cover it (read x)
allow: allow rule on calls that are "read-only, not open-world" covers it (read x)
= allow: allow rule on calls that are "read-only, not open-world" covers it
`, x.String())
	seen := 0
	for _, step := range x.Steps {
		if step.FactRule != nil {
			seen++
			step.FactRule.Behavior = pegboard.Deny // a copy
		}
	}
	require.Equal(t, 3, seen)
	x.Decision.FactRule.Behavior = pegboard.Deny

	x, pool := explain(actor{traits: pegboard.Traits{ReadOnly: true, OpenWorld: true, Targets: []pegboard.Target{thing}}})
	require.Contains(t, x.String(), `ask: ask rule on calls that are "open-world" from policySettings is about it`)
	require.Contains(t, x.String(), "deny: mode dontAsk refuses what would be asked about")
	require.Equal(t, pegboard.Ask, x.Decision.FactRule.Behavior)

	var log bytes.Buffer
	ex := executor(pegboard.Executor{OnEvent: pegboard.LogEvents(slog.New(slog.NewTextHandler(&log, nil)))})
	o := ex.Run(t.Context(), pool, call("1", "T", ``))[0]
	require.Equal(t, pegboard.SourcePolicy, o.Decision.FactRule.Source)
	require.Contains(t, log.String(), "open-world")
}

// TestFactRuleThatAsksNobody: the rule is in the decision although nobody answered.
func TestFactRuleThatAsksNobody(t *testing.T) {
	t.Parallel()
	rule := pegboard.FactRule{Behavior: pegboard.Ask, ReadOnly: no}
	s := session(t, pegboard.SessionConfig{Permissions: withFacts(t, rules(t, pegboard.ModeBypass, pegboard.RuleSet{}), rule)})
	o := run(t, registryOf(t, inert("T")), s, call("1", "T", ``))
	require.ErrorIs(t, o.Err, pegboard.ErrNoApprover)
	require.Equal(t, &rule, o.Decision.FactRule)
}

// TestFactRulesWhileACallRuns decide what it checks: anew, but not what lies below a tree
// for which the user has answered.
func TestFactRulesWhileACallRuns(t *testing.T) {
	t.Parallel()
	denyFar := pegboard.FactRule{Behavior: pegboard.Deny, OpenWorld: yes}
	askWrites := pegboard.FactRule{Behavior: pegboard.Ask, ReadOnly: no}
	dir := t.TempDir()
	tree := pegboard.Target{Kind: pegboard.TargetPath, Access: pegboard.AccessWrite, Value: "sub", Tree: true}
	asked, later := 0, false
	var s *pegboard.Session
	a := actor{name: "T", traits: pegboard.Traits{Targets: []pegboard.Target{tree}}, call: func(ctx ctx, c *pegboard.Call) error {
		require.NoError(t, c.Check(ctx, pathTo(pegboard.AccessWrite, "sub/a")))
		require.Equal(t, 1, asked, "the user has answered for the tree")
		err := c.Check(ctx, pegboard.Target{Kind: pegboard.TargetHost, Access: pegboard.AccessRead, Value: "h.test"})
		require.ErrorIs(t, err, pegboard.ErrDenied)
		require.ErrorContains(t, err, "open-world")
		require.NoError(t, c.Check(ctx, pathTo(pegboard.AccessWrite, "f")))
		require.Equal(t, 2, asked, "this is another file")
		if later {
			require.NoError(t, s.SetPermissions(withFacts(t, s.Permissions(), pegboard.FactRule{Behavior: pegboard.Ask, Destructive: no})))
			require.NoError(t, c.Check(ctx, pathTo(pegboard.AccessWrite, "sub/b")))
			require.Equal(t, 3, asked, "nobody has asked for this rule")
		}
		return nil
	}}
	for _, later = range []bool{false, true} {
		asked = 0
		s = session(t, pegboard.SessionConfig{Dir: dir, Permissions: withFacts(t, rules(t, pegboard.ModeAcceptEdits, pegboard.RuleSet{}), denyFar, askWrites),
			Ask: func(ctx, *pegboard.Question) (pegboard.Decision, error) {
				asked++
				return pegboard.Decision{Behavior: pegboard.Allow}, nil
			}})
		ex := executor(pegboard.Executor{})
		require.NoError(t, ex.Run(t.Context(), a.pool(t, s), call("1", "T", ``))[0].Err)
	}
}

// TestFactRulesForSourcesThatAreNotThere are listed, with near names.
func TestFactRulesForSourcesThatAreNotThere(t *testing.T) {
	t.Parallel()
	var reg pegboard.Registry
	for _, source := range []string{"github", "left"} {
		_, err := reg.Attach(source, inert("T"))
		require.NoError(t, err)
	}
	reg.Detach("left")
	facts := func(source string) pegboard.FactRule {
		return pegboard.FactRule{Behavior: pegboard.Deny, ReadOnly: no, ToolSource: source, Source: pegboard.SourceUser}
	}
	s := session(t, pegboard.SessionConfig{Permissions: withFacts(t, pegboard.Permissions{}, facts("github"), facts("left"), facts("githob"), facts(""))})
	problems := reg.AssemblePool(s, pegboard.PoolConfig{}).RuleProblems()
	require.Len(t, problems, 1)
	require.Equal(t, "githob", problems[0].FactRule.ToolSource)
	require.Equal(t, []string{"github"}, problems[0].Near)
	require.Equal(t, `deny rule on calls that are "not read-only, of githob" from userSettings: there is no source githob; near names: github`, problems[0].String())
}

// factRule returns a random rule on facts.
func (d dice) factRule(b pegboard.Behavior) pegboard.FactRule {
	for {
		fact := func() pegboard.Fact { return one(d, pegboard.FactAny, pegboard.FactAny, yes, no) }
		r := pegboard.FactRule{Behavior: b, ReadOnly: fact(), Destructive: fact(), OpenWorld: fact(), ToolSource: one(d, "", "", "srv", "other")}
		if _, err := (pegboard.Permissions{}).WithFactRules(r); err == nil {
			return r
		}
	}
}

// TestFactRulesNeverLoosen: on top of random permissions a deny or ask rule on facts never
// makes a decision laxer, and an allow rule overrides neither a denial nor a rule that asks,
// nor the need for a person.
func TestFactRulesNeverLoosen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stricter, laxer, stood := 0, 0, 0
	for seed := range effort.Of(t, uint64(3000)) {
		d := dice{rand.New(rand.NewPCG(seed, 41)), []string{dir, dir, filepath.Dir(dir)}}
		a := d.actor()
		a.traits.Destructive = d.IntN(3) == 0
		p := d.policy(t)
		if d.IntN(2) == 0 {
			p = p.WithTrustedSources("srv")
		}
		if d.IntN(2) == 0 {
			p = withFacts(t, p, d.factRule(one(d, pegboard.Allow, pegboard.Ask, pegboard.Deny)))
		}
		s := session(t, pegboard.SessionConfig{Dir: dir, Classifier: undecided})
		pool := a.pool(t, s)
		under := func(p pegboard.Permissions) (verdict, *pegboard.FactRule) {
			require.NoError(t, s.SetPermissions(p))
			x := pool.ExplainDecision(t.Context(), call("1", names(pool)[0], ``))
			v := judge(t, pool)
			require.Equal(t, v.behavior == pegboard.Allow, x.Decision.Behavior == pegboard.Allow, "%s", x)
			return v, x.Decision.FactRule
		}
		base, byFact := under(p)
		for _, b := range []pegboard.Behavior{pegboard.Deny, pegboard.Ask} {
			r := d.factRule(b)
			got, _ := under(withFacts(t, p, r))
			require.GreaterOrEqual(t, got.behavior, base.behavior, "seed %d: %+v\nunder %v and %s %s\n%s\n%s", seed, a.traits, p, b, r, base.reason, got.reason)
			if got.behavior > base.behavior {
				stricter++
			}
		}
		r := d.factRule(pegboard.Allow)
		got, _ := under(withFacts(t, p, r))
		at := []any{"seed %d: %+v\nunder %v and allow %s\n%s\n%s", seed, a.traits, p, r, base.reason, got.reason}
		require.LessOrEqual(t, got.behavior, base.behavior, at...)
		if base.behavior > pegboard.Allow && (base.behavior == pegboard.Deny && p.Mode() != pegboard.ModeDontAsk && p.Mode() != pegboard.ModeDeny ||
			base.rule != "" || byFact != nil || a.user || cautious(&a) || a.own.Behavior >= pegboard.Ask) {
			require.Equal(t, base.behavior, got.behavior, at...)
			stood++
		} else if got.behavior < base.behavior {
			laxer++
		}
	}
	if effort.Full(t) {
		require.Greater(t, min(stricter, laxer, stood), 20)
	}
}

// TestFactRulesOfForksNeverLoosen: a fork with rules on facts of its own is decided at least
// as strictly as its parent.
func TestFactRulesOfForksNeverLoosen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for seed := range effort.Of(t, uint64(1500)) {
		d := dice{rand.New(rand.NewPCG(seed, 42)), []string{dir, dir, filepath.Dir(dir)}}
		a := d.actor()
		a.traits.Destructive = d.IntN(3) == 0
		parent := session(t, pegboard.SessionConfig{Dir: dir, Classifier: undecided})
		above := a.pool(t, parent)
		allowed := d.factRule(pegboard.Allow)
		require.NoError(t, parent.SetPermissions(withFacts(t, d.policy(t), allowed, d.factRule(pegboard.Ask)).WithTrustedSources(one(d, "srv", "other"))))
		child := forked(t, parent, pegboard.SessionConfig{Permissions: withFacts(t, pegboard.Permissions{}, allowed, d.factRule(one(d, pegboard.Ask, pegboard.Deny)))})
		under := a.pool(t, child)
		require.GreaterOrEqual(t, settledBehavior(t, under), settledBehavior(t, above), "seed %d", seed)
		require.NoError(t, parent.SetPermissions(withFacts(t, d.policy(t), d.factRule(pegboard.Deny))))
		require.GreaterOrEqual(t, settledBehavior(t, under), settledBehavior(t, above), "seed %d, later", seed)
	}
}
