//go:build unix

package pegboard_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// linkedTree makes a working directory below a home: files, and hard links to them.
func linkedTree(t *testing.T, links map[string]string, files ...string) (home, dir string) {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	dir = filepath.Join(home, "proj")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	for _, name := range files {
		writeFile(t, filepath.Join(dir, name), name)
	}
	for name, to := range links {
		name = filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.Link(filepath.Join(dir, to), name))
	}
	return home, dir
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
}

// TestRuleOnAnotherHardLink: a deny or ask rule is about the file, whichever of its names a
// call uses. A link count alone is no reason.
func TestRuleOnAnotherHardLink(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		file  string // that x is another link of
		rule  string
		write bool
		as    string // what the call names; empty means x
		want  pegboard.Behavior
	}{
		{name: "a plain path", file: "secret/key", rule: "Read(./secret/key)", want: pegboard.Deny},
		{name: "written", file: "secret/key", rule: "Read(./secret/key)", write: true, want: pegboard.Deny},
		{name: "a rule on writing", file: "secret/key", rule: "Edit(./secret/key)", write: true, want: pegboard.Deny},
		{name: "a rule on writing, read", file: "secret/key", rule: "Edit(./secret/key)", want: pegboard.Allow},
		{name: "a directory", file: "secret/a/key", rule: "Read(./secret)", want: pegboard.Deny},
		{name: "all below a directory", file: "secret/a/key", rule: "Read(/secret/**)", want: pegboard.Deny},
		{name: "a bare name", file: ".env", rule: "Read(.env)", want: pegboard.Deny},
		{name: "a bare name deep down", file: "a/b/c/.env", rule: "Read(.env)", want: pegboard.Deny},
		{name: "a suffix", file: "a/b/x.pem", rule: "Read(*.pem)", want: pegboard.Deny},
		{name: "a directory at any depth", file: "a/b/secrets/c", rule: "Read(**/secrets/**)", want: pegboard.Deny},
		{name: "in the home", file: "../.ssh/id", rule: "Read(~/.ssh/**)", want: pegboard.Deny},
		{name: "in the home, by suffix", file: "../id.key", rule: "Read(~/*.key)", want: pegboard.Deny},
		{name: "an absolute path", file: "../keys/id", rule: "Read(//HOME/keys/id)", want: pegboard.Deny},
		{name: "an absolute pattern", file: "../keys/id", rule: "Read(//HOME/*/id)", want: pegboard.Deny},
		{name: "any directory", file: "a/id", rule: "Read(//**/id)", want: pegboard.Deny},
		{name: "through a link", file: "a/id", rule: "Read(./link/id)", want: pegboard.Deny},
		{name: "named through a link", file: "secret/key", rule: "Read(./secret/key)", as: "link/../x", want: pegboard.Deny},
		{name: "another file", file: "a/id", rule: "Read(./secret/key)", want: pegboard.Allow},
		{name: "a cache that no rule names", file: "a/id", rule: "Read(.env)", want: pegboard.Allow},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			home, dir := linkedTree(t, map[string]string{"x": c.file}, "secret/key", ".env", c.file)
			require.NoError(t, os.Symlink("a", filepath.Join(dir, "link")))
			require.NoError(t, os.MkdirAll(filepath.Join(dir, "a"), 0o700))
			target := pathTo(pegboard.AccessRead, "x")
			if c.as != "" {
				target.Value = c.as
			}
			a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true}}
			if c.write {
				target.Access, a.traits.ReadOnly = pegboard.AccessWrite, false
			}
			a.traits.Targets = []pegboard.Target{target}
			rule := strings.ReplaceAll(c.rule, "HOME", home[1:])
			cfg := pegboard.SessionConfig{Dir: dir, Home: home}
			pool := a.pool(t, session(t, cfg))
			for _, set := range []pegboard.RuleSet{{Deny: []string{rule}}, {Ask: []string{rule}}} {
				require.NoError(t, pool.Session().SetPermissions(rules(t, pegboard.ModeAcceptEdits, set)))
				got, want := judge(t, pool), c.want
				if want == pegboard.Deny && set.Deny == nil {
					want = pegboard.Ask
				}
				require.Equal(t, want.String(), got.behavior.String(), got.reason)
				if want != pegboard.Allow {
					require.Equal(t, rule, got.rule)
					require.Contains(t, got.reason, "another name (a hard link) of ")
				}
			}
		})
	}
}

// TestHardLinkAmongSeveralNames: the names that a pattern stands for count, and further names.
func TestHardLinkAmongSeveralNames(t *testing.T) {
	t.Parallel()
	_, dir := linkedTree(t, map[string]string{"b.txt": ".env"}, ".env", "a.txt")
	glob := pathTo(pegboard.AccessRead, "*.txt")
	glob.Shell.Glob = true
	guess := pathTo(pegboard.AccessRead, "b.txt")
	guess.Shell.Guess = true
	alias := pathTo(pegboard.AccessRead, "a.txt")
	alias.Aliases = []string{"b.txt"}
	for _, target := range []pegboard.Target{glob, guess, alias} {
		a := actor{traits: pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{pathTo(pegboard.AccessRead, "a.txt"), target}}}
		require.Equal(t, "deny", judgeOnce(t, a, pegboard.SessionConfig{Dir: dir}, pegboard.ModeBypass, pegboard.RuleSet{Deny: []string{"Read(.env)"}}))
	}
}

// TestHardLinkOfWhatARunningCallChecks: a call that looks for files leaves such a name out.
func TestHardLinkOfWhatARunningCallChecks(t *testing.T) {
	t.Parallel()
	_, dir := linkedTree(t, map[string]string{"a/x": ".env", "a/y": "b"}, ".env", "b")
	a := reading(pegboard.Target{Value: ".", Tree: true, Filtered: true})
	var got []bool
	a.call = func(_ ctx, c *pegboard.Call) error {
		for _, name := range []string{"a/x", "a/y", "b"} {
			got = append(got, c.Filter(pathTo(pegboard.AccessRead, name)))
		}
		return nil
	}
	s := session(t, pegboard.SessionConfig{Dir: dir, Permissions: rules(t, "", pegboard.RuleSet{Deny: []string{"Read(.env)"}})})
	outs := executor(pegboard.Executor{}).Run(t.Context(), a.pool(t, s), call("1", "T", ``))
	require.NoError(t, outs[0].Err)
	require.Equal(t, []bool{false, true, true}, got)
}

// TestHardLinkOfARuleOfTheMoment: a rule that is set while a call runs is about every name of
// its file for the next check of that call.
func TestHardLinkOfARuleOfTheMoment(t *testing.T) {
	t.Parallel()
	_, dir := linkedTree(t, map[string]string{"a/x": ".env", "a/y": "b"}, ".env", "b")
	a := reading(pegboard.Target{Value: ".", Tree: true, Filtered: true})
	var got []bool
	a.call = func(_ ctx, c *pegboard.Call) error {
		for _, rule := range []string{"Read(b)", "Read(.env)"} {
			if err := c.Session().SetPermissions(rules(t, "", pegboard.RuleSet{Deny: []string{rule}})); err != nil {
				return err
			}
			got = append(got, c.Filter(pathTo(pegboard.AccessRead, "a/x")), c.Filter(pathTo(pegboard.AccessRead, "a/y")))
		}
		return nil
	}
	s := session(t, pegboard.SessionConfig{Dir: dir, Permissions: rules(t, "", pegboard.RuleSet{Deny: []string{"Read(.env)"}})})
	outs := executor(pegboard.Executor{}).Run(t.Context(), a.pool(t, s), call("1", "T", ``))
	require.NoError(t, outs[0].Err)
	require.Equal(t, []bool{true, false, false, true}, got)
}

// TestCommandsAreNotGivenPipesUnasked: to read a named pipe may wait for ever, and to write one
// reaches another program. A tool that reads files itself refuses them, so it may try.
func TestCommandsAreNotGivenPipesUnasked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	cat := pegboard.Target{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "cat", Shell: pegboard.ShellFacts{Simple: true, ReadOnly: true, EditsOnly: true}}
	tree := pathTo(pegboard.AccessRead, "pipe")
	tree.Tree = true
	for _, tt := range []struct {
		name    string
		targets []pegboard.Target
		set     pegboard.RuleSet
		want    pegboard.Behavior
	}{
		{name: "read by a command", targets: []pegboard.Target{cat, pathTo(pegboard.AccessRead, "pipe")}, want: pegboard.Ask},
		{name: "written by a command", targets: []pegboard.Target{cat, pathTo(pegboard.AccessWrite, "pipe")}, want: pegboard.Ask},
		{name: "a file", targets: []pegboard.Target{cat, pathTo(pegboard.AccessWrite, "f")}, want: pegboard.Allow},
		{name: "searched by a command", targets: []pegboard.Target{cat, tree}, want: pegboard.Allow},
		{name: "read by a tool", targets: []pegboard.Target{pathTo(pegboard.AccessRead, "pipe")}, want: pegboard.Allow},
		{name: "written by a tool", targets: []pegboard.Target{pathTo(pegboard.AccessWrite, "pipe")}, want: pegboard.Allow},
		{name: "with a rule", targets: []pegboard.Target{cat, pathTo(pegboard.AccessRead, "pipe")}, set: pegboard.RuleSet{Allow: []string{"Read(./pipe)"}}, want: pegboard.Allow},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: tt.targets}}
			s := session(t, pegboard.SessionConfig{Dir: dir, Permissions: rules(t, pegboard.ModeAcceptEdits, tt.set)})
			got := judge(t, a.pool(t, s))
			require.Equal(t, tt.want, got.behavior, got.reason)
			if tt.want == pegboard.Ask {
				require.Contains(t, got.reason, pipe+" is a pipe, a socket or a device")
			}
		})
	}
}
