package main

import (
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTools lists what there is, without the sizes, which change with every word for the model.
func TestTools(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the list has PowerShell there, and the golden file has not")
	}
	sizes := regexp.MustCompile(` +\d+( bytes)?\n`)
	s := newShop(t, map[string]string{
		"home/.claude/settings.json": `{"permissions": {"deny": ["WebFetch"]}, "env": {"CLAUDE_CODE_REPL": "0"}}`,
		"project/.mcp.json":          `{"mcpServers": {"library": {"command": "sh"}}}`,
	})
	s.replay(t, filepath.Join("testdata", "tools.txt"), func(out string) string { return sizes.ReplaceAllString(out, "\n") })
}

// TestToolsOfServers starts the servers only when it is told to.
func TestToolsOfServers(t *testing.T) {
	t.Parallel()
	s := newShop(t, map[string]string{"home/.claude.json": serverFile(t, "home")})
	out, status := s.run(t, "", "tools")
	require.Zero(t, status, out)
	require.NotContains(t, out, "mcp__other__Read")
	require.Contains(t, out, "other")
	out, status = s.run(t, "", "tools", "-servers")
	require.Zero(t, status, out)
	require.Contains(t, out, "mcp__other__Read")
	require.Equal(t, 1, strings.Count(out, "mcp__other__Read "))
}
