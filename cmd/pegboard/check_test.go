package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/settings"
	"github.com/seed49eaa51d/pegboard/settings/hooks"
)

// TestCheck checks each settings file beside a project with an MCP server, and compares what is
// found.
func TestCheck(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the golden files have paths with slashes")
	}
	paths, err := filepath.Glob(filepath.Join("testdata", "check", "*.json"))
	require.NoError(t, err)
	require.Len(t, paths, 11)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			s := newShop(t, map[string]string{
				"project/.claude/settings.json": string(text), "project/.mcp.json": `{"mcpServers": {"library": {"command": "sh", "args": ["-c", "exit 1"]}}}`,
			})
			out, status := s.run(t, "", "check")
			want := statusFound
			if strings.Contains(path, "01-fine") {
				want = statusOK
			}
			require.Equal(t, want, status, out)
			same(t, strings.TrimSuffix(path, ".json")+".golden", out)
		})
	}
}

// TestCheckOtherFiles: those beside the settings have problems, too.
func TestCheckOtherFiles(t *testing.T) {
	t.Parallel()
	s := newShop(t, map[string]string{
		"project/.claude/agents/reader.md":       "no head\n",
		"project/.claude/skills/deploy/SKILL.md": "---\ndescription: {\n---\nPress the button.\n",
		"project/.mcp.json":                      `{"mcpServers": {"library": {"command": "no-such-program"}, "far": {"type": "http", "url": "https://example.com/mcp"}}}`,
		"home/.claude/settings.json":             `{"permissions": {"deny": ["Bash(ls)"]}}`,
		"project/.claude/settings.local.json":    `{"permissions": {"allow": ["Bash(ls)"]}}`,
	})
	out, status := s.run(t, "", "check")
	require.Equal(t, statusFound, status)
	for _, want := range []string{
		"reader.md", "SKILL.md", "the MCP server library cannot start: there is no program no-such-program",
		`settings.local.json:1:28: allow rule "Bash(ls)" from localSettings never counts: deny rule "Bash(ls)" from userSettings`, "home/.claude/settings.json:1:27) decides calls such as ls",
	} {
		require.Contains(t, out, want)
	}
}

// TestMissing looks at the words of a command line as a shell would.
func TestMissing(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("files have no mark for programs")
	}
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"plain.sh": 0o600, "program.sh": 0o700} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, mode))
	}
	for _, tt := range []struct{ line, want string }{
		{"sh -c true", ""},
		{"no-such-program", "there is no program no-such-program"},
		{"./program.sh", ""},
		{"./plain.sh", "./plain.sh may not be executed; chmod +x makes it a program"},
		{"sh ./plain.sh", ""},
		{"sh ./none.sh", "there is no file ./none.sh"},
		{"$EDITOR", ""},
		{"[ -f x ]", ""},
		{"", ""},
	} {
		hook := hooks.Handler{Type: "command", Command: tt.line}
		require.Equal(t, tt.want, missing(programOf(hook, settings.Files{Dir: dir}, dir), dir), tt.line)
	}
}
