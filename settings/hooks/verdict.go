package hooks

import (
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// A verdict is what the hooks before a call want together.
type verdict struct {
	decision pegboard.Decision
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
			d.Behavior, d.StopTurn = pegboard.Deny, true
		}
		switch {
		case r.Block:
			d.Behavior = pegboard.Deny
			denied = append(denied, r.reason("denied the call"))
		case r.deferred:
			v.deferred = r
		case r.ask:
			d.Behavior = max(d.Behavior, pegboard.Ask)
			asked = append(asked, r.reason("wants the call to be confirmed"))
		case r.allow:
			d.Behavior = max(d.Behavior, pegboard.Allow)
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
	case d.Behavior == pegboard.Ask:
		d.Reason = strings.Join(asked, "\n")
	case d.Behavior == pegboard.Allow:
		d.Reason = strings.Join(allowed, "\n")
	}
	return v
}

// answerFor joins the replies of hooks that answer for the person. One that denies is stronger
// than all that allow.
func answerFor(c *pegboard.Call, replies []*reply) (d pegboard.Decision, changed *reply) {
	var denied, allowed []string
	for _, r := range replies {
		switch {
		case r.Stop || r.Block:
			d.Behavior, d.StopTurn = pegboard.Deny, d.StopTurn || r.Stop || r.interrupt
			denied = append(denied, r.reason("denied the call"))
		case r.allow && d.Behavior != pegboard.Deny:
			d.Behavior = pegboard.Allow
			d.Remember = append(d.Remember, r.updates...)
			allowed = append(allowed, r.reason("allowed the call"))
			if r.input != nil && (changed == nil || r.ended > changed.ended) {
				changed = r
			}
		}
	}
	switch d.Behavior {
	case pegboard.Deny:
		d.Remember, d.Reason = nil, strings.Join(denied, "\n")
	case pegboard.Allow:
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
