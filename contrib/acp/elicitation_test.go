package acp_test

import (
	"context"
	"encoding/json"
	"testing"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

const showsForms = `{"protocolVersion":1,"clientCapabilities":{"elicitation":{"form":{},"url":{}}}}`

// TestForms fills forms in the editor.
func TestForms(t *testing.T) {
	t.Parallel()
	form := pegboard.Elicitation{From: "library", Message: "Which book?", Schema: json.RawMessage(`{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}`)}
	address := pegboard.Elicitation{From: "library", Message: "Log in", URL: "https://example.com/login"}
	for _, tt := range []struct {
		name      string
		form      pegboard.Elicitation
		initially string
		answer    func(m message) any
		want      pegboard.ElicitResult
		asked     int
	}{
		{name: "accepted", form: form, initially: showsForms, asked: 1, want: pegboard.ElicitResult{Action: pegboard.ElicitAccept, Content: json.RawMessage(`{"title":"Emma"}`)},
			answer: func(message) any {
				return map[string]any{"action": "accept", "content": map[string]any{"title": "Emma"}}
			}},
		{name: "refused at first", form: form, initially: showsForms, asked: 2, want: pegboard.ElicitResult{Action: pegboard.ElicitAccept, Content: json.RawMessage(`{"title":"Emma"}`)},
			answer: func(m message) any {
				var p struct{ Message string }
				if _ = json.Unmarshal(m.Params, &p); p.Message == "library: Which book?" {
					return map[string]any{"action": "accept", "content": map[string]any{"title": 5}}
				}
				return map[string]any{"action": "accept", "content": map[string]any{"title": "Emma"}}
			}},
		{name: "declined", form: form, initially: showsForms, asked: 1, want: pegboard.ElicitResult{Action: pegboard.ElicitDecline}, answer: func(message) any { return map[string]any{"action": "decline"} }},
		{name: "cancelled", form: form, initially: showsForms, asked: 1, want: pegboard.ElicitResult{Action: pegboard.ElicitCancel}, answer: func(message) any { return map[string]any{"action": "cancel"} }},
		{name: "answered with an action of another version", form: form, initially: showsForms, asked: 1, want: pegboard.ElicitResult{Action: pegboard.ElicitCancel}, answer: func(message) any { return map[string]any{"action": "_later"} }},
		{name: "refused by the editor", form: form, initially: showsForms, asked: 1, want: pegboard.ElicitResult{Action: pegboard.ElicitDecline}, answer: func(message) any { return &rpcError{Code: -32601, Message: "no"} }},
		{name: "an address", form: address, initially: showsForms, asked: 1, want: pegboard.ElicitResult{Action: pegboard.ElicitAccept}, answer: func(message) any { return map[string]any{"action": "accept"} }},
		{name: "an editor without forms", form: form, want: pegboard.ElicitResult{Action: pegboard.ElicitDecline}},
		{name: "an editor without addresses", form: address, initially: `{"protocolVersion":1,"clientCapabilities":{"elicitation":{"form":{}}}}`, want: pegboard.ElicitResult{Action: pegboard.ElicitDecline}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			filled := make(chan pegboard.ElicitResult, 1)
			e := opened(t, setup{initially: tt.initially, answer: tt.answer, turn: func(ctx context.Context, h *host) (sdk.StopReason, error) {
				f, err := h.session.Elicit(ctx, tt.form)
				filled <- f
				return "", err
			}})
			require.Equal(t, sdk.StopReasonEndTurn, e.stops("fill"))
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
	e := opened(t, setup{initially: showsForms, turn: func(ctx context.Context, h *host) (sdk.StopReason, error) {
		_, err := h.session.Elicit(ctx, pegboard.Elicitation{Message: "Log in", URL: "https://example.com"})
		require.ErrorIs(t, err, pegboard.ErrUserInterrupt)
		return "", err
	}})
	id := e.prompt("fill")
	shown := e.awaitMethod("elicitation/create")
	e.notify("session/cancel", e.session(""))
	require.JSONEq(t, `{"requestId":`+string(shown.ID)+`}`, string(e.awaitMethod("$/cancel_request").Params))
	require.Equal(t, sdk.StopReasonCancelled, e.stopOf(id))
}

// TestModesAreThoseThatAreOffered lists the modes, and lets the user and the host change them.
func TestModesAreThoseThatAreOffered(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name        string
		permissions policy.Permissions
		want        []string
	}{
		{name: "unset", want: []string{"default", "acceptEdits", "plan", "ask", "dontAsk", "deny"}},
		{name: "with bypass, without plan", permissions: policy.Permissions{}.WithAvailable(policy.ModeBypass).Without(policy.ModePlan), want: []string{"default", "acceptEdits", "bypassPermissions", "ask", "dontAsk", "deny"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := opened(t, setup{session: pegboard.SessionConfig{Permissions: tt.permissions}})
			var r struct {
				Modes struct {
					Current   string `json:"currentModeId"`
					Available []struct {
						ID, Name, Description string
					} `json:"availableModes"`
				} `json:"modes"`
			}
			m := e.await(func(m message) bool { return m.Method == "" && string(m.ID) == "2" })
			require.NoError(t, json.Unmarshal(m.Result, &r))
			require.Equal(t, "default", r.Modes.Current)
			var ids []string
			for _, mode := range r.Modes.Available {
				ids = append(ids, mode.ID)
				require.NotEmpty(t, mode.Name)
				require.NotEmpty(t, mode.Description)
			}
			require.Equal(t, tt.want, ids)
		})
	}
}

func TestModeChanges(t *testing.T) {
	t.Parallel()
	e := opened(t, setup{turn: func(_ context.Context, h *host) (sdk.StopReason, error) {
		return "", h.session.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) { return p.AfterPlan(), nil })
	}})
	require.JSONEq(t, `{}`, string(e.ask("session/set_mode", e.session(`,"modeId":"plan"`)).Result))
	require.Equal(t, policy.ModePlan, e.h.session.Permissions().Mode())
	require.Empty(t, e.updates(), "the editor knows what the user has chosen")
	require.Equal(t, sdk.StopReasonEndTurn, e.stops("leave the mode"))
	require.Equal(t, sdk.StopReasonEndTurn, e.stops("again"))
	changes := e.updates()
	require.Len(t, changes, 1)
	require.Equal(t, "default", changes[0].Mode)
}
