package mcp_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/mcp"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// TestToolsHaveALoginWhereAServerMayNeedOne: no process of this machine asks for a login.
func TestToolsHaveALoginWhereAServerMayNeedOne(t *testing.T) {
	t.Parallel()
	local := mcpjson.Server{Name: "notes", Type: mcpjson.Stdio, Command: exampleProgram(), Env: exampleEnv()}
	remote := mcpjson.Server{Name: "far", Type: mcpjson.HTTP, URL: "http://127.0.0.1:1/mcp"}
	tests := []struct {
		name    string
		servers []mcpjson.Server
		want    []string
	}{
		{name: "none", want: []string{"ListMcpResources", "ReadMcpResource"}},
		{name: "a process", servers: []mcpjson.Server{local}, want: []string{"ListMcpResources", "ReadMcpResource"}},
		{name: "a process and a service", servers: []mcpjson.Server{local, remote}, want: []string{"ListMcpResources", "ReadMcpResource", "McpAuth"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			session, err := tooltest.NewSession("")
			require.NoError(t, err)
			defer func() { require.NoError(t, session.Close(t.Context())) }()
			var names []string
			for _, tool := range mcp.Start(session, new(pegboard.Registry), mcp.Options{}, tt.servers...).Tools() {
				names = append(names, tool.Info().Name)
			}
			require.Equal(t, tt.want, names)
		})
	}
}
