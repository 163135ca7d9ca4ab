package acp_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/acp"
)

// TestTurnWithAnEdit shows a turn as the editor sees it: words, a read, an edit that is asked
// about, and their results.
func TestTurnWithAnEdit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "main.go")
	require.NoError(t, os.WriteFile(file, []byte("package main\n\nfunc main() {}\n"), 0o600))
	e := opened(t, setup{dir: dir, answer: selecting("allow_once"), turn: func(ctx context.Context, h *host) (sdk.StopReason, error) {
		h.Think("a file")
		h.Say("I change it.")
		h.run(ctx, call("r", "Read", `{"file_path":`+text(file)+`}`))
		h.run(ctx, call("e", "Edit", `{"file_path":`+text(file)+`,"old_string":"main() {}","new_string":"main() { run() }"}`))
		return sdk.StopReasonEndTurn, nil
	}})
	require.Equal(t, sdk.StopReasonEndTurn, e.stops("change it"))
	require.Equal(t, []pegboard.Part{{Text: "change it"}}, e.h.prompt)

	all := e.updates()
	require.Equal(t, "agent_thought_chunk", all[0].Kind)
	require.Equal(t, "agent_message_chunk", all[1].Kind)
	require.Equal(t, map[string]any{"type": "text", "text": "I change it."}, all[1].Content)

	read, running, done := all[2], all[3], all[4]
	require.Equal(t, update{
		Kind: "tool_call", ID: "r#1", Title: "Read main.go", Name: "Read", Tool: "read", Status: "pending",
		Input: map[string]any{"file_path": file},
	}, read)
	require.Equal(t, file, running.Locations[0].Path)
	require.Equal(t, update{Kind: "tool_call_update", ID: "r#1", Title: "Reading main.go", Status: "in_progress", Locations: running.Locations}, running)
	require.Equal(t, "completed", done.Status)
	require.Equal(t, "Read main.go", done.Title)
	require.Contains(t, words(done.Content), "func main() {}")

	asked := permissionOf(t, e.awaitMethod("session/request_permission"))
	require.Equal(t, "e#2", asked.Call.ID)
	require.Equal(t, "edit", asked.Call.Tool)
	require.Contains(t, words(asked.Call.Content), "Reason: ")
	diff := map[string]any{"type": "diff", "path": file, "oldText": "package main\n\nfunc main() {}\n", "newText": "package main\n\nfunc main() { run() }\n"}
	require.Contains(t, asked.Call.Content, diff)

	require.Equal(t, "tool_call", all[5].Kind)
	require.Equal(t, update{Kind: "tool_call_update", ID: "e#2", Title: all[6].Title, Status: "in_progress", Content: []any{diff}, Locations: running.Locations}, all[6])
	last := all[7]
	require.Equal(t, "completed", last.Status)
	require.Contains(t, last.Content, diff)
	require.Equal(t, file, last.Locations[0].Path)
	require.Equal(t, 1, last.Locations[0].Line)
	require.Len(t, all, 8)
	changed, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "package main\n\nfunc main() { run() }\n", string(changed))
	require.NoError(t, e.leave())
	<-e.h.closed
}

func TestTurnEnds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		stop sdk.StopReason
		err  error
		want sdk.StopReason
		code int
		says string
	}{
		{name: "at its end", stop: sdk.StopReasonEndTurn, want: sdk.StopReasonEndTurn},
		{name: "without a reason", want: sdk.StopReasonEndTurn},
		{name: "at a limit", stop: sdk.StopReasonMaxTokens, want: sdk.StopReasonMaxTokens},
		{name: "refused", stop: sdk.StopReasonRefusal, want: sdk.StopReasonRefusal},
		{name: "with an error", err: errors.New("the key has expired"), code: -32603, says: "the key has expired"},
		{name: "with an error that has none", err: (*brokenError)(nil), code: -32603, says: "nil"},
		{name: "for no reason of the protocol", stop: "bored", code: -32603, says: "bored"},
		{name: "with a panic", stop: "panic", code: -32603, says: "failed inside"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := opened(t, setup{turn: func(context.Context, *host) (sdk.StopReason, error) {
				if tt.stop == "panic" {
					panic("secret")
				}
				return tt.stop, tt.err
			}})
			m := e.answerTo(e.prompt("go"))
			if tt.want != "" {
				require.JSONEq(t, `{"stopReason":"`+string(tt.want)+`"}`, string(m.Result))
				return
			}
			require.Equal(t, tt.code, m.Error.Code)
			require.Contains(t, m.Error.Message, tt.says)
			require.NotContains(t, m.Error.Message, "secret")
		})
	}
}

// A brokenError panics if it is nil.
type brokenError struct{ text string }

func (e *brokenError) Error() string { return e.text }

