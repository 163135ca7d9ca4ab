package skills_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/skills"
)

func file(head, body string) string { return "---\n" + head + "\n---\n" + body }

// TestParse has every key, with each form of its value.
func TestParse(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	tests := []struct {
		name string
		text string
		want skills.Skill // with the name deploy, the description "Do it." and the body "Do it." where these are empty
	}{
		{name: "no head", text: "Do it.\n"},
		{name: "an empty head", text: file("", "\nDo it.\n")},
		{name: "Windows line ends", text: strings.ReplaceAll(file("model: opus", "Do it.\n"), "\n", "\r\n"), want: skills.Skill{Model: "opus"}},
		{name: "name", text: file("name: ship-it", "Do it."), want: skills.Skill{Name: "ship-it"}},
		{name: "description", text: file("description: Deploys.", "Do it."), want: skills.Skill{Description: "Deploys."}},
		{name: "folded description", text: file("description: >\n  Deploys\n  all.\n", "Do it."), want: skills.Skill{Description: "Deploys all."}},
		{name: "first paragraph", text: "# Deploy\n\nDeploys\nall.\n\nMore.", want: skills.Skill{Description: "Deploys\nall.", Body: "# Deploy\n\nDeploys\nall.\n\nMore."}},
		{name: "only a heading", text: "# Deploy", want: skills.Skill{Description: "Deploy", Body: "# Deploy"}},
		{name: "when_to_use", text: file("when_to_use: On Fridays.", "Do it."), want: skills.Skill{WhenToUse: "On Fridays."}},
		{name: "argument-hint", text: file(`argument-hint: "[issue] <branch>"`, "Do it."), want: skills.Skill{ArgumentHint: "[issue] <branch>"}},
		{name: "argument-hint without quotes", text: file(`argument-hint: [issue, branch]`, "Do it."), want: skills.Skill{ArgumentHint: "[issue, branch]"}},
		{name: "arguments as a text", text: file("arguments: issue branch", "Do it."), want: skills.Skill{Arguments: []string{"issue", "branch"}}},
		{name: "arguments as a list", text: file("arguments: [issue, branch]", "Do it."), want: skills.Skill{Arguments: []string{"issue", "branch"}}},
		{name: "disable-model-invocation", text: file("disable-model-invocation: true", "Do it."), want: skills.Skill{NoModel: true}},
		{name: "user-invocable", text: file("user-invocable: false", "Do it."), want: skills.Skill{NoPerson: true}},
		{name: "user-invocable true", text: file("user-invocable: true", "Do it.")},
		{name: "allowed-tools with blanks", text: file("allowed-tools: Read Bash(git add *) mcp__github", "Do it."), want: skills.Skill{AllowedTools: []string{"Read", "Bash(git add *)", "mcp__github"}}},
		{name: "allowed-tools with commas", text: file("allowed-tools: Read, Bash(git add *)", "Do it."), want: skills.Skill{AllowedTools: []string{"Read", "Bash(git add *)"}}},
		{name: "allowed-tools as a list", text: file("allowed-tools:\n  - Read\n  - Bash(git add *)", "Do it."), want: skills.Skill{AllowedTools: []string{"Read", "Bash(git add *)"}}},
		{name: "disallowed-tools", text: file("disallowed-tools: Write", "Do it."), want: skills.Skill{DisallowedTools: []string{"Write"}}},
		{name: "model", text: file("model: opus", "Do it."), want: skills.Skill{Model: "opus"}},
		{name: "effort", text: file("effort: xhigh", "Do it."), want: skills.Skill{Effort: "xhigh"}},
		{name: "context", text: file("context: fork", "Do it."), want: skills.Skill{Fork: true}},
		{name: "context inline", text: file("context: inline", "Do it.")},
		{name: "agent", text: file("agent: Explore", "Do it."), want: skills.Skill{Agent: "Explore"}},
		{name: "background", text: file("background: true", "Do it."), want: skills.Skill{Background: &yes}},
		{name: "no background", text: file("background: false", "Do it."), want: skills.Skill{Background: &no}},
		{name: "paths as a text", text: file(`paths: "src/**/*.{ts,tsx}, *.md"`, "Do it."), want: skills.Skill{Paths: []string{"src/**/*.{ts,tsx}", "*.md"}}},
		{name: "paths as a list", text: file(`paths: ["a/*", "b"]`, "Do it."), want: skills.Skill{Paths: []string{"a/*", "b"}}},
		{name: "shell", text: file("shell: powershell", "Do it."), want: skills.Skill{PowerShell: true}},
		{name: "shell bash", text: file("shell: bash", "Do it.")},
		{name: "license", text: file("license: MIT", "Do it."), want: skills.Skill{License: "MIT"}},
		{name: "compatibility", text: file("compatibility: needs git", "Do it."), want: skills.Skill{Compatibility: "needs git"}},
		{name: "hooks and metadata", text: file("hooks:\n  Stop: []\nmetadata:\n  version: 1.0\n", "Do it."),
			want: skills.Skill{Extra: map[string]json.RawMessage{"hooks": json.RawMessage(`{"Stop":[]}`), "metadata": json.RawMessage(`{"version":1.0}`)}}},
		{name: "values that are empty", text: file("name:\nmodel:\nallowed-tools:\ncontext:\nuser-invocable:\n", "Do it.")},
		{name: "a key of somebody else", text: file("version: 2\nauthor: me", "Do it.")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.want.Name == "" {
				tt.want.Name = "deploy"
			}
			if tt.want.Description == "" {
				tt.want.Description = "Do it."
			}
			if tt.want.Body == "" {
				tt.want.Body = "Do it."
			}
			for _, path := range []string{"deploy/SKILL.md", "commands/deploy.md"} {
				got, problems, err := skills.Parse(path, []byte(tt.text))
				require.NoError(t, err)
				require.Empty(t, problems)
				require.Equal(t, tt.want, got)
			}
		})
	}
}

