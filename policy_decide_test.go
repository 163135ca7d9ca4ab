package pegboard_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
)

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
	mode  policy.Mode
	set   policy.RuleSet
}

// grounds are those that exist, in the order in which they win.
func grounds() []ground {
	hook := func(b policy.Behavior) func(*trial) {
		return func(x *trial) {
			x.cfg.Hooks.Pre = func(ctx, *pegboard.HookCall) (policy.Decision, error) {
				return policy.Decision{Behavior: b, Reason: "the hook's word"}, nil
			}
		}
	}
	own := func(b policy.Behavior) func(*trial) {
		return func(x *trial) { x.actor.own = policy.Decision{Behavior: b, Reason: "the tool's word"} }
	}
	const rule = "Read(f)"
	return []ground{
		{"deny rule", 1, "", func(x *trial) { x.set.Deny = []string{rule} }, verdict{policy.Deny, "deny rule", rule}},
		{"hook denies", 2, "hook", hook(policy.Deny), verdict{policy.Deny, "the hook's word", ""}},
		{"tool denies", 2, "tool", own(policy.Deny), verdict{policy.Deny, "the tool's word", ""}},
		{"ask rule", 3, "", func(x *trial) { x.set.Ask = []string{rule} }, verdict{policy.Ask, "ask rule", rule}},
		{"requires a person", 4, "", func(x *trial) { x.actor.user = true }, verdict{policy.Ask, "only a person", ""}},
		{"hook asks", 5, "hook", hook(policy.Ask), verdict{policy.Ask, "the hook's word", ""}},
		{"tool asks", 5, "tool", own(policy.Ask), verdict{policy.Ask, "the tool's word", ""}},
		{"bypass", 6, "mode", func(x *trial) { x.mode = policy.ModeBypass }, verdict{policy.Allow, "bypassPermissions", ""}},
		{"plan", 7, "mode", func(x *trial) { x.mode = policy.ModePlan }, verdict{policy.Ask, "in plan mode", ""}},
		{"allow rule", 8, "", func(x *trial) { x.set.Allow = []string{rule} }, verdict{policy.Allow, "allow rule", rule}},
		{"hook allows", 9, "hook", hook(policy.Allow), verdict{policy.Allow, "the hook's word", ""}},
		{"tool allows", 9, "tool", own(policy.Allow), verdict{policy.Allow, "the tool's word", ""}},
		{"harmless read", 10, "mode", func(x *trial) { x.actor.traits.ReadOnly = true }, verdict{policy.Allow, "only reads", ""}},
		{"nothing", 11, "", func(*trial) {}, verdict{policy.Ask, "no rule allows it", ""}},
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
					Targets: []policy.Target{{Kind: policy.Path, Access: policy.Read, Value: "f"}},
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
	path := func(access policy.Access, v string) []policy.Target {
		return []policy.Target{{Kind: policy.Path, Access: access, Value: v}}
	}
	command := []policy.Target{{Kind: policy.Command, Access: policy.Run, Value: "make"}}
	yes := policy.Decision{Behavior: policy.Allow}
	type traits = pegboard.Traits
	tests := []struct {
		name  string
		actor actor
		hook  policy.Decision
		mode  policy.Mode
		set   policy.RuleSet
		want  policy.Behavior
	}{
		{name: "tool allows, on nothing said", actor: actor{own: yes}, want: policy.Allow},
		{name: "tool allows, inside", actor: actor{own: yes, traits: traits{Targets: path(policy.Write, "f")}}, want: policy.Allow},
		{name: "tool allows, outside", actor: actor{own: yes, traits: traits{Targets: path(policy.Write, outside)}}, want: policy.Ask},
		{name: "tool allows, one of two outside", actor: actor{own: yes, traits: traits{Targets: append(path(policy.Read, outside), path(policy.Write, "f")...)}}, want: policy.Ask},
		{name: "attached tool allows", actor: actor{own: yes, source: "srv"}, want: policy.Ask},
		{name: "attached tool allows, inside", actor: actor{own: yes, source: "srv", traits: traits{Targets: path(policy.Write, "f")}}, want: policy.Ask},
		{name: "attached tool denies", actor: actor{own: policy.Decision{Behavior: policy.Deny}, source: "srv"}, mode: policy.ModeBypass, want: policy.Deny},
		{name: "hook allows, outside", actor: actor{traits: traits{Targets: path(policy.Write, outside)}}, hook: yes, want: policy.Allow},
		{name: "hook allows an attached tool", actor: actor{source: "srv"}, hook: yes, want: policy.Allow},

		{name: "default, read inside", actor: actor{traits: traits{ReadOnly: true, Targets: path(policy.Read, "f")}}, want: policy.Allow},
		{name: "default, write inside", actor: actor{traits: traits{Targets: path(policy.Write, "f")}}, want: policy.Ask},
		{name: "default, said to read what it writes", actor: actor{traits: traits{ReadOnly: true, Targets: path(policy.Write, "f")}}, want: policy.Ask},
		{name: "default, command", actor: actor{traits: traits{Targets: command}}, want: policy.Ask},

		{name: "plan, read inside", actor: actor{traits: traits{ReadOnly: true, Targets: path(policy.Read, "f")}}, mode: policy.ModePlan, want: policy.Allow},
		{name: "plan, read outside", actor: actor{traits: traits{ReadOnly: true, Targets: path(policy.Read, outside)}}, mode: policy.ModePlan, want: policy.Ask},
		{name: "plan, read outside with a rule", actor: actor{traits: traits{ReadOnly: true, Targets: path(policy.Read, outside)}}, mode: policy.ModePlan, set: policy.RuleSet{Allow: []string{"T"}}, want: policy.Allow},
		{name: "plan, write inside", actor: actor{traits: traits{Targets: path(policy.Write, "f")}}, mode: policy.ModePlan, want: policy.Deny},
		{name: "plan, write with a rule", actor: actor{traits: traits{Targets: path(policy.Write, "f")}}, mode: policy.ModePlan, set: policy.RuleSet{Allow: []string{"T"}}, want: policy.Deny},
		{name: "plan, write with a hook's allow", actor: actor{traits: traits{Targets: path(policy.Write, "f")}}, mode: policy.ModePlan, hook: yes, want: policy.Deny},
		{name: "plan, write with the tool's allow", actor: actor{own: yes, traits: traits{Targets: path(policy.Write, "f")}}, mode: policy.ModePlan, want: policy.Deny},
		{name: "plan, said to read what it writes", actor: actor{traits: traits{ReadOnly: true, Targets: path(policy.Write, "f")}}, mode: policy.ModePlan, want: policy.Deny},
		{name: "plan, command with a rule", actor: actor{traits: traits{Targets: command}}, mode: policy.ModePlan, set: policy.RuleSet{Allow: []string{"T"}}, want: policy.Ask},
		{name: "plan, unknown", mode: policy.ModePlan, want: policy.Ask},

		{name: "bypass, unknown", mode: policy.ModeBypass, want: policy.Allow},
		{name: "bypass, attached", actor: actor{source: "srv", traits: traits{OpenWorld: true, Destructive: true}}, mode: policy.ModeBypass, want: policy.Allow},
		{name: "bypass, write outside", actor: actor{traits: traits{Targets: path(policy.Write, outside)}}, mode: policy.ModeBypass, want: policy.Allow},
		{name: "bypass, bare deny", actor: actor{own: yes}, hook: yes, mode: policy.ModeBypass, set: policy.RuleSet{Allow: []string{"T"}, Deny: []string{"T"}}, want: policy.Deny},
		{name: "bypass, bare ask", actor: actor{own: yes}, hook: yes, mode: policy.ModeBypass, set: policy.RuleSet{Allow: []string{"T"}, Ask: []string{"T"}}, want: policy.Ask},
		{name: "broad deny, narrow allow", actor: actor{traits: traits{Targets: path(policy.Write, "f")}}, set: policy.RuleSet{Allow: []string{"Edit(./f)"}, Deny: []string{"T"}}, want: policy.Deny},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.actor.name = "T"
			cfg := pegboard.SessionConfig{Hooks: pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (policy.Decision, error) { return tc.hook, nil }}}
			pool := tc.actor.pool(t, session(t, cfg))
			require.NoError(t, pool.Session().SetPermissions(rules(t, tc.mode, tc.set)))
			got := judge(t, pool)
			require.Equal(t, tc.want.String(), got.behavior.String(), got.reason)
		})
	}
}

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
	type target = policy.Target
	cmd := func(v string, change ...func(*target)) target {
		x := target{Kind: policy.Command, Access: policy.Run, Value: v}
		for _, c := range change {
			c(&x)
		}
		return x
	}
	path := func(access policy.Access, v string, change ...func(*target)) target {
		x := target{Kind: policy.Path, Access: access, Value: v}
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
	program := func(err error) func(*target) {
		return func(x *target) { x.Shell.VerifyProgram = func() error { return err } }
	}
	brought := func(x *target) { x.Shell.BringsProgram = true }
	other := program(errors.New("it is another program"))
	careful := func(x *target) { x.AskReason = "it is the end of all files" }
	const read, write = policy.Read, policy.Write
	bash := policy.RuleSet{Allow: []string{"Bash(make)", "Bash(ls)"}}
	tests := []struct {
		name     string
		acts     []target
		readOnly bool
		source   string
		mode     policy.Mode
		set      policy.RuleSet
		hook     policy.Behavior
		want     policy.Behavior
	}{
		{name: "Via/read outside, given to no command", acts: []target{cmd("make"), path(read, outside)}, set: bash, want: policy.Ask},
		{name: "Via/read outside, given to the command", acts: []target{cmd("make"), path(read, outside, via("make"))}, set: bash, want: policy.Allow},
		{name: "Via/read outside, before the command", acts: []target{path(read, outside, via("make")), cmd("make")}, set: bash, want: policy.Allow},
		{name: "Via/read outside, given to a command that is not there", acts: []target{cmd("make"), path(read, outside, via("ls"))}, set: bash, want: policy.Ask},
		{name: "Via/read outside, given to one that only reads", acts: []target{cmd("cat", free), cmd("make"), path(read, outside, via("cat"))}, set: bash, want: policy.Ask},
		{name: "Via/write inside, given to no command", acts: []target{cmd("make"), path(write, "f")}, set: bash, want: policy.Ask},
		{name: "Via/write inside, given to the command", acts: []target{cmd("make"), path(write, "f", via("make"))}, set: bash, want: policy.Allow},
		{name: "Via/write outside, given to the command", acts: []target{cmd("make"), path(write, outside, via("make"))}, set: bash, want: policy.Ask},
		{name: "Via/write outside, and a rule on that", acts: []target{cmd("make"), path(write, outside+"/f", via("make"))}, set: policy.RuleSet{Allow: []string{"Bash(make)", "Edit(/" + filepath.ToSlash(outside) + ")"}}, want: policy.Allow},
		{name: "Via/write outside, and a rule on the whole tool", acts: []target{cmd("make"), path(write, outside, via("make"))}, set: policy.RuleSet{Allow: []string{"Bash"}}, want: policy.Ask},
		{name: "Via/denied all the same", acts: []target{cmd("make"), path(read, ".env", via("make"))}, set: policy.RuleSet{Allow: []string{"Bash(make)"}, Deny: []string{"Read(.env)"}}, want: policy.Deny},

		{name: "Maybe/read outside", acts: []target{path(read, outside)}, readOnly: true, want: policy.Ask},
		{name: "Maybe/perhaps outside", acts: []target{path(read, outside, maybe)}, readOnly: true, want: policy.Allow},
		{name: "Maybe/denied", acts: []target{path(read, ".env", maybe)}, readOnly: true, set: policy.RuleSet{Deny: []string{"Read(.env)"}}, want: policy.Deny},
		{name: "Maybe/asked about", acts: []target{path(read, ".env", maybe)}, readOnly: true, set: policy.RuleSet{Ask: []string{"Read(.env)"}}, want: policy.Ask},
		{name: "Maybe/beside what a rule covers", acts: []target{cmd("make"), path(write, outside, maybe)}, set: bash, want: policy.Allow},
		{name: "Maybe/a rule that covers only that", acts: []target{cmd("rm"), path(write, "f", maybe)}, set: policy.RuleSet{Allow: []string{"Edit(f)"}}, want: policy.Ask},
		{name: "Maybe/nothing else", acts: []target{path(write, "f", maybe)}, mode: policy.ModeAcceptEdits, set: policy.RuleSet{Allow: []string{"Edit(f)"}}, want: policy.Ask},
		{name: "Maybe/a write in plan mode", acts: []target{cmd("ls", free), path(write, "f")}, readOnly: true, mode: policy.ModePlan, want: policy.Deny},
		{name: "Maybe/perhaps a write in plan mode", acts: []target{cmd("ls", free), path(write, "f", maybe)}, readOnly: true, mode: policy.ModePlan, want: policy.Allow},

		{name: "Edits/unknown command", acts: []target{cmd("mv a b"), path(write, "b")}, mode: policy.ModeAcceptEdits, want: policy.Ask},
		{name: "Edits/command that edits", acts: []target{cmd("mv a b", edits), path(write, "b")}, mode: policy.ModeAcceptEdits, want: policy.Allow},
		{name: "Edits/in another mode", acts: []target{cmd("mv a b", edits), path(write, "b")}, want: policy.Ask},
		{name: "Edits/attached", acts: []target{cmd("mv a b", edits), path(write, "b")}, source: "srv", mode: policy.ModeAcceptEdits, want: policy.Ask},
		{name: "Edits/attached, beside what a rule covers", acts: []target{cmd("mv a b", edits), {Kind: policy.Host, Value: "h.test"}}, source: "srv", mode: policy.ModeAcceptEdits, set: policy.RuleSet{Allow: []string{"WebFetch(domain:h.test)"}}, want: policy.Ask},
		{name: "Edits/beside an unknown command", acts: []target{cmd("mv a b", edits), cmd("make")}, mode: policy.ModeAcceptEdits, want: policy.Ask},

		{name: "Free/not", acts: []target{cmd("ls")}, readOnly: true, want: policy.Ask},
		{name: "Free/free", acts: []target{cmd("ls", free)}, readOnly: true, want: policy.Allow},
		{name: "Free/by a tool that may write", acts: []target{cmd("ls", free)}, want: policy.Ask},
		{name: "Free/attached", acts: []target{cmd("ls", free)}, readOnly: true, source: "srv", want: policy.Ask},
		{name: "Vet/no objection", acts: []target{cmd("git log", free, vet(nil))}, readOnly: true, want: policy.Allow},
		{name: "Vet/objection", acts: []target{cmd("git log", free, vet(errors.New("no")))}, readOnly: true, want: policy.Ask},
		{name: "Vet/objection, and a rule", acts: []target{cmd("git log", free, vet(errors.New("no")))}, readOnly: true, set: policy.RuleSet{Allow: []string{"Bash(git log)"}}, want: policy.Allow},
		{name: "Vet/without Free it allows nothing", acts: []target{cmd("git log", vet(nil))}, readOnly: true, want: policy.Ask},

		{name: "Program/the known one", acts: []target{cmd("ls", free, program(nil))}, readOnly: true, want: policy.Allow},
		{name: "Program/another", acts: []target{cmd("ls", free, other)}, readOnly: true, want: policy.Ask},
		{name: "Program/another that would edit", acts: []target{cmd("mv a b", edits, other), path(write, "b")}, mode: policy.ModeAcceptEdits, want: policy.Ask},
		{name: "Program/another, in auto", acts: []target{cmd("mv a b", edits, other), path(write, "b")}, mode: policy.ModeAuto, want: policy.Ask},
		{name: "Program/another, and a rule that spells it", acts: []target{cmd("ls", free, other)}, readOnly: true, set: policy.RuleSet{Allow: []string{"Bash(ls)"}}, want: policy.Allow},
		{name: "Program/another, and a rule with a wildcard", acts: []target{cmd("ls -l", free, other)}, readOnly: true, set: policy.RuleSet{Allow: []string{"Bash(ls:*)"}}, want: policy.Ask},
		{name: "Program/another, and a rule with a star", acts: []target{cmd("ls -l", free, other)}, readOnly: true, set: policy.RuleSet{Allow: []string{"Bash(ls *)"}}, want: policy.Ask},
		{name: "Program/another, and a rule for the tool", acts: []target{cmd("ls -l", free, other)}, readOnly: true, set: policy.RuleSet{Allow: []string{"Bash"}}, want: policy.Allow},
		{name: "Program/another of which nothing is said", acts: []target{cmd("git push", other)}, set: policy.RuleSet{Allow: []string{"Bash(git push:*)"}}, want: policy.Ask},
		{name: "Program/another of which nothing is said, with words behind", acts: []target{cmd("git push x", other)}, set: policy.RuleSet{Allow: []string{"Bash(git push:*)"}}, want: policy.Ask},
		{name: "Program/one that projects bring", acts: []target{cmd("node -v", free, other, brought)}, readOnly: true, want: policy.Ask},
		{name: "Program/one that projects bring, and a rule", acts: []target{cmd("node -v", free, other, brought)}, readOnly: true, set: policy.RuleSet{Allow: []string{"Bash(node:*)"}}, want: policy.Allow},
		{name: "Program/a panic", acts: []target{cmd("ls", free, func(x *target) { x.Shell.VerifyProgram = func() error { panic("oh") } })}, readOnly: true, want: policy.Ask},
		{name: "Program/denied all the same", acts: []target{cmd("ls", free, other)}, readOnly: true, set: policy.RuleSet{Deny: []string{"Bash(ls:*)"}}, want: policy.Deny},

		{name: "Parsed/not", acts: []target{cmd("make")}, set: policy.RuleSet{Allow: []string{"Bash"}, Deny: []string{"Read(.env)"}}, want: policy.Ask},
		{name: "Parsed/parsed", acts: []target{cmd("make", parsed)}, set: policy.RuleSet{Allow: []string{"Bash"}, Deny: []string{"Read(.env)"}}, want: policy.Allow},
		{name: "Parsed/not, and a rule on commands", acts: []target{cmd("make")}, set: policy.RuleSet{Allow: []string{"Bash"}, Deny: []string{"Bash(rm:*)"}}, want: policy.Allow},
		{name: "Parsed/parsed, beside a host that it writes to", acts: []target{cmd("make", parsed), {Kind: policy.Host, Access: write, Value: "h.test"}}, set: policy.RuleSet{Allow: []string{"Bash"}}, want: policy.Allow},
		{name: "Parsed/attached", acts: []target{cmd("make", parsed)}, source: "srv", set: policy.RuleSet{Allow: []string{"mcp__srv"}, Deny: []string{"Read(.env)"}}, want: policy.Ask},
		{name: "Parsed/not, and a hook", acts: []target{cmd("make")}, hook: policy.Allow, set: policy.RuleSet{Ask: []string{"Read(.env)"}}, want: policy.Ask},
		{name: "Parsed/parsed, and a hook", acts: []target{cmd("make", parsed)}, hook: policy.Allow, set: policy.RuleSet{Ask: []string{"Read(.env)"}}, want: policy.Allow},

		{name: "Glob/a name with a star", acts: []target{path(read, "*.go")}, readOnly: true, set: policy.RuleSet{Deny: []string{"Read(./a.go)"}}, want: policy.Allow},
		{name: "Glob/what the star stands for", acts: []target{path(read, "*.go", glob)}, readOnly: true, set: policy.RuleSet{Deny: []string{"Read(./a.go)"}}, want: policy.Deny},
		{name: "Glob/in a directory that a star stands for", acts: []target{path(read, "s?b/out/f", glob)}, readOnly: true, set: policy.RuleSet{Deny: []string{"Read(sub/out/f)"}}, want: policy.Deny},
		{name: "Glob/never a dot at the start", acts: []target{path(read, "*.go", glob)}, readOnly: true, set: policy.RuleSet{Deny: []string{"Read(./.hidden.go)"}}, want: policy.Allow},
		{name: "Glob/of a link that leads outside", acts: []target{path(read, "sub/o*", glob)}, readOnly: true, want: policy.Ask},
		{name: "Glob/an allow rule on one of two", acts: []target{path(write, "[ab].go", glob)}, set: policy.RuleSet{Allow: []string{"Edit(./a.go)"}}, want: policy.Ask},

		{name: "Caution/none", acts: []target{cmd("rm -r /")}, mode: policy.ModeBypass, want: policy.Allow},
		{name: "Caution/said", acts: []target{cmd("rm -r /", careful)}, mode: policy.ModeBypass, want: policy.Ask},
		{name: "Caution/and a rule", acts: []target{cmd("rm -r /", careful)}, set: policy.RuleSet{Allow: []string{"Bash(rm -r /)"}}, want: policy.Ask},
		{name: "Caution/and a hook", acts: []target{cmd("rm -r /", careful)}, hook: policy.Allow, want: policy.Ask},
		{name: "Caution/of a guess", acts: []target{cmd("ls", free), path(read, "/", maybe, careful)}, readOnly: true, want: policy.Ask},
		{name: "Tree/what lies below", acts: []target{path(read, ".", tree)}, readOnly: true, set: policy.RuleSet{Deny: []string{"Read(sub/x)"}}, want: policy.Deny},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := actor{name: "Bash", source: tc.source, traits: pegboard.Traits{ReadOnly: tc.readOnly, Targets: tc.acts}}
			cfg := pegboard.SessionConfig{Dir: dir, Permissions: rules(t, tc.mode, tc.set)}
			if tc.hook != policy.Undecided {
				cfg.Hooks.Pre = func(ctx, *pegboard.HookCall) (policy.Decision, error) {
					return policy.Decision{Behavior: tc.hook}, nil
				}
			}
			pool := a.pool(t, session(t, cfg))
			got := judge(t, pool)
			require.Equal(t, tc.want.String(), got.behavior.String(), got.reason)
		})
	}
}

