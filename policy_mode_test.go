package pegboard_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// inModes is the decision about a call in every mode: a letter for each of
// modeColumns, a for allow, q for a question, d for deny.
type inModes string

// modeColumns are the modes in the order of the letters of inModes.
func modeColumns() []policy.Mode {
	return []policy.Mode{
		policy.ModeDefault, policy.ModeAcceptEdits, policy.ModePlan, policy.ModeAuto,
		policy.ModeDontAsk, policy.ModeBypass, policy.ModeAsk, policy.ModeDeny,
	}
}

// inEveryMode returns the decision about a's calls in each mode. Without a hook, Decide
// must agree with the executor; hooks are called by the executor only.
func inEveryMode(t *testing.T, a *actor, cfg pegboard.SessionConfig, hook policy.Behavior, set policy.RuleSet) inModes {
	t.Helper()
	letter := map[policy.Behavior]byte{policy.Allow: 'a', policy.Ask: 'q', policy.Deny: 'd'}
	cfg.Classifier = undecided
	if hook != policy.Undecided {
		cfg.Hooks.Pre = func(ctx, *pegboard.HookCall) (policy.Decision, error) {
			return policy.Decision{Behavior: hook, Reason: "the hook's word"}, nil
		}
	}
	pool := a.pool(t, session(t, cfg))
	var row []byte
	for i, mode := range modeColumns() {
		if i > 0 {
			row = append(row, ' ')
		}
		require.NoError(t, pool.Session().SetPermissions(rules(t, mode, set)))
		got := judge(t, pool)
		row = append(row, letter[got.behavior])
		if hook == policy.Undecided {
			trace := pool.ExplainDecision(t.Context(), call("1", names(pool)[0], ``))
			require.Equal(t, got.behavior.String(), trace.Decision.Behavior.String(), "%s: %s", mode, trace)
		}
	}
	return inModes(row)
}