// TestParseProblems has what has no effect, and leaves the rest of the skill as it is.
func TestParseProblems(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, head, want string }{
		{name: "a name with a blank", head: "name: Ship it", want: `name: "Ship it" is no name; write at most 64 letters, digits and hyphens; it has no effect`},
		{name: "a name with a colon", head: `name: "a:b"`, want: `name: "a:b" is no name`},
		{name: "a name with a hyphen before it", head: `name: -rf`, want: `name: "-rf" is no name`},
		{name: "a long name", head: "name: " + strings.Repeat("x", 65), want: "is no name"},
		{name: "a name that is a list", head: "name: [a]", want: "name: line 2: there is a list; write a text"},
		{name: "a description that is a map", head: "description: {a: b}", want: "description: line 2: there is a map; write a text"},
		{name: "a hint that is a map", head: "argument-hint: {a: b}", want: "argument-hint: line 2: there is a map"},
		{name: "arguments with a digit first", head: "arguments: 1st", want: `arguments: "1st" is no name of an argument`},
		{name: "arguments with the name of all", head: "arguments: ARGUMENTS", want: `arguments: "ARGUMENTS" is no name of an argument`},
		{name: "arguments twice", head: "arguments: a a", want: `arguments: "a" is no name of an argument, or is there twice`},
		{name: "allowed-tools that no rule can be", head: "allowed-tools: Bash(, Read", want: "allowed-tools: "},
		{name: "allowed-tools that is a map", head: "allowed-tools: {a: b}", want: "allowed-tools: line 2: there is a map"},
		{name: "effort", head: "effort: much", want: `effort: "much" is no effort; write low, medium, high, xhigh or max; it has no effect`},
		{name: "compatibility", head: "compatibility: " + strings.Repeat("x", 501), want: "compatibility has more than 500 characters; it has no effect"},
		{name: "a misspelled key", head: "allowed_tools: Bash", want: `line 2: the key "allowed_tools" has no effect; is it meant as allowed-tools?`},
		{name: "metadata that no JSON can be", head: "metadata: {a: .inf}", want: "metadata: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, problems, err := skills.Parse("deploy/SKILL.md", []byte(file(tt.head, "Do it.")))
			require.NoError(t, err)
			require.Len(t, problems, 1)
			require.Equal(t, "deploy/SKILL.md", problems[0].Path)
			require.False(t, problems[0].Skipped)
			require.Contains(t, problems[0].Reason, tt.want)
			require.Equal(t, skills.Skill{Name: "deploy", Description: "Do it.", Body: "Do it."}, withoutEmpty(got))
		})
	}
}