// TestCommandWithWildcardsNeedsAnExactRule: a command that must not be matched by
// wildcards needs a rule that spells it out.
func TestCommandWithWildcardsNeedsAnExactRule(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		rule  string
		exact bool
		want  policy.Behavior
	}{
		{rule: "Bash(find:*)", want: policy.Allow},
		{rule: "Bash(find:*)", exact: true, want: policy.Ask},
		{rule: "Bash(find *)", exact: true, want: policy.Ask},
		{rule: "Bash(f*)", exact: true, want: policy.Ask},
		{rule: "Bash(find . -delete)", exact: true, want: policy.Allow},
	} {
		a := actor{name: "Bash", traits: pegboard.Traits{Targets: []policy.Target{
			{Kind: policy.Command, Access: policy.Run, Value: "find . -delete", Shell: policy.ShellFacts{NoWildcards: tc.exact}},
		}}}
		pool := a.pool(t, session(t, pegboard.SessionConfig{Permissions: rules(t, "", policy.RuleSet{Allow: []string{tc.rule}})}))
		require.Equal(t, tc.want.String(), judge(t, pool).behavior.String(), "%s, exact: %v", tc.rule, tc.exact)
	}
}

// TestWhatAProgramMayWriteElsewhereNeedsApproval: no table knows what the program does with its
// argument. It is asked about under a rule with a wildcard, and a protected file in any mode.
func TestWhatAProgramMayWriteElsewhereNeedsApproval(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, tt := range []struct {
		path  string
		reads bool
		mode  policy.Mode
		allow []string
		want  policy.Behavior
	}{
		{path: "a", allow: []string{"Bash(x:*)"}, want: policy.Allow},
		{path: "../a", allow: []string{"Bash(x:*)"}, want: policy.Ask},
		{path: "../a", reads: true, allow: []string{"Bash(x:*)"}, want: policy.Allow},
		{path: "../a", allow: []string{"Bash"}, want: policy.Ask},
		{path: "../a", allow: []string{"Bash(x f)"}, want: policy.Allow},
		{path: "../a", allow: []string{"Bash(x:*)", "Edit(//**)"}, want: policy.Allow},
		{path: "../a", mode: policy.ModeBypass, want: policy.Allow},
		{path: ".claude/settings.json", allow: []string{"Bash(x:*)"}, want: policy.Ask},
		{path: ".claude/settings.json", allow: []string{"Bash(x f)"}, want: policy.Ask},
		{path: ".claude/settings.json", mode: policy.ModeBypass, want: policy.Ask},
		{path: ".claude/settings.json", reads: true, mode: policy.ModeBypass, want: policy.Allow},
	} {
		a := actor{name: "Bash", traits: pegboard.Traits{Targets: []policy.Target{
			{Kind: policy.Command, Access: policy.Run, Value: "x f", Shell: policy.ShellFacts{Simple: true}},
			{Kind: policy.Path, Access: policy.Write, Value: tt.path, Shell: policy.ShellFacts{FromCommand: "x f", Guess: true, MayWrite: !tt.reads}},
		}}}
		s := session(t, pegboard.SessionConfig{Dir: dir, Permissions: rules(t, tt.mode, policy.RuleSet{Allow: tt.allow})})
		d := judge(t, a.pool(t, s))
		require.Equal(t, tt.want.String(), d.behavior.String(), "%+v: %s", tt, d.reason)
		if d.behavior == policy.Ask {
			require.Contains(t, d.reason, filepath.Base(tt.path))
		}
	}
}

