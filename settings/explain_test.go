package settings_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/settings"
)

// TestExplainOverrides: of each setting that lost it says to what, and it shows no secret.
func TestExplainOverrides(t *testing.T) {
	t.Parallel()
	f := managedFiles(t)
	f.Trusted = true
	f.Flags = settings.Flags{Mode: "plan", DisallowedTools: []string{"Bash(rm *)"}, Tools: []string{"Bash"}, Dirs: []string{"/more"}}
	write(t, f.Managed[0], `{"env": {"TOKEN": "s3cret1"}, "apiKeyHelper": "s3cret2", "disableAllHooks": false}`)
	write(t, f.Local, "{\n  \"permissions\": {\"defaultMode\": \"acceptEdits\"},\n  \"env\": {\"TOKEN\": \"s3cret3\"}\n}")
	write(t, f.User, `{"apiKeyHelper": "s3cret4", "disableAllHooks": true, "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "http", "url": "https://h/x?key=s3cret5", "headers": {"A": "s3cret6"}}]}]}, "permissions": {"allow": ["Bash(\u001b[31m)"]}}`)
	write(t, f.Servers, `{"mcpServers": {"s": {"command": "a", "args": ["s3cret7"], "env": {"A": "s3cret8"}}}}`)
	l := load(t, f)
	text := plain(f, settings.Explain(l))
	for _, want := range []string{
		"\n  plan  [--permission-mode]\n",
		"\n- acceptEdits  [PROJECT/.claude/settings.local.json:2:34]  (overridden by --permission-mode)\n",
		"\n  deny Bash(rm *)  [--disallowedTools]\n",
		"\n  /more  [--add-dir]\n",
		"\n  Bash  [--tools]\n",
		"\n  TOKEN  [HOME/etc/managed-settings.json:1:10]\n",
		"\n- TOKEN  [PROJECT/.claude/settings.local.json:3:11]  (overridden by HOME/etc/managed-settings.json:1:10)\n",
		"\n- disableAllHooks: true  [HOME/.claude/settings.json:1:29]  (overridden by HOME/etc/managed-settings.json:1:58)\n",
		"\n- apiKeyHelper  [HOME/.claude/settings.json:1:2]  (overridden by HOME/etc/managed-settings.json:1:31)\n",
		"PreToolUse \"Bash\": http \"https://h/x\"",
		"\n- s (stdio)  [PROJECT/.mcp.json:1:17]  (ask: the user has neither approved nor declined it)\n",
		"\nstarts in mode plan\n",
	} {
		require.Contains(t, text, want)
	}
	require.NotContains(t, text, "s3cret")
	require.NotContains(t, text, "\x1b")
	require.NotContains(t, fmt.Sprintf("%v", l.Servers), "s3cret")

	data, err := settings.ExplainJSON(l)
	require.NoError(t, err)
	require.NotContains(t, string(data), "s3cret")
	var out struct {
		Mode  string
		Facts []struct {
			Kind, Text, Source, Path, Why string
			Line, Column                  int
			Counts                        bool
		}
		Warnings []struct{ Path, Text string }
		Broken   []string
	}
	require.NoError(t, json.Unmarshal(data, &out))
	require.Equal(t, "plan", out.Mode)
	require.Len(t, out.Facts, len(l.Facts()))
	require.Len(t, out.Warnings, len(l.Warnings))
	for i, fact := range l.Facts() {
		require.Equal(t, fact.Kind, out.Facts[i].Kind)
		require.Equal(t, fact.Line, out.Facts[i].Line)
		require.Equal(t, fact.Counts, out.Facts[i].Counts)
	}
	require.Empty(t, out.Broken)
	require.JSONEq(t, `{"mode": "", "facts": [], "warnings": [], "broken": []}`, string(must(settings.ExplainJSON(&settings.Loaded{}))))
}

func must(data []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return data
}

