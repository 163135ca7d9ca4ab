package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/acp"
	"github.com/seed49eaa51d/pegboard/policy"
)

func TestNewNamesTheWrongOption(t *testing.T) {
	t.Parallel()
	_, err := acp.New(acp.Options{})
	require.ErrorContains(t, err, "Options.Open")
	_, err = acp.New(acp.Options{Open: func(context.Context, *acp.Conversation) (*pegboard.Session, acp.Turn, error) { return nil, nil, nil }, Remember: policy.SourceManaged})
	require.ErrorContains(t, err, "Options.Remember")
	_, err = acp.New(acp.Options{Open: func(context.Context, *acp.Conversation) (*pegboard.Session, acp.Turn, error) { return nil, nil, nil }, MCP: sdk.McpCapabilities{Acp: true}})
	require.ErrorContains(t, err, "Options.MCP")
}

// TestInitialize says what the agent can do. Whatever version the editor names, the answer is
// the one that this package speaks.
func TestInitialize(t *testing.T) {
	t.Parallel()
	e := opened(t, setup{options: acp.Options{
		Info: sdk.Implementation{Name: "notes", Title: sdk.Ptr("Notes"), Version: "2"}, Prompts: sdk.PromptCapabilities{Image: true, EmbeddedContext: true}, MoreDirs: true, MCP: sdk.McpCapabilities{Sse: true},
	}})
	for _, version := range []string{"0", "1", "2", "65535"} {
		m := e.ask("initialize", `{"protocolVersion":`+version+`,"clientInfo":{"name":"editor","title":null,"version":"3"},"future":{"a":[]}}`)
		require.JSONEq(t, `{"protocolVersion":1,"agentInfo":{"name":"notes","title":"Notes","version":"2"},"authMethods":[],"agentCapabilities":{
			"promptCapabilities":{"image":true,"embeddedContext":true},"mcpCapabilities":{"sse":true},"sessionCapabilities":{"close":{},"additionalDirectories":{}},"auth":{}}}`, string(m.Result))
	}
	require.Equal(t, sdk.Implementation{Name: "editor", Version: "3"}, e.h.Client())
}

// TestBadInput sends what an editor should not. Each message gets the answer that is due, and
// the next prompt runs.
func TestBadInput(t *testing.T) {
	t.Parallel()
	e := opened(t, setup{turn: calling()})
	request := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":"x","method":"` + method + `","params":` + params + `}`
	}
	prompt := func(blocks string) string { return request("session/prompt", e.session(`,"prompt":`+blocks)) }
	for _, tt := range []struct {
		name, line string
		code       int // 0: no answer
		says       string
	}{
		{name: "no JSON", line: `{"jsonrpc":`, code: -32700},
		{name: "no object", line: `17`, code: -32700},
		{name: "text", line: `hello`, code: -32700},
		{name: "invalid UTF-8", line: "\xff\xfe", code: -32700},
		{name: "a batch", line: `[{"jsonrpc":"2.0","id":1,"method":"initialize"}]`, code: -32600, says: "no batches"},
		{name: "an empty line", line: "  \r"},
		{name: "no method", line: `{"jsonrpc":"2.0","method":""}`, code: -32600},
		{name: "an answer without anything", line: `{"jsonrpc":"2.0","id":1}`},
		{name: "a method that is none", line: `{"jsonrpc":"2.0","id":"x","method":5}`, code: -32700},
		{name: "an unknown method", line: request("session/load", `{}`), code: -32601},
		{name: "an unknown notification", line: `{"jsonrpc":"2.0","method":"session/other"}`},
		{name: "an answer to nothing", line: `{"jsonrpc":"2.0","id":77,"result":{}}`},
		{name: "an error about nothing", line: `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}`},
		{name: "no parameters", line: `{"jsonrpc":"2.0","id":"x","method":"session/new"}`, code: -32602, says: "there are no parameters"},
		{name: "parameters of another type", line: request("session/new", `{"cwd":5}`), code: -32602, says: "cannot be read"},
		{name: "parameters in a list", line: request("session/new", `[]`), code: -32602},
		{name: "a relative directory", line: request("session/new", `{"cwd":"src","mcpServers":[]}`), code: -32602, says: "not absolute"},
		{name: "a directory that does not exist", line: request("session/new", `{"cwd":"/no/such/place","mcpServers":[]}`), code: -32603, says: "/no/such/place"},
		{name: "a server that is none", line: request("session/new", `{"cwd":"/","mcpServers":[5]}`), code: -32602, says: "cannot be read"},
		{name: "a server without a name", line: request("session/new", `{"cwd":"/","mcpServers":[{"command":"/bin/x"}]}`), code: -32602, says: "a server has a name"},
		{name: "a server that is not taken", line: request("session/new", `{"cwd":"/","mcpServers":[{"type":"http","name":"a","url":"http://x"}]}`), code: -32602, says: `"http"`},
		{name: "a prompt of no session", line: request("session/prompt", `{"sessionId":"other","prompt":[]}`), code: -32002, says: `"other"`},
		{name: "a mode of no session", line: request("session/set_mode", `{"sessionId":"other","modeId":"plan"}`), code: -32002},
		{name: "the end of no session", line: request("session/close", `{"sessionId":"other"}`), code: -32002},
		{name: "an unknown mode", line: request("session/set_mode", e.session(`,"modeId":"yolo"`)), code: -32602, says: "yolo"},
		{name: "a mode that is not offered", line: request("session/set_mode", e.session(`,"modeId":"bypassPermissions"`)), code: -32602, says: "bypassPermissions"},
		{name: "an empty prompt", line: prompt(`[]`), code: -32602, says: "empty"},
		{name: "a block that is none", line: prompt(`["x"]`), code: -32602, says: "cannot be read"},
		{name: "a block of no type", line: prompt(`[{"type":"text","text":"a"},{"type":"hologram"}]`), code: -32602, says: "prompt[1]"},
		{name: "an image that is not taken", line: prompt(`[{"type":"image","mimeType":"image/png","data":"AAAA"}]`), code: -32602, says: "takes no image"},
		{name: "a resource that is not taken", line: prompt(`[{"type":"resource","resource":{"uri":"file:///a","text":"a"}}]`), code: -32602, says: "takes no embedded"},
		{name: "a link to nothing", line: prompt(`[{"type":"resource_link","name":"a"}]`), code: -32602, says: "uri"},
		{name: "a prompt that wants no answer", line: `{"jsonrpc":"2.0","method":"session/prompt","params":` + e.session(`,"prompt":[{"type":"text","text":"a"}]`) + `}`},
		{name: "a null id", line: `{"jsonrpc":"2.0","id":null,"method":"initialize","params":{"protocolVersion":1}}`},
	} {
		seen := len(e.all())
		e.write(tt.line)
		if tt.code == 0 {
			require.Equal(t, sdk.StopReasonEndTurn, e.stops("go on"), tt.name)
			require.Len(t, e.all(), seen+1, "%s: the message has an answer", tt.name)
			continue
		}
		m := e.awaitAfter(seen, func(message) bool { return true })
		require.NotNil(t, m.Error, "%s: %s", tt.name, m.Result)
		require.Equal(t, tt.code, m.Error.Code, tt.name)
		require.Contains(t, m.Error.Message, tt.says, tt.name)
	}
	require.Equal(t, sdk.StopReasonEndTurn, e.stops("go on"))
}