// TestCommandThatStartsOthers needs a rule for each of them, which may have a wildcard.
func TestCommandThatStartsOthers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		allow  []string
		starts []string
		want   string
	}{
		{name: "a rule for it", allow: []string{"Bash(rm:*)"}, starts: []string{"rm -f x"}, want: "allow"},
		{name: "a rule for one of two", allow: []string{"Bash(rm:*)"}, starts: []string{"rm -f x", "mv x y"}, want: "ask"},
		{name: "a rule for each of two", allow: []string{"Bash(rm:*)", "Bash(mv:*)"}, starts: []string{"rm -f x", "mv x y"}, want: "allow"},
		{name: "a rule for the one that starts them", allow: []string{"Bash(find:*)"}, starts: []string{"rm -f x"}, want: "ask"},
		{name: "nothing is started", allow: []string{"Bash(rm:*)"}, want: "ask"},
	} {
		a := actor{name: "Bash", traits: pegboard.Traits{Targets: []policy.Target{
			{Kind: policy.Command, Access: policy.Run, Value: "find . -exec rm -f {} +", Shell: policy.ShellFacts{NoWildcards: true, Starts: tt.starts}},
		}}}
		require.Equal(t, tt.want, judgeOnce(t, a, pegboard.SessionConfig{}, "", policy.RuleSet{Allow: tt.allow}), tt.name)
	}
}

