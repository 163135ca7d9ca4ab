package mcp_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/definition"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
)

// listing returns a process that lists tools.
func listing(t *testing.T, name string, tools []json.RawMessage) mcpjson.Server {
	t.Helper()
	config := own(t, name, "file")
	config.Env["MCP_TEST_TOOLS"] = filepath.Join(t.TempDir(), "tools.json")
	text, err := json.Marshal(tools)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(config.Env["MCP_TEST_TOOLS"], text, 0o600))
	return config
}

// attached returns a registry with the same sources as the processes, attached directly. The
// error says that a source is refused.
func attached(sources []listed) (*pegboard.Registry, error) {
	never := func(context.Context, *pegboard.Call, string, json.RawMessage) (*pegboard.Result, error) {
		return nil, os.ErrInvalid
	}
	registry := new(pegboard.Registry)
	for _, s := range sources {
		var tools []pegboard.Tool
		for _, raw := range s.tools {
			tools = append(tools, definition.Read(definition.Server{Name: s.name}, raw, never).Tool)
		}
		if _, err := registry.Attach(s.name, tools...); err != nil {
			return nil, err
		}
	}
	return registry, nil
}

// listed is a server and what it lists.
type listed struct {
	name  string
	tools []json.RawMessage
}

// TestSchemas has a process list the definitions of real servers. They are the same to the byte
// as those that are attached without the protocol.
func TestSchemas(t *testing.T) {
	t.Parallel()
	for _, folder := range corpus.Folders(t, "mcp-schemas") {
		all := listed{name: "all"}
		for _, line := range corpus.Lines(t, filepath.Join(folder, "mcp-schemas", "tools.jsonl")) {
			var row struct {
				Name, Description string
				Parameters        json.RawMessage
			}
			require.NoError(t, json.Unmarshal(line, &row))
			name := fmt.Sprintf("%s-%d", strings.TrimPrefix(row.Name, "mcp__"), len(all.tools))
			raw, err := json.Marshal(map[string]any{"name": name, "description": row.Description, "inputSchema": row.Parameters})
			require.NoError(t, err)
			all.tools = append(all.tools, raw)
		}
		b := newBridge(t, nil, listing(t, all.name, all.tools)).ready()
		state := b.servers.Sync(t.Context())[0]
		registry, err := attached([]listed{all})
		require.NoError(t, err)
		direct := registry.AssemblePool(b.session, pegboard.PoolConfig{})
		require.Equal(t, direct.Len(), state.Tools)
		require.Greater(t, state.Tools, len(all.tools)*9/10)
		require.Equal(t, direct.Fingerprint(pegboard.External), b.registry.AssemblePool(b.session, pegboard.PoolConfig{}).Fingerprint(pegboard.External))
		corpus.Report(t, folder, "mcp-schemas: %d of %d definitions offered by a process", state.Tools, len(all.tools))
	}
}

// TestDecisionsOfTheCorpus has processes list the tools of the corpus of permissions. Each call
// is decided as that of a tool that is attached without the protocol.
func TestDecisionsOfTheCorpus(t *testing.T) {
	t.Parallel()
	for _, folder := range corpus.Folders(t, "security") {
		path := filepath.Join(folder, "security", "mcp.jsonl")
		if _, err := os.Stat(path); err != nil {
			continue
		}
		decided := 0
		for _, line := range corpus.Lines(t, path) {
			var row struct {
				ID      string
				Servers []struct {
					Name  string
					Tools []map[string]json.RawMessage
				}
				Rules pegboard.RuleSet
				Mode  string
			}
			if json.Unmarshal(line, &row) != nil {
				continue // a row about something else than lists
			}
			permissions, err := pegboard.NewPermissions(pegboard.Mode(cmp.Or(row.Mode, "default")), row.Rules)
			if err != nil {
				continue // a rule that is refused
			}
			t.Run(row.ID, func(t *testing.T) {
				var sources []listed
				var configs []mcpjson.Server
				for _, s := range row.Servers {
					source := listed{name: s.Name}
					for _, tool := range s.Tools {
						if tool["inputSchema"] == nil {
							tool["inputSchema"] = json.RawMessage(`{"type":"object"}`)
						}
						raw, err := json.Marshal(tool)
						require.NoError(t, err)
						source.tools = append(source.tools, raw)
					}
					sources = append(sources, source)
					configs = append(configs, listing(t, s.Name, source.tools))
				}
				b := newBridge(t, func(s *setup) { s.session.Permissions = permissions }, configs...)
				registry, refused := attached(sources)
				if refused != nil {
					require.ErrorContains(t, b.servers.Ready(t.Context()), refused.Error())
					return
				}
				b.ready().servers.Sync(t.Context())
				far := b.registry.AssemblePool(b.session, pegboard.PoolConfig{})
				near := registry.AssemblePool(b.session, pegboard.PoolConfig{})
				require.Equal(t, near.Len(), far.Len())
				for tool := range near.All() {
					call := pegboard.Call{Name: tool.Info().Name, Input: json.RawMessage(`{}`)}
					want, got := near.Decide(t.Context(), call), far.Decide(t.Context(), call)
					require.Equal(t, want.Behavior, got.Behavior, call.Name)
					require.Equal(t, want.Reason, got.Reason, call.Name)
					decided++
				}
			})
		}
		corpus.Report(t, folder, "security/mcp: %d decisions about tools of processes", decided)
		require.Positive(t, decided)
	}
}
