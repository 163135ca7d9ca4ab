package frontmatter_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/frontmatter"
)

// heads are heads as people write them, each valid YAML without repeated keys.
func heads() []string {
	return []string{
		"name: code-reviewer\ndescription: Reviews code\ntools: Read, Grep, Glob\nmodel: sonnet",
		"name: a\ndescription: >\n  Use this agent\n  when code changes.\n\n  Second paragraph.\ntools:\n  - Read\n  - Bash(git log:*)",
		"name: a\ndescription: |-\n  One\n    two\n  three\ncolor: 'blue'",
		"name: a\ndescription: \"Colon: and \\\"quotes\\\" and \\n a line\\u00e9\"\nmaxTurns: 12",
		"name: a\ndescription: it's plain, with a # that is no comment#\nbackground: true # a comment",
		"hooks:\n  PreToolUse:\n    - matcher: \"Bash\"\n      hooks:\n        - type: command\n          command: \"./check.sh \\\"$1\\\"\"",
		"mcpServers:\n  - github\n  - slack: {type: http, url: \"https://example.com/mcp\", headers: {A: b}}",
		"a: plain\n  text over\n  lines\nb: 'single ''quoted'' text\n  over lines'",
		"a: &x {k: v}\nb: *x\nc: [*x, *x]",
		"? complex\n: value\n? - a\n  - b\n: no",
		"a: []\nb: {}\nc: ''\nd:\ne: ~",
		"a: - b",
		"a: b: c",
		"a: [1, 2",
		"a: {b: c, d}",
		"a: |+\n  keep\n\n\nb: |2\n    two\nc: >+\n  fold\n\n",
		"äöü: ß\n日本: 語\n\"q\": 'r'",
		"a: 1e3\nb: 0x1F\nc: 1_000\nd: 12:30:45\ne: 2024-01-02T03:04:05Z\nf: .5\ng: 007",
		"a: @x", "a: `x`", "a: %x", "a: x%", "a: *", "- a\n- b", "text",
		"a:\n- b\n- c", "a:\n   - b\n   -   c: d\n       e: f", "\ta: b",
		"a: b\n\n# comment\n\nc: d", "{a: b, c: [d, e]}", "a: 'x", "a: \"\\q\"", "a: >3\n     x\n    y",
		"a: https://example.com/x?y#z", "a: x:y", "a: [x:y, a: b]", "a: <b>x</b>\nexample: \"<x>\\ny</x>\"", "a: b, c: d",
	}
}

// script prints for each head a JSON line: its tree with every scalar as text, or null.
const script = `
import json, sys, yaml
for head in json.load(sys.stdin):
    try:
        tree = yaml.load(head + "\n", Loader=yaml.BaseLoader)
        json.dumps(tree)
    except Exception:
        tree = None
    print(json.dumps({"tree": tree}))
`

// TestParseAgreesWithPyYAML compares the structure of heads and the texts in them with what a
// parser in another language reads.
func TestParseAgreesWithPyYAML(t *testing.T) {
	if exec.Command("python3", "-c", "import yaml").Run() != nil {
		t.Skip("python3 or its package yaml is not installed")
	}
	input, err := json.Marshal(heads())
	require.NoError(t, err)
	command := exec.Command("python3", "-c", script)
	command.Stdin = bytes.NewReader(input)
	output, err := command.Output()
	require.NoError(t, err)
	lines := json.NewDecoder(bytes.NewReader(output))
	for _, head := range heads() {
		var want struct{ Tree any }
		require.NoError(t, lines.Decode(&want))
		d, err := frontmatter.Parse([]byte("---\n" + head + "\n---\nbody"))
		fields, isMap := want.Tree.(map[string]any)
		if !isMap {
			require.Error(t, err, head)
			continue
		}
		require.NoError(t, err, head)
		got := map[string]any{}
		for _, f := range d.Fields {
			got[f.Name] = f.Value.Texts()
		}
		require.Equal(t, fields, got, head)
	}
}
