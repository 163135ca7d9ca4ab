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

// TestTargetFields holds a call against one that differs in a single field of a
// target, or in where the tool comes from.
func TestTargetFields(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	for _, name := range []string{"a.go", "b.go", ".hidden.go"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o700))
	require.NoError(t, linkDir(outside, filepath.Join(dir, "sub", "out")))
	type target = pegboard.Target
	cmd := func(v string, change ...func(*target)) target {
		x := target{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: v}
		for _, c := range change {
			c(&x)
		}
		return x
	}
	path := func(access pegboard.Access, v string, change ...func(*target)) target {
		x := target{Kind: pegboard.TargetPath, Access: access, Value: v}
		for _, c := range change {
			c(&x)
		}
		return x
	}
	via := func(v string) func(*target) { return func(x *target) { x.Shell.FromCommand = v } }
	free, edits, parsed, maybe, glob, tree := func(x *target) { x.Shell.ReadOnly = true }, func(x *target) { x.Shell.EditsOnly = true },
		func(x *target) { x.Shell.Simple = true }, func(x *target) { x.Shell.Guess = true }, func(x *target) { x.Shell.Glob = true }, func(x *target) { x.Tree = true }
	vet := func(err error) func(*target) {
		return func(x *target) { x.Shell.VerifyReadOnly = func() error { return err } }
	}
	careful := func(x *target) { x.AskReason = "it is the end of all files" }
	const read, write = pegboard.AccessRead, pegboard.AccessWrite
	bash := pegboard.RuleSet{Allow: []string{"Bash(make)", "Bash(ls)"}}
	tests := []struct {
		name     string
		acts     []target
		readOnly bool
		source   string
		mode     pegboard.Mode
		set      pegboard.RuleSet
		hook     pegboard.Behavior
		want     pegboard.Behavior
	}{
		{name: "Via/read outside, given to no command", acts: []target{cmd("make"), path(read, outside)}, set: bash, want: pegboard.Ask},
		{name: "Via/read outside, given to the command", acts: []target{cmd("make"), path(read, outside, via("make"))}, set: bash, want: pegboard.Allow},
		{name: "Via/read outside, before the command", acts: []target{path(read, outside, via("make")), cmd("make")}, set: bash, want: pegboard.Allow},
		{name: "Via/read outside, given to a command that is not there", acts: []target{cmd("make"), path(read, outside, via("ls"))}, set: bash, want: pegboard.Ask},
		{name: "Via/read outside, given to one that only reads", acts: []target{cmd("cat", free), cmd("make"), path(read, outside, via("cat"))}, set: bash, want: pegboard.Ask},
		{name: "Via/write inside, given to no command", acts: []target{cmd("make"), path(write, "f")}, set: bash, want: pegboard.Ask},
		{name: "Via/write inside, given to the command", acts: []target{cmd("make"), path(write, "f", via("make"))}, set: bash, want: pegboard.Allow},
		{name: "Via/write outside, given to the command", acts: []target{cmd("make"), path(write, outside, via("make"))}, set: bash, want: pegboard.Ask},
		{name: "Via/write outside, and a rule on that", acts: []target{cmd("make"), path(write, outside+"/f", via("make"))}, set: pegboard.RuleSet{Allow: []string{"Bash(make)", "Edit(/" + filepath.ToSlash(outside) + ")"}}, want: pegboard.Allow},
		{name: "Via/write outside, and a rule on the whole tool", acts: []target{cmd("make"), path(write, outside, via("make"))}, set: pegboard.RuleSet{Allow: []string{"Bash"}}, want: pegboard.Ask},
		{name: "Via/denied all the same", acts: []target{cmd("make"), path(read, ".env", via("make"))}, set: pegboard.RuleSet{Allow: []string{"Bash(make)"}, Deny: []string{"Read(.env)"}}, want: pegboard.Deny},

		{name: "Maybe/read outside", acts: []target{path(read, outside)}, readOnly: true, want: pegboard.Ask},
		{name: "Maybe/perhaps outside", acts: []target{path(read, outside, maybe)}, readOnly: true, want: pegboard.Allow},
		{name: "Maybe/denied", acts: []target{path(read, ".env", maybe)}, readOnly: true, set: pegboard.RuleSet{Deny: []string{"Read(.env)"}}, want: pegboard.Deny},
		{name: "Maybe/asked about", acts: []target{path(read, ".env", maybe)}, readOnly: true, set: pegboard.RuleSet{Ask: []string{"Read(.env)"}}, want: pegboard.Ask},
		{name: "Maybe/beside what a rule covers", acts: []target{cmd("make"), path(write, outside, maybe)}, set: bash, want: pegboard.Allow},
		{name: "Maybe/a rule that covers only that", acts: []target{cmd("rm"), path(write, "f", maybe)}, set: pegboard.RuleSet{Allow: []string{"Edit(f)"}}, want: pegboard.Ask},
		{name: "Maybe/nothing else", acts: []target{path(write, "f", maybe)}, mode: pegboard.ModeAcceptEdits, set: pegboard.RuleSet{Allow: []string{"Edit(f)"}}, want: pegboard.Ask},
		{name: "Maybe/a write in plan mode", acts: []target{cmd("ls", free), path(write, "f")}, readOnly: true, mode: pegboard.ModePlan, want: pegboard.Deny},
		{name: "Maybe/perhaps a write in plan mode", acts: []target{cmd("ls", free), path(write, "f", maybe)}, readOnly: true, mode: pegboard.ModePlan, want: pegboard.Allow},

		{name: "Edits/unknown command", acts: []target{cmd("mv a b"), path(write, "b")}, mode: pegboard.ModeAcceptEdits, want: pegboard.Ask},
		{name: "Edits/command that edits", acts: []target{cmd("mv a b", edits), path(write, "b")}, mode: pegboard.ModeAcceptEdits, want: pegboard.Allow},
		{name: "Edits/in another mode", acts: []target{cmd("mv a b", edits), path(write, "b")}, want: pegboard.Ask},
		{name: "Edits/attached", acts: []target{cmd("mv a b", edits), path(write, "b")}, source: "srv", mode: pegboard.ModeAcceptEdits, want: pegboard.Ask},
		{name: "Edits/attached, beside what a rule covers", acts: []target{cmd("mv a b", edits), {Kind: pegboard.TargetHost, Value: "h.test"}}, source: "srv", mode: pegboard.ModeAcceptEdits, set: pegboard.RuleSet{Allow: []string{"WebFetch(domain:h.test)"}}, want: pegboard.Ask},
		{name: "Edits/beside an unknown command", acts: []target{cmd("mv a b", edits), cmd("make")}, mode: pegboard.ModeAcceptEdits, want: pegboard.Ask},

		{name: "Free/not", acts: []target{cmd("ls")}, readOnly: true, want: pegboard.Ask},
		{name: "Free/free", acts: []target{cmd("ls", free)}, readOnly: true, want: pegboard.Allow},
		{name: "Free/by a tool that may write", acts: []target{cmd("ls", free)}, want: pegboard.Ask},
		{name: "Free/attached", acts: []target{cmd("ls", free)}, readOnly: true, source: "srv", want: pegboard.Ask},
		{name: "Vet/no objection", acts: []target{cmd("git log", free, vet(nil))}, readOnly: true, want: pegboard.Allow},
		{name: "Vet/objection", acts: []target{cmd("git log", free, vet(errors.New("no")))}, readOnly: true, want: pegboard.Ask},
		{name: "Vet/objection, and a rule", acts: []target{cmd("git log", free, vet(errors.New("no")))}, readOnly: true, set: pegboard.RuleSet{Allow: []string{"Bash(git log)"}}, want: pegboard.Allow},
		{name: "Vet/without Free it allows nothing", acts: []target{cmd("git log", vet(nil))}, readOnly: true, want: pegboard.Ask},

		{name: "Parsed/not", acts: []target{cmd("make")}, set: pegboard.RuleSet{Allow: []string{"Bash"}, Deny: []string{"Read(.env)"}}, want: pegboard.Ask},
		{name: "Parsed/parsed", acts: []target{cmd("make", parsed)}, set: pegboard.RuleSet{Allow: []string{"Bash"}, Deny: []string{"Read(.env)"}}, want: pegboard.Allow},
		{name: "Parsed/attached", acts: []target{cmd("make", parsed)}, source: "srv", set: pegboard.RuleSet{Allow: []string{"mcp__srv"}, Deny: []string{"Read(.env)"}}, want: pegboard.Ask},
		{name: "Parsed/not, and a hook", acts: []target{cmd("make")}, hook: pegboard.Allow, set: pegboard.RuleSet{Ask: []string{"Read(.env)"}}, want: pegboard.Ask},
		{name: "Parsed/parsed, and a hook", acts: []target{cmd("make", parsed)}, hook: pegboard.Allow, set: pegboard.RuleSet{Ask: []string{"Read(.env)"}}, want: pegboard.Allow},

		{name: "Glob/a name with a star", acts: []target{path(read, "*.go")}, readOnly: true, set: pegboard.RuleSet{Deny: []string{"Read(./a.go)"}}, want: pegboard.Allow},
		{name: "Glob/what the star stands for", acts: []target{path(read, "*.go", glob)}, readOnly: true, set: pegboard.RuleSet{Deny: []string{"Read(./a.go)"}}, want: pegboard.Deny},
		{name: "Glob/in a directory that a star stands for", acts: []target{path(read, "s?b/out/f", glob)}, readOnly: true, set: pegboard.RuleSet{Deny: []string{"Read(sub/out/f)"}}, want: pegboard.Deny},
		{name: "Glob/never a dot at the start", acts: []target{path(read, "*.go", glob)}, readOnly: true, set: pegboard.RuleSet{Deny: []string{"Read(./.hidden.go)"}}, want: pegboard.Allow},
		{name: "Glob/of a link that leads outside", acts: []target{path(read, "sub/o*", glob)}, readOnly: true, want: pegboard.Ask},
		{name: "Glob/an allow rule on one of two", acts: []target{path(write, "[ab].go", glob)}, set: pegboard.RuleSet{Allow: []string{"Edit(./a.go)"}}, want: pegboard.Ask},

		{name: "Caution/none", acts: []target{cmd("rm -r /")}, mode: pegboard.ModeBypass, want: pegboard.Allow},
		{name: "Caution/said", acts: []target{cmd("rm -r /", careful)}, mode: pegboard.ModeBypass, want: pegboard.Ask},
		{name: "Caution/and a rule", acts: []target{cmd("rm -r /", careful)}, set: pegboard.RuleSet{Allow: []string{"Bash(rm -r /)"}}, want: pegboard.Ask},
		{name: "Caution/and a hook", acts: []target{cmd("rm -r /", careful)}, hook: pegboard.Allow, want: pegboard.Ask},
		{name: "Caution/of a guess", acts: []target{cmd("ls", free), path(read, "/", maybe, careful)}, readOnly: true, want: pegboard.Ask},
		{name: "Tree/what lies below", acts: []target{path(read, ".", tree)}, readOnly: true, set: pegboard.RuleSet{Deny: []string{"Read(sub/x)"}}, want: pegboard.Deny},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := actor{name: "Bash", source: tc.source, traits: pegboard.Traits{ReadOnly: tc.readOnly, Targets: tc.acts}}
			cfg := pegboard.SessionConfig{Dir: dir, Permissions: rules(t, tc.mode, tc.set)}
			if tc.hook != pegboard.Undecided {
				cfg.Hooks.Pre = func(ctx, *pegboard.HookCall) (pegboard.Decision, error) {
					return pegboard.Decision{Behavior: tc.hook}, nil
				}
			}
			pool := a.pool(t, session(t, cfg))
			got := judge(t, pool)
			require.Equal(t, tc.want.String(), got.behavior.String(), got.reason)
		})
	}
}

