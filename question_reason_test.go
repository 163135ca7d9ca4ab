package pegboard_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestQuestionNamesFirstWhatNeedsApproval: the part of a call that nobody has allowed stands
// first and in full, however much harmless there is before it.
func TestQuestionNamesFirstWhatNeedsApproval(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	var harmless []pegboard.Target
	for i := range 5 {
		harmless = append(harmless, pathTo(pegboard.AccessRead, fmt.Sprint("r", i)))
	}
	long := "rm " + strings.Repeat("x ", 1000) + "y"
	risky := []pegboard.Target{
		{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: long},
		{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "make a"}, {Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "make b"},
		pathTo(pegboard.AccessWrite, "w"),
	}
	rest := fmt.Sprintf("(what needs no approval: read %s, read %s, read %s, more)", at("r0"), at("r1"), at("r2"))
	for _, test := range []struct {
		name    string
		targets []pegboard.Target
		mode    pegboard.Mode
		allow   []string
		want    string
	}{
		{name: "after the harmless", targets: append(harmless, risky...), want: "T wants to run " + long + ", run make a, run make b, write " + at("w") + " " + rest},
		{name: "before the harmless", targets: append(risky[1:2:2], harmless...), want: "T wants to run make a " + rest},
		{name: "beside what rules allow", targets: risky[1:], allow: []string{"T(make a)", "Edit(/w)"}, want: fmt.Sprintf("T wants to run make b (what needs no approval: run make a, write %s)", at("w"))},
		{name: "beside what the mode allows", targets: risky[2:], mode: pegboard.ModeAcceptEdits, want: fmt.Sprintf("T wants to run make b (what needs no approval: write %s)", at("w"))},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var questions []*pegboard.Question
			p, err := pegboard.NewPermissions(test.mode, pegboard.RuleSet{Allow: test.allow})
			require.NoError(t, err)
			s := session(t, pegboard.SessionConfig{Dir: dir, Permissions: p, Ask: answering(&questions, pegboard.Decision{Behavior: pegboard.Deny}, nil)})
			a := actor{name: "T", traits: pegboard.Traits{Targets: test.targets}}
			e := executor(pegboard.Executor{})
			e.Run(t.Context(), a.pool(t, s), call("1", "T", ``))
			require.Len(t, questions, 1)
			require.Equal(t, "no rule allows it: "+test.want, questions[0].Reason)
		})
	}
}

// TestQuestionNamesAtMostFifty of the targets that need approval, and counts the others.
func TestQuestionNamesAtMostFifty(t *testing.T) {
	t.Parallel()
	var targets []pegboard.Target
	for i := range 60 {
		targets = append(targets, pegboard.Target{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: fmt.Sprint("c", i)})
	}
	a := actor{name: "T", traits: pegboard.Traits{Targets: targets}}
	d := a.pool(t, session(t, pegboard.SessionConfig{})).Decide(t.Context(), call("1", "T", ``))
	require.Contains(t, d.Reason, "run c49, and 10 more")
	require.NotContains(t, d.Reason, "c50")
}

// TestQuestionShowsWhereALinkLeads, unless the link lies above a working directory.
func TestQuestionShowsWhereALinkLeads(t *testing.T) {
	t.Parallel()
	real, elsewhere := t.TempDir(), t.TempDir()
	dir := filepath.Join(t.TempDir(), "linked")
	require.NoError(t, os.Symlink(real, dir))
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(real, "out")))
	d := func(name string) string {
		a := actor{name: "T", traits: pegboard.Traits{Targets: []pegboard.Target{pathTo(pegboard.AccessWrite, name)}}}
		return a.pool(t, session(t, pegboard.SessionConfig{Dir: dir})).Decide(t.Context(), call("1", "T", ``)).Reason
	}
	require.Contains(t, d("out/f"), "write "+filepath.Join(dir, "out", "f")+", which leads to "+filepath.Join(elsewhere, "f")+", outside the working directories")
	require.Equal(t, "no rule allows it: T wants to write "+filepath.Join(dir, "f"), d("f"))
	require.NotContains(t, d(filepath.Join(elsewhere, "f")), "leads to")
}

// TestRuleNamesTheTargetThatItMatches among several.
func TestRuleNamesTheTargetThatItMatches(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, behavior := range []pegboard.Behavior{pegboard.Ask, pegboard.Deny} {
		set := pegboard.RuleSet{Ask: []string{"Bash(git push *)"}}
		if behavior == pegboard.Deny {
			set = pegboard.RuleSet{Deny: set.Ask}
		}
		p, err := pegboard.NewPermissions(pegboard.ModeDefault, set)
		require.NoError(t, err)
		a := actor{name: "T", traits: pegboard.Traits{Targets: []pegboard.Target{
			{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "go test"},
			{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "git push origin"},
		}}}
		d := a.pool(t, session(t, pegboard.SessionConfig{Dir: dir, Permissions: p})).Decide(t.Context(), call("1", "T", ``))
		require.Equal(t, behavior, d.Behavior)
		require.Equal(t, fmt.Sprintf("%v rule %q covers run git push origin", behavior, "Bash(git push *)"), d.Reason)
	}
}

// TestFirstRuleDecides among those that match, whichever target it is about.
func TestFirstRuleDecides(t *testing.T) {
	t.Parallel()
	a := reading(pegboard.Target{Value: "a"}, pegboard.Target{Value: "b"})
	for _, list := range [][]string{{"Read(b)", "Read(a)"}, {"Read(a)", "Read(b)"}, {"Read(b)", "T"}, {"T", "Read(b)"}} {
		pool := a.pool(t, session(t, pegboard.SessionConfig{}))
		for _, set := range []pegboard.RuleSet{{Ask: list}, {Deny: list}} {
			require.NoError(t, pool.Session().SetPermissions(rules(t, pegboard.ModeBypass, set)))
			require.Equal(t, list[0], pool.Decide(t.Context(), call("1", "T", ``)).Rule.String())
		}
	}
}
