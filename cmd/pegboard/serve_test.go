package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// serverFile returns a file with an MCP server: this program, in the project of another home.
func serverFile(t *testing.T, home string) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"other": map[string]any{
		"command": os.Args[0], "args": []string{"serve", "-dir", t.TempDir()},
		"env": map[string]string{programName: "1", "HOME": filepath.Join(t.TempDir(), home)},
	}}})
	require.NoError(t, err)
	return string(text)
}

// TestServe has a client of the MCP SDK start the program and call tools, and answer for the user.
func TestServe(t *testing.T) {
	t.Parallel()
	s := newShop(t, map[string]string{
		"home/.claude/settings.json":    `{"permissions": {"deny": ["Read(.env)"]}}`,
		"project/.claude/settings.json": `{"permissions": {"allow": ["Write"]}}`,
		"project/.env":                  "KEY=1\n", "project/a.txt": "pear\n",
	})
	asked := 0
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			asked++
			return &mcp.ElicitResult{Action: "decline"}, nil
		},
	})
	command := exec.Command(os.Args[0], "serve", "-dir", s.project)
	command.Env = append(os.Environ(), programName+"=1", "HOME="+filepath.Join(s.base, "home"), "USERPROFILE="+filepath.Join(s.base, "home"))
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: command}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	require.NoError(t, err)
	said := func(tool string, input map[string]any) (string, bool) {
		r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: input})
		require.NoError(t, err)
		require.NotEmpty(t, r.Content)
		text, ok := r.Content[0].(*mcp.TextContent)
		require.True(t, ok)
		return text.Text, r.IsError
	}
	text, failed := said("Read", map[string]any{"file_path": "a.txt"})
	require.False(t, failed, text)
	require.Contains(t, text, "pear")
	text, failed = said("Read", map[string]any{"file_path": ".env"})
	require.True(t, failed)
	require.Contains(t, text, `deny rule "Read(.env)"`)
	require.Zero(t, asked)
	text, failed = said("Write", map[string]any{"file_path": "b.txt", "content": "fig\n"})
	require.True(t, failed, "what the project allows does not count without -trust")
	require.Equal(t, 1, asked, text)
	require.NoError(t, session.Close())
}
