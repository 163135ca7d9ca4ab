package policy_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/policy"
)

func at(t *testing.T, dir string) *policy.Place {
	t.Helper()
	place, err := policy.Dirs{Dir: dir, Home: t.TempDir()}.Place()
	require.NoError(t, err)
	return place
}

func permissions(t *testing.T, mode policy.Mode, set policy.RuleSet) policy.Permissions {
	t.Helper()
	p, err := policy.New(mode, set)
	require.NoError(t, err)
	return p
}

// TestALiteralToolIsNotBelieved: who forgets where a tool comes from gives it no trust.
func TestALiteralToolIsNotBelieved(t *testing.T) {
	t.Parallel()
	for _, r := range []policy.Request{
		{Facts: policy.Facts{ReadOnly: true}, Targets: []policy.Target{{Kind: policy.Resource, Access: policy.Read, Value: "list"}}},
		{Facts: policy.Facts{Sandboxed: true}, Targets: []policy.Target{policy.Writes("a")}},
		{Targets: []policy.Target{{Kind: policy.Resource, Value: "list"}}, Said: policy.Opinions{Tool: policy.Decision{Behavior: policy.Allow}}},
	} {
		r.Place = at(t, t.TempDir())
		r.Tool = policy.Builtin("T")
		require.Equal(t, policy.Allow, policy.Permissions{}.Decide(t.Context(), r).Behavior)
		for _, tool := range []policy.Tool{{Name: "T"}, policy.External("s", "T"), {}} {
			r.Tool = tool
			require.Equal(t, policy.Ask, policy.Permissions{}.Decide(t.Context(), r).Behavior)
		}
	}
}

// TestTheZeroRequestIsDenied, whatever the permissions.
func TestTheZeroRequestIsDenied(t *testing.T) {
	t.Parallel()
	for _, p := range []policy.Permissions{{}, permissions(t, policy.ModeBypass, policy.RuleSet{Allow: []string{"T"}})} {
		for _, r := range []policy.Request{{}, {Tool: policy.Builtin("T"), Facts: policy.Facts{ReadOnly: true}, Targets: []policy.Target{policy.Reads("a")}}} {
			require.Equal(t, policy.Deny, p.Decide(t.Context(), r).Behavior)
			require.Equal(t, policy.Deny, p.Explain(t.Context(), r).Decision.Behavior)
			require.Equal(t, policy.Deny, p.DeniesForGood(r).Behavior)
			require.Equal(t, policy.ConcernMaybe, p.Concerns(r, policy.Rule{Behavior: policy.Deny, Tool: "T"}))
			require.Empty(t, p.Suggest(r, policy.SourceSession, nil))
			require.Empty(t, p.Remedy(r, nil))
		}
	}
}

// TestRulesThatWereAddedLaterHold: permissions that hold at a place already get a further rule, which
// counts for the next decision there.
func TestRulesThatWereAddedLaterHold(t *testing.T) {
	t.Parallel()
	here := at(t, t.TempDir())
	perms := permissions(t, policy.ModeBypass, policy.RuleSet{}).In(here)
	r := policy.Request{Tool: policy.Builtin("Write"), Targets: []policy.Target{policy.Writes("a/b")}, Place: here}
	require.Equal(t, policy.Allow, perms.Decide(t.Context(), r).Behavior)
	more, err := perms.WithRules(policy.RuleSet{Deny: []string{"Edit(/a/**)"}})
	require.NoError(t, err)
	updated, err := perms.Apply(policy.Update{Type: policy.AddRules, Behavior: policy.Deny, Rules: []policy.UpdateRule{{Tool: "Edit", Pattern: "./a/b"}}, Destination: policy.SourceSession})
	require.NoError(t, err)
	for _, p := range []policy.Permissions{more, updated, perms.Narrow(more.In(here))} {
		require.Equal(t, policy.Deny, p.Decide(t.Context(), r).Behavior)
	}

	outside := t.TempDir()
	r.Targets = []policy.Target{policy.Writes(outside + "/x")}
	edits := permissions(t, policy.ModeAcceptEdits, policy.RuleSet{}).In(here)
	require.Equal(t, policy.Ask, edits.Decide(t.Context(), r).Behavior)
	require.Equal(t, policy.Allow, edits.WithDirectories(policy.Directory{Path: outside}).Decide(t.Context(), r).Behavior)
}

// TestAnEndedContextDenies: a decision that comes too late is none.
func TestAnEndedContextDenies(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d := permissions(t, policy.ModeBypass, policy.RuleSet{}).Decide(ctx, policy.Request{Tool: policy.Builtin("T"), Place: at(t, t.TempDir())})
	require.Equal(t, policy.Deny, d.Behavior)
	require.Contains(t, d.Reason, "in time")
}

// TestPermissionsThatHoldNowhere have no directories to move in, and nothing panics.
func TestPermissionsThatHoldNowhere(t *testing.T) {
	t.Parallel()
	p, here := permissions(t, policy.ModeDefault, policy.RuleSet{Deny: []string{"Edit(a)"}}), at(t, t.TempDir())
	_, err := p.Fork(policy.Dirs{Dir: t.TempDir()})
	require.ErrorContains(t, err, "call In")
	_, err = p.Chdir("a")
	require.ErrorContains(t, err, "call In")
	_, err = p.Move("a", nil)
	require.ErrorContains(t, err, "call In")
	placed := p.In(here)
	_, err = placed.Move("a", &p)
	require.ErrorContains(t, err, "call In")
	require.Equal(t, []policy.Target{policy.Reads("a")}, p.Resolve([]policy.Target{policy.Reads("a")}))
	require.Len(t, p.Narrow(p).Rules(), 2)
	require.Nil(t, p.In(nil).Place())
	require.Empty(t, p.WorkDirs())
}

// TestADecisionChangesNothing of what it was given.
func TestADecisionChangesNothing(t *testing.T) {
	t.Parallel()
	targets := []policy.Target{policy.Reads("a"), policy.Reaches("EXAMPLE.com"), {Kind: policy.Command, Access: policy.Run, Value: "ls", Shell: policy.ShellFacts{Simple: true, ReadOnly: true}}}
	kept := policy.Clone(targets)
	r := policy.Request{Tool: policy.External("s", "t"), Targets: targets, Place: at(t, t.TempDir())}
	policy.Permissions{}.Decide(t.Context(), r)
	policy.Permissions{}.Explain(t.Context(), r)
	require.Equal(t, kept, targets)
}

// TestAllBadRulesAreNamedAtOnce: who writes a settings file mends it once.
func TestAllBadRulesAreNamedAtOnce(t *testing.T) {
	t.Parallel()
	_, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Bash(", "Edit"}, Deny: []string{"Read()"}}, policy.RuleSet{Ask: []string{"Bash( )"}})
	for _, text := range []string{`"Bash("`, `"Read()"`, `"Bash( )"`} {
		require.ErrorContains(t, err, text)
	}
	require.NotContains(t, err.Error(), "Edit")
}

// TestNarrowedPermissionsStayNarrow when a rule is added to them: the parent has lost the directory
// of its child since.
func TestNarrowedPermissionsStayNarrow(t *testing.T) {
	t.Parallel()
	dir, extra := at(t, t.TempDir()), t.TempDir()
	edits := permissions(t, policy.ModeAcceptEdits, policy.RuleSet{})
	there, err := edits.WithDirectories(policy.Directory{Path: extra}).In(dir).Fork(policy.Dirs{Dir: extra, Home: t.TempDir()})
	require.NoError(t, err)
	both := edits.In(dir).Narrow(policy.Permissions{}.In(there))
	more, err := both.WithRules(policy.RuleSet{Deny: []string{"Bash"}})
	require.NoError(t, err)
	for _, p := range []policy.Permissions{both, more} {
		r := policy.Request{Tool: policy.Builtin("Write"), Targets: []policy.Target{policy.Writes("a")}, Place: there}
		require.Equal(t, policy.Ask, p.Decide(t.Context(), r).Behavior)
	}
}