func TestModes(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "f")
	read := func(v string) policy.Target {
		return policy.Target{Kind: policy.Path, Access: policy.Read, Value: v}
	}
	write := func(v string) policy.Target { return policy.Target{Kind: policy.Path, Value: v} }
	execute := policy.Target{Kind: policy.Path, Access: policy.Run, Value: "f"}
	free := policy.Target{Kind: policy.Command, Access: policy.Run, Value: "ls", Shell: policy.ShellFacts{ReadOnly: true, Simple: true}}
	vetoed := free
	vetoed.Shell.VerifyReadOnly = func() error { return errors.New("the repository runs a program") }
	edits := policy.Target{Kind: policy.Command, Access: policy.Run, Value: "mkdir d", Shell: policy.ShellFacts{EditsOnly: true, Simple: true}}
	made := policy.Target{Kind: policy.Path, Value: "d", Shell: policy.ShellFacts{FromCommand: "mkdir d"}}
	unknown := policy.Target{Kind: policy.Command, Access: policy.Run, Value: "make"}
	fatal := policy.Target{Kind: policy.Command, Access: policy.Run, Value: "rm -r ~", AskReason: "it removes the home directory"}
	host := policy.Target{Kind: policy.Host, Access: policy.Read, Value: "example.com"}
	thing := policy.Target{Kind: policy.Resource, Access: policy.Read, Value: "orders"}
	reads := func(ts ...policy.Target) actor {
		return actor{traits: pegboard.Traits{ReadOnly: true, Targets: ts}}
	}
	acts := func(ts ...policy.Target) actor { return actor{traits: pegboard.Traits{Targets: ts}} }
	agent := policy.Target{Kind: policy.Agent, Access: policy.Run, Value: "Explore"}
	own := func(ts ...policy.Target) actor {
		return actor{traits: pegboard.Traits{Own: true, Targets: ts}}
	}
	named := func(a actor, name string) actor { a.name = name; return a }
	from := func(a actor, source string) actor { a.source = source; return a }
	only := func(a actor) actor { a.user = true; return a }
	says := func(a actor, b policy.Behavior) actor {
		a.own = policy.Decision{Behavior: b, Reason: "the tool's word"}
		return a
	}
	allows := func(list ...string) policy.RuleSet { return policy.RuleSet{Allow: list} }
	asks := func(list ...string) policy.RuleSet { return policy.RuleSet{Ask: list} }
	denies := func(list ...string) policy.RuleSet { return policy.RuleSet{Deny: list} }
	tests := []struct {
		name  string
		actor actor // named T, unless it says otherwise
		set   policy.RuleSet
		hook  policy.Behavior
		want  inModes // default acceptEdits plan auto dontAsk bypass ask deny
	}{
		{name: "read inside", actor: reads(read("f")), want: "a a a a a a q d"},
		{name: "read outside", actor: reads(read(outside)), want: "q q q q d a q d"},
		{name: "one of two reads outside", actor: reads(read("f"), read(outside)), want: "q q q q d a q d"},
		{name: "read inside, beyond this machine", actor: actor{traits: pegboard.Traits{ReadOnly: true, OpenWorld: true, Targets: []policy.Target{read("f")}}}, want: "q q q q d a q d"},
		{name: "edit inside", actor: acts(write("f")), want: "q a d a d a q d"},
		{name: "edit inside by an attached tool", actor: from(acts(write("f")), "srv"), want: "q q d q d a q d"},
		{name: "reads and says not what", actor: reads(), want: "a a a a a a q d"},
		{name: "reads a resource, and says so", actor: reads(thing), want: "a a a a a a q d"},
		{name: "reads a resource and a file inside", actor: reads(thing, read("f")), want: "a a a a a a q d"},
		{name: "reads a resource and a file outside", actor: reads(thing, read(outside)), want: "q q q q d a q d"},
		{name: "reads a resource beyond this machine", actor: actor{traits: pegboard.Traits{ReadOnly: true, OpenWorld: true, Targets: []policy.Target{thing}}}, want: "q q q q d a q d"},
		{name: "reads a resource, attached", actor: from(reads(thing), "srv"), want: "q q q q d a q d"},
		{name: "reads a resource, and may write", actor: acts(thing), want: "q q q q d a q d"},
		{name: "reads a resource that it writes", actor: reads(policy.Target{Kind: policy.Resource, Value: "orders"}), want: "q q q q d a q d"},
		{name: "reads a resource that is denied", actor: reads(thing), set: denies("T(orders)"), want: "d d d d d d d d"},
		{name: "own, and the tool allows it", actor: says(own(agent), policy.Allow), want: "a a a a a a q a"},
		{name: "a message, and the tool allows it", actor: says(acts(agent), policy.Allow), want: "a a q a a a q a"},
		{name: "own, a list", actor: says(own(policy.Target{Kind: policy.Resource, Value: "tasks"}), policy.Allow), want: "a a a a a a q a"},
		{name: "own, a skill", actor: says(own(policy.Target{Kind: policy.Skill, Access: policy.Run, Value: "pdf"}), policy.Allow), want: "a a a a a a q a"},
		{name: "own, and the tool does not allow it", actor: own(agent), want: "q q q q d a q d"},
		{name: "own, not said what", actor: says(own(), policy.Allow), want: "a a q a a a q a"},
		{name: "own, and opaque", actor: says(own(agent, policy.Target{}), policy.Allow), want: "a a q a a a q a"},
		{name: "own, and a path", actor: says(own(agent, read("f")), policy.Allow), want: "a a q a a a q a"},
		{name: "own, and a write", actor: says(own(agent, write("f")), policy.Allow), want: "a a d a a a q a"},
		{name: "own, and a command", actor: says(own(agent, free), policy.Allow), want: "a a q a a a q a"},
		{name: "own, and a host", actor: says(own(agent, host), policy.Allow), want: "a a q a a a q a"},
		{name: "own, attached", actor: from(says(own(agent), policy.Allow), "srv"), want: "q q q q d a q d"},
		{name: "own, denied", actor: says(own(agent), policy.Allow), set: denies("T(Explore)"), want: "d d d d d d d d"},
		{name: "own, asked about", actor: says(own(agent), policy.Allow), set: asks("T"), want: "q q q q d q q d"},
		{name: "own, and a hook asks", actor: says(own(agent), policy.Allow), hook: policy.Ask, want: "q q q q d q q d"},
		{name: "edit inside, beyond this machine", actor: actor{traits: pegboard.Traits{OpenWorld: true, Targets: []policy.Target{write("f")}}}, want: "q q d q d a q d"},
		{name: "edit outside", actor: acts(write(outside)), want: "q q d q d a q d"},
		{name: "read and edit inside", actor: acts(read("f"), write("f")), want: "q a d a d a q d"},
		{name: "edit inside and out", actor: acts(write("f"), write(outside)), want: "q q d q d a q d"},
		{name: "read inside by a tool that may write", actor: acts(read("f")), want: "q q q q d a q d"},
		{name: "a file is run", actor: acts(execute), want: "q q q q d a q d"},
		{name: "free command", actor: reads(free), want: "a a a a a a q d"},
		{name: "free command that is vetoed", actor: reads(vetoed), want: "q q q q d a q d"},
		{name: "free command and a read outside", actor: reads(free, read(outside)), want: "q q q q d a q d"},
		{name: "command that edits", actor: acts(edits, made), want: "q a d a d a q d"},
		{name: "command that edits outside", actor: acts(edits, write(outside)), want: "q q d q d a q d"},
		{name: "command that edits, attached", actor: from(acts(edits, made), "srv"), want: "q q d q d a q d"},
		{name: "unknown command", actor: acts(unknown), want: "q q q q d a q d"},
		{name: "unknown command and an edit", actor: acts(unknown, write("f")), want: "q q d q d a q d"},
		{name: "command that must not happen unseen", actor: acts(fatal), want: "q q q q d q q d"},
		{name: "the same with every leave", actor: says(acts(fatal), policy.Allow), set: allows("T"), hook: policy.Allow, want: "q q q q d q q d"},
		{name: "edit of what runs programs", actor: acts(write(".git/hooks/pre-commit")), want: "q q d q d q q d"},
		{name: "the same with every leave", actor: says(acts(write(".git/hooks/pre-commit")), policy.Allow), set: allows("T", "Edit(.git/**)"), hook: policy.Allow, want: "q q d q d q q d"},
		{name: "edit of what runs programs, outside", actor: acts(write("~/.bashrc")), want: "q q d q d q q d"},
		{name: "edit by its other name", actor: acts(policy.Target{Kind: policy.Path, Value: "f", Aliases: []string{".npmrc"}}), want: "q q d q d q q d"},
		{name: "edit of it under a star", actor: acts(policy.Target{Kind: policy.Path, Value: ".vs*/x", Shell: policy.ShellFacts{Glob: true}}), want: "q q d q d q q d"},
		{name: "read of what runs programs", actor: reads(read(".git/hooks/pre-commit")), want: "a a a a a a q d"},
		{name: "run of what runs programs", actor: acts(policy.Target{Kind: policy.Path, Access: policy.Run, Value: ".husky/x"}), want: "q q q q d q q d"},
		{name: "opaque", want: "q q q q d a q d"},
		{name: "opaque, said to read", actor: reads(policy.Target{}), want: "q q q q d a q d"},
		{name: "reads nothing that has a name", actor: reads(), want: "a a a a a a q d"},
		{name: "the same, attached", actor: from(reads(), "srv"), want: "q q q q d a q d"},
		{name: "host", actor: actor{traits: pegboard.Traits{ReadOnly: true, OpenWorld: true, Targets: []policy.Target{host}}}, want: "q q q q d a q d"},
		{name: "only a person", actor: only(reads(read("f"))), want: "q q q q d q q d"},
		{name: "only a person, with every leave", actor: only(says(acts(write("f")), policy.Allow)), set: allows("T", "Edit(f)"), hook: policy.Allow, want: "q q d q d q q d"},

		{name: "deny rule", actor: says(reads(read("f")), policy.Allow), set: denies("Read(f)"), hook: policy.Allow, want: "d d d d d d d d"},
		{name: "deny rule on the tool", actor: reads(read("f")), set: denies("T"), want: "d d d d d d d d"},
		{name: "deny rule over an allow rule", actor: acts(write("f")), set: policy.RuleSet{Allow: []string{"Edit(f)", "T"}, Deny: []string{"Read(f)"}}, want: "d d d d d d d d"},
		{name: "ask rule", actor: says(reads(read("f")), policy.Allow), set: asks("Read(f)"), hook: policy.Allow, want: "q q q q d q q d"},
		{name: "ask rule on an edit", actor: acts(write("f")), set: asks("Edit(f)"), want: "q q d q d q q d"}, // plan denies before it asks, see Permissions.denied
		{name: "ask rule over an allow rule", actor: acts(unknown), set: policy.RuleSet{Allow: []string{"T"}, Ask: []string{"T"}}, want: "q q q q d q q d"},
		{name: "allow rule on a read outside", actor: reads(read(outside)), set: allows("T"), want: "a a a a a a q a"},
		{name: "allow rule on an edit", actor: acts(write("f")), set: allows("Edit(f)"), want: "a a d a a a q a"},
		{name: "allow rule on an unknown command", actor: acts(unknown), set: allows("T"), want: "a a q a a a q a"},
		{name: "allow rule that spells a command out", actor: named(acts(unknown), "Bash"), set: allows("Bash(make)"), want: "a a q a a a q a"},
		{name: "broad allow rule", actor: named(acts(unknown), "Bash"), set: allows("Bash"), want: "a a q q a a q a"},
		{name: "allow rule on something unknown", set: allows("T"), want: "a a q a a a q a"},
		{name: "allow rule on an attached tool", actor: from(reads(), "srv"), set: allows("mcp__srv"), want: "a a a a a a q a"},
		{name: "allow rule on one of two edits", actor: acts(write("f"), write(outside)), set: allows("Edit(f)"), want: "q q d q d a q d"},
		{name: "allow rule outside, edit inside", actor: named(acts(unknown, write("f")), "Bash"), set: allows("Bash(make)"), want: "q a d a d a q d"},

		{name: "hook allows an edit", actor: acts(write("f")), hook: policy.Allow, want: "a a d a a a q a"},
		{name: "hook allows a read outside", actor: reads(read(outside)), hook: policy.Allow, want: "a a a a a a q a"},
		{name: "hook allows something unknown", hook: policy.Allow, want: "a a q a a a q a"},
		{name: "hook asks", actor: reads(read("f")), set: allows("T"), hook: policy.Ask, want: "q q q q d q q d"},
		{name: "hook denies", actor: reads(read("f")), set: allows("T"), hook: policy.Deny, want: "d d d d d d d d"},
		{name: "tool allows something unknown", actor: says(actor{}, policy.Allow), want: "a a q a a a q a"},
		{name: "tool allows an edit inside", actor: says(acts(write("f")), policy.Allow), want: "a a d a a a q a"},
		{name: "tool allows an edit outside", actor: says(acts(write(outside)), policy.Allow), want: "q q d q d a q d"},
		{name: "tool allows, attached", actor: from(says(actor{}, policy.Allow), "srv"), want: "q q q q d a q d"},
		{name: "tool asks", actor: says(reads(read("f")), policy.Ask), set: allows("T"), hook: policy.Allow, want: "q q q q d q q d"},
		{name: "tool denies", actor: says(reads(read("f")), policy.Deny), set: allows("T"), hook: policy.Allow, want: "d d d d d d d d"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if tc.actor.name == "" {
				tc.actor.name = "T"
			}
			dir := t.TempDir()
			require.NoError(t, os.Mkdir(filepath.Join(dir, ".vscode"), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(dir, ".vscode", "x"), nil, 0o600))
			require.Equal(t, tc.want, inEveryMode(t, &tc.actor, pegboard.SessionConfig{Dir: dir, Home: t.TempDir()}, tc.hook, tc.set))
		})
	}
}

