package pegboard_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

func judgeOnce(t *testing.T, a actor, cfg pegboard.SessionConfig, mode pegboard.Mode, set pegboard.RuleSet) string {
	t.Helper()
	if a.name == "" {
		a.name = "T"
	}
	pool := a.pool(t, session(t, cfg))
	require.NoError(t, pool.Session().SetPermissions(rules(t, mode, set)))
	v := judge(t, pool)
	return v.behavior.String()
}

func preHook(d pegboard.Decision) pegboard.SessionConfig {
	return pegboard.SessionConfig{Hooks: pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (pegboard.Decision, error) { return d, nil }}}
}

func pathTo(access pegboard.Access, v string) pegboard.Target {
	return pegboard.Target{Kind: pegboard.TargetPath, Access: access, Value: v}
}

func TestAskWithoutReasonHook(t *testing.T) {
	t.Parallel()
	require.Equal(t, "ask", judgeOnce(t, actor{}, preHook(pegboard.Decision{Behavior: pegboard.Ask}), "", pegboard.RuleSet{Allow: []string{"T"}}))
}

func TestAskWithoutReasonTool(t *testing.T) {
	t.Parallel()
	require.Equal(t, "ask", judgeOnce(t, actor{own: pegboard.Decision{Behavior: pegboard.Ask}}, pegboard.SessionConfig{}, pegboard.ModeBypass, pegboard.RuleSet{}))
}

func TestAskWithoutReasonHidesCaution(t *testing.T) {
	t.Parallel()
	a := actor{own: pegboard.Decision{Behavior: pegboard.Ask}, traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "rm -r /", AskReason: "all gone"}}}}
	require.Equal(t, "ask", judgeOnce(t, a, pegboard.SessionConfig{}, pegboard.ModeBypass, pegboard.RuleSet{}))
}

// Directory removed from the parent stays in the child.
func TestAChildLosesADirectoryWithItsParent(t *testing.T) {
	t.Parallel()
	added := t.TempDir()
	p, err := pegboard.Permissions{}.Apply(pegboard.PermissionUpdate{Type: pegboard.UpdateAddDirectories, Directories: []string{added}})
	require.NoError(t, err)
	parent := session(t, pegboard.SessionConfig{Dir: t.TempDir(), Permissions: p})
	child := forked(t, parent, pegboard.SessionConfig{Permissions: p})
	require.NoError(t, parent.SetPermissions(pegboard.Permissions{}))
	a := reading(pegboard.Target{Value: filepath.Join(added, "f")})
	require.GreaterOrEqual(t, judge(t, a.pool(t, child)).behavior, judge(t, a.pool(t, parent)).behavior)
}

// A relative directory means another place in the child.
func TestAChildsRelativeDirectoryIsItsParents(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(top, "b", "c", "d"), 0o700))
	p, err := pegboard.Permissions{}.Apply(pegboard.PermissionUpdate{Type: pegboard.UpdateAddDirectories, Directories: []string{"../../x"}}) // of b/c: top/x
	require.NoError(t, err)
	parent := session(t, pegboard.SessionConfig{Dir: filepath.Join(top, "b", "c"), Permissions: p})
	child := forked(t, parent, pegboard.SessionConfig{Dir: filepath.Join(top, "b", "c", "d"), Permissions: p})
	a := reading(pegboard.Target{Value: filepath.Join(top, "b", "x", "f")})
	require.GreaterOrEqual(t, judge(t, a.pool(t, child)).behavior, judge(t, a.pool(t, parent)).behavior)
}

// A whole-tool allow rule does not count for a read-only call without targets.
func TestBareAllowOfTargetlessRead(t *testing.T) {
	t.Parallel()
	require.Equal(t, "allow", judgeOnce(t, actor{traits: pegboard.Traits{ReadOnly: true}}, pegboard.SessionConfig{}, pegboard.ModeDeny, pegboard.RuleSet{Allow: []string{"T"}}))
}