// TestLineWithoutEnd is a message that is longer than any should be.
func TestLineWithoutEnd(t *testing.T) {
	t.Parallel()
	e := opened(t, setup{})
	go func() {
		piece := strings.Repeat("x", 1<<20)
		for range 40 {
			if _, err := e.in.Write([]byte(piece)); err != nil {
				return
			}
		}
	}()
	require.ErrorContains(t, <-e.served, "longer than 10485759 bytes")
	<-e.h.closed
}

// TestOpenFails refuses the conversation in each way in which a host can fail.
func TestOpenFails(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		open func(ctx context.Context, c *acp.Conversation) (*pegboard.Session, acp.Turn, error)
		says string
	}{
		{name: "error", says: "there is no key", open: func(context.Context, *acp.Conversation) (*pegboard.Session, acp.Turn, error) {
			return nil, nil, errors.New("there is no key")
		}},
		{name: "panic", says: "failed inside", open: func(context.Context, *acp.Conversation) (*pegboard.Session, acp.Turn, error) { panic("secret") }},
		{name: "nothing", says: "failed inside", open: func(context.Context, *acp.Conversation) (*pegboard.Session, acp.Turn, error) { return nil, nil, nil }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := connected(t, setup{options: acp.Options{Open: tt.open}})
			m := e.ask("session/new", `{"cwd":"/","mcpServers":[]}`)
			require.Equal(t, -32603, m.Error.Code)
			require.Contains(t, m.Error.Message, tt.says)
			require.NotContains(t, m.Error.Message, "secret")
			require.NoError(t, e.leave())
		})
	}
}

// TestOpenIsWithdrawn cancels session/new while the host opens the session.
func TestOpenIsWithdrawn(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{})
	e := connected(t, setup{options: acp.Options{Open: func(ctx context.Context, _ *acp.Conversation) (*pegboard.Session, acp.Turn, error) {
		close(begun)
		<-ctx.Done()
		return nil, nil, context.Cause(ctx)
	}}})
	id := e.begin("session/new", `{"cwd":"/","mcpServers":[]}`)
	<-begun
	e.notify("$/cancel_request", `{"requestId":`+id+`}`)
	require.Equal(t, -32800, e.answerTo(id).Error.Code)
}

