package pegboard_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestPatternForTooManyNames stands for all that lies below.
func TestPatternForTooManyNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 1001 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprint("f", i)), nil, 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o700))
	for pattern, want := range map[string]pegboard.Behavior{"f*": pegboard.Deny, "f?": pegboard.Allow} {
		a := reading(pegboard.Target{Value: pattern, Shell: pegboard.ShellFacts{Glob: true}})
		pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: dir, Permissions: rules(t, "", pegboard.RuleSet{Deny: []string{"Read(./sub/x)"}})}))
		require.Equal(t, want.String(), judge(t, pool).behavior.String(), pattern)
	}
}

func TestGlobInTheHomeIsExpanded(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(home, "keys"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(home, "keys", "id"), nil, 0o600))
	a := reading(pegboard.Target{Value: "~/keys/*", Shell: pegboard.ShellFacts{Glob: true}})
	require.Equal(t, "deny", judgeOnce(t, a, pegboard.SessionConfig{Dir: t.TempDir(), Home: home}, pegboard.ModeBypass, pegboard.RuleSet{Deny: []string{"Read(~/keys/id)"}}))
}

// A pattern followed by .. is resolved through the link that it matches, before the path
// is cleaned.
func TestGlobWithDotsIsFollowedThroughALink(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(outside, "d"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(outside, "secret"), nil, 0o600))
	require.NoError(t, os.Symlink(filepath.Join(outside, "d"), filepath.Join(dir, "link")))
	a := reading(pegboard.Target{Value: "lin*/../secret", Shell: pegboard.ShellFacts{Glob: true}}) // cat reads outside/secret
	require.Equal(t, "ask", judgeOnce(t, a, pegboard.SessionConfig{Dir: dir}, "", pegboard.RuleSet{}), "outside the working directory")
	require.Equal(t, "deny", judgeOnce(t, a, pegboard.SessionConfig{Dir: dir}, "", pegboard.RuleSet{Deny: []string{"Read(/" + outside + "/secret)"}}))
}

func TestAliasWithDotsIsFollowedThroughALink(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(outside, "d"), 0o700))
	require.NoError(t, os.Symlink(filepath.Join(outside, "d"), filepath.Join(dir, "link")))
	a := reading(pegboard.Target{Value: "f", Aliases: []string{"link/../secret"}})
	require.Equal(t, "ask", judgeOnce(t, a, pegboard.SessionConfig{Dir: dir}, "", pegboard.RuleSet{}))
}

// A pattern that matches a file called like an option is asked about: the command would
// read it as the option.
func TestGlobThatMatchesAnOptionIsAsked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	glob := pathTo(pegboard.AccessRead, "*")
	glob.Shell.Glob = true
	reads := actor{traits: pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{glob}}}
	for _, name := range []string{"a", "-R"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
		want := map[string]string{"a": "allow", "-R": "ask"}[name]
		require.Equal(t, want, judgeOnce(t, reads, pegboard.SessionConfig{Dir: dir}, "", pegboard.RuleSet{}))
	}
}