// TestForkTakesAStricterMode: of all pairs of modes exactly those that are laxer
// are refused, in a fork and when its permissions are replaced.
func TestForkTakesAStricterMode(t *testing.T) {
	t.Parallel()
	for i, parent := range strictness() {
		s := session(t, pegboard.SessionConfig{Permissions: rules(t, parent, policy.RuleSet{})})
		for k, mode := range strictness() {
			child := rules(t, mode, policy.RuleSet{})
			fork, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, Permissions: child})
			if k > i {
				require.ErrorContains(t, err, "mode "+string(mode)+" is laxer than the parent's mode "+string(parent))
				fork = forked(t, s, pegboard.SessionConfig{})
				require.Error(t, fork.SetPermissions(child))
				require.Equal(t, parent, fork.Permissions().Mode())
				continue
			}
			require.NoError(t, err)
			require.Equal(t, mode, fork.Permissions().Mode())
		}
	}
}

// TestModesLeaveTrustedFilesToRules: the question says why a mode that permits edits asks.
func TestModesLeaveTrustedFilesToRules(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	tests := []struct {
		name, dir, write string
		mode             policy.Mode
		set              policy.RuleSet
		want             policy.Behavior
	}{
		{name: "an instruction", write: "CLAUDE.md", mode: policy.ModeAcceptEdits, want: policy.Ask},
		{name: "a rule", write: "CLAUDE.md", mode: policy.ModeAcceptEdits, set: policy.RuleSet{Allow: []string{"Edit(CLAUDE.md)"}}, want: policy.Allow},
		{name: "bypass", write: "CLAUDE.md", mode: policy.ModeBypass, want: policy.Allow},
		{name: "auto", write: ".cursor/mcp.json", mode: policy.ModeAuto, want: policy.Ask},
		{name: "in a project of that name", dir: ".venv", write: "x", mode: policy.ModeAcceptEdits, want: policy.Allow},
		{name: "in the home", dir: home, write: ".x/y", mode: policy.ModeAcceptEdits, want: policy.Ask},
		{name: "in a hidden project of the home", dir: filepath.Join(home, ".x"), write: "y", mode: policy.ModeAcceptEdits, want: policy.Allow},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if !filepath.IsAbs(tc.dir) {
				tc.dir = filepath.Join(t.TempDir(), tc.dir)
			}
			require.NoError(t, os.MkdirAll(tc.dir, 0o700))
			a := actor{name: "T", traits: pegboard.Traits{Targets: []policy.Target{{Kind: policy.Path, Value: tc.write}}}}
			s := session(t, pegboard.SessionConfig{Dir: tc.dir, Home: home, Permissions: rules(t, tc.mode, tc.set)})
			d := a.pool(t, s).Decide(t.Context(), call("1", "T", `{}`))
			require.Equal(t, tc.want, d.Behavior, d.Reason)
			if tc.want == policy.Ask {
				require.Contains(t, d.Reason, "other programs run or trust what is in")
			}
		})
	}
}