func TestBareAllowOfTargetlessOpenWorldRead(t *testing.T) {
	t.Parallel()
	require.Equal(t, "allow", judgeOnce(t, actor{name: "WebSearch", traits: pegboard.Traits{ReadOnly: true, OpenWorld: true}}, pegboard.SessionConfig{}, "", pegboard.RuleSet{Allow: []string{"WebSearch"}}))
}

func TestGlobWithHome(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(home, "keys"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(home, "keys", "id"), nil, 0o600))
	a := reading(pegboard.Target{Value: "~/keys/*", Shell: pegboard.ShellFacts{Glob: true}})
	require.Equal(t, "deny", judgeOnce(t, a, pegboard.SessionConfig{Dir: t.TempDir(), Home: home}, pegboard.ModeBypass, pegboard.RuleSet{Deny: []string{"Read(~/keys/id)"}}))
}

// A pattern followed by .. is cleaned before links are followed.
func TestGlobThenDots(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(outside, "d"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(outside, "secret"), nil, 0o600))
	require.NoError(t, os.Symlink(filepath.Join(outside, "d"), filepath.Join(dir, "link")))
	a := reading(pegboard.Target{Value: "lin*/../secret", Shell: pegboard.ShellFacts{Glob: true}}) // cat reads outside/secret
	require.Equal(t, "ask", judgeOnce(t, a, pegboard.SessionConfig{Dir: dir}, "", pegboard.RuleSet{}), "outside the working directory")
	require.Equal(t, "deny", judgeOnce(t, a, pegboard.SessionConfig{Dir: dir}, "", pegboard.RuleSet{Deny: []string{"Read(/" + outside + "/secret)"}}))
}

func TestAlsoThenDots(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(outside, "d"), 0o700))
	require.NoError(t, os.Symlink(filepath.Join(outside, "d"), filepath.Join(dir, "link")))
	a := reading(pegboard.Target{Value: "f", Aliases: []string{"link/../secret"}})
	require.Equal(t, "ask", judgeOnce(t, a, pegboard.SessionConfig{Dir: dir}, "", pegboard.RuleSet{}))
}

// "deny and ask rules see it, nothing else does", but the tool's own allow does.
func TestMaybeAndTheToolsAllow(t *testing.T) {
	t.Parallel()
	guess := pathTo(pegboard.AccessRead, "/elsewhere/f")
	guess.Shell.Guess = true
	a := actor{own: pegboard.Decision{Behavior: pegboard.Allow}, traits: pegboard.Traits{Targets: []pegboard.Target{guess}}}
	require.Equal(t, "allow", judgeOnce(t, a, pegboard.SessionConfig{}, "", pegboard.RuleSet{}))
}

// An attached tool's word for Maybe is taken: nobody checked it. Invariant 5.
func TestAnAttachedToolsGuessCounts(t *testing.T) {
	t.Parallel()
	guess := pathTo(pegboard.AccessRead, "/elsewhere/f")
	guess.Shell.Guess = true
	a := actor{source: "srv", traits: pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{guess}}}
	require.Equal(t, "ask", judgeOnce(t, a, pegboard.SessionConfig{}, "", pegboard.RuleSet{}))
}

// In acceptEdits an attached tool's edit is asked about, but not beside a ruled target.
func TestAttachedEditBesideARule(t *testing.T) {
	t.Parallel()
	ts := []pegboard.Target{pathTo(pegboard.AccessWrite, "f"), {Kind: pegboard.TargetHost, Value: "h.test"}}
	set := pegboard.RuleSet{Allow: []string{"WebFetch(domain:h.test)"}}
	require.Equal(t, "ask", judgeOnce(t, actor{source: "srv", traits: pegboard.Traits{Targets: ts[:1]}}, pegboard.SessionConfig{}, pegboard.ModeAcceptEdits, set))
	require.Equal(t, "ask", judgeOnce(t, actor{source: "srv", traits: pegboard.Traits{Targets: ts}}, pegboard.SessionConfig{}, pegboard.ModeAcceptEdits, set))
}

