package security_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// TestHiddenOptions decides lines whose words hide what a program is told, or which
// files it shows, and plain ones beside them that nobody should be asked about.
func TestHiddenOptions(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir := filepath.Join(root, "proj")
	for _, name := range []string{"src/a.go", "secret/key", ".npmrc", "a.txt", "--output=x"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("x\n"), 0o600))
	}
	gits := []string{"Bash(git log:*)", "Bash(git diff:*)", "Bash(git grep:*)", "Bash(git show:*)", "Bash(git commit:*)", "Bash(git push:*)"}
	secret := policy.RuleSet{Deny: []string{"Read(./secret/**)", "Edit(./secret/**)"}}
	for _, tt := range []struct {
		name  string
		rules policy.RuleSet
		free  []string
		asked []string // or denied
	}{
		{
			name:  "options of git",
			rules: policy.RuleSet{Allow: gits},
			free: []string{
				`d=today; git log -3 --since="$d"`, `x=a; git grep -n -e "$x" -- src`, `git diff HEAD -- $(echo a.txt)`, `git log -1 HEAD~"$n"`,
				`git commit -m "$(pwd)"`, "git push -u origin main", "echo a.txt | xargs git diff --",
			},
			asked: []string{
				`y=; git grep -n "-O${y}touch f;" x`, `y=; git log -1 --format=tformat:x "--out${y}put=$HOME/.bashrc"`,
				"git diff HEAD $(echo --output=f)", `for x in a --output=f; do git log -p -1 $x; done`, "echo --output=f | xargs git diff",
				"git diff HEAD --out*", "git diff HEAD *", "git grep -nO'touch f;' x", `f() { git show HEAD "$1"; }; f --output=f`,
				`x=--receive-pack=a; git push . main "$x"`, "git push --receive-pack=a . main",
			},
		},
		{
			name:  "files of git",
			rules: secret,
			free:  []string{"git diff", "git log -p -1", "git status", "git grep key -- src", "git grep key src/a.go", "git diff -- src", "git log -p -- .", "git diff -- ./", "git show HEAD:a.txt"},
			asked: []string{
				"git grep key", "git grep key HEAD", "git grep key -- '*'", "git grep key -- :!src", "git grep key .", "git grep key -- secret", "git diff -- secret",
				"git show HEAD -- secret", "git log -p -- secret", "git log -L1,2:secret/key", "git archive HEAD",
			},
		},
		{
			name: "files of awk",
			rules: policy.RuleSet{
				Allow: []string{"Bash(awk:*)"}, Deny: secret.Deny,
			},
			free: []string{"awk '{print}' a.txt", `awk '{print > "out"}' a.txt`, `awk '{print > "/dev/stderr"}' a.txt`, `awk '{print "secret" | "sort"}' a.txt`},
			asked: []string{
				`awk '{print > "secret/new"}' a.txt`, `awk '{print >> "secret/key"}' a.txt`, `awk 'BEGIN{getline x < "secret/key"; print x}'`,
				`awk '{f="secret/new"; print > f}' a.txt`, `awk -v f=secret/new '{print > f}' a.txt`, `awk '{print > "../out"}' a.txt`,
			},
		},
		{
			name: "no rules",
			free: []string{"tree -L 2", "tree -aL 2 src", "awk '{ print $1 / 2 }' a.txt", "git grep key", "ls -w 80"},
			asked: []string{
				`awk 'BEGIN{print -case /1 | "touch f"; y=1/1}'`, `awk 'BEGIN{print case /1 > "f"; y=1/1}'`,
				"tree -Po '*' .npmrc", "tree -Lo 2 out", "tree -Io zz out", "tree --timefmt -I /etc", "ls -I /etc",
			},
		},
	} {
		s := newSession(t, pegboard.SessionConfig{Dir: dir, Home: filepath.Join(root, "home"), Permissions: permissions(t, policy.ModeDefault, tt.rules)})
		p := pool(t, s, shell.Bash(shell.Options{}))
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for want, lines := range map[bool][]string{true: tt.free, false: tt.asked} {
				for _, line := range lines {
					d := p.Decide(t.Context(), call(t, "Bash", map[string]string{"command": line}))
					require.Equal(t, want, d.Behavior == policy.Allow, "%s: %v: %s", line, d.Behavior, d.Reason)
				}
			}
		})
	}
}
