package pegboard_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestConcerns holds one rule against a call.
func TestConcerns(t *testing.T) {
	t.Parallel()
	command := func(line string, facts pegboard.ShellFacts) pegboard.Target {
		return pegboard.Target{Kind: pegboard.TargetCommand, Value: line, Shell: facts}
	}
	simple := pegboard.ShellFacts{Simple: true}
	reads := func(path string) pegboard.Target {
		return pegboard.Target{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: path}
	}
	tree := reads("src")
	tree.Tree = true
	filtered := tree
	filtered.Filtered = true
	tests := []struct {
		name    string
		tool    string // or Bash
		targets []pegboard.Target
		input   string
		rule    string
		want    pegboard.Concern
	}{
		{name: "the tool", rule: "Bash", targets: []pegboard.Target{command("ls", simple)}, want: pegboard.ConcernYes},
		{name: "an alias of the tool", rule: "Sh", targets: []pegboard.Target{command("ls", simple)}, want: pegboard.ConcernYes},
		{name: "all tools", rule: "*", targets: []pegboard.Target{command("ls", simple)}, want: pegboard.ConcernYes},
		{name: "another tool", rule: "Read", targets: []pegboard.Target{command("ls", simple)}, want: pegboard.ConcernNo},
		{name: "another tool, of what cannot be seen", rule: "Read", targets: []pegboard.Target{{}}, want: pegboard.ConcernNo},
		{name: "a command", rule: "Bash(curl *)", targets: []pegboard.Target{command("ls", simple), command("curl x", simple)}, want: pegboard.ConcernYes},
		{name: "another command", rule: "Bash(curl *)", targets: []pegboard.Target{command("ls", simple)}, want: pegboard.ConcernNo},
		{name: "a command inside", rule: "Bash(curl *)", targets: []pegboard.Target{command("sudo curl x", pegboard.ShellFacts{Simple: true, Nested: []string{"curl x"}})}, want: pegboard.ConcernYes},
		{name: "a command that cannot be seen", rule: "Bash(curl *)", targets: []pegboard.Target{command(`eval "$x"`, pegboard.ShellFacts{RunsUnseen: true})}, want: pegboard.ConcernMaybe},
		{name: "files that cannot be seen", rule: "Read(./.env)", targets: []pegboard.Target{command("xargs cat", pegboard.ShellFacts{Simple: true, ReadsUnseen: true})}, want: pegboard.ConcernMaybe},
		{name: "files of a line that is not simple", rule: "Edit(./src/**)", targets: []pegboard.Target{command("make", pegboard.ShellFacts{NoWildcards: true})}, want: pegboard.ConcernMaybe},
		{name: "a tool that says nothing", rule: "Bash(curl *)", targets: nil, want: pegboard.ConcernMaybe},
		{name: "a file", tool: "Look", rule: "Read(./src/**)", targets: []pegboard.Target{reads("src/a.go")}, want: pegboard.ConcernYes},
		{name: "another file", tool: "Look", rule: "Read(./src/**)", targets: []pegboard.Target{reads("a.go")}, want: pegboard.ConcernNo},
		{name: "reading is no editing", tool: "Look", rule: "Edit(./src/**)", targets: []pegboard.Target{reads("src/a.go")}, want: pegboard.ConcernNo},
		{name: "a directory above", tool: "Look", rule: "Read(./src/.env)", targets: []pegboard.Target{tree}, want: pegboard.ConcernYes},
		{name: "a directory above, of a tool that filters", tool: "Look", rule: "Read(./src/.env)", targets: []pegboard.Target{filtered}, want: pegboard.ConcernMaybe},
		{name: "another directory, of a tool that filters", tool: "Look", rule: "Read(./docs/.env)", targets: []pegboard.Target{filtered}, want: pegboard.ConcernNo},
		{name: "a host", tool: "Look", rule: "WebFetch(domain:*.example.com)", targets: []pegboard.Target{{Kind: pegboard.TargetHost, Value: "https://a.example.com/x"}}, want: pegboard.ConcernYes},
		{name: "a parameter", tool: "Look", rule: "Look(model:opus)", input: `{"model":"opus"}`, targets: []pegboard.Target{reads("a")}, want: pegboard.ConcernYes},
		{name: "another parameter", tool: "Look", rule: "Look(model:opus)", input: `{"model":"haiku"}`, targets: []pegboard.Target{reads("a")}, want: pegboard.ConcernNo},
		{name: "a pattern that means nothing here", tool: "Look", rule: "Look(x y)", targets: []pegboard.Target{{Kind: pegboard.TargetOpaque, Value: "something"}}, want: pegboard.ConcernMaybe},
	}
	for _, tc := range tests {
		for _, behavior := range []pegboard.Behavior{pegboard.Allow, pegboard.Ask, pegboard.Deny} {
			t.Run(tc.name+", "+behavior.String(), func(t *testing.T) {
				t.Parallel()
				rule, err := pegboard.ParseRule(behavior, tc.rule)
				if err != nil && behavior == pegboard.Allow {
					return // it cannot be written as such
				}
				require.NoError(t, err)
				name := tc.tool
				if name == "" {
					name = "Bash"
				}
				type input struct {
					Model string `json:"model,omitempty"`
				}
				inspected := 0
				tool := pegboard.Build(pegboard.Definition[input, string]{
					Info: pegboard.Info{Name: name, Aliases: []string{map[string]string{"Bash": "Sh", "Look": "Peek"}[name]}}, Description: "For a test.",
					Inspect: func(input, *pegboard.Call) pegboard.Traits {
						inspected++
						return pegboard.Traits{Targets: tc.targets}
					},
					Call: func(ctx, input, *pegboard.Call) (string, error) { return "", nil },
				})
				var got []pegboard.Concern
				see := func(h *pegboard.HookCall) {
					before := inspected
					h.Call.Input = json.RawMessage(`{"model":"changed by the hook"}`)
					got = append(got, h.Concerns(rule), h.Concerns(pegboard.Rule{Tool: rule.Tool, Pattern: rule.Pattern}))
					require.Equal(t, before, inspected, "the tool is not asked again")
				}
				cfg := pegboard.SessionConfig{}
				cfg.Hooks = pegboard.Hooks{
					Pre: func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
						see(h)
						return pegboard.Decision{Behavior: pegboard.Ask}, nil
					},
					Permission: func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) {
						got = append(got, q.Concerns(rule))
						return pegboard.Decision{Behavior: pegboard.Allow}, nil
					},
					Post: func(_ ctx, h *pegboard.HookCall) error { see(h); return nil },
				}
				c := call("1", name, tc.input)
				out := run(t, registryOf(t, tool), session(t, cfg), c)
				require.NoError(t, out.Err)
				require.Equal(t, []pegboard.Concern{tc.want, tc.want, tc.want, tc.want, tc.want}, got)

				pool := registryOf(t, tool).AssemblePool(session(t, pegboard.SessionConfig{Permissions: rules(t, pegboard.ModeBypass, pegboard.RuleSet{Deny: []string{tc.rule}})}), pegboard.PoolConfig{})
				if _, known := pool.Lookup(name); known {
					d := pool.Decide(t.Context(), c)
					require.Equal(t, tc.want == pegboard.ConcernYes, d.Behavior == pegboard.Deny, d.Reason)
					if tc.want == pegboard.ConcernNo {
						require.Equal(t, pegboard.Allow, d.Behavior, d.Reason)
					}
				} else {
					require.Equal(t, pegboard.ConcernYes, tc.want)
				}
			})
		}
	}
}