func TestDecideTakesNothingForAllowed(t *testing.T) {
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

func TestDecideAndAVetThatPanics(t *testing.T) {
	t.Parallel()
	a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "git log", Shell: pegboard.ShellFacts{ReadOnly: true, VerifyReadOnly: func() error { panic("oh") }}}}}}
	pool := a.pool(t, session(t, pegboard.SessionConfig{}))
	require.NotPanics(t, func() { require.NotEqual(t, pegboard.Allow, pool.Decide(t.Context(), call("1", "T", ``)).Behavior) })
}

func TestAutoDropsRulesByTheirReach(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ tool, rule, line string }{
		{"Bash", "Bash(py*)", "python x.py"}, {"Bash", "Bash(b*)", "bash -c x"}, {"Bash", "Bash(python3.12 *)", "python3.12 x.py"},
		{"PowerShell", "PowerShell(Python *)", "python x.py"}, {"Bash", "Bash(FOO=1 python *)", "FOO=1 python x.py"}, {"Bash", "Bash(timeout 5 bash *)", "timeout 5 bash x"},
	} {
		a := actor{name: tc.tool, traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: tc.line}}}}
		got := judgeOnce(t, a, pegboard.SessionConfig{Classifier: undecided}, pegboard.ModeAuto, pegboard.RuleSet{Allow: []string{tc.rule}})
		if got != "ask" {
			t.Errorf("%s: %s", tc.rule, got)
		}
	}
}

func TestAutoDropsABroadRuleByAnAlias(t *testing.T) {
	t.Parallel()
	a := actor{name: "Bash", aliases: []string{"Shell"}, traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "make"}}}}
	require.Equal(t, "ask", judgeOnce(t, a, pegboard.SessionConfig{Classifier: undecided}, pegboard.ModeAuto, pegboard.RuleSet{Allow: []string{"Shell"}}))
}

// A deny rule on a parameter is taken for one that could be about what is hidden.
func TestParameterRuleAndOpaque(t *testing.T) {
	t.Parallel()
	type input struct {
		To string `json:"to"`
	}
	tool := pegboard.Build(pegboard.Definition[input, string]{Info: pegboard.Info{Name: "T"}, Description: "For a test.",
		Call: func(ctx, input, *pegboard.Call) (string, error) { return "", nil }})
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, "", pegboard.RuleSet{Allow: []string{"T"}, Deny: []string{"T(to:production)"}})})
	require.Equal(t, "allow", registryOf(t, tool).AssemblePool(s, pegboard.PoolConfig{}).Decide(t.Context(), call("1", "T", `{"to":"test"}`)).Behavior.String())
}

func TestAForkHasNoClassifierOfItsOwn(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, pegboard.ModeAuto, pegboard.RuleSet{}), Classifier: always(pegboard.Deny)})
	fork, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, Classifier: always(pegboard.Allow)})
	if err != nil {
		return // as it is with Ask
	}
	a := actor{name: "T"}
	require.GreaterOrEqual(t, judge(t, a.pool(t, fork)).behavior, judge(t, a.pool(t, s)).behavior)
}

// "exactly as it would have decided them before": in auto mode the classifier.
func TestCheckAsksTheClassifier(t *testing.T) {
	t.Parallel()
	asked := 0
	var checked error
	a := actor{name: "T", call: func(ctx ctx, c *pegboard.Call) error {
		checked = c.Check(ctx, pegboard.Target{Kind: pegboard.TargetHost, Access: pegboard.AccessRead, Value: "h.test"})
		return nil
	}}
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, pegboard.ModeAuto, pegboard.RuleSet{}), Classifier: func(ctx, *pegboard.Question) (pegboard.Decision, error) {
		asked++
		return pegboard.Decision{Behavior: pegboard.Allow}, nil
	}})
	ex := executor(pegboard.Executor{})
	require.NoError(t, ex.Run(t.Context(), a.pool(t, s), call("1", "T", ``))[0].Err)
	require.NoError(t, checked)
	require.Equal(t, 2, asked)
}