// TestRuleAmongManyThatMayMatch: how many rules are to be compared with a target does not matter.
func TestRuleAmongManyThatMayMatch(t *testing.T) {
	t.Parallel()
	for n := range 100 {
		var set policy.RuleSet
		for i := range n {
			set.Allow = append(set.Allow, fmt.Sprintf("Edit(*%d)", i))
		}
		set.Allow = append(set.Allow, "Edit(*.txt)")
		a := actor{traits: pegboard.Traits{Targets: []policy.Target{pathTo(policy.Write, "a.txt"), pathTo(policy.Write, "b.txt")}}}
		require.Equal(t, "allow", judgeOnce(t, a, pegboard.SessionConfig{}, "", set), "%d others", n)
	}
}

// An allow rule for the whole tool covers a read-only call without targets.
func TestRuleForTheToolAllowsAReadWithoutTargets(t *testing.T) {
	t.Parallel()
	require.Equal(t, "allow", judgeOnce(t, actor{traits: pegboard.Traits{ReadOnly: true}}, pegboard.SessionConfig{}, policy.ModeDeny, policy.RuleSet{Allow: []string{"T"}}))
}

func TestRuleForTheToolAllowsAnOpenWorldRead(t *testing.T) {
	t.Parallel()
	require.Equal(t, "allow", judgeOnce(t, actor{name: "WebSearch", traits: pegboard.Traits{ReadOnly: true, OpenWorld: true}}, pegboard.SessionConfig{}, "", policy.RuleSet{Allow: []string{"WebSearch"}}))
}

