package main

import (
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// explained is a shop whose rules the transcript asks about.
func explained(t *testing.T) shop {
	t.Helper()
	return newShop(t, map[string]string{
		"home/.claude/settings.json": `{
  "permissions": {
    "allow": ["Bash(go test *)", "WebFetch(domain:go.dev)", "mcp__library__lend"],
    "deny": ["Read(~/.ssh/**)"]
  }
}
`,
		"project/.claude/settings.json": `{
  "permissions": {
    "allow": ["Bash(git status)", "Edit(/src/**)"],
    "ask": ["Edit(/src/generated/**)"],
    "deny": ["Bash(git push:*)", "Read(.env)", "NotebookEdit"]
  },
  "hooks": {"PreToolUse": [{"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "gofmt -l src"}, {"type": "command", "command": "seen", "if": "Edit(*.md)"}]}]}
}
`,
		"project/src/main.go": "package main\n",
	})
}

// TestExplain compares what people ask with the answers.
func TestExplain(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the transcript has paths with slashes")
	}
	explained(t).replay(t, filepath.Join("testdata", "explain.txt"), func(out string) string { return out })
}

// TestExplainJSON has the fields that a script reads.
func TestExplainJSON(t *testing.T) {
	t.Parallel()
	out, status := explained(t).run(t, "", "explain", "-json", "Bash", "git push")
	require.Zero(t, status)
	var x map[string]any
	require.NoError(t, json.Unmarshal([]byte(out), &x))
	require.Equal(t, "deny", x["behavior"])
	require.Equal(t, map[string]any{
		"behavior": "deny", "rule": "Bash(git push:*)", "source": "projectSettings", "position": ".claude/settings.json:5:14",
	}, x["rule"])
	require.Equal(t, map[string]any{"command": "git push"}, x["input"])
	require.NotEmpty(t, x["steps"])
}

// TestExplainBroken: nothing is said where the engine itself would refuse to start.
func TestExplainBroken(t *testing.T) {
	t.Parallel()
	s := newShop(t, map[string]string{"project/.claude/settings.json": `{"permissions": {"deny": ["Bash(git"]}}`})
	out, status := s.run(t, "", "explain", "Bash", "ls")
	require.Equal(t, statusFailed, status)
	require.Contains(t, out, "settings.json:1:27")
}

// TestPictureOfExplain draws the picture of the documentation. Run with PEGBOARD_UPDATE=1 to
// draw it anew.
func TestPictureOfExplain(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the picture has paths with slashes")
	}
	s := explained(t)
	var text strings.Builder
	for _, line := range []string{"Bash 'env git -C . push'", "Bash 'go test ./... | tee log.txt'", "Edit src/main.go", "Read ~/.ssh/id_rsa"} {
		out, status := s.run(t, "", append([]string{"explain"}, words(strings.ReplaceAll(line, "~", filepath.Join(s.base, "home")))...)...)
		require.Zero(t, status, out)
		fmt.Fprintf(&text, "$ pegboard explain %s\n%s\n", line, strings.ReplaceAll(out, "/base/home", "~"))
	}
	const picture = "../../docs/explain.svg"
	got := drawn(strings.TrimSpace(text.String()))
	if os.Getenv("PEGBOARD_UPDATE") != "" {
		require.NoError(t, os.WriteFile(picture, []byte(got), 0o644)) //nolint:gosec // a picture
	}
	want, err := os.ReadFile(picture)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// drawn returns a picture of a terminal that shows the text.
func drawn(text string) string {
	const width, line, margin = 100, 19, 16
	colours := map[string]string{"allow": "#7ec77e", "ask": "#e0c060", "deny": "#e08080", "$": "#ffffff"}
	var rows strings.Builder
	y := margin
	for row := range strings.Lines(text) {
		row = strings.TrimSuffix(row, "\n")
		first, _, _ := strings.Cut(row, " ")
		colour, ok := colours[first]
		if !ok {
			colour = "#d0d0d0"
		}
		y += line
		fmt.Fprintf(&rows, `<text x="%d" y="%d" fill="%s">%s</text>`+"\n", margin, y, colour, strings.ReplaceAll(html.EscapeString(row), " ", "\u00a0"))
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="Menlo, Consolas, monospace" font-size="14">
<rect width="100%%" height="100%%" rx="8" fill="#1e1e1e"/>
%s</svg>
`, width*8+80, y+margin+line/2, rows.String())
}