// TestExactNeedsARuleWithoutAWildcard: a pattern of commands is no leave for what
// any argument may turn into something else.
func TestExactNeedsARuleWithoutAWildcard(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		rule  string
		exact bool
		want  pegboard.Behavior
	}{
		{rule: "Bash(find:*)", want: pegboard.Allow},
		{rule: "Bash(find:*)", exact: true, want: pegboard.Ask},
		{rule: "Bash(find *)", exact: true, want: pegboard.Ask},
		{rule: "Bash(f*)", exact: true, want: pegboard.Ask},
		{rule: "Bash(find . -delete)", exact: true, want: pegboard.Allow},
	} {
		a := actor{name: "Bash", traits: pegboard.Traits{Targets: []pegboard.Target{
			{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "find . -delete", Shell: pegboard.ShellFacts{NoWildcards: tc.exact}},
		}}}
		pool := a.pool(t, session(t, pegboard.SessionConfig{Permissions: rules(t, "", pegboard.RuleSet{Allow: []string{tc.rule}})}))
		require.Equal(t, tc.want.String(), judge(t, pool).behavior.String(), "%s, exact: %v", tc.rule, tc.exact)
	}
}

// TestParameterRules compare the input as the model wrote it, and never allow.
func TestParameterRules(t *testing.T) {
	t.Parallel()
	type input struct {
		Command    string         `json:"command,omitempty"`
		Background bool           `json:"run_in_background,omitempty"`
		Model      string         `json:"model,omitempty"`
		Count      float64        `json:"count,omitempty"`
		More       map[string]any `json:"more,omitempty"`
	}
	tests := []struct {
		name, rule, input string
		want              bool // it is about the call
	}{
		{name: "true", rule: "Bash(run_in_background:true)", input: `{"run_in_background":true}`, want: true},
		{name: "not true", rule: "Bash(run_in_background:true)", input: `{"run_in_background":false}`},
		{name: "left out", rule: "Bash(run_in_background:true)", input: `{}`},
		{name: "no input", rule: "Bash(run_in_background:*)", input: ``},
		{name: "left out, any value", rule: "Bash(run_in_background:*)", input: `{}`},
		{name: "text", rule: "Bash(model:opus)", input: `{"model":"opus"}`, want: true},
		{name: "text with an escape", rule: "Bash(model:opus)", input: `{"model":"\u006fpus"}`, want: true},
		{name: "another case", rule: "Bash(model:opus)", input: `{"model":"Opus"}`},
		{name: "blanks round the colon", rule: "Bash(model : opus)", input: `{"model":"opus"}`, want: true},
		{name: "star", rule: "Bash(model:claude-*-5)", input: `{"model":"claude-opus-5"}`, want: true},
		{name: "star that does not fit", rule: "Bash(model:claude-*-5)", input: `{"model":"claude-opus-4"}`},
		{name: "number as it is written", rule: "Bash(count:1.50)", input: `{"count":1.50}`, want: true},
		{name: "number written otherwise", rule: "Bash(count:1.5)", input: `{"count":1.50}`},
		{name: "an object", rule: "Bash(more:*x)", input: `{"more":{"a":1}}`},
		{name: "inside an object", rule: "Bash(a:1)", input: `{"more":{"a":1}}`},
		{name: "of another tool", rule: "Agent(model:opus)", input: `{"model":"opus"}`},
		{name: "by a pattern of tools", rule: "B*(model:opus)", input: `{"model":"opus"}`, want: true},
		{name: "a command with a colon is no parameter", rule: "Bash(npm:test)", input: `{"command":"npm:test"}`, want: true},
		{name: "nor is a prefix", rule: "Bash(model:*)", input: `{"model":"opus"}`},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tool := pegboard.Build(pegboard.Definition[input, string]{
				Info: pegboard.Info{Name: "Bash"}, Description: "For a test.",
				Inspect: func(in input, _ *pegboard.Call) pegboard.Traits {
					return pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: in.Command}}}
				},
				Call: func(ctx, input, *pegboard.Call) (string, error) { return "", nil },
			})
			s := session(t, pegboard.SessionConfig{})
			pool := registryOf(t, tool).AssemblePool(s, pegboard.PoolConfig{})
			for _, set := range []pegboard.RuleSet{{Deny: []string{tc.rule}}, {Ask: []string{tc.rule}}} {
				require.NoError(t, s.SetPermissions(rules(t, pegboard.ModeBypass, set)))
				trace := pool.ExplainDecision(t.Context(), call("1", "Bash", tc.input))
				require.Equal(t, tc.want, trace.Decision.Rule != nil, trace.String())
				ex := executor(pegboard.Executor{})
				require.Equal(t, tc.want, ex.Run(t.Context(), pool, call("1", "Bash", tc.input))[0].Err != nil)
			}
			if _, err := pegboard.ParseRule(pegboard.Allow, tc.rule); err == nil && !strings.Contains(tc.name, "command") {
				require.NoError(t, s.SetPermissions(rules(t, "", pegboard.RuleSet{Allow: []string{tc.rule}})))
				require.Equal(t, pegboard.Ask, pool.Decide(t.Context(), call("1", "Bash", tc.input)).Behavior, "it never allows")
			}
		})
	}
}

