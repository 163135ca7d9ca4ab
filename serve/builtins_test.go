package serve_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/serve"
	"github.com/seed49eaa51d/pegboard/tools/files"
	bridge "github.com/seed49eaa51d/pegboard/tools/mcp"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// builtins returns tools that the library brings along.
func builtins() []pegboard.Tool {
	return append(files.Tools(), files.MultiEdit(files.WriteOptions{}), files.ApplyPatch(files.WriteOptions{}),
		shell.Bash(shell.Options{}), shell.TaskOutput(shell.TaskOutputOptions{}), shell.TaskStop())
}

// twins are three equal trees, with a session in each: one is called directly, one by a client,
// and one by package tools/mcp, whose tools are those of the served pool.
type twins struct {
	direct, far, bridged string
	pool                 *pegboard.Pool
	client               *mcp.ClientSession
	bridge               *pegboard.Pool
}

func newTwins(t *testing.T, cfg pegboard.SessionConfig) *twins {
	t.Helper()
	cfg.Breaker = pegboard.BreakerLimits{Repeats: -1, Denials: -1}
	w := &twins{direct: t.TempDir(), far: t.TempDir(), bridged: t.TempDir()}
	for _, dir := range []string{w.direct, w.far, w.bridged} {
		for name, text := range map[string]string{"a.txt": "one\ntwo\n", "b.go": "package b\n", ".env": "SECRET=1\n", "dir/c.txt": "ccc\n", "pixel.png": string(onePixel().Data)} {
			path := filepath.Join(dir, filepath.FromSlash(name))
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		}
	}
	var registry pegboard.Registry
	require.NoError(t, registry.Add(builtins()...))
	own := cfg
	own.Dir = w.direct
	session, err := pegboard.NewSession(own)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, session.Close(context.Background())) })
	w.pool = registry.AssemblePool(session, pegboard.PoolConfig{})
	s := served(t, serve.Options{}, func(_ serve.Client, c *pegboard.SessionConfig) { *c = cfg; c.Dir = w.far }, builtins()...)
	w.client = connect(t, s.Server, client("twin", nil), older)
	w.bridge = bridgeTo(t, served(t, serve.Options{Identify: func(*http.Request) string { return "one" }}, func(_ serve.Client, c *pegboard.SessionConfig) { *c = cfg; c.Dir = w.bridged }, builtins()...))
	return w
}

// bridgeTo returns a pool with the tools of a server, as the source "served". It allows each.
func bridgeTo(t *testing.T, s *stand) *pegboard.Pool {
	t.Helper()
	web := httptest.NewServer(s.Handler())
	t.Cleanup(web.Close)
	permissions, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"mcp__served"}})
	require.NoError(t, err)
	session, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: permissions, Breaker: pegboard.BreakerLimits{Repeats: -1, Denials: -1}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, session.Close(context.Background())) })
	var registry pegboard.Registry
	servers := bridge.Start(session, &registry, bridge.Options{}, mcpjson.Server{Name: "served", Type: mcpjson.HTTP, URL: web.URL})
	require.NoError(t, servers.Ready(t.Context()))
	servers.Sync(t.Context())
	return registry.AssemblePool(session, pegboard.PoolConfig{})
}

// call makes a call in both trees and compares the results.
func (w *twins) call(t *testing.T, name, input string) *pegboard.Outcome {
	t.Helper()
	in := func(dir string) json.RawMessage { return json.RawMessage(strings.ReplaceAll(input, "DIR", dir)) }
	var executor pegboard.Executor
	o := executor.Run(t.Context(), w.pool, pegboard.Call{ID: "direct", Name: name, Input: in(w.direct)})[0]
	want := partTexts(append(o.Result.Parts, o.Result.Messages...), w.direct)
	r, err := w.client.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: in(w.far)})
	require.NoError(t, err)
	var got []string
	for _, c := range r.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			got = append(got, strings.ReplaceAll(c.Text, w.far, "DIR"))
		case *mcp.ImageContent:
			got = append(got, c.MIMEType+base64.StdEncoding.EncodeToString(c.Data))
		default:
			got = append(got, fmt.Sprintf("%T", c))
		}
	}
	require.Equal(t, want, got, "%s %s", name, input)
	require.Equal(t, o.Result.IsError || o.Err != nil, r.IsError)
	w.callBridge(t, name, in(w.bridged), &o, want)
	return &o
}

