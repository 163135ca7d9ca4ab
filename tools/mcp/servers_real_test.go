package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/reference"
	"github.com/seed49eaa51d/pegboard/tools/mcp"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
)

// process returns a server of others that is a process.
func process(t testing.TB, name string, p reference.Program, args ...string) mcpjson.Server {
	t.Helper()
	args = reference.Args(t, p, args...)
	return mcpjson.Server{Name: name, Type: mcpjson.Stdio, Command: args[0], Args: args[1:]}
}

// everythingTools are the tools of server-everything for a client with roots, forms and a model.
var everythingTools = []string{
	"echo", "get-annotated-message", "get-env", "get-resource-links", "get-resource-reference", "get-roots-list", "get-structured-content",
	"get-sum", "get-tiny-image", "gzip-file-as-resource", "simulate-research-query", "toggle-simulated-logging", "toggle-subscriber-updates",
	"trigger-elicitation-request", "trigger-long-running-operation", "trigger-sampling-request", "trigger-url-elicitation",
}

// TestEverything uses all that server-everything has, over each transport.
func TestEverything(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		server func(t *testing.T) mcpjson.Server
	}{
		{name: "stdio", server: func(t *testing.T) mcpjson.Server { t.Helper(); return process(t, "every", reference.Everything) }},
		{name: "HTTP", server: func(t *testing.T) mcpjson.Server {
			t.Helper()
			return mcpjson.Server{Name: "every", Type: mcpjson.HTTP, URL: "http://" + reference.Serve(t, reference.Everything, "streamableHttp") + "/mcp"}
		}},
		{name: "SSE", server: func(t *testing.T) mcpjson.Server {
			t.Helper()
			return mcpjson.Server{Name: "every", Type: mcpjson.SSE, URL: "http://" + reference.Serve(t, reference.Everything, "sse") + "/sse"}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			u := &user{fill: func(_ context.Context, f *pegboard.Form) (pegboard.Filled, error) {
				if f.URL != "" {
					return pegboard.Filled{Action: pegboard.FillAccept}, nil
				}
				return pegboard.Filled{Action: pegboard.FillAccept, Content: json.RawMessage(`{"name":"Ada"}`)}, nil
			}}
			b := newBridge(t, func(s *setup) {
				u.setup(s)
				s.options.Begin = soon
				s.options.Sample = func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
					return json.RawMessage(`{"role":"assistant","model":"m","content":{"type":"text","text":"the model says"}}`), nil
				}
			}, tt.server(t))
			require.NoError(t, b.registry.Add(b.servers.Tools()[:2]...))
			b.ready()
			requireEverythingTools(t, b)
			requireEverythingCalls(t, b, u)
			requireEverythingRest(t, b)
		})
	}
}

// requireEverythingTools expects the tools that the server lists only after it was told what
// the client can do.
func requireEverythingTools(t *testing.T, b *bridge) {
	t.Helper()
	began := time.Now()
	var tools []string
	for len(tools) != len(everythingTools) && time.Since(began) < soon {
		b.servers.Sync(t.Context())
		tools = nil
		for _, name := range names(b.registry.AssemblePool(b.session, pegboard.PoolConfig{})) {
			tools = append(tools, name[len("mcp__every__"):])
		}
		time.Sleep(poll)
	}
	slices.Sort(tools)
	require.Equal(t, everythingTools, tools)
}

