package hooks

import (
	"errors"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
)

// callPayload begins the payload of an event of a call.
func (o *occasion) callPayload(t pegboard.Tool, c *pegboard.Call) *payload {
	p := newPayload(o.runner, o.session, o.cwd, o.event, nil)
	p.addText("tool_name", c.ToolName())
	p.add("tool_input", toolInput(c))
	if t != nil {
		if origin := t.Info().Origin; origin.External() {
			// The file that configures the server is not known here, so no trusted source is named.
			p.add("mcp_server", jsonobject.With("name", jsonobject.Quote(origin.Source)).With("source", jsonobject.Quote("dynamic")).Encode())
		}
	}
	return p
}

// closed reports whether a hook could not answer since the session was closed.
func (o *occasion) closed(replies []*reply) bool {
	for _, r := range replies {
		if errors.Is(r.failure, errClosed) {
			return true
		}
	}
	return false
}

// change returns the decision with the changed input of a hook, if the tool accepts it.
func (o *occasion) change(h *pegboard.HookCall, v verdict, said map[string]bool) pegboard.Decision {
	input, changed := changedInput(h.Call, v.changed.input)
	if !changed {
		return v.decision
	}
	if refused, ok := checkInput(h.Call, input, v.changed.handler); !ok {
		return refused
	}
	own := *v.changed
	own.input, own.Context, own.message, own.stopReason, own.terminal = nil, nil, "", "", ""
	h.Say(o.rewrote(v.changed.handler))
	o.state.note(h.Identity(), &callNotes{input: input, reply: &own, said: said})
	v.decision.Input = input
	if v.decision.Behavior == pegboard.Allow && !v.changed.allow && h.Tool.Info().RequiresUser {
		v.decision.Behavior = pegboard.Undecided // only the hook that brings an answer can give it in the user's place
	}
	return v.decision
}

// sayOnce tells the model what the hooks of a call say, and nothing twice.
func (o *occasion) sayOnce(h *pegboard.HookCall, notes *callNotes, replies []*reply) map[string]bool {
	said := map[string]bool{}
	if notes != nil && notes.said != nil {
		said = notes.said
	}
	for _, r := range replies {
		for _, text := range r.Context {
			if !said[text] {
				said[text] = true
				h.Say(pegboard.Part{Text: text})
			}
		}
	}
	return said
}

// afterCall passes on what hooks after a call say.
func (o *occasion) afterCall(h *pegboard.HookCall, replies []*reply) {
	for _, r := range replies {
		if r.Block && r.Reason != "" {
			h.Say(pegboard.Part{Text: o.words(r.handler, r.Reason)})
		}
		for _, text := range r.Context {
			h.Say(pegboard.Part{Text: text})
		}
		h.Outcome.StopTurn = h.Outcome.StopTurn || r.Stop
	}
	o.tellAll(replies)
}
