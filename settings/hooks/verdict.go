package hooks

import (
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A verdict joins the replies of the hooks before a call.
type verdict struct {
	decision policy.Decision
	deferred *reply // the host answers the call later
	changed  *reply // has another input for the call, or nil
}

// judge joins the replies of hooks before a call: to stop is stronger than to deny, that than
// to defer, to ask and to allow. Of several changed inputs, that of the hook that ended last
// counts.
func judge(replies []*reply) (v verdict) {
	d := &v.decision
	var denied, asked, allowed []string
	for _, r := range replies {
		if r.Stop {
			d.Behavior, d.StopTurn = policy.Deny, true
		}
		switch {
		case r.Block:
			d.Behavior = policy.Deny
			denied = append(denied, r.reason("denied the call"))
		case r.deferred:
			v.deferred = r
		case r.ask:
			d.Behavior = max(d.Behavior, policy.Ask)
			asked = append(asked, r.reason("wants the call to be confirmed"))
		case r.allow:
			d.Behavior = max(d.Behavior, policy.Allow)
			allowed = append(allowed, r.reason("allowed the call"))
		}
		if r.input != nil && !r.deferred && (v.changed == nil || r.ended > v.changed.ended) {
			v.changed = r
		}
	}
	switch {
	case len(denied) > 0:
		d.Reason = strings.Join(denied, "\n")
	case d.StopTurn:
		d.Reason = "a hook of the user ended the turn"
	case d.Behavior == policy.Ask:
		d.Reason = strings.Join(asked, "\n")
	case d.Behavior == policy.Allow:
		d.Reason = strings.Join(allowed, "\n")
	}
	return v
}

// answerFor joins the replies of hooks that answer for the person. One that denies is stronger
// than all that allow.
func answerFor(c *pegboard.Call, replies []*reply) (d policy.Decision, changed *reply) {
	var denied, allowed []string
	for _, r := range replies {
		switch {
		case r.Stop || r.Block:
			d.Behavior, d.StopTurn = policy.Deny, d.StopTurn || r.Stop || r.interrupt
			denied = append(denied, r.reason("denied the call"))
		case r.allow && d.Behavior != policy.Deny:
			d.Behavior = policy.Allow
			d.Remember = append(d.Remember, r.updates...)
			allowed = append(allowed, r.reason("allowed the call"))
			if r.input != nil && (changed == nil || r.ended > changed.ended) {
				changed = r
			}
		}
	}
	switch d.Behavior {
	case policy.Deny:
		d.Remember, d.Reason = nil, strings.Join(denied, "\n")
	case policy.Allow:
		d.Reason = strings.Join(allowed, "\n")
		if changed == nil {
			break
		}
		if input, differs := changedInput(c, changed.input); differs {
			if refused, ok := checkInput(c, input, changed.handler); !ok {
				return refused, nil
			}
			d.Input = input
		}
	}
	return d, changed
}

// words returns a text of a hook as the model reads it: after the names of the hook and the call,
// and between marks that the text cannot imitate. A hook may repeat anything that it has read, so
// the model must not take its words for those of the user.
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

// rewrote returns the notice for the model that a hook has replaced the input. It holds nothing of
// the input, in which the hook may have put a secret.
func (o *occasion) rewrote(h *Handler) pegboard.Part {
	return pegboard.Part{Text: untrusted.Escape("[" + o.about(h) + " has replaced the input: the call as it was decided is not the one that you made.]")}
}

// reason returns the reason of a reply, with the name of its hook. A reply without a reason gets
// otherwise.
func (r *reply) reason(otherwise string) string {
	switch {
	case r.Reason == "":
		return r.handler.name() + " " + otherwise
	case r.ours:
		return r.Reason
	}
	return untrusted.Escape(r.handler.name() + ": " + r.Reason)
}
