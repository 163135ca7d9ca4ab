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
	"github.com/seed49eaa51d/pegboard/policy"
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
		want  policy.Behavior
	}{
		{name: "a plain path", file: "secret/key", rule: "Read(./secret/key)", want: policy.Deny},
		{name: "written", file: "secret/key", rule: "Read(./secret/key)", write: true, want: policy.Deny},
		{name: "a rule on writing", file: "secret/key", rule: "Edit(./secret/key)", write: true, want: policy.Deny},
		{name: "a rule on writing, read", file: "secret/key", rule: "Edit(./secret/key)", want: policy.Allow},
		{name: "a directory", file: "secret/a/key", rule: "Read(./secret)", want: policy.Deny},
		{name: "all below a directory", file: "secret/a/key", rule: "Read(/secret/**)", want: policy.Deny},
		{name: "a bare name", file: ".env", rule: "Read(.env)", want: policy.Deny},
		{name: "a bare name deep down", file: "a/b/c/.env", rule: "Read(.env)", want: policy.Deny},
		{name: "a suffix", file: "a/b/x.pem", rule: "Read(*.pem)", want: policy.Deny},
		{name: "a directory at any depth", file: "a/b/secrets/c", rule: "Read(**/secrets/**)", want: policy.Deny},
		{name: "in the home", file: "../.ssh/id", rule: "Read(~/.ssh/**)", want: policy.Deny},
		{name: "in the home, by suffix", file: "../id.key", rule: "Read(~/*.key)", want: policy.Deny},
		{name: "an absolute path", file: "../keys/id", rule: "Read(//HOME/keys/id)", want: policy.Deny},
		{name: "an absolute pattern", file: "../keys/id", rule: "Read(//HOME/*/id)", want: policy.Deny},
		{name: "any directory", file: "a/id", rule: "Read(//**/id)", want: policy.Deny},
		{name: "through a link", file: "a/id", rule: "Read(./link/id)", want: policy.Deny},
		{name: "named through a link", file: "secret/key", rule: "Read(./secret/key)", as: "link/../x", want: policy.Deny},
		{name: "another file", file: "a/id", rule: "Read(./secret/key)", want: policy.Allow},
		{name: "a cache that no rule names", file: "a/id", rule: "Read(.env)", want: policy.Allow},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			home, dir := linkedTree(t, map[string]string{"x": c.file}, "secret/key", ".env", c.file)
			require.NoError(t, os.Symlink("a", filepath.Join(dir, "link")))
			require.NoError(t, os.MkdirAll(filepath.Join(dir, "a"), 0o700))
			target := pathTo(policy.Read, "x")
			if c.as != "" {
				target.Value = c.as
			}
			a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true}}
			if c.write {
				target.Access, a.traits.ReadOnly = policy.Write, false
			}
			a.traits.Targets = []policy.Target{target}
			rule := strings.ReplaceAll(c.rule, "HOME", home[1:])
			cfg := pegboard.SessionConfig{Dir: dir, Home: home}
			pool := a.pool(t, session(t, cfg))
			for _, set := range []policy.RuleSet{{Deny: []string{rule}}, {Ask: []string{rule}}} {
				require.NoError(t, pool.Session().SetPermissions(rules(t, policy.ModeAcceptEdits, set)))
				got, want := judge(t, pool), c.want
				if want == policy.Deny && set.Deny == nil {
					want = policy.Ask
				}
				require.Equal(t, want.String(), got.behavior.String(), got.reason)
				if want != policy.Allow {
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
	glob := pathTo(policy.Read, "*.txt")
	glob.Shell.Glob = true
	guess := pathTo(policy.Read, "b.txt")
	guess.Shell.Guess = true
	alias := pathTo(policy.Read, "a.txt")
	alias.Aliases = []string{"b.txt"}
	for _, target := range []policy.Target{glob, guess, alias} {
		a := actor{traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{pathTo(policy.Read, "a.txt"), target}}}
		require.Equal(t, "deny", judgeOnce(t, a, pegboard.SessionConfig{Dir: dir}, policy.ModeBypass, policy.RuleSet{Deny: []string{"Read(.env)"}}))
	}
}