// TestPatternForTooManyNames stands for all that lies below.
func TestPatternForTooManyNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 1001 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprint("f", i)), nil, 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o700))
	for pattern, want := range map[string]pegboard.Behavior{"f*": pegboard.Deny, "f?": pegboard.Allow} {
		a := reading(pegboard.Target{Value: pattern, Shell: pegboard.ShellFacts{Glob: true}})
		pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: dir, Permissions: rules(t, "", pegboard.RuleSet{Deny: []string{"Read(./sub/x)"}})}))
		require.Equal(t, want.String(), judge(t, pool).behavior.String(), pattern)
	}
}

// TestTraceShowsTheWay: the targets, what was tried in the order in which it wins,
// and why it was settled as it was.
func TestTraceShowsTheWay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	read := func(v string) pegboard.Target {
		return pegboard.Target{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: v}
	}
	tests := []struct {
		name  string
		actor actor
		mode  pegboard.Mode
		sets  []pegboard.RuleSet
		want  []string
	}{
		{name: "an allow rule after others", actor: actor{traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Value: "f"}}}}, sets: []pegboard.RuleSet{
			{Source: pegboard.SourceUser, Allow: []string{"Edit(f)"}, Ask: []string{"Edit(q)"}, Deny: []string{"Read(d)"}},
			{Source: pegboard.SourcePolicy, Deny: []string{"Edit(e)"}},
		}, want: []string{
			"it would write " + at("f"),
			`- deny rule "Read(d)" from userSettings is about something else (write ` + at("f") + ")",
			`- deny rule "Edit(e)" from policySettings is about something else (write ` + at("f") + ")",
			`- ask rule "Edit(q)" from userSettings is about something else (write ` + at("f") + ")",
			`allow: allow rule "Edit(f)" from userSettings covers it (write ` + at("f") + ")",
			`= allow: allow rule "Edit(f)" from userSettings covers it`,
		}},
		{name: "an ask rule in a mode that asks nobody", actor: actor{traits: pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{read("f"), read("q")}}}, mode: pegboard.ModeDontAsk, sets: []pegboard.RuleSet{
			{Source: pegboard.SourceProject, Ask: []string{"Read(q)"}, Allow: []string{"T"}},
		}, want: []string{
			"it would read " + at("f"),
			"it would read " + at("q"),
			`- ask rule "Read(q)" from projectSettings is about something else (read ` + at("f") + ")",
			`ask: ask rule "Read(q)" from projectSettings is about it (read ` + at("q") + ")",
			"deny: mode dontAsk refuses what would be asked about",
			`= deny: ask rule "Read(q)" from projectSettings covers it, and mode dontAsk asks nobody`,
		}},
		{name: "nothing that speaks of it", actor: actor{traits: pegboard.Traits{Targets: []pegboard.Target{read("f"), {Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "make"}}}}, want: []string{
			"it would read " + at("f"),
			"it would run make",
			"allow: it only reads, inside the working directories (read " + at("f") + ")",
			"- nothing allows it (run make)",
			"= ask: no rule allows it: T wants to read " + at("f") + ", run make",
		}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.actor.name = "T"
			p, err := pegboard.NewPermissions(tc.mode, tc.sets...)
			require.NoError(t, err)
			pool := tc.actor.pool(t, session(t, pegboard.SessionConfig{Dir: dir, Permissions: p}))
			trace := pool.ExplainDecision(t.Context(), call("1", "T", ``))
			require.Equal(t, strings.Join(tc.want, "\n")+"\n", trace.String())
			require.Equal(t, judge(t, pool).behavior == pegboard.Allow, trace.Decision.Behavior == pegboard.Allow)
			require.Len(t, trace.Targets, len(tc.actor.traits.Targets))
		})
	}
}

// TestTraceIsACopy: whoever is shown it may write to it.
func TestTraceIsACopy(t *testing.T) {
	t.Parallel()
	a := reading(pegboard.Target{Value: "f", Aliases: []string{"g"}})
	pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: t.TempDir(), Permissions: rules(t, "", pegboard.RuleSet{Deny: []string{"Read(x)"}, Ask: []string{"Read(f)"}})}))
	before := pool.ExplainDecision(t.Context(), call("1", "T", ``))
	shown := pool.ExplainDecision(t.Context(), call("1", "T", ``))
	require.Equal(t, before, shown)
	shown.Targets[0].Aliases[0] = "other"
	shown.Decision.Rule.Tool = "Other"
	for _, s := range shown.Steps {
		if s.Rule != nil {
			s.Rule.Tool = "Other"
		}
	}
	require.Equal(t, before, pool.ExplainDecision(t.Context(), call("1", "T", ``)))
}

// TestDecideRefuses what an executor would not take so far.
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

// TestDecideRunsAndAsksNothing: it only says what would be.
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
