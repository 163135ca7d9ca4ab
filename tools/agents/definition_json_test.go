package agents_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

func TestParseJSON(t *testing.T) {
	definitions, problems, err := agents.ParseJSON([]byte(`{
		"reviewer": {"description": "Reviews", "prompt": "Review it.\n", "tools": ["Read", "Grep"], "disallowedTools": "Write, Edit",
			"model": "inherit", "permissionMode": "manual", "maxTurns": 3, "skills": ["api"], "background": true, "isolation": "worktree",
			"effort": 4, "hooks": {"Stop": []}, "mcpServers": ["a"], "initialPrompt": "Go.", "memory": "user", "omitClaudeMd": true,
			"color": "mauve", "name": "x"},
		"bare": {"description": "Bare", "prompt": ""},
		"a:b": {"description": "c", "prompt": "d"},
		"undescribed": {"prompt": "d"},
		"unlimited": {"description": "c", "prompt": "d", "maxTurns": 1.5},
		"text": "d",
		"": {"description": "c", "prompt": "d"}
	}`), "--agents")
	require.NoError(t, err)
	require.Equal(t, []agents.Definition{
		{Name: "bare", Description: "Bare", Custom: true, Origin: "--agents: bare"},
		{
			Name: "reviewer", Description: "Reviews", Prompt: "Review it.\n", Tools: []string{"Read", "Grep"}, DisallowedTools: []string{"Write", "Edit"},
			Mode: pegboard.ModeDefault, MaxTurns: 3, Skills: []string{"api"}, Background: true, Worktree: true, Effort: "4", Custom: true,
			Origin: "--agents: reviewer",
			Extra: map[string]json.RawMessage{
				"hooks": json.RawMessage(`{"Stop":[]}`), "mcpServers": json.RawMessage(`["a"]`), "initialPrompt": json.RawMessage(`"Go."`),
				"memory": json.RawMessage(`"user"`), "omitClaudeMd": json.RawMessage(`true`),
			},
		},
	}, definitions)
	require.Equal(t, []string{
		"--agents: : it has no name; give it one of lower-case letters and hyphens",
		`--agents: a:b: the name "a:b" has a colon, parenthesis, comma or control character; use lower-case letters and hyphens`,
		`--agents: reviewer: color: there is "mauve"; write one of red, blue, green, yellow, purple, orange, pink, cyan; it is left out`,
		`--agents: reviewer: the key "name" is unknown and left out`,
		"--agents: text: it is no object; write an object with description and prompt",
		"--agents: undescribed: it has no description; say there when to use the agent",
		"--agents: unlimited: maxTurns: there is the number 1.5; write a whole number",
	}, texts(problems))
}

func TestParseJSONRefuses(t *testing.T) {
	for _, text := range []string{"", "[]", "null", "{", `{"a": {}, "a": {}}`, `{"a": {"tools": [], "tools": ["Read"]}}`} {
		definitions, _, err := agents.ParseJSON([]byte(text), "--agents")
		var p *agents.SkippedError
		require.ErrorAs(t, err, &p, text)
		require.Equal(t, "--agents", p.Path)
		require.Empty(t, definitions)
	}
}

func FuzzParseJSON(f *testing.F) {
	f.Add(`{"a": {"description": "b", "prompt": "c", "tools": ["Read"]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		definitions, _, err := agents.ParseJSON([]byte(text), "--agents")
		if err != nil {
			require.Empty(t, definitions)
		}
		for _, d := range definitions {
			require.NotEmpty(t, d.Name)
			require.NotEmpty(t, d.Description)
			for _, value := range d.Extra {
				require.True(t, json.Valid(value))
			}
		}
	})
}
