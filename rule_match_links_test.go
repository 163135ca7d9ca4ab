package pegboard_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestRuleUnderEverySpellingOfTheDirectory: a working directory that is itself
// a link has two names, and a rule means both.
func TestRuleUnderEverySpellingOfTheDirectory(t *testing.T) {
	t.Parallel()
	place := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, linkDir(place, link))
	for _, spelling := range []string{"a.go", filepath.Join(link, "a.go"), filepath.Join(place, "a.go")} {
		a := actor{name: "T", traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Value: spelling}}}}
		for _, rule := range []string{"Edit(a.go)", "Edit(./a.go)", "Edit(/a.go)"} {
			checkRule(t, pegboard.SessionConfig{Dir: link}, &a, rule, true, true)
		}
	}
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

// TestAllowRuleDoesNotFollowALink: the path of an allow rule may have become a link
// since the rule was written.
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

// Deny and ask rules look at a guess where its link leads, as they do for other targets.
func TestDenyRuleSeesAGuessThroughALink(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "link")))
	guess := pathTo(pegboard.AccessRead, "link/secret")
	guess.Shell.Guess = true
	a := actor{traits: pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{guess}}}
	require.Equal(t, "deny", judgeOnce(t, a, pegboard.SessionConfig{Dir: dir}, "", pegboard.RuleSet{Deny: []string{"Read(/" + outside + "/secret)"}}))
}