// TestWhatTheEditorTells hands the servers and directories of the editor to the host.
func TestWhatTheEditorTells(t *testing.T) {
	t.Parallel()
	got := make(chan *acp.Conversation, 1)
	more := t.TempDir()
	s := setup{options: acp.Options{MoreDirs: true, MCP: sdk.McpCapabilities{Http: true}, Open: func(_ context.Context, c *acp.Conversation) (*pegboard.Session, acp.Turn, error) {
		got <- c
		session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: c.Dir(), MoreDirs: c.MoreDirs()})
		return session, func(context.Context, []pegboard.Part) (sdk.StopReason, error) { return "", nil }, err
	}}}
	e := connected(t, s)
	require.Nil(t, e.ask("session/new", fmt.Sprintf(`{"cwd":"/","additionalDirectories":[%s],"mcpServers":[
		{"name":"a","command":"/bin/a","args":["-x"],"env":[{"name":"K","value":"v"}]},
		{"type":"http","name":"b","url":"https://b","headers":[{"name":"H","value":"w"}]}]}`, text(more))).Error)
	c := <-got
	require.Equal(t, "/", c.Dir())
	require.Equal(t, []string{more}, c.MoreDirs())
	require.Equal(t, []sdk.McpServer{
		{Stdio: &sdk.McpServerStdio{Name: "a", Command: "/bin/a", Args: []string{"-x"}, Env: []sdk.EnvVariable{{Name: "K", Value: "v"}}}},
		{Http: &sdk.McpServerHttpInline{Type: "http", Name: "b", Url: "https://b", Headers: []sdk.HttpHeader{{Name: "H", Value: "w"}}}},
	}, c.Servers())
}

// TestSessionsOfOneEditorRunAtTheSameTime has each wait for the other.
func TestSessionsOfOneEditorRunAtTheSameTime(t *testing.T) {
	t.Parallel()
	meet := make(chan struct{})
	e := connected(t, setup{options: acp.Options{Open: func(_ context.Context, c *acp.Conversation) (*pegboard.Session, acp.Turn, error) {
		session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: c.Dir()})
		return session, func(_ context.Context, prompt []pegboard.Part) (sdk.StopReason, error) {
			if prompt[0].Text == "first" {
				meet <- struct{}{}
			} else {
				<-meet
			}
			return "", nil
		}, err
	}}})
	var ids []string
	for _, words := range []string{"first", "second"} {
		var r struct {
			Session string `json:"sessionId"`
		}
		require.NoError(t, json.Unmarshal(e.ask("session/new", `{"cwd":"/","mcpServers":[]}`).Result, &r))
		ids = append(ids, e.begin("session/prompt", `{"sessionId":"`+r.Session+`","prompt":[{"type":"text","text":"`+words+`"}]}`))
	}
	for _, id := range ids {
		require.Equal(t, sdk.StopReasonEndTurn, e.stopOf(id))
	}
}

func TestCloseSession(t *testing.T) {
	t.Parallel()
	e := opened(t, setup{turn: calling()})
	require.JSONEq(t, `{}`, string(e.ask("session/close", e.session("")).Result))
	<-e.h.closed
	require.Equal(t, -32002, e.answerTo(e.prompt("go on")).Error.Code)
	require.Equal(t, -32002, e.ask("session/close", e.session("")).Error.Code)
}

// TestServeEndsWithItsContext ends a prompt and the session, and returns the cause.
func TestServeEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	read, _, err := os.Pipe()
	require.NoError(t, err)
	_, write, err := os.Pipe()
	require.NoError(t, err)
	agent, err := acp.New(acp.Options{Open: func(context.Context, *acp.Conversation) (*pegboard.Session, acp.Turn, error) { return nil, nil, nil }})
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- agent.Serve(ctx, read, write) }()
	over := errors.New("the program ends")
	cancel(over)
	require.ErrorIs(t, <-served, over)
	_, err = write.WriteString("x")
	require.ErrorIs(t, err, os.ErrClosed)
}

// TestAnswersComeBeforeTheEnd closes the input right after a request, as a shell does that
// pipes it.
func TestAnswersComeBeforeTheEnd(t *testing.T) {
	t.Parallel()
	for range 20 {
		var out closingBuilder
		agent, err := acp.New(acp.Options{Open: func(context.Context, *acp.Conversation) (*pegboard.Session, acp.Turn, error) { return nil, nil, nil }})
		require.NoError(t, err)
		in := readCloser{strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`)}
		require.NoError(t, agent.Serve(t.Context(), in, &out))
		require.Contains(t, out.String(), `"id":1,"result":{`)
	}
}

type closingBuilder struct{ strings.Builder }

func (*closingBuilder) Close() error { return nil }

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }
