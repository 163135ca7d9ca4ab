package security_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// plantedCopies is a project in which git could have put everything: links that lead
// out of it, and protected names in a folder where they do no harm.
func plantedCopies(t *testing.T) (dir, home string) {
	t.Helper()
	root := t.TempDir()
	dir, home = filepath.Join(root, "proj"), filepath.Join(root, "home")
	for _, name := range []string{
		"src/a.go", "lib/b.go", "empty/x", "secret/key.txt", "evil/.npmrc", "evil/.vscode/settings.json", "evil/sub/.husky/pre-commit",
		"evil/deep/x/y/.envrc", "evil/.config/git/config",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("x\n"), 0o600))
	}
	for name, to := range map[string]string{
		"docs/a.go": "../../outside/new", "tgt/src/a.go": "../../../outside/new", "on/src": "../lib", "lib/a.go": "../../outside/new",
		"held/a.go": "../secret/key.txt", "inner/a.go": "../src/a.go", "evil/rc": ".npmrc",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.Symlink(to, filepath.Join(dir, name)))
	}
	return dir, home
}

// TestCopies: a copy writes under names that its line does not hold, and through
// links that lie where it writes.
func TestCopies(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		lines []string
		want  policy.Behavior
	}{
		{name: "through links in the target", want: policy.Ask, lines: []string{
			"cp -r src/. docs", "cp -rT src docs", "cp -r src tgt", "cp -t tgt -r src", "cp -a src/. docs", "cp --parents src/a.go tgt", "cp --parents src/a.go on",
			"cp -r src/. doc*", "cp src/* docs", "cp -r src/* tgt/src", "mkdir s && echo x > s/a.go && cp -r s/. docs", `cp -r "$PWD/src/." docs`,
		}},
		{name: "protected names in the source", want: policy.Ask, lines: []string{
			"cp -rT evil .", "cp -r evil/. .", "cp -r evil/. src", "cp -r evil/sub/. src", "cp -r evil/deep src", "cp -r evil/.config src",
			"cp -r evil src", "cp -r src evil/sub src", "cp -r ev* src",
		}},
		{name: "protected names that a pattern stands for", want: policy.Ask, lines: []string{
			"cp evil/.npm* .", "cp -t . evil/.npm*", "cp -r evil/.vs* .", "cp -r evil/su* src", "cp ev*/.npmrc src", "cp --parents evil/.npm* src", "mv evil/.npm* .", "mv evil/su* src",
		}},
		{name: "protected names in the way", want: policy.Ask, lines: []string{"cp --parents evil/.vscode/settings.json src"}},
		{name: "copies that do no harm", want: policy.Allow, lines: []string{
			"cp -r src empty", "cp -r src/. empty", "cp -r src new", "cp -r src inner", "cp -r src/. inner", "cp src/a.go empty", "cp src/*.go empty", "cp -r held new",
			"cp -r docs new", "mv src new", "mv docs new",
		}},
		{name: "what does not follow links", want: policy.Allow, lines: []string{"rm -r docs", "rm -r tgt lib", "mv docs empty"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, home := plantedCopies(t)
			s := newSession(t, pegboard.SessionConfig{Dir: dir, Home: home, Permissions: permissions(t, policy.ModeAcceptEdits, policy.RuleSet{})})
			p := pool(t, s, shell.Bash(shell.Options{}))
			for _, line := range tt.lines {
				d := p.Decide(context.Background(), call(t, "Bash", map[string]string{"command": line}))
				require.Equal(t, tt.want, d.Behavior, "%s: %s", line, d.Reason)
			}
		})
	}
}

// TestDenyRulesSeePatternsInScripts: what a deny rule keeps, it keeps from the lines
// in a line as well, and from copies through links.
func TestDenyRulesSeePatternsInScripts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, deny string
		lines      []string
		want       policy.Behavior
	}{
		{name: "reading", deny: "Read(./secret/**)", want: policy.Deny, lines: []string{
			"bash -c 'cat sec*/key.txt'", "sh -c 'cat ?ecret/k*'", "eval 'cat sec*/key.txt'", "trap 'cat sec*/key.txt' EXIT", "ssh h 'cat sec*/key.txt'",
			"sh -c 'cd secret && cat k*'", "sh -c 'cat src/../s*/k*'", `bash -c 'bash -c "cat sec*/key.txt"'`, `sh -c 'cat "$PWD"/sec*/key.txt'`,
			"sh -c 'cat hel*/a.go'", "sh -c 'cat [[:alpha:]]*/key.txt'",
		}},
		{name: "writing", deny: "Edit(./secret/**)", want: policy.Deny, lines: []string{
			"sh -c 'rm -rf s*'", "bash -c 'rm -rf sec*'", "cp -r src/. held", "bash -c 'cp -r src/. held'",
		}},
		{name: "something else is read", deny: "Read(./secret/**)", want: policy.Allow, lines: []string{
			"bash -c 'cat src/*'", "sh -c 'cat no*'", "sh -c 'cat doc*/nothing'", "eval 'cat sr?/a.go'",
		}},
		{name: "something else is written", deny: "Edit(./secret/**)", want: policy.Allow, lines: []string{"sh -c 'rm -rf d*'", "cp -r src/. inner"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, home := plantedCopies(t)
			set := policy.RuleSet{Source: policy.SourceUser, Deny: []string{tt.deny}}
			s := newSession(t, pegboard.SessionConfig{Dir: dir, Home: home, Permissions: permissions(t, policy.ModeBypass, set)})
			p := pool(t, s, shell.Bash(shell.Options{}))
			for _, line := range tt.lines {
				d := p.Decide(context.Background(), call(t, "Bash", map[string]string{"command": line}))
				require.Equal(t, tt.want, d.Behavior, "%s: %s", line, d.Reason)
			}
		})
	}
}

// TestRemovalsInBypass: the mode that allows everything still asks before these.
func TestRemovalsInBypass(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		lines []string
		want  policy.Behavior
	}{
		{name: "critical", want: policy.Ask, lines: []string{
			`rm -rf "$PWD"`, "rm -rf ~+", `rm -rf "$(pwd)"`, "rm -rf ~root", "rm -rf /proc/self/root/etc", `for d in /*; do rm -rf "$d"; done`, "d=/; rm -rf $d",
			"xargs rm -rf <<< /etc",
		}},
		{name: "not", want: policy.Allow, lines: []string{`rm -rf "$PWD/build"`, "for d in build dist; do rm -rf $d; done", "rm -rf $x", "find . -name x | xargs rm -rf"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, home := plantedCopies(t)
			set := policy.RuleSet{Source: policy.SourceUser, Allow: []string{"Bash(rm:*)"}}
			s := newSession(t, pegboard.SessionConfig{Dir: dir, Home: home, Permissions: permissions(t, policy.ModeBypass, set)})
			p := pool(t, s, shell.Bash(shell.Options{}))
			for _, line := range tt.lines {
				d := p.Decide(context.Background(), call(t, "Bash", map[string]string{"command": line}))
				require.Equal(t, tt.want, d.Behavior, "%s: %s", line, d.Reason)
			}
		})
	}
}
