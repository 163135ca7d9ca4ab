package shell_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/policy/shell"
)

// TestMovers: which commands may change where names lead.
func TestMovers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		paths, anything bool // of the last command
		lines           []string
	}{
		{paths: true, lines: []string{"mv a b", "cp -r a b", "cp -a a b", "cp -P a b", "ln -s a b", "timeout 5 mv a b"}},
		{lines: []string{"mkdir a", "touch a", "cp a b", "rm -r a", "sed -i s/a/b/ x", "tee a", "chmod +x a", "cat a", "npm run dev", "./server", "python3 x.py", "git status", "git push", "git fetch"}},
		{anything: true, lines: []string{"git checkout other", "git -C sub pull", "git stash pop", "unzip -o a.zip", "rsync -a a b", "nice rsync -a a b", "sleep 1; git switch x", "env git reset --hard"}},
	} {
		for _, line := range tc.lines {
			read := shell.Read(line, shell.Env{Dir: "/proj", Home: "/home"})
			c := read.Commands[len(read.Commands)-1]
			moves := false
			for _, target := range c.Targets[1:] {
				moves = moves || !target.Shell.Guess && target.Shell.MovesNames
			}
			require.True(t, tc.anything || tc.paths == moves, line)
			require.Equal(t, tc.anything, c.Targets[0].Shell.MovesNames, line)
		}
	}
}

// TestLinesOfStrangers decides lines as a program with a loop of its own would.
func TestLinesOfStrangers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".env"), []byte("KEY=1\n"), 0o600))
	here, err := policy.Dirs{Dir: dir, Home: t.TempDir()}.Place()
	require.NoError(t, err)
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Bash(make *)", "Edit(/out/**)"}, Deny: []string{"Read(.env)", "Bash(rm *)"}})
	require.NoError(t, err)
	var reader shell.Reader
	for line, want := range map[string]policy.Behavior{
		"ls | wc -l":              policy.Allow,
		"make test":               policy.Allow,
		"make test && ls":         policy.Allow,
		"echo x > out/a":          policy.Allow,
		"echo x > other":          policy.Ask,
		"cat .env":                policy.Deny,
		"grep -r KEY .":           policy.Deny,
		"make test; sudo rm -r x": policy.Deny,
		"curl https://a.example":  policy.Ask,
		"if then":                 policy.Ask,
		"":                        policy.Ask,
	} {
		read := reader.Read(line, shell.Env{Dir: here.Dir(), Home: here.Home()})
		d := perms.Decide(t.Context(), policy.Request{Tool: policy.Builtin("Bash"), Targets: read.Targets, Facts: read.Facts, Place: here})
		require.Equal(t, want, d.Behavior, "%s: %s", line, d.Reason)
	}
}

// TestUnknownIsATarget: what is not understood cannot be forgotten.
func TestUnknownIsATarget(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"if then", "cat <<EOF", "\x00", ""} {
		for _, sh := range []shell.Shell{shell.Bash, shell.Zsh, shell.PowerShell} {
			read := shell.Read(line, shell.Env{Shell: sh})
			last := read.Targets[len(read.Targets)-1]
			require.Equal(t, policy.Opaque, last.Kind, "%q", line)
			require.Equal(t, read.Unknown, last.Value)
			require.False(t, read.Facts.ReadOnly && read.Unknown != "", "%q", line)
		}
	}
}