// callBridge makes the call by the bridge and compares its result. The bridge knows the
// schemas, and refuses input that they do not accept in its own words.
func (w *twins) callBridge(t *testing.T, name string, input json.RawMessage, direct *pegboard.Outcome, want []string) {
	t.Helper()
	var executor pegboard.Executor
	o := executor.Run(t.Context(), w.bridge, pegboard.Call{ID: "bridged", Name: "mcp__served__" + name, Input: input})[0]
	require.Equal(t, direct.Result.IsError || direct.Err != nil, o.Result.IsError || o.Err != nil, "%s %s: %s", name, input, o.Result.Text())
	if errors.Is(o.Err, pegboard.ErrInvalidInput) {
		require.ErrorIs(t, direct.Err, pegboard.ErrInvalidInput)
		return
	}
	require.Equal(t, want, partTexts(o.Result.Parts, w.bridged), "%s %s", name, input)
}

// partTexts returns the parts as texts in which the tree is DIR.
func partTexts(parts []pegboard.Part, dir string) (texts []string) {
	for _, p := range parts {
		text := p.Text
		if len(p.Data) > 0 {
			text += p.MIME + base64.StdEncoding.EncodeToString(p.Data)
		}
		texts = append(texts, strings.ReplaceAll(text, dir, "DIR"))
	}
	return texts
}

// TestBuiltinsThroughTheProtocol compares the results of built-in tools, called directly and
// by a client: one conversation, in which later calls depend on earlier ones.
func TestBuiltinsThroughTheProtocol(t *testing.T) {
	t.Parallel()
	permissions, err := policy.New(policy.ModeAcceptEdits, policy.RuleSet{
		Source: policy.SourceProject, Allow: []string{"Bash(printf *)", "Bash(false)"}, Deny: []string{"Read(.env)", "Bash(rm *)"},
	})
	require.NoError(t, err)
	w := newTwins(t, pegboard.SessionConfig{Permissions: permissions})
	for _, tt := range []struct {
		tool, input string
		denied      bool
	}{
		{tool: "Edit", input: `{"file_path":"a.txt","old_string":"one","new_string":"1"}`}, // unread: refused
		{tool: "Read", input: `{"file_path":"a.txt"}`},
		{tool: "Read", input: `{"file_path":"DIR/a.txt","offset":2,"limit":1}`},
		{tool: "Edit", input: `{"file_path":"a.txt","old_string":"one","new_string":"1"}`},
		{tool: "Read", input: `{"file_path":"a.txt"}`},
		{tool: "Write", input: `{"file_path":"new/d.txt","content":"ü\r\n"}`},
		{tool: "MultiEdit", input: `{"file_path":"a.txt","edits":[{"old_string":"two","new_string":"2"}]}`},
		{tool: "apply_patch", input: `{"input":"*** Begin Patch\n*** Add File: e.txt\n+e\n*** End Patch"}`},
		{tool: "Read", input: `{"file_path":"pixel.png"}`},
		{tool: "Read", input: `{"file_path":"none.txt"}`},
		{tool: "Read", input: `{"file_path":".env"}`, denied: true},
		{tool: "Read", input: `{"file":"a.txt"}`},
		{tool: "Read", input: `[]`},
		{tool: "Glob", input: `{"pattern":"**/*.txt"}`},
		{tool: "Grep", input: `{"pattern":"c+","output_mode":"content"}`},
		{tool: "Bash", input: `{"command":"printf 'a\\tb'; cat a.txt"}`},
		{tool: "Bash", input: `{"command":"false"}`},
		{tool: "Bash", input: `{"command":"rm a.txt"}`, denied: true},
		{tool: "Bash", input: `{"command":"make x"}`, denied: true}, // nobody can be asked
		{tool: "Read", input: `{"file_path":"a.txt"}`},
	} {
		o := w.call(t, tt.tool, tt.input)
		require.Equal(t, tt.denied, o.Decision.Behavior == policy.Deny || o.Decision.Behavior == policy.Ask, "%s %s: %v", tt.tool, tt.input, o.Err)
	}
}

// TestTranscripts plays calls that a model has made, on another tree. Most are refused; they
// are so in the same words.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	for _, folder := range corpus.Folders(t) {
		path := filepath.Join(folder, "transcripts", "tool_calls.jsonl")
		if _, err := os.Stat(path); err != nil {
			continue
		}
		w := newTwins(t, pegboard.SessionConfig{})
		var lines [][]byte
		for _, line := range corpus.Lines(t, path) {
			lines = append(lines, bytes.Clone(line))
		}
		for _, line := range effort.Sample(t, lines) {
			var c struct {
				Tool  string          `json:"tool"`
				Input json.RawMessage `json:"input"`
			}
			require.NoError(t, json.Unmarshal(line, &c))
			w.call(t, c.Tool, string(c.Input))
		}
	}
}
