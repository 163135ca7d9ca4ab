package pegboard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

func TestParseRule(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text    string
		tool, pattern string
		written       string // what String returns, if not text
	}{
		{name: "tool", text: "Bash", tool: "Bash"},
		{name: "star means the tool", text: "Bash(*)", tool: "Bash", written: "Bash"},
		{name: "blanks around", text: " Bash ", tool: "Bash", written: "Bash"},
		{name: "a name of the host's own", text: "ask-the_Oracle.2", tool: "ask-the_Oracle.2"},
		{name: "not ASCII", text: "Ärger(x)", tool: "Ärger", pattern: "x"},
		{name: "server", text: "mcp__srv", tool: "mcp__srv"},
		{name: "server with a star", text: "mcp__srv__*", tool: "mcp__srv", written: "mcp__srv"},
		{name: "tool of a server", text: "mcp__srv__get", tool: "mcp__srv__get"},
		{name: "command", text: "Bash(git status)", tool: "Bash", pattern: "git status"},
		{name: "command with parentheses", text: "Bash(echo $(date))", tool: "Bash", pattern: "echo $(date)"},
		{name: "command with a colon", text: "Bash(git push origin HEAD:main)", tool: "Bash", pattern: "git push origin HEAD:main"},
		{name: "path", text: "Edit(/src/main.go)", tool: "Edit", pattern: "/src/main.go"},
		{name: "path from the root", text: "Read(//etc/hosts)", tool: "Read", pattern: "//etc/hosts"},
		{name: "path from home", text: "Read(~/.zshrc)", tool: "Read", pattern: "~/.zshrc"},
		{name: "directory", text: "Edit(src/)", tool: "Edit", pattern: "src/"},
		{name: "host", text: "WebFetch(domain:example.com)", tool: "WebFetch", pattern: "domain:example.com"},
		{name: "agent", text: "Agent(reviewer)", tool: "Agent", pattern: "reviewer"},
		{name: "any tool", text: "*", tool: "*"},
		{name: "any tool, in parentheses", text: "*(*)", tool: "*", written: "*"},
		{name: "some tools", text: "B*", tool: "B*"},
		{name: "any server", text: "mcp__*", tool: "mcp__*"},
		{name: "some tools of a server", text: "mcp__srv__get_*", tool: "mcp__srv__get_*"},
		{name: "some servers", text: "mcp__s*__get", tool: "mcp__s*__get"},
		{name: "wildcard in a command", text: "Bash(npm run *)", tool: "Bash", pattern: "npm run *"},
		{name: "command prefix", text: "Bash(npm:*)", tool: "Bash", pattern: "npm:*"},
		{name: "wildcard in a path", text: "Edit(src/**)", tool: "Edit", pattern: "src/**"},
		{name: "wildcard in a host", text: "WebFetch(domain:*.example.com)", tool: "WebFetch", pattern: "domain:*.example.com"},
		{name: "any host", text: "WebFetch(domain:*)", tool: "WebFetch", pattern: "domain:*"},
		{name: "skill and what is said to it", text: "Skill(deploy *)", tool: "Skill", pattern: "deploy *"},
		{name: "parameter", text: "Agent(model:opus)", tool: "Agent", pattern: "model:opus"},
		{name: "parameter of Bash", text: "Bash(run_in_background:true)", tool: "Bash", pattern: "run_in_background:true"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r, err := pegboard.ParseRule(pegboard.Deny, tc.text)
			require.NoError(t, err)
			require.Equal(t, pegboard.Deny, r.Behavior)
			require.Equal(t, tc.tool, r.Tool)
			require.Equal(t, tc.pattern, r.Pattern)
			require.Empty(t, r.Source)
			if tc.written == "" {
				tc.written = tc.text
			}
			require.Equal(t, tc.written, r.String())
		})
	}
}

func TestParseRuleRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, says string }{
		{name: "nothing", text: "", says: "is empty"},
		{name: "blanks", text: "  ", says: "is empty"},
		{name: "no tool", text: "(ls)", says: "is empty"},
		{name: "empty parentheses", text: "Bash()", says: "parentheses are empty"},
		{name: "blank parentheses", text: "Edit(  )", says: "parentheses are empty"},
		{name: "a wildcard without a command", text: "Bash(:*)", says: "write Bash to mean the whole tool"},
		{name: "a wildcard without a command behind a blank", text: "Bash( :*)", says: "no command before the wildcard"},
		{name: "a wildcard that stands apart", text: "PowerShell( *)", says: "write PowerShell to mean"},
		{name: "wildcards alone", text: "Monitor(**:*)", says: "no command before the wildcard"},
		{name: "never closed", text: "Bash(ls", says: "closing parenthesis is missing"},
		{name: "text behind", text: "Bash(ls) -a", says: "closing parenthesis is missing"},
		{name: "never opened", text: "Bash)", says: ""},
		{name: "blank before the parenthesis", text: "Bash (ls)", says: ""},
		{name: "wide blank before the parenthesis", text: "Bash\u00a0(ls)", says: ""},
		{name: "a wildcard that is none, in a tool", text: "mcp__srv__get_?", says: "wildcard in a tool's name"},
		{name: "a set of tools", text: "[BT]ash", says: "wildcard in a tool's name"},
		{name: "wildcard in the name of an agent", text: "Agent(re*)", says: "wildcard"},
		{name: "wildcard in the middle of a skill", text: "Skill(a*b)", says: "wildcard"},
		{name: "the command as a parameter", text: "Bash(command:rm)", says: "is ignored"},
		{name: "the path as a parameter", text: "Edit(file_path:a)", says: "write Edit(a path)"},
		{name: "host without its word", text: "WebFetch(example.com)", says: "domain:"},
		{name: "path that climbs", text: "Edit(../secret)", says: `".."`},
		{name: "control character in the tool", text: "Ba\x1bsh", says: "control character"},
		{name: "line break in the tool", text: "Ba\nsh(ls)", says: "control character"},
		{name: "control character in a command", text: "Bash(ls \x1b[2J)", says: "control character"},
		{name: "control character in a path", text: "Edit(/a\x00b)", says: "control character"},
		{name: "control character in a name", text: "Agent(a\x7f)", says: "control character"},
		{name: "not UTF-8", text: "Edit(a\xff)", says: "UTF-8"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r, err := pegboard.ParseRule(pegboard.Deny, tc.text)
			require.Error(t, err)
			require.Contains(t, err.Error(), tc.says)
			require.Equal(t, pegboard.Rule{}, r)
		})
	}
	for _, b := range []pegboard.Behavior{pegboard.Undecided, pegboard.Deny + 1, -1} {
		_, err := pegboard.ParseRule(b, "Bash")
		require.ErrorContains(t, err, b.String())
	}
}

// FuzzParseRule: a rule is refused or it can be written down and read again.
func FuzzParseRule(f *testing.F) {
	for _, text := range []string{
		"Bash", "Bash(*)", "Bash(git  status)", "Edit(/a/)", "Read(~/)", "mcp__s__*", "mcp____*", "mcp__s__*(x)",
		"Bash(npm run *)", "Bash(npm:*)", "Edit(src/**)", "Read(//**/.env)", "WebFetch(domain:*.a)", "mcp__s__get_*", "*", "Agent(model : *)",
		"WebFetch(domain:A.)", "T\u00a0(*)", "\u2003T", "T(())", "T()", "(", "Bash(\x00)", "Agent(a:b)",
	} {
		f.Add(int(pegboard.Deny), text)
	}
	f.Fuzz(func(t *testing.T, b int, text string) {
		r, err := pegboard.ParseRule(pegboard.Behavior(b), text)
		if err != nil {
			require.Equal(t, pegboard.Rule{}, r)
			require.NotEmpty(t, err.Error())
			return
		}
		again, err := pegboard.ParseRule(r.Behavior, r.String())
		require.NoError(t, err, r.String())
		require.Equal(t, r, again)
	})
}

// TestRulesThatNeverApplyAreRefused, each with the one to write instead.
func TestRulesThatNeverApplyAreRefused(t *testing.T) {
	t.Parallel()
	for text, instead := range map[string]string{
		"Write(/a)": "Edit(/a)", "NotebookEdit(a.ipynb)": "Edit(a.ipynb)", "MultiEdit(./a)": "Edit(./a)", "apply_patch(/a)": "Edit(/a)",
		"Glob(src)": "Read(src)", "Grep(~/a)": "Read(~/a)",
	} {
		for _, b := range []pegboard.Behavior{pegboard.Allow, pegboard.Ask, pegboard.Deny} {
			_, err := pegboard.ParseRule(b, text)
			require.ErrorContains(t, err, instead)
			_, err = pegboard.ParseRule(b, instead)
			require.NoError(t, err)
		}
	}
	_, err := pegboard.ParseRule(pegboard.Deny, "Write")
	require.NoError(t, err, "the tool as such")
}