// waiting returns a tool that waits for the end of its context, and a channel that tells that
// it does.
func waiting() (tool pegboard.Tool, runs chan struct{}) {
	runs = make(chan struct{})
	return simple("Wait", func(ctx context.Context, _ *pegboard.Call) (*pegboard.Result, error) {
		close(runs)
		<-ctx.Done()
		return nil, ctx.Err()
	}), runs
}

// TestCancelEndsTheBatch cancels a prompt whose call runs, by each message that can.
func TestCancelEndsTheBatch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		cause error
		end   func(e *editor, id string)
	}{
		{name: "session/cancel", cause: pegboard.ErrUserInterrupt, end: func(e *editor, _ string) { e.notify("session/cancel", e.session("")) }},
		{name: "cancel_request", cause: pegboard.ErrUserInterrupt, end: func(e *editor, id string) { e.notify("$/cancel_request", `{"requestId":`+id+`}`) }},
		{name: "session/close", cause: pegboard.ErrUserInterrupt, end: func(e *editor, _ string) { e.ask("session/close", e.session("")) }},
		{name: "the editor leaves", cause: acp.ErrDisconnected, end: func(e *editor, _ string) { _ = e.in.Close() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tool, runs := waiting()
			outcomes := make(chan []pegboard.Outcome, 1)
			e := opened(t, setup{tools: []pegboard.Tool{tool}, turn: func(ctx context.Context, h *host) (sdk.StopReason, error) {
				outcomes <- h.run(ctx, call("w", "Wait", "{}"), call("v", "Read", `{"file_path":"nothing"}`))
				return "", errors.New("an error that the cancellation has caused")
			}})
			id := e.prompt("wait")
			<-runs
			tt.end(e, id)
			require.Equal(t, sdk.StopReasonCancelled, e.stopOf(id))
			out := <-outcomes
			require.ErrorIs(t, out[0].Err, pegboard.ErrCancelled)
			require.ErrorIs(t, out[0].Err, tt.cause)
			require.Equal(t, "failed", e.updates("tool_call_update")[len(e.updates("tool_call_update"))-1].Status)
		})
	}
}

// TestCancelFollowsThePromptAtOnce sends both in one write. The prompt must not miss it.
func TestCancelFollowsThePromptAtOnce(t *testing.T) {
	t.Parallel()
	e := opened(t, setup{turn: func(ctx context.Context, _ *host) (sdk.StopReason, error) {
		<-ctx.Done()
		return sdk.StopReasonEndTurn, context.Cause(ctx)
	}})
	for i := range 100 {
		id := "prompt-" + string(rune('a'+i%26)) + string(rune('a'+i/26))
		e.requested[text(id)] = "session/prompt"
		e.write(`{"jsonrpc":"2.0","id":"` + id + `","method":"session/prompt","params":` + e.session(`,"prompt":[{"type":"text","text":"x"}]`) + "}\n" +
			`{"jsonrpc":"2.0","method":"session/cancel","params":` + e.session("") + `}`)
		require.Equal(t, sdk.StopReasonCancelled, e.stopOf(text(id)))
	}
}

func TestCancelOfNothing(t *testing.T) {
	t.Parallel()
	e := opened(t, setup{turn: calling()})
	for range 100 { // in one write with the prompt that follows
		e.id++
		id := fmt.Sprint(e.id)
		e.requested[id] = "session/prompt"
		e.write(`{"jsonrpc":"2.0","method":"session/cancel","params":` + e.session("") + "}\n" +
			`{"jsonrpc":"2.0","id":` + id + `,"method":"session/prompt","params":` + e.session(`,"prompt":[{"type":"text","text":"x"}]`) + `}`)
		require.Equal(t, sdk.StopReasonEndTurn, e.stopOf(id))
	}
	e.notify("session/cancel", e.session(""))
	e.notify("session/cancel", `{"sessionId":"other"}`)
	e.notify("session/cancel", `[]`)
	e.notify("$/cancel_request", `{"requestId":77}`)
	e.notify("$/cancel_request", `{}`)
	require.Equal(t, sdk.StopReasonEndTurn, e.stops("go on"), "a later prompt is not cancelled")
}

func TestOnePromptAtATime(t *testing.T) {
	t.Parallel()
	tool, runs := waiting()
	e := opened(t, setup{tools: []pegboard.Tool{tool}, turn: calling(call("w", "Wait", "{}"))})
	first := e.prompt("wait")
	<-runs
	second := e.answerTo(e.prompt("another"))
	require.Equal(t, -32600, second.Error.Code)
	require.Contains(t, second.Error.Message, "cancel it")
	e.notify("session/cancel", e.session(""))
	require.Equal(t, sdk.StopReasonCancelled, e.stopOf(first))
}
