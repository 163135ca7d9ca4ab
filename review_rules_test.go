package pegboard_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// reading returns a tool named T that reads what it is said to.
func reading(targets ...pegboard.Target) actor {
	for i := range targets {
		targets[i].Kind, targets[i].Access = pegboard.TargetPath, pegboard.AccessRead
	}
	return actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: targets}}
}

// TestDenyRuleThroughALink: a deny rule that is spelled through a link means the
// place it leads to, by whatever name that is touched.
func TestDenyRuleThroughALink(t *testing.T) {
	base := t.TempDir()
	at := func(name string) string { return filepath.Join(base, filepath.FromSlash(name)) }
	require.NoError(t, os.MkdirAll(at("disk/me/keys"), 0o700))
	require.NoError(t, linkDir(at("disk"), at("home")))
	t.Setenv("HOME", at("home/me"))
	t.Setenv("USERPROFILE", at("home/me"))
	for _, rule := range []string{"Read(~/keys)", "Read(/" + filepath.ToSlash(at("home/me/keys")) + ")", "Edit(~/keys)"} {
		for _, path := range []string{"~/keys/id", at("home/me/keys/id"), at("disk/me/keys/id"), "keys/id"} {
			t.Run(rule+" "+path, func(t *testing.T) {
				a := reading(pegboard.Target{Value: path})
				if rule[0] == 'E' {
					a.traits.Targets[0].Access = pegboard.AccessWrite
				}
				pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: at("disk/me")}))
				require.NoError(t, pool.Session().SetPermissions(rules(t, pegboard.ModeBypass, pegboard.RuleSet{Deny: []string{rule}})))
				require.Equal(t, rule, judge(t, pool).rule)
			})
		}
	}
}

// TestAllowRuleBelowAHomeThatIsALink: the home is where the host says it is, so an
// allow rule means both its names.
func TestAllowRuleBelowAHomeThatIsALink(t *testing.T) {
	place, link := t.TempDir(), filepath.Join(t.TempDir(), "me")
	require.NoError(t, linkDir(place, link))
	t.Setenv("HOME", link)
	t.Setenv("USERPROFILE", link)
	for _, path := range []string{"~/notes/a", filepath.Join(link, "notes", "a"), filepath.Join(place, "notes", "a")} {
		a := reading(pegboard.Target{Value: path})
		checkRule(t, pegboard.SessionConfig{Dir: t.TempDir()}, &a, "Read(~/notes)", true, true)
	}
}

// TestAllowRuleDoesNotFollowALink: what an allow rule names may have become a
// link since it was written.
func TestAllowRuleDoesNotFollowALink(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	require.NoError(t, linkDir(outside, filepath.Join(dir, "link")))
	a := reading(pegboard.Target{Value: "link/f"})
	pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: dir, Permissions: rules(t, "", pegboard.RuleSet{Allow: []string{"Read(/link)"}})}))
	require.Equal(t, pegboard.Ask, judge(t, pool).behavior)
}

// TestRulesSeeWhereOtherNamesLead: every name of a target counts at its real
// place too.
func TestRulesSeeWhereOtherNamesLead(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	require.NoError(t, linkDir(outside, filepath.Join(dir, "link")))
	a := reading(pegboard.Target{Value: "f", Aliases: []string{"link/f"}})
	pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: dir}))
	require.Equal(t, pegboard.Ask, judge(t, pool).behavior, "one name leads outside")

	rule := "Read(/" + filepath.ToSlash(outside) + ")"
	require.NoError(t, pool.Session().SetPermissions(rules(t, pegboard.ModeBypass, pegboard.RuleSet{Deny: []string{rule}})))
	require.Equal(t, rule, judge(t, pool).rule)
}

// TestForkBringsNoAsker: who may be asked is the parent's affair.
func TestForkBringsNoAsker(t *testing.T) {
	t.Parallel()
	yes := func(ctx, *pegboard.Question) (pegboard.Decision, error) {
		return pegboard.Decision{Behavior: pegboard.Allow}, nil
	}
	for _, parent := range []pegboard.Asker{nil, yes} {
		s := session(t, pegboard.SessionConfig{Ask: parent})
		_, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, Ask: yes})
		require.ErrorContains(t, err, "leave Ask empty")
	}
}

// TestNameOfTwoSources: a rule on a name that could be meant for either of two
// sources allows the tools of neither, and denies those of both.
func TestNameOfTwoSources(t *testing.T) {
	t.Parallel()
	type tool struct{ source, raw string }
	tests := []struct {
		name string
		has  []tool
		rule string
		want []string // what the rule allows, and what it denies
		all  []string
	}{
		{name: "alone", has: []tool{{"git", "hub"}}, rule: "mcp__git__hub", want: []string{"mcp__git__hub"}, all: []string{"mcp__git__hub"}},
		{name: "a tool or a server", has: []tool{{"git", "hub"}, {"git__hub", "wipe"}}, rule: "mcp__git__hub", all: []string{"mcp__git__hub", "mcp__git__hub__wipe"}},
		{name: "servers that fold alike", has: []tool{{"my.server", "wipe"}, {"my_server", "read"}}, rule: "mcp__my_server", want: []string{"mcp__my_server__read"}, all: []string{"mcp__my_server__read", "mcp__my_server__wipe"}},
		{name: "a tool of servers that fold alike", has: []tool{{"my.server", "wipe"}, {"my_server", "read"}}, rule: "mcp__my_server__wipe", all: []string{"mcp__my_server__wipe"}},
		{name: "servers that begin alike", has: []tool{{"git", "hub"}, {"github", "wipe"}}, rule: "mcp__git", want: []string{"mcp__git__hub"}, all: []string{"mcp__git__hub"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var reg pegboard.Registry
			for _, x := range tc.has {
				attach(t, &reg, x.source, x.raw)
			}
			s := session(t, pegboard.SessionConfig{})
			pool := reg.AssemblePool(s, pegboard.PoolConfig{})
			require.Equal(t, len(tc.has), pool.Len())
			got := map[pegboard.Behavior][]string{}
			for _, as := range []pegboard.RuleSet{{Allow: []string{tc.rule}}, {Deny: []string{tc.rule}}} {
				require.NoError(t, s.SetPermissions(rules(t, "", as)))
				ex := executor(pegboard.Executor{})
				for _, n := range names(pool) {
					if d := ex.Run(t.Context(), pool, call("1", n, ``))[0].Decision; d.Rule != nil {
						got[d.Behavior] = append(got[d.Behavior], n)
					}
				}
			}
			require.Equal(t, tc.want, got[pegboard.Allow])
			require.Equal(t, tc.all, got[pegboard.Deny])
			require.Equal(t, pool.Len()-len(tc.all), reg.AssemblePool(s, pegboard.PoolConfig{}).Len(), "the pool leaves them out as well")
		})
	}
}

