package acp

import (
	"context"
	"crypto/rand"
	"encoding/json"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/seed49eaa51d/pegboard"
)

// An elicitationRequest is an elicitation/create. The SDK's type has no session, and only some
// keywords of a schema.
type elicitationRequest struct {
	Session sdk.SessionId   `json:"sessionId"`
	Mode    string          `json:"mode"`
	Message string          `json:"message"`
	Schema  json.RawMessage `json:"requestedSchema,omitempty"`
	ID      string          `json:"elicitationId,omitempty"`
	URL     string          `json:"url,omitempty"`
}

// An elicitationResponse is its answer. The SDK's type turns numbers into float64.
type elicitationResponse struct {
	Action  string          `json:"action"`
	Content json.RawMessage `json:"content"`
}

// Elicit shows a form to the user: the Elicit of [pegboard.SessionConfig]. A form that the editor
// cannot show, or refuses to, is declined. If ctx ends, the form is withdrawn.
func (c *Conversation) Elicit(ctx context.Context, f *pegboard.Elicitation) (pegboard.ElicitResult, error) {
	n := c.connection
	n.mu.Lock()
	shown := f.URL == "" && n.forms || f.URL != "" && n.urls
	n.mu.Unlock()
	if !shown {
		return pegboard.ElicitResult{Action: pegboard.ElicitDecline}, nil
	}
	r := elicitationRequest{Session: c.id, Mode: "form", Message: f.Message, Schema: f.Schema}
	if f.From != "" {
		r.Message = f.From + ": " + r.Message
	}
	if f.Problem != "" {
		r.Message += "\n\nThe values that were given are refused: " + f.Problem
	}
	if f.URL != "" {
		r.Mode, r.URL, r.ID = "url", f.URL, rand.Text()
	}
	response, err := request[elicitationResponse](ctx, n, sdk.ClientMethodElicitationCreate, r)
	switch {
	case err != nil && (ctx.Err() != nil || n.gone.Err() != nil):
		return pegboard.ElicitResult{}, err
	case err != nil:
		n.agent.logError("showing a form", err)
		return pegboard.ElicitResult{Action: pegboard.ElicitDecline}, nil
	}
	switch filled := (pegboard.ElicitResult{Action: pegboard.ElicitAction(response.Action)}); filled.Action {
	case pegboard.ElicitAccept:
		if f.URL == "" {
			filled.Content = response.Content
		}
		return filled, nil
	case pegboard.ElicitDecline:
		return filled, nil
	}
	return pegboard.ElicitResult{Action: pegboard.ElicitCancel}, nil
}