func requireEverythingCalls(t *testing.T, b *bridge, u *user) {
	t.Helper()
	call := func(tool, input string) string {
		t.Helper()
		o := b.call("every", tool, json.RawMessage(input))
		require.NoError(t, o.Err, tool)
		require.False(t, o.Result.IsError, textOf(o))
		return textOf(o)
	}
	require.Equal(t, "Echo: hi", call("echo", `{"message":"hi"}`))
	require.Contains(t, call("get-sum", `{"a":1,"b":2}`), "3")
	require.Contains(t, call("get-roots-list", `{}`), filepath.Base(b.session.Dir()))
	require.Contains(t, call("trigger-long-running-operation", `{"duration":0.5,"steps":5}`), "5")
	require.Contains(t, b.progress(), "5/5")
	require.Contains(t, call("trigger-sampling-request", `{"prompt":"a"}`), "the model says")
	require.Contains(t, call("trigger-elicitation-request", `{}`), "Ada")
	require.Contains(t, string(u.shown()[0].Schema), `"name"`)
	call("trigger-url-elicitation", `{"url":"https://example.com/a"}`)
	call("trigger-url-elicitation", `{"url":"https://example.com/b","errorPath":true}`) // with the error -32042
	forms := u.shown()
	require.Equal(t, "https://example.com/a", forms[1].URL)
	require.Equal(t, "https://modelcontextprotocol.io", forms[2].URL)
	call("get-annotated-message", `{"messageType":"error","includeImage":true}`)
	require.Contains(t, call("get-resource-links", `{}`), "ReadMcpResource")
	require.Contains(t, call("get-resource-reference", `{"resourceType":"Text","resourceId":1}`), "demo://resource/dynamic/text/1")
	o := b.call("every", "get-tiny-image", json.RawMessage(`{}`))
	require.NoError(t, o.Err)
	require.True(t, slices.ContainsFunc(o.Result.Parts, func(p pegboard.Part) bool { return p.MIME == "image/png" && len(p.Data) > 0 }))
	o = b.call("every", "get-structured-content", json.RawMessage(`{"location":"New York"}`))
	require.NoError(t, o.Err)
	require.NoError(t, o.OutputErr)
	require.NotNil(t, o.Result.Data)
	require.Contains(t, call("gzip-file-as-resource", `{"name":"a.gz","data":"data:text/plain,hello","outputType":"resource"}`), "gzip")

	ctx, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, errors.New("the user has left"))
	defer cancel()
	began := time.Now()
	o = b.callContext(ctx, "every", "trigger-long-running-operation", json.RawMessage(`{"duration":60,"steps":60}`))
	require.ErrorContains(t, o.Err, "the user has left")
	require.Less(t, time.Since(began), 10*time.Second)
	require.Equal(t, "Echo: after", call("echo", `{"message":"after"}`))
}

// requireEverythingRest uses the resources and the prompts.
func requireEverythingRest(t *testing.T, b *bridge) {
	t.Helper()
	pool := b.registry.AssemblePool(b.session, pegboard.PoolConfig{Gates: pegboard.Gates{Resources: true}})
	run := func(name, input string) pegboard.Outcome {
		return b.executor.Run(t.Context(), pool, pegboard.Call{Name: name, Input: json.RawMessage(input)})[0]
	}
	o := run("ListMcpResources", `{"server":"every"}`)
	require.NoError(t, o.Err)
	listed, ok := o.Result.Data.([]mcp.Resource)
	require.True(t, ok)
	require.Greater(t, len(listed), 5)
	require.True(t, slices.ContainsFunc(listed, func(r mcp.Resource) bool { return r.URITemplate != "" }))
	o = run("ReadMcpResource", `{"server":"every","uri":"demo://resource/dynamic/text/1"}`)
	require.NoError(t, o.Err)
	require.Contains(t, textOf(o), "Resource 1")
	o = run("ReadMcpResource", `{"server":"every","uri":"demo://resource/dynamic/blob/1"}`)
	require.NoError(t, o.Err)
	require.Contains(t, textOf(o), "is in /")
	o = run("ReadMcpResource", `{"server":"every","uri":"demo://none"}`)
	require.ErrorContains(t, o.Err, "demo://none")

	prompts, err := b.servers.Prompts(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, prompts)
	for _, p := range prompts {
		args := map[string]string{}
		for _, a := range p.Arguments {
			args[a.Name] = "1"
		}
		if p.Name == "resource-prompt" {
			args = map[string]string{"resourceType": "Text", "resourceId": "1"}
		}
		parts, err := b.servers.Prompt(t.Context(), "every", p.Name, args)
		require.NoError(t, err, p.Name)
		require.NotEmpty(t, parts)
	}
	_, err = b.servers.Prompt(t.Context(), "every", "none", nil)
	require.Error(t, err)
}