// withoutEmpty returns s with nil in place of what is empty.
func withoutEmpty(s skills.Skill) skills.Skill {
	if len(s.AllowedTools) == 0 {
		s.AllowedTools = nil
	}
	if len(s.Extra) == 0 {
		s.Extra = nil
	}
	return s
}

// TestParseRefuses has what keeps a file from being used: without the value, the skill could do
// more or do something else.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, path, text, want string }{
		{name: "no body", text: file("name: x", "\n \n"), want: "there is no text below the head; write the instructions there"},
		{name: "nothing at all", text: "", want: "there is no text"},
		{name: "a head that does not end", text: "---\nname: x\n", want: "line 1: the head does not end"},
		{name: "no YAML", text: file("name: [x", "Do it."), want: "is not valid YAML"},
		{name: "a list", text: file("- name", "Do it."), want: "the head is a list"},
		{name: "a key twice", text: file("model: a\nmodel: b", "Do it."), want: "model"},
		{name: "not UTF-8", text: "Do it.\xff", want: "line 1: the text is not UTF-8"},
		{name: "too long", text: strings.Repeat("x", 1<<20+1), want: "at most 1048576 are read"},
		{name: "no name", path: "de ploy/SKILL.md", text: "Do it.", want: `"de ploy" is no name of a skill; rename the file or its directory`},
		{name: "no name of a file", path: ".md", text: "Do it.", want: `"" is no name of a skill`},
		{name: "disable-model-invocation", text: file("disable-model-invocation: maybe", "Do it."), want: "disable-model-invocation: line 2: there is the text"},
		{name: "user-invocable", text: file("user-invocable: [no]", "Do it."), want: "user-invocable: line 2: there is a list; write true or false"},
		{name: "disallowed-tools", text: file("disallowed-tools: Bash(", "Do it."), want: "disallowed-tools: "},
		{name: "disallowed-tools that is a map", text: file("disallowed-tools: {a: b}", "Do it."), want: "disallowed-tools: line 2"},
		{name: "disallowed-tools as in an agent file", text: file("disallowedTools: Bash", "Do it."), want: `line 2: the key "disallowedTools" has no effect; write disallowed-tools`},
		{name: "disallowed-tools misspelled", text: file("disalowed-tools: Bash", "Do it."), want: "write disallowed-tools"},
		{name: "disable-model-invocation with other signs", text: file("disable_model_invocation: true", "Do it."), want: "write disable-model-invocation"},
		{name: "context", text: file("context: spoon", "Do it."), want: `context: "spoon" is not known; write fork, or leave the key out`},
		{name: "agent", text: file("agent: [a]", "Do it."), want: "agent: line 2"},
		{name: "background", text: file("background: later", "Do it."), want: "background: line 2"},
		{name: "paths", text: file("paths: \"[\"", "Do it."), want: `paths: "[" is no pattern of files`},
		{name: "shell", text: file("shell: fish", "Do it."), want: `shell: "fish" is no shell; write bash or powershell`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.path == "" {
				tt.path = "deploy/SKILL.md"
			}
			_, _, err := skills.Parse(tt.path, []byte(tt.text))
			var refused *skills.FileError
			require.ErrorAs(t, err, &refused)
			require.Equal(t, tt.path, refused.Path)
			require.ErrorContains(t, refused.Err, tt.want)
		})
	}
}

// FuzzParse checks that what is parsed can be used: it has a valid name, a body, a description,
// and rules that can be read.
func FuzzParse(f *testing.F) {
	f.Add(file("name: a\nallowed-tools: Bash(x *)\npaths: a/*", "Do it."))
	f.Add("---\ndescription: >\n  x\n---\n!`a`")
	f.Fuzz(func(t *testing.T, text string) {
		s, _, err := skills.Parse("deploy/SKILL.md", []byte(text))
		if err != nil {
			return
		}
		require.True(t, skills.ValidName(s.Name))
		require.NotEmpty(t, strings.TrimSpace(s.Body))
	})
}
