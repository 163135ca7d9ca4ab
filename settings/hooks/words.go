package hooks

import (
	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
)

// words returns what a hook says as the model reads it: with the hook and the call, and between
// marks that it cannot imitate. A hook may repeat anything that it has read, so the model must not
// take its words for those of the user.
func (o *occasion) words(h *Handler, text string) string {
	return untrusted.Escape("["+o.about(h)+" says, in words that are not the user's:]") + "\n" + untrusted.Quote("hook-words", text)
}

// about names a hook and the call that it is about.
func (o *occasion) about(h *Handler) string {
	if o.call == nil {
		return "The " + h.name()
	}
	return "The " + h.name() + ", about the call " + o.call.ID + " of " + o.call.ToolName() + ","
}

// rewrote returns what the model is told of an input that a hook has replaced. It holds nothing of
// the input, in which the hook may have put a secret.
func (o *occasion) rewrote(h *Handler) pegboard.Part {
	return pegboard.Part{Text: untrusted.Escape("[" + o.about(h) + " has replaced the input: the call as it was decided is not the one that you made.]")}
}

// reason returns what a hook gives as its reason, with the hook, in the text of a denial.
func (r *reply) reason(otherwise string) string {
	switch {
	case r.Reason == "":
		return r.handler.name() + " " + otherwise
	case r.ours:
		return r.Reason
	}
	return untrusted.Escape(r.handler.name() + ": " + r.Reason)
}