// An attached tool cannot exempt a target by calling it a guess: the claim cannot be
// checked (invariant 5).
func TestAnAttachedToolsGuessCounts(t *testing.T) {
	t.Parallel()
	guess := pathTo(policy.Read, "/elsewhere/f")
	guess.Shell.Guess = true
	a := actor{source: "srv", traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{guess}}}
	require.Equal(t, "ask", judgeOnce(t, a, pegboard.SessionConfig{}, "", policy.RuleSet{}))
}

// In the accept-edits mode an attached tool's edit is asked about, also beside a target
// that an allow rule covers.
func TestAttachedToolsEditIsAskedBesideARule(t *testing.T) {
	t.Parallel()
	ts := []policy.Target{pathTo(policy.Write, "f"), {Kind: policy.Host, Value: "h.test"}}
	set := policy.RuleSet{Allow: []string{"WebFetch(domain:h.test)"}}
	require.Equal(t, "ask", judgeOnce(t, actor{source: "srv", traits: pegboard.Traits{Targets: ts[:1]}}, pegboard.SessionConfig{}, policy.ModeAcceptEdits, set))
	require.Equal(t, "ask", judgeOnce(t, actor{source: "srv", traits: pegboard.Traits{Targets: ts}}, pegboard.SessionConfig{}, policy.ModeAcceptEdits, set))
}

// TestFilteredIsNotTakenFromAttachedTools: an attached tool's claim to filter cannot be
// checked, so it does not count.
func TestFilteredIsNotTakenFromAttachedTools(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]policy.Behavior{"": policy.Allow, "srv": policy.Deny} {
		a := reading(policy.Target{Value: ".", Tree: true, Filtered: true})
		a.source = source
		pool := a.pool(t, session(t, pegboard.SessionConfig{Permissions: rules(t, policy.ModeBypass, policy.RuleSet{Deny: []string{"Read(./secret)"}})}))
		require.Equal(t, want.String(), judge(t, pool).behavior.String(), source)
	}
}

// Writing a tree is asked about when a protected folder such as .git lies below it, not
// only when it is the tree itself.
func TestWritingATreeAsksAboutProtectedPathsBelow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "sub", ".git", "hooks"), 0o700))
	tree := pathTo(policy.Write, "sub")
	tree.Tree = true
	require.Equal(t, "ask", judgeOnce(t, actor{traits: pegboard.Traits{Targets: []policy.Target{tree}}}, pegboard.SessionConfig{Dir: dir}, policy.ModeAcceptEdits, policy.RuleSet{}))
}

// TestReasonOfReadingIsTrue: a call that read a resource, or did not say what it reads, was
// said to read inside the working directories.
func TestReasonOfReadingIsTrue(t *testing.T) {
	t.Parallel()
	thing := policy.Target{Kind: policy.Resource, Access: policy.Read, Value: "orders"}
	guess := thing
	guess.Shell.Guess = true
	for want, targets := range map[string][]policy.Target{
		"its tool says that it only reads, on this machine, and nothing that rules are about": nil,
		"its tool says that it only reads, on this machine":                                   {pathTo(policy.Read, "f"), thing},
		"it only reads, inside the working directories":                                       {pathTo(policy.Read, "f"), guess},
	} {
		a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: targets}}
		require.Equal(t, want, judge(t, a.pool(t, session(t, pegboard.SessionConfig{}))).reason)
	}
}

// The deny mode wants an allow rule for every target that the tool itself does not
// allow.
func TestModeDenyWantsARuleForEachTarget(t *testing.T) {
	t.Parallel()
	require.Equal(t, "allow", judgeOnce(t, actor{own: policy.Decision{Behavior: policy.Allow}}, pegboard.SessionConfig{}, policy.ModeDeny, policy.RuleSet{}))
	a := actor{traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{pathTo(policy.Read, "f"), {Kind: policy.Resource, Value: "r"}}}}
	require.Equal(t, "deny", judgeOnce(t, a, pegboard.SessionConfig{}, policy.ModeDeny, policy.RuleSet{Allow: []string{"T(r)"}}))
}

// Bypass mode asks about an opaque target while a deny rule could be about it, and
// allows it otherwise.
func TestBypassAsksAboutAnOpaqueTarget(t *testing.T) {
	t.Parallel()
	computed := actor{traits: pegboard.Traits{Targets: []policy.Target{{Value: "the name of a command is computed"}}}}
	tests := []struct {
		name string
		a    actor
		set  policy.RuleSet
		want string
	}{
		{name: "no rule", a: computed, want: "allow"},
		{name: "a rule that could be about it", a: computed, set: policy.RuleSet{Deny: []string{"Read(.env)"}}, want: "ask"},
		{name: "a rule on another tool", a: computed, set: policy.RuleSet{Deny: []string{"Other(x)"}}, want: "allow"},
		{name: "a tool that says nothing", set: policy.RuleSet{Deny: []string{"Read(.env)"}}, want: "allow"},
	}
	for _, tc := range tests {
		require.Equal(t, tc.want, judgeOnce(t, tc.a, pegboard.SessionConfig{}, policy.ModeBypass, tc.set), tc.name)
	}
}

func TestWhyNotAllowedNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	read := []policy.Target{{Kind: policy.Path, Access: policy.Read, Value: "f"}}
	tests := []struct {
		name   string
		source string
		traits pegboard.Traits
		want   string
		not    string
	}{
		{name: "a server says that it reads", source: "fs", traits: pegboard.Traits{Destructive: true, OpenWorld: true, Targets: []policy.Target{{Kind: policy.Resource, Access: policy.Read, Value: "mcp:fs"}}}, want: "wants to read mcp:fs, as fs says", not: "undone"},
		{name: "a server", source: "fs", traits: pegboard.Traits{Destructive: true, OpenWorld: true, Targets: []policy.Target{{Kind: policy.Resource, Value: "mcp:fs"}}}, want: "mcp:fs and cannot be undone"},
		{name: "no target, beyond this machine", traits: pegboard.Traits{ReadOnly: true, OpenWorld: true}, want: "T wants to read something that it does not name, beyond this machine", not: "to ,"},
		{name: "a read target without ReadOnly", traits: pegboard.Traits{Targets: read}, want: "does not declare that it changes nothing (Traits.ReadOnly)"},
		{name: "a read target with ReadOnly, beyond this machine", traits: pegboard.Traits{ReadOnly: true, OpenWorld: true, Targets: read}, want: ", beyond this machine", not: "Traits.ReadOnly"},
		{name: "destructive", traits: pegboard.Traits{Destructive: true}, want: "and cannot be undone"},
		{name: "this machine", traits: pegboard.Traits{OpenWorld: true, Targets: []policy.Target{policy.Reaches("localhost"), policy.Reaches("127.0.0.1"), policy.Reaches("::1")}}, want: "localhost", not: "beyond"},
		{name: "this machine and another", traits: pegboard.Traits{OpenWorld: true, Targets: []policy.Target{policy.Reaches("localhost"), policy.Reaches("a.example")}}, want: ", beyond this machine"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := actor{name: "T", source: tc.source, traits: tc.traits}
			pool := a.pool(t, session(t, pegboard.SessionConfig{}))
			d := pool.Decide(t.Context(), pegboard.Call{Name: names(pool)[0], Input: []byte(`{}`)})
			require.Equal(t, policy.Ask, d.Behavior)
			require.Contains(t, d.Reason, tc.want)
			if tc.not != "" {
				require.NotContains(t, d.Reason, tc.not)
			}
		})
	}
}

// TestReadOnlyCallThatNamesNothingIsAskedAboutWhereRulesSpeakOfPlaces: no rule can be compared with
// what it reads.
func TestReadOnlyCallThatNamesNothingIsAskedAboutWhereRulesSpeakOfPlaces(t *testing.T) {
	t.Parallel()
	silent := actor{name: "Look", traits: pegboard.Traits{ReadOnly: true}, call: func(ctx, *pegboard.Call) error { return nil }}
	names := actor{name: "Look", traits: readsData, call: func(ctx, *pegboard.Call) error { return nil }}
	tests := []struct {
		set   policy.RuleSet
		asked bool
	}{
		{set: policy.RuleSet{}},
		{set: policy.RuleSet{Deny: []string{"Read(//etc/hostname)"}}, asked: true},
		{set: policy.RuleSet{Deny: []string{"Edit(*.env)"}}, asked: true},
		{set: policy.RuleSet{Ask: []string{"WebFetch(domain:example.com)"}}, asked: true},
		{set: policy.RuleSet{Deny: []string{"Bash(rm *)"}}, asked: true},
		{set: policy.RuleSet{Deny: []string{"Other", "Agent(x)"}}},
		{set: policy.RuleSet{Allow: []string{"Read(src/**)"}}},
	}
	for _, tt := range tests {
		for _, a := range []actor{silent, names} {
			s := session(t, pegboard.SessionConfig{Permissions: rules(t, "", tt.set)})
			ex := executor(pegboard.Executor{})
			out := ex.Run(t.Context(), a.pool(t, s), call("1", "Look", `{}`))[0]
			if tt.asked && len(a.traits.Targets) == 0 {
				require.ErrorIs(t, out.Err, pegboard.ErrNoApprover, "%v", tt.set)
			} else {
				require.NoError(t, out.Err, "%v", tt.set)
			}
		}
	}
}

// TestReadOnlyToolWithAPathInNoTargetIsNotBuilt: no rule could be about that path.
func TestReadOnlyToolWithAPathInNoTargetIsNotBuilt(t *testing.T) {
	t.Parallel()
	type path struct {
		FilePath string `json:"file_path"`
	}
	type address struct {
		URL string `json:"targetURL"`
	}
	type text struct {
		Profile string `json:"profile"`
	}
	place := func(err error, property string) {
		t.Helper()
		require.ErrorContains(t, err, "rules cannot see what the property "+property+" names")
	}
	place(buildLook[path](pegboard.Traits{ReadOnly: true}), "file_path")
	place(buildLook[address](pegboard.Traits{ReadOnly: true}), "targetURL")
	require.NoError(t, buildLook[path](readsData))
	require.NoError(t, buildLook[path](pegboard.Traits{}))
	require.NoError(t, buildLook[text](pegboard.Traits{ReadOnly: true}))
}

func buildLook[In any](traits pegboard.Traits) error {
	_, err := pegboard.TryBuild(pegboard.Definition[In, string]{
		Info: pegboard.Info{Name: "Look"}, Description: "Looks.", Traits: traits,
		Call: func(ctx, In, *pegboard.Call) (string, error) { return "", nil },
	})
	return err
}

func preHook(d policy.Decision) pegboard.SessionConfig {
	return pegboard.SessionConfig{Hooks: pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (policy.Decision, error) { return d, nil }}}
}

func TestHooksAskNeedsNoReason(t *testing.T) {
	t.Parallel()
	require.Equal(t, "ask", judgeOnce(t, actor{}, preHook(policy.Decision{Behavior: policy.Ask}), "", policy.RuleSet{Allow: []string{"T"}}))
}

func TestToolsAskNeedsNoReason(t *testing.T) {
	t.Parallel()
	require.Equal(t, "ask", judgeOnce(t, actor{own: policy.Decision{Behavior: policy.Ask}}, pegboard.SessionConfig{}, policy.ModeBypass, policy.RuleSet{}))
}

func TestAskWithoutReasonDoesNotHideAskReason(t *testing.T) {
	t.Parallel()
	a := actor{own: policy.Decision{Behavior: policy.Ask}, traits: pegboard.Traits{Targets: []policy.Target{{Kind: policy.Command, Access: policy.Run, Value: "rm -r /", AskReason: "all gone"}}}}
	require.Equal(t, "ask", judgeOnce(t, a, pegboard.SessionConfig{}, policy.ModeBypass, policy.RuleSet{}))
}

// Only deny and ask rules look at a guess. The tool's own Allow stands beside it.
func TestGuessDoesNotUndoTheToolsAllow(t *testing.T) {
	t.Parallel()
	guess := pathTo(policy.Read, "/elsewhere/f")
	guess.Shell.Guess = true
	a := actor{own: policy.Decision{Behavior: policy.Allow}, traits: pegboard.Traits{Targets: []policy.Target{guess}}}
	require.Equal(t, "allow", judgeOnce(t, a, pegboard.SessionConfig{}, "", policy.RuleSet{}))
}

// TestToolsAllowCoversReadableFiles: a directory that the session may only read, such as that of
// stored results, counts for a tool's own Allow where the call reads, and not where it writes.
func TestToolsAllowCoversReadableFiles(t *testing.T) {
	t.Parallel()
	readable := t.TempDir()
	for _, tt := range []struct {
		access policy.Access
		dir    string
		want   string
	}{
		{policy.Read, readable, "allow"},
		{policy.Write, readable, "ask"},
		{policy.Read, t.TempDir(), "ask"},
	} {
		s := session(t, pegboard.SessionConfig{Permissions: rules(t, policy.ModeDefault, policy.RuleSet{})})
		s.AllowReads(readable)
		a := actor{name: "T", own: policy.Decision{Behavior: policy.Allow}, traits: pegboard.Traits{Targets: []policy.Target{
			{Kind: policy.Resource, Value: "the user"}, pathTo(tt.access, tt.dir+"/f"),
		}}}
		require.Equal(t, tt.want, judge(t, a.pool(t, s)).behavior.String())
	}
}