// TestLaxer: a mode is laxer than those before it, and Fork refuses what is laxer.
func TestLaxer(t *testing.T) {
	t.Parallel()
	order := strictness()
	for i, m := range order {
		for k, than := range order {
			require.Equal(t, i > k, m.Laxer(than), "%s than %s", m, than)
			_, err := session(t, pegboard.SessionConfig{Permissions: rules(t, than, policy.RuleSet{})}).Fork(pegboard.SessionConfig{Permissions: rules(t, m, policy.RuleSet{})})
			require.Equal(t, m.Laxer(than), err != nil, "%s under %s: %v", m, than, err)
		}
		require.True(t, m.Laxer("yolo"), "nothing is known of the other")
		require.True(t, policy.Mode("yolo").Laxer(m))
	}
	require.False(t, policy.Mode("").Laxer(policy.ModeDefault))
	require.False(t, policy.ModeDefault.Laxer("manual"))
	require.True(t, policy.ModeAcceptEdits.Laxer(""))
}

// TestAutoModeDropsBroadRules while it lasts, and only those.
func TestAutoModeDropsBroadRules(t *testing.T) {
	t.Parallel()
	command := func(v string) policy.Target {
		return policy.Target{Kind: policy.Command, Access: policy.Run, Value: v}
	}
	agent := policy.Target{Kind: policy.Agent, Value: "reviewer"}
	tests := []struct {
		rule   string
		source string // where the tool is attached from; empty: built in
		acts   policy.Target
		drops  bool
	}{
		{rule: "Bash", acts: command("make"), drops: true},
		{rule: "Bash(*)", acts: command("make"), drops: true},
		{rule: "PowerShell", acts: command("make"), drops: true},
		{rule: "Monitor", acts: command("make"), drops: true},
		{rule: "Agent", acts: agent, drops: true},
		{rule: "Task", acts: agent, drops: true},
		{rule: "Bash(python*)", acts: command("python3 x.py"), drops: true},
		{rule: "Bash(/usr/bin/python3 *)", acts: command("/usr/bin/python3 x.py"), drops: true},
		{rule: "Bash(npm run:*)", acts: command("npm run x"), drops: true},
		{rule: "Bash(sudo *)", acts: command("sudo ls"), drops: true},
		{rule: "Bash(* --version)", acts: command("make --version"), drops: true},
		{rule: "Bash(python -V)", acts: command("python -V")},
		{rule: "Bash(git:*)", acts: command("git push")},
		{rule: "Bash(make)", acts: command("make")},
		{rule: "Agent(reviewer)", acts: agent},
		{rule: "Own(python *)", acts: command("python x.py"), drops: true},
		{rule: "Own(git *)", acts: command("git push")},
		{rule: "Edit", acts: policy.Target{Kind: policy.Resource, Value: "x"}},
		{rule: "WebFetch", acts: policy.Target{Kind: policy.Host, Value: "h.test"}},
		{rule: "WebFetch(domain:*)", acts: policy.Target{Kind: policy.Host, Value: "h.test"}},
		{rule: "mcp__srv", source: "srv"},
		{rule: "mcp__srv__*", source: "srv"},
	}
	for _, tc := range tests {
		t.Run(tc.rule, func(t *testing.T) {
			t.Parallel()
			rule, err := policy.ParseRule(policy.Allow, tc.rule)
			require.NoError(t, err)
			a := actor{name: rule.Tool, source: tc.source, traits: pegboard.Traits{Targets: []policy.Target{tc.acts}}}
			if tc.source != "" {
				a.name = "T"
			}
			pool := a.pool(t, session(t, pegboard.SessionConfig{Permissions: rules(t, "", policy.RuleSet{Allow: []string{tc.rule}}), Classifier: undecided}))
			in := func(mode policy.Mode) string {
				require.NoError(t, pool.Session().UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) {
					return p.WithAvailable(mode).WithMode(mode)
				}))
				require.Len(t, pool.Session().Permissions().Rules(), 1, "it stays in the list")
				return judge(t, pool).behavior.String()
			}
			want := policy.Allow
			if tc.drops {
				want = policy.Ask
			}
			require.Equal(t, policy.Allow.String(), in(policy.ModeDefault))
			require.Equal(t, want.String(), in(policy.ModeAuto))
			require.Equal(t, policy.Allow.String(), in(policy.ModeAcceptEdits), "back afterwards")
		})
	}
}

