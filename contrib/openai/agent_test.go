package openai_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	sdk "github.com/openai/openai-go/v3"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	pegboardopenai "github.com/seed49eaa51d/pegboard/contrib/openai"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// stream runs the calls of a service and returns how the turn ended.
func stream(t *testing.T, s *agentService, p *pegboard.Pool, handlers map[string]sdk.AgentToolHandler) error {
	t.Helper()
	_, err := pegboardopenai.Stream(t.Context(), dial(t, s), "s", &pegboard.Executor{}, p, sdk.AgentSessionStreamParams{
		Input: "Go.", ToolHandlers: handlers,
		OnToolError: func(_ context.Context, e sdk.BetaAgentToolError) { t.Error(e.Err) },
	}).FinalResult()
	return err
}

// TestStream: a session of an agent, whose loop runs at the service.
func TestStream(t *testing.T) {
	t.Parallel()
	image := pegboard.Build(pegboard.Definition[struct{}, *pegboard.Result]{
		Info: pegboard.Info{Name: "Look"}, Description: "Looks.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(context.Context, struct{}, *pegboard.Call) (*pegboard.Result, error) {
			return &pegboard.Result{Parts: []pegboard.Part{
				{MIME: "image/gif", Data: []byte("GIF89a\x01\x00\x01\x00\x00\x00\x00")}, {MIME: "application/pdf", Data: []byte("%PDF-")},
			}, Messages: []pegboard.Part{{Text: "It was dark."}}}, nil
		},
	})
	s := newAgentService(call("Double", `{"text":"a<b"}`), call("Double", `{"txt":"a"}`), call("Wipe", `{}`), call("Look", `{}`), call("own", `{}`))
	pool := poolOf(t, newSession(t, pegboard.SessionConfig{}), append(tools(), image)...)
	require.NoError(t, stream(t, s, pool, map[string]sdk.AgentToolHandler{"own": func(context.Context, map[string]any) (any, error) { return "mine", nil }}))
	out := s.results()
	require.JSONEq(t, `"a<ba<b"`, out[0][len("c0 true "):])
	require.Contains(t, out[1], "c1 true \"Error")
	require.Contains(t, out[1], "txt")
	require.Contains(t, out[2], "Wipe was denied: no rule allows it")
	require.JSONEq(t, `[{"type":"input_image","image_url":"data:image/gif;base64,R0lGODlhAQABAAAAAA=="},
		{"type":"input_text","text":"(A document was left out: a result here is text and images.)"},
		{"type":"input_text","text":"It was dark."}]`, out[3][len("c3 true "):])
	require.Equal(t, `c4 true "mine"`, out[4])
}

// TestStreamWriteThenRead: the SDK makes one call after the other.
func TestStreamWriteThenRead(t *testing.T) {
	t.Parallel()
	var calls []pegboard.Call
	for n := range 200 {
		calls = append(calls, call("Write", `{"file_path":"f","content":"<%d>"}`, n), call("Read", `{"file_path":"f"}`))
	}
	s := newAgentService(calls...)
	pool := poolOf(t, newSession(t, pegboard.SessionConfig{}, "Edit(/**)"), files.Write(files.WriteOptions{}), files.Read(files.ReadOptions{}))
	require.NoError(t, stream(t, s, pool, nil))
	for n := range 200 {
		var text string
		out := s.results()[2*n+1]
		require.NoError(t, json.Unmarshal([]byte(out[len(fmt.Sprintf("c%d true ", 2*n+1)):]), &text))
		require.Contains(t, text, fmt.Sprintf("<%d>", n))
	}
}

// TestStreamIDsAndBytes: the tool gets the id and the bytes that the SDK tells no handler.
func TestStreamIDsAndBytes(t *testing.T) {
	t.Parallel()
	var got []string
	tool, err := pegboard.BuildRaw(json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info: pegboard.Info{Name: "Big number"}, Description: "Takes a big number.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(_ context.Context, in json.RawMessage, c *pegboard.Call) (*pegboard.Result, error) {
			got = append(got, c.ID+" "+string(in))
			return pegboard.TextResult("ok"), nil
		},
	})
	require.NoError(t, err)
	pool := poolOf(t, newSession(t, pegboard.SessionConfig{}), tool)
	for name, handle := range pegboardopenai.ToolHandlers(&pegboard.Executor{}, pool) {
		require.NoError(t, stream(t, newAgentService(call(name, `{"n": 9007199254740993}`)), pool, nil))
		out, err := handle(t.Context(), map[string]any{"n": 1.0})
		require.NoError(t, err)
		require.Equal(t, "ok", out)
	}
	require.Equal(t, []string{`c0 {"n": 9007199254740993}`, ` {"n":1}`}, got)
}

// TestStreamStopTurn: the turn of the session is cancelled after the result.
func TestStreamStopTurn(t *testing.T) {
	t.Parallel()
	s := newAgentService(call("Enough", `{}`), call("Double", `{"text":"a"}`))
	err := stream(t, s, poolOf(t, newSession(t, pegboard.SessionConfig{}), tools()...), nil)
	var ended *sdk.BetaAgentTurnResultError
	require.ErrorAs(t, err, &ended)
	require.Equal(t, "turn_cancelled", ended.Reason)
	require.Equal(t, `c0 true "bye"`, s.results()[0])
}