// TestEveryRuleIsExplained: what the permissions hold is what the facts say counts, each with
// a place at which the file has that text.
func TestEveryRuleIsExplained(t *testing.T) {
	t.Parallel()
	f := managedFiles(t)
	f.Trusted = true
	f.User = strings.Replace(f.User, ".claude", "x", 1)
	write(t, f.Managed[0], read(t, "testdata/real/many-rules.json"))
	write(t, f.Project, read(t, "testdata/real/odd-rules.json"))
	write(t, f.Local, read(t, "testdata/real/compact.json"))
	write(t, f.User, read(t, "testdata/real/windows.json"))
	l := load(t, f)
	p, err := l.Permissions()
	require.NoError(t, err)
	inForce := map[string]bool{}
	for _, r := range p.Rules() {
		inForce[string(r.Source)+" "+r.Behavior.String()+" "+r.String()] = true
	}
	found := 0
	for _, fact := range l.Facts() {
		if fact.Kind != settings.FactRule {
			continue
		}
		lines := strings.SplitAfter(strings.TrimPrefix(read(t, fact.Path), "\ufeff"), "\n")
		rest := []rune(strings.Join(lines[fact.Line-1:], ""))[fact.Column-1:]
		require.Equal(t, '"', rest[0], fact)
		if fact.Counts && fact.Why == "" {
			b, text, _ := strings.Cut(fact.Text, " ")
			rule, err := policy.ParseRule(map[string]policy.Behavior{"allow": policy.Allow, "ask": policy.Ask, "deny": policy.Deny}[b], text)
			require.NoError(t, err)
			require.True(t, inForce[string(fact.Source)+" "+b+" "+rule.String()], fact)
			delete(inForce, string(fact.Source)+" "+b+" "+rule.String())
			found++
		}
	}
	require.Greater(t, found, 130)
	require.Equal(t, map[string]bool{"localSettings ask Edit(/etc/**)": true}, inForce, "what stands for a rule that is not understood")
}

// TestExplainOfWhatDoesNotCount: a rule, hook or switch that has no effect is not shown as one
// that has.
func TestExplainOfWhatDoesNotCount(t *testing.T) {
	t.Parallel()
	f := managedFiles(t)
	f.Flags.Tools = []string{""}
	const hook = `"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "same"}]}]}`
	write(t, f.Managed[0], `{"allowManagedPermissionRulesOnly": true, `+hook+`}`)
	write(t, f.User, `{"permissions": {"deny": ["Write(x)"]}, "disableAllHooks": "yes", `+hook+`}`)
	l := load(t, f)
	require.Len(t, l.Hooks.Handlers("Stop"), 1)
	require.Empty(t, l.Rules[1:])
	text := plain(f, settings.Explain(l))
	for _, want := range []string{
		"\n- deny Write(x)  [HOME/.claude/settings.json:1:27]  (allowManagedPermissionRulesOnly is on in HOME/etc/managed-settings.json:1:2)\n",
		"\n  none  [--tools]\n",
		"\n  Stop: command \"same\"  [HOME/etc/managed-settings.json:1:",
		"\n- Stop: command \"same\"  [HOME/.claude/settings.json:1:97]  (a higher file has the same hook, which runs once)\n",
		"\n- disableAllHooks: \"yes\"  [HOME/.claude/settings.json:1:41]  (it is neither true nor false)\n",
	} {
		require.Contains(t, text, want)
	}
	require.NotContains(t, text, "as if it were the ask rule")

	write(t, f.Managed[1], "no directory")
	l, err := f.Load(t.Context())
	require.Error(t, err)
	require.Equal(t, f.Managed[1], l.Broken[0].Path)
	require.Contains(t, settings.Explain(l), "\n- "+f.Managed[1]+"  (")
}

// TestExplainHoldsNoSecret: not even one in a place that is wrong, or in an address.
func TestExplainHoldsNoSecret(t *testing.T) {
	t.Parallel()
	f := files(t)
	for _, text := range []string{
		`{"env": {"PIN": 5318008}}`,
		`{"env": {"PIN": [5318008]}}`,
		`{"env": "5318008"}`,
		`{"env": 5318008}`,
		`{"hooks": {"Stop": [{"hooks": [{"type": "http", "url": "https://me:5318008@h/x"}]}]}}`,
		`{"hooks": {"Stop": [{"hooks": [{"type": "http", "url": "https://h/x#5318008"}]}]}}`,
	} {
		write(t, f.User, text)
		require.NotContains(t, settings.Explain(load(t, f)), "5318008", text)
	}
}
