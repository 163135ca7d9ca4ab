package pegboard_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

func TestNewPermissions(t *testing.T) {
	t.Parallel()
	var zero pegboard.Permissions
	require.Equal(t, pegboard.ModeDefault, zero.Mode())
	require.Empty(t, zero.Rules())

	p, err := pegboard.NewPermissions("",
		pegboard.RuleSet{Source: pegboard.SourceUser, Allow: []string{"A"}, Ask: []string{"B"}, Deny: []string{"C"}},
		pegboard.RuleSet{Source: pegboard.SourceCLI, Allow: []string{"D"}, Deny: []string{"E(x)"}})
	require.NoError(t, err)
	require.Equal(t, pegboard.ModeDefault, p.Mode())
	written := func(p pegboard.Permissions) (list []string) {
		for _, r := range p.Rules() {
			list = append(list, fmt.Sprint(r.Behavior, " ", r, " ", r.Source))
		}
		return list
	}
	want := []string{"deny C userSettings", "deny E(x) cliArg", "ask B userSettings", "allow A userSettings", "allow D cliArg"}
	require.Equal(t, want, written(p))

	p.Rules()[0].Tool = "changed"
	more, err := p.WithRules(pegboard.RuleSet{Source: pegboard.SourceSession, Deny: []string{"F"}, Allow: []string{"G"}})
	require.NoError(t, err)
	require.Equal(t, want, written(p), "the value is immutable")
	require.Equal(t, []string{"deny C userSettings", "deny E(x) cliArg", "deny F session", "ask B userSettings",
		"allow A userSettings", "allow D cliArg", "allow G session"}, written(more))

	plan, err := p.WithMode(pegboard.ModePlan)
	require.NoError(t, err)
	require.Equal(t, pegboard.ModePlan, plan.Mode())
	require.Equal(t, want, written(plan))
	require.Equal(t, pegboard.ModeDefault, p.Mode())
}

func TestPermissionsRefuse(t *testing.T) {
	t.Parallel()
	for _, mode := range []pegboard.Mode{"acceptedits", "Default", "bypass", " plan", "delegate", "Manual"} {
		_, err := pegboard.NewPermissions(mode)
		require.ErrorContains(t, err, fmt.Sprintf("unknown permission mode %q", mode))
		_, err = pegboard.Permissions{}.WithMode(mode)
		require.ErrorContains(t, err, fmt.Sprintf("unknown permission mode %q", mode))
	}
	for _, set := range []pegboard.RuleSet{{Deny: []string{"Ok", "Bash("}}, {Ask: []string{"Bash("}}, {Allow: []string{"Bash("}}} {
		p, err := pegboard.NewPermissions("", set)
		require.ErrorContains(t, err, `rule "Bash(": the closing parenthesis is missing`)
		require.Equal(t, pegboard.Permissions{}, p)
		_, err = pegboard.Permissions{}.WithRules(set)
		require.Error(t, err)
	}
}

// TestUntrustedSourcesAllowNothing: the deny and ask rules of an untrusted set count,
// its allow rules do not, and a malformed one is an error all the same.
func TestUntrustedSourcesAllowNothing(t *testing.T) {
	t.Parallel()
	set := pegboard.RuleSet{Source: pegboard.SourceProject, Allow: []string{"A"}, Ask: []string{"Q"}, Deny: []string{"D"}, Untrusted: true}
	p := rules(t, "", set)
	require.Equal(t, []string{"default", "deny D projectSettings", "ask Q projectSettings"}, holds(p))
	set.Untrusted = false
	require.Equal(t, []string{"default", "deny D projectSettings", "ask Q projectSettings", "allow A projectSettings"}, holds(rules(t, "", set)))

	wrong := pegboard.RuleSet{Allow: []string{"Bash("}, Untrusted: true}
	_, err := pegboard.NewPermissions("", wrong)
	require.ErrorContains(t, err, "Bash(")

	user := pegboard.RuleSet{Source: pegboard.SourceUser, Allow: []string{"A"}}
	p, err = p.WithRules(user)
	require.NoError(t, err)
	require.Equal(t, []string{"default", "deny D projectSettings", "ask Q projectSettings", "allow A userSettings"}, holds(p), "only that set")
}

// TestPermissionsKeepTheirAnchors when they are read from a session, added to
// and given to another.
func TestPermissionsKeepTheirAnchors(t *testing.T) {
	t.Parallel()
	dir, elsewhere := t.TempDir(), t.TempDir()
	p, err := session(t, pegboard.SessionConfig{Dir: dir, Permissions: rules(t, "", pegboard.RuleSet{Allow: []string{"Edit(./a)"}})}).
		Permissions().WithRules(pegboard.RuleSet{Allow: []string{"Edit(./b)"}})
	require.NoError(t, err)
	s := session(t, pegboard.SessionConfig{Dir: elsewhere, Permissions: p})
	for path, want := range map[string]string{
		filepath.Join(dir, "a"): "allow", filepath.Join(elsewhere, "a"): "ask",
		filepath.Join(dir, "b"): "ask", filepath.Join(elsewhere, "b"): "allow",
	} {
		a := actor{name: "T", traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Value: path}}}}
		require.Equal(t, want, judge(t, a.pool(t, s)).behavior.String(), path)
	}
}
