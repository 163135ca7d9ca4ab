package pegboard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestCallsInASandbox need no permission, and an ask rule for the whole tool is not about
// them. All else is as without a sandbox.
func TestCallsInASandbox(t *testing.T) {
	t.Parallel()
	line := func(text string) pegboard.Target {
		return pegboard.Target{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: text, Shell: pegboard.ShellFacts{Simple: true}}
	}
	unknown := pegboard.Target{Kind: pegboard.TargetOpaque, Value: "a computed name"}
	critical := line("rm -r /")
	critical.AskReason = "all gone"
	for _, tc := range []struct {
		name    string
		target  pegboard.Target
		mode    pegboard.Mode
		set     pegboard.RuleSet
		source  string
		reaches bool   // other machines
		outside string // without the sandbox
		inside  string
	}{
		{name: "no rules", target: line("make"), outside: "ask", inside: "allow"},
		{name: "a call that reaches other machines", target: line("curl x.org"), reaches: true, outside: "ask", inside: "ask"},
		{name: "an ask rule for the tool", target: line("make"), set: pegboard.RuleSet{Ask: []string{"Bash"}}, outside: "ask", inside: "allow"},
		{name: "and an allow rule", target: line("make"), set: pegboard.RuleSet{Ask: []string{"Bash"}, Allow: []string{"Bash"}}, outside: "ask", inside: "allow"},
		{name: "in plan mode", target: line("make"), mode: pegboard.ModePlan, set: pegboard.RuleSet{Ask: []string{"Bash"}}, outside: "ask", inside: "ask"},
		{name: "in plan mode with an allow rule", target: line("make"), mode: pegboard.ModePlan, set: pegboard.RuleSet{Ask: []string{"Bash"}, Allow: []string{"Bash"}}, outside: "ask", inside: "ask"},
		{name: "in plan mode without rules", target: line("make"), mode: pegboard.ModePlan, outside: "ask", inside: "ask"},
		{name: "in the mode that asks about everything", target: line("make"), mode: pegboard.ModeAsk, outside: "ask", inside: "ask"},
		{name: "in the mode that denies everything", target: line("make"), mode: pegboard.ModeDeny, outside: "deny", inside: "deny"},
		{name: "in the mode that asks nobody", target: line("make"), mode: pegboard.ModeDontAsk, outside: "deny", inside: "allow"},
		{name: "an ask rule for the line", target: line("make x"), set: pegboard.RuleSet{Ask: []string{"Bash", "Bash(make:*)"}}, outside: "ask", inside: "ask"},
		{name: "an ask rule for many tools", target: line("make"), set: pegboard.RuleSet{Ask: []string{"B*"}}, outside: "ask", inside: "ask"},
		{name: "a deny rule for the line", target: line("make x"), set: pegboard.RuleSet{Deny: []string{"Bash(make:*)"}}, outside: "deny", inside: "deny"},
		{name: "a deny rule for the tool", target: line("make"), set: pegboard.RuleSet{Deny: []string{"Bash"}}, outside: "deny", inside: "deny"},
		{name: "in bypass mode", target: line("make"), mode: pegboard.ModeBypass, set: pegboard.RuleSet{Ask: []string{"Bash"}}, outside: "ask", inside: "allow"},
		{name: "a critical removal", target: critical, mode: pegboard.ModeBypass, outside: "ask", inside: "ask"},
		{name: "unseen, without rules", target: unknown, outside: "ask", inside: "allow"},
		{name: "unseen, with a deny rule", target: unknown, set: pegboard.RuleSet{Deny: []string{"Bash(rm:*)"}}, outside: "ask", inside: "ask"},
		{name: "unseen, with an ask rule", target: unknown, set: pegboard.RuleSet{Ask: []string{"Bash(rm:*)"}}, outside: "ask", inside: "ask"},
		{name: "a file outside", target: pathTo(pegboard.AccessWrite, "/elsewhere/f"), outside: "ask", inside: "ask"},
		{name: "a file inside", target: pathTo(pegboard.AccessWrite, "f"), outside: "ask", inside: "allow"},
		{name: "a file that other programs trust", target: pathTo(pegboard.AccessWrite, ".envrc"), outside: "ask", inside: "ask"},
		{name: "an attached tool", target: line("make"), source: "s", set: pegboard.RuleSet{Ask: []string{"mcp__s__Bash"}}, outside: "ask", inside: "ask"},
		{name: "an attached tool that is allowed", target: line("make"), source: "s", set: pegboard.RuleSet{Allow: []string{"mcp__s__Bash"}}, outside: "allow", inside: "allow"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for sandboxed, want := range map[bool]string{false: tc.outside, true: tc.inside} {
				a := actor{name: "Bash", source: tc.source, traits: pegboard.Traits{Targets: []pegboard.Target{tc.target}, Sandboxed: sandboxed, OpenWorld: tc.reaches}}
				require.Equal(t, want, judgeOnce(t, a, pegboard.SessionConfig{}, tc.mode, tc.set), "sandboxed: %v", sandboxed)
			}
		})
	}
}

// TestACallKnowsItsDecision while it runs, and what it changes there stays there.
func TestACallKnowsItsDecision(t *testing.T) {
	t.Parallel()
	var before, during *pegboard.Decision
	a := actor{name: "T", traits: pegboard.Traits{Targets: []pegboard.Target{pathTo(pegboard.AccessWrite, "f")}}, call: func(_ ctx, c *pegboard.Call) error {
		d := c.Decision()
		during = &d
		d.Rule.Tool = "changed"
		return nil
	}}
	cfg := pegboard.SessionConfig{Hooks: pegboard.Hooks{Pre: func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
		d := h.Call.Decision()
		before = &d
		return pegboard.Decision{}, nil
	}}}
	pool := a.pool(t, session(t, cfg))
	require.NoError(t, pool.Session().SetPermissions(rules(t, "", pegboard.RuleSet{Allow: []string{"T"}})))
	ex := executor(pegboard.Executor{})
	out := ex.Run(t.Context(), pool, call("1", "T", ``))[0]
	require.NoError(t, out.Err)
	require.Equal(t, pegboard.Decision{}, *before)
	require.Equal(t, pegboard.Allow, during.Behavior)
	require.Equal(t, pegboard.ByRule, during.By)
	require.Equal(t, "T", out.Decision.Rule.Tool)
	require.Equal(t, pegboard.Decision{}, (&pegboard.Call{}).Decision())
}