func TestAutoDropsRulesByTheirReach(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ tool, rule, line string }{
		{"Bash", "Bash(py*)", "python x.py"}, {"Bash", "Bash(b*)", "bash -c x"}, {"Bash", "Bash(python3.12 *)", "python3.12 x.py"},
		{"PowerShell", "PowerShell(Python *)", "python x.py"}, {"Bash", "Bash(FOO=1 python *)", "FOO=1 python x.py"}, {"Bash", "Bash(timeout 5 bash *)", "timeout 5 bash x"},
	} {
		a := actor{name: tc.tool, traits: pegboard.Traits{Targets: []policy.Target{{Kind: policy.Command, Access: policy.Run, Value: tc.line}}}}
		got := judgeOnce(t, a, pegboard.SessionConfig{Classifier: undecided}, policy.ModeAuto, policy.RuleSet{Allow: []string{tc.rule}})
		if got != "ask" {
			t.Errorf("%s: %s", tc.rule, got)
		}
	}
}

func TestAutoDropsABroadRuleByAnAlias(t *testing.T) {
	t.Parallel()
	a := actor{name: "Bash", aliases: []string{"Shell"}, traits: pegboard.Traits{Targets: []policy.Target{{Kind: policy.Command, Access: policy.Run, Value: "make"}}}}
	require.Equal(t, "ask", judgeOnce(t, a, pegboard.SessionConfig{Classifier: undecided}, policy.ModeAuto, policy.RuleSet{Allow: []string{"Shell"}}))
}
