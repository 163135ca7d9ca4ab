package acp

import (
	"context"
	"crypto/rand"

	"github.com/seed49eaa51d/pegboard"
)

// Fill shows a form to the user: the Fill of [pegboard.SessionConfig]. A form that the editor
// cannot show, or refuses to, is declined. If ctx ends, the form is withdrawn.
func (c *Conversation) Fill(ctx context.Context, f *pegboard.Form) (pegboard.Filled, error) {
	n := c.connection
	n.mu.Lock()
	shown := f.URL == "" && n.forms || f.URL != "" && n.urls
	n.mu.Unlock()
	if !shown {
		return pegboard.Filled{Action: pegboard.FillDecline}, nil
	}
	r := elicitationRequest{Session: c.id, Mode: "form", Message: f.Message, Schema: f.Schema, Meta: n.nextKey()}
	if f.From != "" {
		r.Message = f.From + ": " + r.Message
	}
	if f.Problem != "" {
		r.Message += "\n\nThe values that were given are refused: " + f.Problem
	}
	if f.URL != "" {
		r.Mode, r.URL, r.ID = "url", f.URL, rand.Text()
	}
	var response elicitationResponse
	if err := n.request(ctx, methodElicitation, r.Meta, r, &response); err != nil {
		if err = askingError(ctx, err); ctx.Err() != nil || n.gone.Err() != nil {
			return pegboard.Filled{}, err
		}
		n.agent.logError("showing a form", err)
		return pegboard.Filled{Action: pegboard.FillDecline}, nil
	}
	switch filled := (pegboard.Filled{Action: pegboard.FillAction(response.Action)}); filled.Action {
	case pegboard.FillAccept:
		if f.URL == "" {
			filled.Content = response.Content
		}
		return filled, nil
	case pegboard.FillDecline:
		return filled, nil
	}
	return pegboard.Filled{Action: pegboard.FillCancel}, nil
}
