package acp_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/acp"
)

const showsForms = `{"protocolVersion":1,"clientCapabilities":{"elicitation":{"form":{},"url":{}}}}`

// TestForms fills forms in the editor.
func TestForms(t *testing.T) {
	t.Parallel()
	form := pegboard.Form{From: "library", Message: "Which book?", Schema: json.RawMessage(`{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}`)}
	address := pegboard.Form{From: "library", Message: "Log in", URL: "https://example.com/login"}
	for _, tt := range []struct {
		name      string
		form      pegboard.Form
		initially string
		answer    func(m message) any
		want      pegboard.Filled
		asked     int
	}{
		{name: "accepted", form: form, initially: showsForms, asked: 1, want: pegboard.Filled{Action: pegboard.FillAccept, Content: json.RawMessage(`{"title":"Emma"}`)},
			answer: func(message) any {
				return map[string]any{"action": "accept", "content": map[string]any{"title": "Emma"}}
			}},
		{name: "refused at first", form: form, initially: showsForms, asked: 2, want: pegboard.Filled{Action: pegboard.FillAccept, Content: json.RawMessage(`{"title":"Emma"}`)},
			answer: func(m message) any {
				var p struct{ Message string }
				if _ = json.Unmarshal(m.Params, &p); p.Message == "library: Which book?" {
					return map[string]any{"action": "accept", "content": map[string]any{"title": 5}}
				}
				return map[string]any{"action": "accept", "content": map[string]any{"title": "Emma"}}
			}},
		{name: "declined", form: form, initially: showsForms, asked: 1, want: pegboard.Filled{Action: pegboard.FillDecline}, answer: func(message) any { return map[string]any{"action": "decline"} }},
		{name: "cancelled", form: form, initially: showsForms, asked: 1, want: pegboard.Filled{Action: pegboard.FillCancel}, answer: func(message) any { return map[string]any{"action": "cancel"} }},
		{name: "answered with an action of another version", form: form, initially: showsForms, asked: 1, want: pegboard.Filled{Action: pegboard.FillCancel}, answer: func(message) any { return map[string]any{"action": "_later"} }},
		{name: "refused by the editor", form: form, initially: showsForms, asked: 1, want: pegboard.Filled{Action: pegboard.FillDecline}, answer: func(message) any { return &rpcError{Code: -32601, Message: "no"} }},
		{name: "an address", form: address, initially: showsForms, asked: 1, want: pegboard.Filled{Action: pegboard.FillAccept}, answer: func(message) any { return map[string]any{"action": "accept"} }},
		{name: "an editor without forms", form: form, want: pegboard.Filled{Action: pegboard.FillDecline}},
		{name: "an editor without addresses", form: address, initially: `{"protocolVersion":1,"clientCapabilities":{"elicitation":{"form":{}}}}`, want: pegboard.Filled{Action: pegboard.FillDecline}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			filled := make(chan pegboard.Filled, 1)
			e := opened(t, setup{initially: tt.initially, answer: tt.answer, turn: func(ctx context.Context, h *host) (acp.StopReason, error) {
				f, err := h.session.Fill(ctx, tt.form)
				filled <- f
				return "", err
			}})
			require.Equal(t, acp.StopEndTurn, e.stops("fill"))
			require.Equal(t, tt.want, <-filled)
			asked := 0
			for _, m := range e.all() {
				if m.Method == "elicitation/create" {
					asked++
				}
			}
			require.Equal(t, tt.asked, asked)
		})
	}
}

// TestFormIsWithdrawn cancels the prompt while a form is shown.
func TestFormIsWithdrawn(t *testing.T) {
	t.Parallel()
	e := opened(t, setup{initially: showsForms, turn: func(ctx context.Context, h *host) (acp.StopReason, error) {
		_, err := h.session.Fill(ctx, pegboard.Form{Message: "Log in", URL: "https://example.com"})
		require.ErrorIs(t, err, pegboard.ErrUserInterrupt)
		return "", err
	}})
	id := e.prompt("fill")
	shown := e.awaitMethod("elicitation/create")
	e.notify("session/cancel", e.session(""))
	require.JSONEq(t, `{"requestId":`+string(shown.ID)+`}`, string(e.awaitMethod("$/cancel_request").Params))
	require.Equal(t, acp.StopCancelled, e.stopOf(id))
}
