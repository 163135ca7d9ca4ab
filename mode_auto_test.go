package pegboard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestAutoModeDropsBroadRules while it lasts, and only those.
func TestAutoModeDropsBroadRules(t *testing.T) {
	t.Parallel()
	command := func(v string) pegboard.Target {
		return pegboard.Target{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: v}
	}
	agent := pegboard.Target{Kind: pegboard.TargetAgent, Value: "reviewer"}
	tests := []struct {
		rule   string
		source string // where the tool is attached from; empty: built in
		acts   pegboard.Target
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
		{rule: "Edit", acts: pegboard.Target{Kind: pegboard.TargetResource, Value: "x"}},
		{rule: "WebFetch", acts: pegboard.Target{Kind: pegboard.TargetHost, Value: "h.test"}},
		{rule: "WebFetch(domain:*)", acts: pegboard.Target{Kind: pegboard.TargetHost, Value: "h.test"}},
		{rule: "mcp__srv", source: "srv"},
		{rule: "mcp__srv__*", source: "srv"},
	}
	for _, tc := range tests {
		t.Run(tc.rule, func(t *testing.T) {
			t.Parallel()
			rule, err := pegboard.ParseRule(pegboard.Allow, tc.rule)
			require.NoError(t, err)
			a := actor{name: rule.Tool, source: tc.source, traits: pegboard.Traits{Targets: []pegboard.Target{tc.acts}}}
			if tc.source != "" {
				a.name = "T"
			}
			pool := a.pool(t, session(t, pegboard.SessionConfig{Permissions: rules(t, "", pegboard.RuleSet{Allow: []string{tc.rule}}), Classifier: undecided}))
			in := func(mode pegboard.Mode) string {
				require.NoError(t, pool.Session().UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) {
					return p.WithAvailable(mode).WithMode(mode)
				}))
				require.Len(t, pool.Session().Permissions().Rules(), 1, "it stays in the list")
				return judge(t, pool).behavior.String()
			}
			want := pegboard.Allow
			if tc.drops {
				want = pegboard.Ask
			}
			require.Equal(t, pegboard.Allow.String(), in(pegboard.ModeDefault))
			require.Equal(t, want.String(), in(pegboard.ModeAuto))
			require.Equal(t, pegboard.Allow.String(), in(pegboard.ModeAcceptEdits), "back afterwards")
		})
	}
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