func TestTraceListsEveryRuleTried(t *testing.T) {
	t.Parallel()
	a := actor{name: "T", traits: pegboard.Traits{Targets: []pegboard.Target{pathTo(pegboard.AccessWrite, "f")}}}
	pool := a.pool(t, session(t, pegboard.SessionConfig{Permissions: rules(t, "", pegboard.RuleSet{Deny: []string{"Other"}, Ask: []string{"Other2"}, Allow: []string{"Edit(q)", "Other3"}})}))
	var tried []string
	for _, s := range pool.ExplainDecision(t.Context(), call("1", "T", ``)).Steps {
		if s.Rule != nil {
			tried = append(tried, s.Rule.String())
		}
	}
	require.Equal(t, []string{"Other", "Other2", "Edit(q)", "Other3"}, tried)
}

func TestTraceOfAForkSaysAllOnce(t *testing.T) {
	t.Parallel()
	a := actor{name: "T", traits: pegboard.Traits{Targets: []pegboard.Target{pathTo(pegboard.AccessWrite, "f")}}}
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, "", pegboard.RuleSet{Deny: []string{"Edit(q)"}})})
	fork := forked(t, s, pegboard.SessionConfig{Permissions: rules(t, pegboard.ModePlan, pegboard.RuleSet{})})
	n := 0
	for _, s := range a.pool(t, fork).ExplainDecision(t.Context(), call("1", "T", ``)).Steps {
		if s.Rule != nil {
			n++
		}
	}
	require.Equal(t, 1, n)
}

func TestSetModeWithoutAMode(t *testing.T) {
	t.Parallel()
	p := rules(t, pegboard.ModePlan, pegboard.RuleSet{})
	q, err := p.Apply(pegboard.PermissionUpdate{Type: pegboard.UpdateSetMode})
	require.Error(t, err, "%s", q.Mode())
}

func TestUpdateThatSaysARuleTwice(t *testing.T) {
	t.Parallel()
	p, err := pegboard.Permissions{}.Apply(pegboard.PermissionUpdate{Type: pegboard.UpdateAddRules, Behavior: pegboard.Allow, Rules: []pegboard.PermissionUpdateRule{{Tool: "A"}, {Tool: "A"}}})
	require.NoError(t, err)
	require.Len(t, p.Rules(), 1)
}

// ModeDeny asks a rule for everything that the tool itself does not allow.
func TestModeDenyWantsARuleForEachTarget(t *testing.T) {
	t.Parallel()
	require.Equal(t, "allow", judgeOnce(t, actor{own: pegboard.Decision{Behavior: pegboard.Allow}}, pegboard.SessionConfig{}, pegboard.ModeDeny, pegboard.RuleSet{}))
	a := actor{traits: pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{pathTo(pegboard.AccessRead, "f"), {Kind: pegboard.TargetResource, Value: "r"}}}}
	require.Equal(t, "deny", judgeOnce(t, a, pegboard.SessionConfig{}, pegboard.ModeDeny, pegboard.RuleSet{Allow: []string{"T(r)"}}))
}

// In dontAsk the denial names no rule that would help (invariant 5).
func TestDontAskNamesTheRemedy(t *testing.T) {
	t.Parallel()
	a := actor{name: "T"}
	require.NotEmpty(t, remedyIn(t, refused(t, a.pool(t, session(t, pegboard.SessionConfig{Permissions: rules(t, pegboard.ModeDontAsk, pegboard.RuleSet{})})))))
}

// A tree that is written holds .git; caution looks at the top only.
func TestProtectedBelowATree(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "sub", ".git", "hooks"), 0o700))
	tree := pathTo(pegboard.AccessWrite, "sub")
	tree.Tree = true
	require.Equal(t, "ask", judgeOnce(t, actor{traits: pegboard.Traits{Targets: []pegboard.Target{tree}}}, pegboard.SessionConfig{Dir: dir}, pegboard.ModeAcceptEdits, pegboard.RuleSet{}))
}

