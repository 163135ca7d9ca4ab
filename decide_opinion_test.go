package pegboard_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

func preHook(d pegboard.Decision) pegboard.SessionConfig {
	return pegboard.SessionConfig{Hooks: pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (pegboard.Decision, error) { return d, nil }}}
}

func TestHooksAskNeedsNoReason(t *testing.T) {
	t.Parallel()
	require.Equal(t, "ask", judgeOnce(t, actor{}, preHook(pegboard.Decision{Behavior: pegboard.Ask}), "", pegboard.RuleSet{Allow: []string{"T"}}))
}

func TestToolsAskNeedsNoReason(t *testing.T) {
	t.Parallel()
	require.Equal(t, "ask", judgeOnce(t, actor{own: pegboard.Decision{Behavior: pegboard.Ask}}, pegboard.SessionConfig{}, pegboard.ModeBypass, pegboard.RuleSet{}))
}

func TestAskWithoutReasonDoesNotHideAskReason(t *testing.T) {
	t.Parallel()
	a := actor{own: pegboard.Decision{Behavior: pegboard.Ask}, traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "rm -r /", AskReason: "all gone"}}}}
	require.Equal(t, "ask", judgeOnce(t, a, pegboard.SessionConfig{}, pegboard.ModeBypass, pegboard.RuleSet{}))
}

// Only deny and ask rules look at a guess. The tool's own Allow stands beside it.
func TestGuessDoesNotUndoTheToolsAllow(t *testing.T) {
	t.Parallel()
	guess := pathTo(pegboard.AccessRead, "/elsewhere/f")
	guess.Shell.Guess = true
	a := actor{own: pegboard.Decision{Behavior: pegboard.Allow}, traits: pegboard.Traits{Targets: []pegboard.Target{guess}}}
	require.Equal(t, "allow", judgeOnce(t, a, pegboard.SessionConfig{}, "", pegboard.RuleSet{}))
}

// TestToolsAllowCoversReadableFiles: a directory that the session may only read, such as that of
// stored results, counts for a tool's own Allow where the call reads, and not where it writes.
func TestToolsAllowCoversReadableFiles(t *testing.T) {
	t.Parallel()
	readable := t.TempDir()
	for _, tt := range []struct {
		access pegboard.Access
		dir    string
		want   string
	}{
		{pegboard.AccessRead, readable, "allow"},
		{pegboard.AccessWrite, readable, "ask"},
		{pegboard.AccessRead, t.TempDir(), "ask"},
	} {
		s := session(t, pegboard.SessionConfig{Permissions: rules(t, pegboard.ModeDefault, pegboard.RuleSet{})})
		s.AllowReads(readable)
		a := actor{name: "T", own: pegboard.Decision{Behavior: pegboard.Allow}, traits: pegboard.Traits{Targets: []pegboard.Target{
			{Kind: pegboard.TargetResource, Value: "the user"}, pathTo(tt.access, tt.dir+"/f"),
		}}}
		require.Equal(t, tt.want, judge(t, a.pool(t, s)).behavior.String())
	}
}

// TestInvalidOpinionDenies, whether a hook or the tool has it, and whatever the other
// says.
func TestInvalidOpinionDenies(t *testing.T) {
	t.Parallel()
	hook := func(b pegboard.Behavior) pegboard.Hooks {
		return pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (pegboard.Decision, error) {
			return pegboard.Decision{Behavior: b, Reason: "so it said"}, nil
		}}
	}
	for _, none := range []pegboard.Behavior{pegboard.Deny + 1, -1, 1 << 30} {
		for name, x := range map[string]struct {
			hooks pegboard.Hooks
			own   pegboard.Behavior
		}{
			"hook":               {hooks: hook(none)},
			"hook over the tool": {hooks: hook(none), own: pegboard.Deny},
			"first of two hooks": {hooks: pegboard.JoinHooks(hook(none), hook(pegboard.Allow))},
			"last of two hooks":  {hooks: pegboard.JoinHooks(hook(pegboard.Allow), hook(none))},
			"tool":               {own: none},
		} {
			t.Run(fmt.Sprintf("%s %d", name, none), func(t *testing.T) {
				t.Parallel()
				a := actor{name: "T", own: pegboard.Decision{Behavior: x.own, Reason: "so it said"}}
				cfg := bypass(t)
				cfg.Hooks = x.hooks
				require.Equal(t, pegboard.Deny.String(), judge(t, a.pool(t, session(t, cfg))).behavior.String())
			})
		}
	}
}

// TestHooksAllowDoesNotCoverAnOpaqueTarget while a deny or ask pattern could be about
// it: the hook cannot see it either.
func TestHooksAllowDoesNotCoverAnOpaqueTarget(t *testing.T) {
	t.Parallel()
	command := []pegboard.Target{{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "make"}}
	path := []pegboard.Target{{Kind: pegboard.TargetPath, Value: "f"}}
	tests := []struct {
		name string
		acts []pegboard.Target
		set  pegboard.RuleSet
		want pegboard.Behavior
	}{
		{name: "no rule", want: pegboard.Allow},
		{name: "deny pattern of paths", set: pegboard.RuleSet{Deny: []string{"Read(.env)"}}, want: pegboard.Ask},
		{name: "ask pattern of hosts", set: pegboard.RuleSet{Ask: []string{"WebFetch(domain:a.test)"}}, want: pegboard.Ask},
		{name: "deny pattern of the tool", set: pegboard.RuleSet{Deny: []string{"T(x)"}}, want: pegboard.Ask},
		{name: "deny pattern of another tool", set: pegboard.RuleSet{Deny: []string{"Other(x)"}}, want: pegboard.Allow},
		{name: "beside what can be seen", acts: append(path, pegboard.Target{}), set: pegboard.RuleSet{Deny: []string{"Read(.env)"}}, want: pegboard.Ask},
		{name: "a command", acts: command, set: pegboard.RuleSet{Deny: []string{"Read(.env)"}}, want: pegboard.Ask},
		{name: "what can be seen", acts: path, set: pegboard.RuleSet{Deny: []string{"Read(.env)"}}, want: pegboard.Allow},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := actor{name: "T", traits: pegboard.Traits{Targets: tc.acts}}
			s := session(t, pegboard.SessionConfig{Permissions: rules(t, "", tc.set), Hooks: pegboard.Hooks{
				Pre: func(ctx, *pegboard.HookCall) (pegboard.Decision, error) {
					return pegboard.Decision{Behavior: pegboard.Allow}, nil
				},
			}})
			require.Equal(t, tc.want.String(), judge(t, a.pool(t, s)).behavior.String())
		})
	}
}

// TestHooksAllowIsNeverStricter than no word of the hook.
func TestHooksAllowIsNeverStricter(t *testing.T) {
	t.Parallel()
	a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "ls", Shell: pegboard.ShellFacts{ReadOnly: true}}}}}
	for _, b := range []pegboard.Behavior{pegboard.Undecided, pegboard.Allow} {
		s := session(t, pegboard.SessionConfig{Permissions: rules(t, "", pegboard.RuleSet{Deny: []string{"Read(.env)"}}), Hooks: pegboard.Hooks{
			Pre: func(ctx, *pegboard.HookCall) (pegboard.Decision, error) { return pegboard.Decision{Behavior: b}, nil },
		}})
		require.Equal(t, pegboard.Allow.String(), judge(t, a.pool(t, s)).behavior.String(), b.String())
	}
}