// TestReadingIsNotRunning: no rule that lets a file be read or written lets it be
// run.
func TestReadingIsNotRunning(t *testing.T) {
	t.Parallel()
	for _, readOnly := range []bool{false, true} {
		a := actor{name: "T", traits: pegboard.Traits{ReadOnly: readOnly, Targets: []pegboard.Target{
			{Kind: pegboard.TargetPath, Access: pegboard.AccessRun, Value: "x.sh"},
		}}}
		pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: t.TempDir()}))
		for _, tc := range []struct {
			rule string
			want pegboard.Behavior
		}{{"Read(/x.sh)", pegboard.Ask}, {"Edit(/x.sh)", pegboard.Ask}, {"T", pegboard.Allow}} {
			require.NoError(t, pool.Session().SetPermissions(rules(t, "", pegboard.RuleSet{Allow: []string{tc.rule}})))
			require.Equal(t, tc.want.String(), judge(t, pool).behavior.String(), tc.rule)
		}
		for _, rule := range []string{"Read(/x.sh)", "Edit(/x.sh)"} {
			require.NoError(t, pool.Session().SetPermissions(rules(t, pegboard.ModeBypass, pegboard.RuleSet{Deny: []string{rule}})))
			require.Equal(t, rule, judge(t, pool).rule, "denied")
		}
	}
}

// TestOpinionThatIsNoneDenies, whoever has it and whoever else speaks.
func TestOpinionThatIsNoneDenies(t *testing.T) {
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

// TestHooksAllowEndsAtWhatNobodySees: a hook cannot speak for what is hidden from
// it while a deny or ask pattern could be about that.
func TestHooksAllowEndsAtWhatNobodySees(t *testing.T) {
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

// TestRulesThatNobodyConsultsAreRefused, each with the one to write instead.
func TestRulesThatNobodyConsultsAreRefused(t *testing.T) {
	t.Parallel()
	for text, instead := range map[string]string{
		"Write(/a)": "Edit(/a)", "NotebookEdit(a.ipynb)": "Edit(a.ipynb)", "MultiEdit(./a)": "Edit(./a)",
		"Glob(src)": "Read(src)", "Grep(~/a)": "Read(~/a)",
	} {
		for _, b := range []pegboard.Behavior{pegboard.Allow, pegboard.Ask, pegboard.Deny} {
			_, err := pegboard.ParseRule(b, text)
			require.ErrorContains(t, err, instead)
			_, err = pegboard.ParseRule(b, instead)
			require.NoError(t, err)
		}
	}
	_, err := pegboard.ParseRule(pegboard.Deny, "Write")
	require.NoError(t, err, "the tool as such")
}

// TestFilteredIsNotTakenFromAttachedTools: nobody checked that they filter.
func TestFilteredIsNotTakenFromAttachedTools(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]pegboard.Behavior{"": pegboard.Allow, "srv": pegboard.Deny} {
		a := reading(pegboard.Target{Value: ".", Tree: true, Filtered: true})
		a.source = source
		pool := a.pool(t, session(t, pegboard.SessionConfig{Permissions: rules(t, pegboard.ModeBypass, pegboard.RuleSet{Deny: []string{"Read(./secret)"}})}))
		require.Equal(t, want.String(), judge(t, pool).behavior.String(), source)
	}
}

// TestTargetsCannotMoveTheCursor: what a person is asked about cannot move the
// cursor of a terminal.
func TestTargetsCannotMoveTheCursor(t *testing.T) {
	t.Parallel()
	shows := map[string]string{
		"ls":                              "run ls",
		"a\nb":                            "run a\nb", // as a script has it
		"rm -rf /\r\x1b[2Krun ls":         `run "rm -rf /\r\x1b[2Krun ls"`,
		"a\x00b":                          `run "a\x00b"`,
		"\u009b2K":                        `run "\u009b2K"`,
		"a\bb" + string(rune(0x7f)) + "c": `run "a\bb\x7fc"`,
	}
	for value, want := range shows {
		require.Equal(t, want, pegboard.Target{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: value}.String())
	}
	var questions []*pegboard.Question
	a := actor{name: "T", traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "rm\x1b[2K"}}}}
	s := session(t, pegboard.SessionConfig{Ask: answering(&questions, pegboard.Decision{Behavior: pegboard.Deny}, nil)})
	ex := executor(pegboard.Executor{})
	ex.Run(t.Context(), a.pool(t, s), call("1", "T", ``))
	require.Len(t, questions, 1)
	require.NotContains(t, questions[0].Reason, "\x1b")
}