// TestInvalidOpinionDenies, whether a hook or the tool has it, and whatever the other
// says.
func TestInvalidOpinionDenies(t *testing.T) {
	t.Parallel()
	hook := func(b policy.Behavior) pegboard.Hooks {
		return pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (policy.Decision, error) {
			return policy.Decision{Behavior: b, Reason: "so it said"}, nil
		}}
	}
	for _, none := range []policy.Behavior{policy.Deny + 1, -1, 1 << 30} {
		for name, x := range map[string]struct {
			hooks pegboard.Hooks
			own   policy.Behavior
		}{
			"hook":               {hooks: hook(none)},
			"hook over the tool": {hooks: hook(none), own: policy.Deny},
			"first of two hooks": {hooks: pegboard.JoinHooks(hook(none), hook(policy.Allow))},
			"last of two hooks":  {hooks: pegboard.JoinHooks(hook(policy.Allow), hook(none))},
			"tool":               {own: none},
		} {
			t.Run(fmt.Sprintf("%s %d", name, none), func(t *testing.T) {
				t.Parallel()
				a := actor{name: "T", own: policy.Decision{Behavior: x.own, Reason: "so it said"}}
				cfg := bypass(t)
				cfg.Hooks = x.hooks
				require.Equal(t, policy.Deny.String(), judge(t, a.pool(t, session(t, cfg))).behavior.String())
			})
		}
	}
}

// TestHooksAllowDoesNotCoverAnOpaqueTarget while a deny or ask pattern could be about
// it: the hook cannot see it either.
func TestHooksAllowDoesNotCoverAnOpaqueTarget(t *testing.T) {
	t.Parallel()
	command := []policy.Target{{Kind: policy.Command, Access: policy.Run, Value: "make"}}
	path := []policy.Target{{Kind: policy.Path, Value: "f"}}
	tests := []struct {
		name string
		acts []policy.Target
		set  policy.RuleSet
		want policy.Behavior
	}{
		{name: "no rule", want: policy.Allow},
		{name: "deny pattern of paths", set: policy.RuleSet{Deny: []string{"Read(.env)"}}, want: policy.Ask},
		{name: "ask pattern of hosts", set: policy.RuleSet{Ask: []string{"WebFetch(domain:a.test)"}}, want: policy.Ask},
		{name: "deny pattern of the tool", set: policy.RuleSet{Deny: []string{"T(x)"}}, want: policy.Ask},
		{name: "deny pattern of another tool", set: policy.RuleSet{Deny: []string{"Other(x)"}}, want: policy.Allow},
		{name: "beside what can be seen", acts: append(path, policy.Target{}), set: policy.RuleSet{Deny: []string{"Read(.env)"}}, want: policy.Ask},
		{name: "a command", acts: command, set: policy.RuleSet{Deny: []string{"Read(.env)"}}, want: policy.Ask},
		{name: "what can be seen", acts: path, set: policy.RuleSet{Deny: []string{"Read(.env)"}}, want: policy.Allow},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := actor{name: "T", traits: pegboard.Traits{Targets: tc.acts}}
			s := session(t, pegboard.SessionConfig{Permissions: rules(t, "", tc.set), Hooks: pegboard.Hooks{
				Pre: func(ctx, *pegboard.HookCall) (policy.Decision, error) {
					return policy.Decision{Behavior: policy.Allow}, nil
				},
			}})
			require.Equal(t, tc.want.String(), judge(t, a.pool(t, s)).behavior.String())
		})
	}
}

// TestHooksAllowIsNeverStricter than no word of the hook.
func TestHooksAllowIsNeverStricter(t *testing.T) {
	t.Parallel()
	a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{{Kind: policy.Command, Access: policy.Run, Value: "ls", Shell: policy.ShellFacts{ReadOnly: true}}}}}
	for _, b := range []policy.Behavior{policy.Undecided, policy.Allow} {
		s := session(t, pegboard.SessionConfig{Permissions: rules(t, "", policy.RuleSet{Deny: []string{"Read(.env)"}}), Hooks: pegboard.Hooks{
			Pre: func(ctx, *pegboard.HookCall) (policy.Decision, error) { return policy.Decision{Behavior: b}, nil },
		}})
		require.Equal(t, policy.Allow.String(), judge(t, a.pool(t, s)).behavior.String(), b.String())
	}
}

// policy returns random permissions.
func (d dice) policy(t testing.TB) policy.Permissions {
	t.Helper()
	mode, _ := d.mode(laxest)
	return rules(t, mode, policy.RuleSet{Allow: d.rules(3), Ask: d.rules(2), Deny: d.rules(1)})
}

// opinion returns one that a hook or a tool may have.
func (d dice) opinion() policy.Decision {
	b := one(d, policy.Undecided, policy.Allow, policy.Allow, policy.Ask, policy.Deny)
	return policy.Decision{Behavior: b, Reason: "its word"}
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
		on := func(pre func(ctx, *pegboard.HookCall) (policy.Decision, error)) verdict {
			pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: dir, Classifier: undecided, Hooks: pegboard.Hooks{Pre: pre}}))
			require.NoError(t, pool.Session().SetPermissions(p))
			return judge(t, pool)
		}
		base := on(nil)
		got := on(func(ctx, *pegboard.HookCall) (policy.Decision, error) { return said, nil })
		at := "seed %d: %+v, the hook says %v\nunder %v: %s\nand with the hook: %s"
		with := []any{seed, a.traits, said.Behavior, p, base.reason, got.reason}
		switch said.Behavior {
		case policy.Undecided:
			require.Equal(t, base, got, append([]any{at}, with...)...)
		case policy.Allow:
			require.LessOrEqual(t, got.behavior, base.behavior, append([]any{at}, with...)...)
		default:
			require.GreaterOrEqual(t, got.behavior, max(base.behavior, said.Behavior), append([]any{at}, with...)...)
		}
		if base.behavior > policy.Allow && (base.rule != "" || a.user || cautious(&a)) {
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
	return slices.ContainsFunc(a.traits.Targets, func(x policy.Target) bool { return x.AskReason != "" })
}

// talkative is a wrapper that overrides every stage before the call.
type talkative struct {
	pegboard.Tool
	own    policy.Decision
	traits *pegboard.Traits // if it has something to say of that
}