// TestHardLinkOfWhatARunningCallChecks: a call that looks for files leaves such a name out.
func TestHardLinkOfWhatARunningCallChecks(t *testing.T) {
	t.Parallel()
	_, dir := linkedTree(t, map[string]string{"a/x": ".env", "a/y": "b"}, ".env", "b")
	a := reading(policy.Target{Value: ".", Tree: true, Filtered: true})
	var got []bool
	a.call = func(_ ctx, c *pegboard.Call) error {
		for _, name := range []string{"a/x", "a/y", "b"} {
			got = append(got, c.Filter(pathTo(policy.Read, name)))
		}
		return nil
	}
	s := session(t, pegboard.SessionConfig{Dir: dir, Permissions: rules(t, "", policy.RuleSet{Deny: []string{"Read(.env)"}})})
	outs := executor(pegboard.Executor{}).Run(t.Context(), a.pool(t, s), call("1", "T", ``))
	require.NoError(t, outs[0].Err)
	require.Equal(t, []bool{false, true, true}, got)
}

// TestHardLinkOfARuleOfTheMoment: a rule that is set while a call runs is about every name of
// its file for the next check of that call.
func TestHardLinkOfARuleOfTheMoment(t *testing.T) {
	t.Parallel()
	_, dir := linkedTree(t, map[string]string{"a/x": ".env", "a/y": "b"}, ".env", "b")
	a := reading(policy.Target{Value: ".", Tree: true, Filtered: true})
	var got []bool
	a.call = func(_ ctx, c *pegboard.Call) error {
		for _, rule := range []string{"Read(b)", "Read(.env)"} {
			if err := c.Session().SetPermissions(rules(t, "", policy.RuleSet{Deny: []string{rule}})); err != nil {
				return err
			}
			got = append(got, c.Filter(pathTo(policy.Read, "a/x")), c.Filter(pathTo(policy.Read, "a/y")))
		}
		return nil
	}
	s := session(t, pegboard.SessionConfig{Dir: dir, Permissions: rules(t, "", policy.RuleSet{Deny: []string{"Read(.env)"}})})
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
	cat := policy.Target{Kind: policy.Command, Access: policy.Run, Value: "cat", Shell: policy.ShellFacts{Simple: true, ReadOnly: true, EditsOnly: true}}
	tree := pathTo(policy.Read, "pipe")
	tree.Tree = true
	for _, tt := range []struct {
		name    string
		targets []policy.Target
		set     policy.RuleSet
		want    policy.Behavior
	}{
		{name: "read by a command", targets: []policy.Target{cat, pathTo(policy.Read, "pipe")}, want: policy.Ask},
		{name: "written by a command", targets: []policy.Target{cat, pathTo(policy.Write, "pipe")}, want: policy.Ask},
		{name: "a file", targets: []policy.Target{cat, pathTo(policy.Write, "f")}, want: policy.Allow},
		{name: "searched by a command", targets: []policy.Target{cat, tree}, want: policy.Allow},
		{name: "read by a tool", targets: []policy.Target{pathTo(policy.Read, "pipe")}, want: policy.Allow},
		{name: "written by a tool", targets: []policy.Target{pathTo(policy.Write, "pipe")}, want: policy.Allow},
		{name: "with a rule", targets: []policy.Target{cat, pathTo(policy.Read, "pipe")}, set: policy.RuleSet{Allow: []string{"Read(./pipe)"}}, want: policy.Allow},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: tt.targets}}
			s := session(t, pegboard.SessionConfig{Dir: dir, Permissions: rules(t, policy.ModeAcceptEdits, tt.set)})
			got := judge(t, a.pool(t, s))
			require.Equal(t, tt.want, got.behavior, got.reason)
			if tt.want == policy.Ask {
				require.Contains(t, got.reason, pipe+" is a pipe, a socket or a device")
			}
		})
	}
}