// TestConcernsOfWhatIsNotKnown: the cautious answer is that a rule may be about the call.
func TestConcernsOfWhatIsNotKnown(t *testing.T) {
	t.Parallel()
	bash, err := pegboard.ParseRule(pegboard.Deny, "Bash(curl *)")
	require.NoError(t, err)
	var zero pegboard.Concern
	require.Equal(t, pegboard.ConcernMaybe, zero)
	require.Equal(t, []string{"maybe", "no", "yes", "invalid"}, []string{zero.String(), pegboard.ConcernNo.String(), pegboard.ConcernYes.String(), pegboard.Concern(7).String()})
	require.Equal(t, pegboard.ConcernMaybe, new(pegboard.HookCall).Concerns(bash))
	require.Equal(t, pegboard.ConcernMaybe, new(pegboard.Question).Concerns(bash))

	seen := map[string]pegboard.Concern{}
	cfg := pegboard.SessionConfig{}
	cfg.Hooks.NotRun = func(_ ctx, h *pegboard.HookCall) error { seen[h.Call.ID] = h.Concerns(bash); return nil }
	var noRule []pegboard.Concern
	cfg.Hooks.Pre = func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
		for _, r := range []pegboard.Rule{{}, {Tool: "Bash("}, {Tool: "Bash", Pattern: " "}, {Tool: "Write", Pattern: "x"}} {
			noRule = append(noRule, h.Concerns(r))
		}
		return pegboard.Decision{}, nil
	}
	ex := executor(pegboard.Executor{})
	pool := registryOf(t, moody("T")).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
	for _, c := range []pegboard.Call{call("unknown", "Nothing", `{}`), call("wrong", "T", `{`), call("denied", "T", `{"mode":"denied"}`)} {
		ex.Run(t.Context(), pool, c)
	}
	require.Equal(t, map[string]pegboard.Concern{"unknown": pegboard.ConcernMaybe, "wrong": pegboard.ConcernMaybe, "denied": pegboard.ConcernMaybe}, seen)
	require.Equal(t, make([]pegboard.Concern, 4), noRule)
}
