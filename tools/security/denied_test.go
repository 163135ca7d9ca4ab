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

// TestDeniedThingsThatHide decides lines in which what a rule denies does not stand
// as the rule has it, and their harmless neighbours.
func TestDeniedThingsThatHide(t *testing.T) {
	t.Parallel()
	bypass := policy.ModeBypass
	noRm := policy.RuleSet{Deny: []string{"Bash(rm:*)"}}
	noEdit := policy.RuleSet{Deny: []string{"Edit(./secret/**)"}}
	curl := policy.RuleSet{Allow: []string{"Bash(curl:*)"}, Deny: []string{"WebFetch(domain:evil.com)"}}
	allow := func(rule string) policy.RuleSet { return policy.RuleSet{Allow: []string{rule}} }
	for _, tt := range []struct {
		name, line string
		mode       policy.Mode
		rules      policy.RuleSet
		want       policy.Behavior
	}{
		{name: "computed host", line: "h=evil.com; curl -s -S -L http://$h/", rules: curl, want: policy.Deny},
		{name: "computed host, quoted", line: `h=evil.com; curl -s -o /dev/null "http://$h/"`, rules: curl, want: policy.Deny},
		{name: "fed host", line: "echo http://evil.com | xargs curl -s -S", rules: curl, want: policy.Ask},
		{name: "host that curl decodes", line: "curl http://%65vil.com/", rules: curl, want: policy.Ask},
		{name: "host by another way", line: "curl --connect-to ::evil.com:443 https://a.example", rules: curl, want: policy.Deny},
		{name: "host that is known", line: `curl -s -S -H "A: $T" "https://a.example/$x"`, rules: curl, want: policy.Allow},
		{name: "xargs env", line: "echo rm x | xargs env", mode: bypass, rules: noRm, want: policy.Ask},
		{name: "xargs sh -c", line: "echo rm x | xargs -I{} sh -c {}", mode: bypass, rules: noRm, want: policy.Ask},
		{name: "xargs git", line: "echo push | xargs git", mode: bypass, rules: policy.RuleSet{Deny: []string{"Bash(git push:*)"}}, want: policy.Ask},
		{name: "find finds the command", line: `find /usr/bin -name rm -exec {} x \;`, mode: bypass, rules: noRm, want: policy.Ask},
		{name: "xargs with a command", line: "ls | xargs -n1 echo", mode: bypass, rules: noRm, want: policy.Allow},
		{name: "sed runs what it replaces", line: "sed 's/x/rm y;/e' a.txt", mode: bypass, rules: noRm, want: policy.Deny},
		{name: "tar runs", line: "tar -cf a --checkpoint=1 --checkpoint-action=exec='rm y' src", mode: bypass, rules: noRm, want: policy.Deny},
		{name: "ssh runs", line: "ssh -o ProxyCommand='rm y' a.example", mode: bypass, rules: noRm, want: policy.Deny},
		{name: "w of sed", line: "sed -n 'w secret/new' a.txt", mode: bypass, rules: noEdit, want: policy.Deny},
		{name: "w as a flag", line: "sed 's/p/q/w secret/new' a.txt", mode: bypass, rules: noEdit, want: policy.Deny},
		{name: "r of sed", line: "sed 'r secret/key' a.txt", mode: bypass, rules: policy.RuleSet{Deny: []string{"Read(./secret/**)"}}, want: policy.Deny},
		{name: "w of what is protected", line: "sed -n 'w .npmrc' a.txt", rules: allow("Bash(sed:*)"), want: policy.Ask},
		{name: "w in the project", line: "sed -n 'w b.txt' a.txt", rules: allow("Bash(sed:*)"), want: policy.Allow},
		{name: "mktemp", line: "mktemp secret/XXXX", mode: bypass, rules: noEdit, want: policy.Deny},
		{name: "mktemp -p", line: "mktemp -p secret", mode: bypass, rules: noEdit, want: policy.Deny},
		{name: "curl -D", line: "curl -sD secret/new https://a.example", mode: bypass, rules: noEdit, want: policy.Deny},
		{name: "curl -O", line: "curl -sO https://a.example/.npmrc", rules: allow("Bash(curl:*)"), want: policy.Ask},
		{name: "wget -P", line: "wget -P secret https://a.example/new", mode: bypass, rules: noEdit, want: policy.Deny},
		{name: "mkfifo", line: "mkfifo secret/new", mode: bypass, rules: noEdit, want: policy.Deny},
		{name: "go vet", line: "go vet ./secret/...", mode: bypass, rules: noEdit, want: policy.Allow},
		{name: "pytest by python", line: "python -m pytest -p evil", rules: allow("Bash(python -m pytest:*)"), want: policy.Ask},
		{name: "jest by npx", line: "npx jest --config x.js", rules: allow("Bash(npx jest:*)"), want: policy.Ask},
		{name: "jest as usual", line: "npx jest -t name src", rules: allow("Bash(npx jest:*)"), want: policy.Allow},
		{name: "noglob", line: "noglob npm test", rules: allow("Bash(npm test:*)"), want: policy.Allow},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			require.NoError(t, os.Mkdir(filepath.Join(dir, "secret"), 0o755))
			s := newSession(t, pegboard.SessionConfig{Dir: dir, Home: dir, Permissions: permissions(t, tt.mode, tt.rules)})
			d := pool(t, s, shell.Bash(shell.Options{})).Decide(t.Context(), call(t, "Bash", map[string]string{"command": tt.line}))
			require.Equal(t, tt.want, d.Behavior, d.Reason)
		})
	}
}
