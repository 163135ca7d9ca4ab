package pattern_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

func TestParameter(t *testing.T) {
	t.Parallel()
	tests := []struct {
		tool, text string
		want       pattern.Param
		ok         bool
	}{
		{tool: "Agent", text: "model:opus", want: pattern.Param{Name: "model", Value: "opus"}, ok: true},
		{tool: "Agent", text: " model \t: opus ", want: pattern.Param{Name: "model", Value: "opus"}, ok: true},
		{tool: "Bash", text: "run_in_background:true", want: pattern.Param{Name: "run_in_background", Value: "true"}, ok: true},
		{tool: "mcp__a__b", text: "dry-run:*", want: pattern.Param{Name: "dry-run", Value: "*"}, ok: true},
		{tool: "Agent", text: "prompt:a:b", want: pattern.Param{Name: "prompt", Value: "a:b"}, ok: true},
		{tool: "Agent", text: "model:", want: pattern.Param{Name: "model"}, ok: true},
		{tool: "WebFetch", text: "prompt:*", want: pattern.Param{Name: "prompt", Value: "*"}, ok: true},
		{tool: "WebFetch", text: "domain:example.com"}, // has a meaning of its own
		{tool: "Bash", text: "npm:*"},
		{tool: "PowerShell", text: "Get-Item:*"},
		{tool: "Agent", text: "reviewer"},
		{tool: "Agent", text: ":opus"},
		{tool: "Bash", text: "git push a:b"},
		{tool: "Read", text: "//a:b"},
	}
	for _, tc := range tests {
		p, ok := pattern.Parameter(tc.tool, tc.text)
		require.Equal(t, tc.ok, ok, "%s(%s)", tc.tool, tc.text)
		require.Equal(t, tc.want, p, "%s(%s)", tc.tool, tc.text)
	}
}

func TestParamMatches(t *testing.T) {
	t.Parallel()
	const input = `{"model":"opus","n": 1.0 ,"on":true,"none":null,"empty":"","list":["opus"],"obj":{"a":1},"esc":"a\nb","Case":"x"}`
	var fields map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(input), &fields))
	tests := []struct {
		name, value string
		want        bool
	}{
		{name: "model", value: "opus", want: true},
		{name: "model", value: "Opus"},
		{name: "model", value: "op"},
		{name: "model", value: "o*", want: true},
		{name: "model", value: "*", want: true},
		{name: "model", value: `"opus"`},
		{name: "n", value: "1.0", want: true},
		{name: "n", value: "1"}, // the letters count
		{name: "on", value: "true", want: true},
		{name: "none", value: "null", want: true},
		{name: "empty", value: "", want: true},
		{name: "empty", value: "*", want: true},
		{name: "list", value: "*"},
		{name: "obj", value: "*"},
		{name: "esc", value: "a\nb", want: true},
		{name: "case", value: "x"},
		{name: "missing", value: "*"},
		{name: "missing", value: ""},
	}
	for _, tc := range tests {
		require.Equal(t, tc.want, pattern.Param{Name: tc.name, Value: tc.value}.Matches(fields), "%s:%s", tc.name, tc.value)
	}
	require.False(t, pattern.Param{Name: "a", Value: "*"}.Matches(nil))
	require.False(t, pattern.Param{Name: "a", Value: "*"}.Matches(map[string]json.RawMessage{"a": []byte(`"broken`)}))
}

func TestParamOfThePrimaryField(t *testing.T) {
	t.Parallel()
	for tool, field := range map[string]string{
		"Bash": "command", "PowerShell": "command", "Monitor": "command",
		"Read": "file_path", "Edit": "file_path", "Write": "file_path", "MultiEdit": "file_path", "apply_patch": "input",
		"NotebookEdit": "notebook_path", "Grep": "path", "Glob": "path", "WebFetch": "url",
	} {
		require.ErrorContains(t, pattern.Param{Name: field, Value: "x"}.Check(tool), "is ignored", tool)
		require.NoError(t, pattern.Param{Name: "other", Value: "x"}.Check(tool), tool)
		require.Regexp(t, `write (`+tool+`|Edit|Read)\((a command|a path|domain:a.host)\)$`, pattern.Param{Name: field, Value: "x"}.Check(tool).Error())
	}
	require.NoError(t, pattern.Param{Name: "path"}.Check("Read"))
	require.NoError(t, pattern.Param{Name: "command"}.Check("Agent"))
	require.NoError(t, pattern.Param{}.Check("Agent"))
}