func (w talkative) Permit(ctx, *pegboard.Call) policy.Decision { return w.own }

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
		a.own, a.source = policy.Decision{}, ""
		mode, _ := d.mode(laxest)
		set := policy.RuleSet{Allow: d.rules(2), Ask: d.rules(2), Deny: d.rules(2)}
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
		if base.rule == "" || base.behavior == policy.Allow {
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
		p := rules(t, mode, policy.RuleSet{Allow: d.rules(3), Ask: d.rules(1), Deny: d.rules(1)})
		pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: dir, Classifier: undecided}))
		require.NoError(t, pool.Session().SetPermissions(p))
		before := judge(t, pool)
		with := func(set policy.RuleSet) verdict {
			more, err := p.WithRules(set)
			require.NoError(t, err)
			require.NoError(t, pool.Session().SetPermissions(more))
			return judge(t, pool)
		}
		denied := with(policy.RuleSet{Deny: d.rules(2)})
		require.GreaterOrEqual(t, denied.behavior, before.behavior, "seed %d: %+v\nwith %v: %s", seed, a.traits, p, denied.reason)
		asked := with(policy.RuleSet{Ask: d.rules(2)})
		require.GreaterOrEqual(t, asked.behavior, before.behavior, "seed %d: %+v\nwith %v: %s", seed, a.traits, p, asked.reason)
	}
}

// TestCallsInASandbox need no permission, and an ask rule for the whole tool is not about
// them. All else is as without a sandbox.
func TestCallsInASandbox(t *testing.T) {
	t.Parallel()
	line := func(text string) policy.Target {
		return policy.Target{Kind: policy.Command, Access: policy.Run, Value: text, Shell: policy.ShellFacts{Simple: true}}
	}
	unknown := policy.Target{Kind: policy.Opaque, Value: "a computed name"}
	critical := line("rm -r /")
	critical.AskReason = "all gone"
	for _, tc := range []struct {
		name    string
		target  policy.Target
		mode    policy.Mode
		set     policy.RuleSet
		source  string
		reaches bool   // other machines
		outside string // without the sandbox
		inside  string
	}{
		{name: "no rules", target: line("make"), outside: "ask", inside: "allow"},
		{name: "a call that reaches other machines", target: line("curl x.org"), reaches: true, outside: "ask", inside: "ask"},
		{name: "an ask rule for the tool", target: line("make"), set: policy.RuleSet{Ask: []string{"Bash"}}, outside: "ask", inside: "allow"},
		{name: "and an allow rule", target: line("make"), set: policy.RuleSet{Ask: []string{"Bash"}, Allow: []string{"Bash"}}, outside: "ask", inside: "allow"},
		{name: "in plan mode", target: line("make"), mode: policy.ModePlan, set: policy.RuleSet{Ask: []string{"Bash"}}, outside: "ask", inside: "ask"},
		{name: "in plan mode with an allow rule", target: line("make"), mode: policy.ModePlan, set: policy.RuleSet{Ask: []string{"Bash"}, Allow: []string{"Bash"}}, outside: "ask", inside: "ask"},
		{name: "in plan mode without rules", target: line("make"), mode: policy.ModePlan, outside: "ask", inside: "ask"},
		{name: "in the mode that asks about everything", target: line("make"), mode: policy.ModeAsk, outside: "ask", inside: "ask"},
		{name: "in the mode that denies everything", target: line("make"), mode: policy.ModeDeny, outside: "deny", inside: "deny"},
		{name: "in the mode that asks nobody", target: line("make"), mode: policy.ModeDontAsk, outside: "deny", inside: "allow"},
		{name: "an ask rule for the line", target: line("make x"), set: policy.RuleSet{Ask: []string{"Bash", "Bash(make:*)"}}, outside: "ask", inside: "ask"},
		{name: "an ask rule for many tools", target: line("make"), set: policy.RuleSet{Ask: []string{"B*"}}, outside: "ask", inside: "ask"},
		{name: "a deny rule for the line", target: line("make x"), set: policy.RuleSet{Deny: []string{"Bash(make:*)"}}, outside: "deny", inside: "deny"},
		{name: "a deny rule for the tool", target: line("make"), set: policy.RuleSet{Deny: []string{"Bash"}}, outside: "deny", inside: "deny"},
		{name: "in bypass mode", target: line("make"), mode: policy.ModeBypass, set: policy.RuleSet{Ask: []string{"Bash"}}, outside: "ask", inside: "allow"},
		{name: "a critical removal", target: critical, mode: policy.ModeBypass, outside: "ask", inside: "ask"},
		{name: "unseen, without rules", target: unknown, outside: "ask", inside: "allow"},
		{name: "unseen, with a deny rule", target: unknown, set: policy.RuleSet{Deny: []string{"Bash(rm:*)"}}, outside: "ask", inside: "ask"},
		{name: "unseen, with an ask rule", target: unknown, set: policy.RuleSet{Ask: []string{"Bash(rm:*)"}}, outside: "ask", inside: "ask"},
		{name: "a file outside", target: pathTo(policy.Write, "/elsewhere/f"), outside: "ask", inside: "ask"},
		{name: "a file inside", target: pathTo(policy.Write, "f"), outside: "ask", inside: "allow"},
		{name: "a file that other programs trust", target: pathTo(policy.Write, ".envrc"), outside: "ask", inside: "ask"},
		{name: "an attached tool", target: line("make"), source: "s", set: policy.RuleSet{Ask: []string{"mcp__s__Bash"}}, outside: "ask", inside: "ask"},
		{name: "an attached tool that is allowed", target: line("make"), source: "s", set: policy.RuleSet{Allow: []string{"mcp__s__Bash"}}, outside: "allow", inside: "allow"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for sandboxed, want := range map[bool]string{false: tc.outside, true: tc.inside} {
				a := actor{name: "Bash", source: tc.source, traits: pegboard.Traits{Targets: []policy.Target{tc.target}, Sandboxed: sandboxed, OpenWorld: tc.reaches}}
				require.Equal(t, want, judgeOnce(t, a, pegboard.SessionConfig{}, tc.mode, tc.set), "sandboxed: %v", sandboxed)
			}
		})
	}
}

// TestACallKnowsItsDecision while it runs, and what it changes there stays there.
func TestACallKnowsItsDecision(t *testing.T) {
	t.Parallel()
	var before, during *policy.Decision
	a := actor{name: "T", traits: pegboard.Traits{Targets: []policy.Target{pathTo(policy.Write, "f")}}, call: func(_ ctx, c *pegboard.Call) error {
		d := c.Decision()
		during = &d
		d.Rule.Tool = "changed"
		return nil
	}}
	cfg := pegboard.SessionConfig{Hooks: pegboard.Hooks{Pre: func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
		d := h.Call.Decision()
		before = &d
		return policy.Decision{}, nil
	}}}
	pool := a.pool(t, session(t, cfg))
	require.NoError(t, pool.Session().SetPermissions(rules(t, "", policy.RuleSet{Allow: []string{"T"}})))
	ex := executor(pegboard.Executor{})
	out := ex.Run(t.Context(), pool, call("1", "T", ``))[0]
	require.NoError(t, out.Err)
	require.Equal(t, policy.Decision{}, *before)
	require.Equal(t, policy.Allow, during.Behavior)
	require.Equal(t, policy.ByRule, during.By)
	require.Equal(t, "T", out.Decision.Rule.Tool)
	require.Equal(t, policy.Decision{}, (&pegboard.Call{}).Decision())
}
