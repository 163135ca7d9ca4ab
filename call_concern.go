package pegboard

import (
	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

// concerns implements [HookCall.Concerns] and [Question.Concerns], for targets of c.
func (c *Call) concerns(r Rule, ts []Target) Concern {
	if c.state.session == nil || c.state.info == nil {
		return ConcernMaybe
	}
	if r.Behavior != Deny && r.Behavior != Ask || r.Tool == "" || r.Pattern != "" && r.param == nil && r.spec.IsZero() {
		parsed, err := ParseRule(Deny, r.String()) // an allow rule is read in another way
		if err != nil {
			return ConcernMaybe
		}
		r = parsed
	}
	r.Behavior = Deny
	if r.bases == nil && r.spec.IsAbout(pattern.Path) {
		r.anchor(c.state.place.anchors)
	}
	var e evaluation
	c.prepare(&e, ts)
	return e.concernOf(r)
}