func TestClassifierThatPanicsLeavesItToThePerson(t *testing.T) {
	t.Parallel()
	got := classify(t, actor{}, pegboard.SessionConfig{}, pegboard.RuleSet{}, func(ctx, *pegboard.Question) (pegboard.Decision, error) { panic("oh") })
	require.Equal(t, 1, got.person, got.outcome.Result.Text())
}

// "deny and ask rules see it": also through a link, where they see anything else.
func TestMaybeThroughALink(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "link")))
	guess := pathTo(pegboard.AccessRead, "link/secret")
	guess.Shell.Guess = true
	a := actor{traits: pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{guess}}}
	require.Equal(t, "deny", judgeOnce(t, a, pegboard.SessionConfig{Dir: dir}, "", pegboard.RuleSet{Deny: []string{"Read(/" + outside + "/secret)"}}))
}

// Bypass mode asks about what a tool could not see through while a rule might be
// about it, and about nothing else.
func TestBypassAsksAboutWhatNobodySaw(t *testing.T) {
	t.Parallel()
	computed := actor{traits: pegboard.Traits{Targets: []pegboard.Target{{Value: "the name of a command is computed"}}}}
	tests := []struct {
		name string
		a    actor
		set  pegboard.RuleSet
		want string
	}{
		{name: "no rule", a: computed, want: "allow"},
		{name: "a rule that could be about it", a: computed, set: pegboard.RuleSet{Deny: []string{"Read(.env)"}}, want: "ask"},
		{name: "a rule on another tool", a: computed, set: pegboard.RuleSet{Deny: []string{"Other(x)"}}, want: "allow"},
		{name: "a tool that says nothing", set: pegboard.RuleSet{Deny: []string{"Read(.env)"}}, want: "allow"},
	}
	for _, tc := range tests {
		require.Equal(t, tc.want, judgeOnce(t, tc.a, pegboard.SessionConfig{}, pegboard.ModeBypass, tc.set), tc.name)
	}
}

// What a policy says no update changes, and a remedy allows nothing beyond the call.
func TestUpdatesLeaveThePolicyAlone(t *testing.T) {
	t.Parallel()
	p := rules(t, "", pegboard.RuleSet{Source: pegboard.SourcePolicy, Deny: []string{"Bash"}})
	for _, change := range []pegboard.PermissionUpdateType{pegboard.UpdateAddRules, pegboard.UpdateReplaceRules, pegboard.UpdateRemoveRules, pegboard.UpdateSetMode, pegboard.UpdateAddDirectories} {
		_, err := p.Apply(pegboard.PermissionUpdate{Type: change, Behavior: pegboard.Deny, Mode: pegboard.ModePlan, Destination: pegboard.SourcePolicy})
		require.Error(t, err, "%s", change)
	}
}

func TestRemedyForAStar(t *testing.T) {
	t.Parallel()
	a := actor{name: "T", traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "deploy *"}}}}
	require.Equal(t, []string{"T"}, remedyIn(t, refused(t, a.pool(t, session(t, pegboard.SessionConfig{})))))
	a.traits.Targets = []pegboard.Target{pathTo(pegboard.AccessWrite, "*")}
	require.Equal(t, []string{`Edit(/\*)`}, remedyIn(t, refused(t, a.pool(t, session(t, pegboard.SessionConfig{})))))
}

// A pattern that stands for a file called like an option is nothing to run unasked.
func TestGlobThatBecomesAnOption(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	glob := pathTo(pegboard.AccessRead, "*")
	glob.Shell.Glob = true
	reads := actor{traits: pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{glob}}}
	for _, name := range []string{"a", "-R"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
		want := map[string]string{"a": "allow", "-R": "ask"}[name]
		require.Equal(t, want, judgeOnce(t, reads, pegboard.SessionConfig{Dir: dir}, "", pegboard.RuleSet{}))
	}
}