// TestServersOfOthers lists and calls tools of servers that others wrote.
func TestServersOfOthers(t *testing.T) {
	t.Parallel()
	files := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(files, "a.txt"), []byte("hello"), 0o600))
	sdk := func(t *testing.T, stateless string) mcpjson.Server {
		t.Helper()
		return mcpjson.Server{Name: "srv", Type: mcpjson.HTTP, URL: "http://" + reference.Serve(t, reference.SDKServer, "-http="+reference.Address, "-stateless="+stateless) + "/"}
	}
	tests := []struct {
		name     string
		server   func(t *testing.T) mcpjson.Server
		env      map[string]string
		tool     string
		input    string
		want     string
		protocol string
		tools    int // at least
	}{
		{name: "filesystem", server: func(t *testing.T) mcpjson.Server { t.Helper(); return process(t, "srv", reference.Filesystem, files) },
			tool: "read_text_file", input: `{"path":"` + filepath.Join(files, "a.txt") + `"}`, want: "hello", tools: 10},
		{name: "memory", server: func(t *testing.T) mcpjson.Server { t.Helper(); return process(t, "srv", reference.Memory) },
			env:  map[string]string{"MEMORY_FILE_PATH": filepath.Join(t.TempDir(), "memory.json")},
			tool: "create_entities", input: `{"entities":[{"name":"Ada","entityType":"person","observations":["x"]}]}`, want: "Ada", tools: 9},
		{name: "thinking", server: func(t *testing.T) mcpjson.Server { t.Helper(); return process(t, "srv", reference.SequentialThinking) },
			tool: "sequentialthinking", input: `{"thought":"a","nextThoughtNeeded":false,"thoughtNumber":1,"totalThoughts":1}`, want: "thoughtNumber", tools: 1},
		{name: "GitHub", server: func(t *testing.T) mcpjson.Server { t.Helper(); return process(t, "srv", reference.GitHub) },
			env: map[string]string{"GITHUB_PERSONAL_ACCESS_TOKEN": "none"}, protocol: "2024-11-05", tools: 20},
		{name: "gopls", server: func(t *testing.T) mcpjson.Server { t.Helper(); return process(t, "srv", reference.Gopls, "mcp") },
			tool: "go_workspace", input: `{}`, want: "", tools: 5},
		{name: "SDK, stateless", server: func(t *testing.T) mcpjson.Server { t.Helper(); return sdk(t, "true") },
			tool: "test_simple_text", input: `{}`, want: "simple text", protocol: "2026-07-28", tools: 10},
		{name: "SDK, stateful", server: func(t *testing.T) mcpjson.Server { t.Helper(); return sdk(t, "false") },
			tool: "test_simple_text", input: `{}`, want: "simple text", tools: 10},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			config := tt.server(t)
			config.Env = tt.env
			b := newBridge(t, func(s *setup) { s.options.Begin, s.session.Dir = soon, files }, config).ready()
			b.servers.Sync(t.Context())
			s := b.now("srv")
			require.GreaterOrEqual(t, s.Tools, tt.tools)
			require.Empty(t, s.Registration.Quarantined)
			require.NotEmpty(t, s.Protocol)
			if tt.protocol != "" {
				require.Equal(t, tt.protocol, s.Protocol)
			}
			if tt.tool == "" {
				return
			}
			o := b.call("srv", tt.tool, json.RawMessage(tt.input))
			require.NoError(t, o.Err)
			require.Contains(t, textOf(o), tt.want)
			require.False(t, o.Result.IsError, textOf(o))
		})
	}
}
