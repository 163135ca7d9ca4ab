package definition_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/definition"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
)

// TestCorpus reads the definitions of real servers. Each becomes a tool with its own schema
// or is quarantined.
func TestCorpus(t *testing.T) {
	for _, folder := range corpus.Folders(t, "mcp-schemas") {
		servers := map[string][]pegboard.Tool{}
		rows, combined := 0, 0
		for _, line := range corpus.Lines(t, filepath.Join(folder, "mcp-schemas", "tools.jsonl")) {
			row, err := jsonobject.Parse(line)
			require.NoError(t, err)
			name, _ := row.Text("name")
			server, _ := row.Text("server")
			entry := jsonobject.With("name", jsonobject.Quote(strings.SplitN(name, "__", 3)[2])).
				With("description", row.Get("description")).With("inputSchema", row.Get("parameters"))
			d := definition.Read(definition.Server{Name: server}, entry.Encode(), nothing)
			require.Empty(t, d.Warnings)
			if schema, err := jsonobject.Parse(row.Get("parameters")); err == nil && (schema.Get("oneOf") != nil || schema.Get("anyOf") != nil || schema.Get("allOf") != nil) {
				combined++
			}
			rows++
			servers[server] = append(servers[server], d.Tool)
		}
		var registry pegboard.Registry
		offered, quarantined := 0, 0
		for server, tools := range servers {
			report, err := registry.Attach(server, tools...)
			require.NoError(t, err)
			offered += len(report.Added)
			quarantined += len(tools) - len(report.Added)
			for name, reason := range report.Quarantined {
				t.Logf("quarantined %s of %s: %v", name, server, reason)
			}
		}
		require.Equal(t, rows, offered+quarantined)
		corpus.Report(t, folder, "mcp-schemas: %d definitions offered, %d quarantined, %d with combinators at the root", offered, quarantined, combined)
	}
}

// TestCombinatorsAreFlattened sends a tool with combinators at the root to a provider that
// takes none. The schema that is sent has the properties of all alternatives and describes
// what was required of them.
func TestCombinatorsAreFlattened(t *testing.T) {
	t.Parallel()
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	require.NoError(t, err)
	defer func() { require.NoError(t, session.Close(context.Background())) }()
	var registry pegboard.Registry
	_, err = registry.Attach("srv", definition.Read(definition.Server{Name: "srv", AlwaysLoad: true}, json.RawMessage(`{"name":"query","inputSchema":{
		"allOf":[{"properties":{"sql":{"type":"string"}},"required":["sql"]}],
		"oneOf":[{"properties":{"url":{"type":"string"}},"required":["url"]},{"properties":{"host":{"type":"string"},"port":{"type":"integer"}},"required":["host","port"]}]}}`), nothing).Tool)
	require.NoError(t, err)
	sent := anthropic.New(registry.AssemblePool(session, pegboard.PoolConfig{}), anthropic.Config{}).Tools()
	var tools []struct {
		Name   string         `json:"name"`
		Schema map[string]any `json:"input_schema"`
	}
	require.NoError(t, json.Unmarshal(sent, &tools))
	require.Len(t, tools, 1)
	for _, combinator := range []string{"allOf", "anyOf", "oneOf"} {
		require.NotContains(t, tools[0].Schema, combinator)
	}
	require.Len(t, tools[0].Schema["properties"], 4)
	require.Equal(t, []any{"sql"}, tools[0].Schema["required"])
	require.Contains(t, tools[0].Schema["description"], "exactly one of")
}

// FuzzRead checks that a definition of any form gives a tool that can be attached and called,
// or is quarantined.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"name":"a","title":"b","description":"c","inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"}},"oneOf":[{"required":["a"]},{}]},"outputSchema":{"type":"object"},"annotations":{"title":"d","readOnlyHint":true},"_meta":{"ui":{"visibility":["app"]},"anthropic/alwaysLoad":true}}`,
		`{"name":"a","inputSchema":{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#"}]}}}}`, `{"name":"\ud800","inputSchema":{}}`, "{\"name\":\"a\",\"description\":\"\xff\",\"inputSchema\":{}}", `{"name":"a","inputSchema":{"enum":[{}]}}`, `[]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		s := definition.Server{Name: "srv", MirrorsInput: true, Trusted: true}
		d := definition.Read(s, raw, nothing)
		require.NotNil(t, d.Tool)
		var registry pegboard.Registry
		report, err := registry.Attach(s.Name, d.Tool)
		require.NoError(t, err)
		require.Equal(t, 1, len(report.Added)+len(report.Quarantined))
		if len(report.Quarantined) > 0 {
			return
		}
		declared, ok := d.Tool.Declare(pegboard.Scope{})
		require.True(t, ok)
		require.NotEmpty(t, declared.Description)
		require.LessOrEqual(t, len(declared.Description), definition.MaxText)
		require.Len(t, d.Tool.Traits(&pegboard.Call{}).Targets, 1)
	})
}
