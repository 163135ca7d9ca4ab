package pegboard

import (
	"bytes"
	"cmp"
	"slices"
)

// A forcedDecision is what the caller of an executor has decided about a call.
type forcedDecision struct {
	Decision
	name  string // of the call that it is about
	input []byte // likewise
}

// ForceDecision returns c with a decision of the caller, for [Executor.Run] and
// [Stream.Submit]: a person has answered before, or the caller refuses the call.
//
//   - Deny refuses the call. The model reads the reason.
//   - Ask has the call asked about, whatever allows it.
//   - Allow answers the question whether a call may run that no rule allows, or that the
//     mode asks about, as the user would. It was given before anybody knew of another
//     reason to ask: an ask rule, a tool that requires the user, a protected file, a hook, a
//     [Guard], a loop. So it answers no such question, overrides no deny rule, and has no
//     effect in a mode that asks nobody or on a write in plan mode. It is about these bytes
//     of the input and no others.
//   - Undecided has no effect.
//
// Calls that a tool makes with [Call.Run], and calls in a fork, are never allowed by it: who
// runs them may be an agent. Deny and Ask hold there, too.
func ForceDecision(c Call, b Behavior, reason string) Call {
	reason = cmp.Or(reason, "the program decided so")
	c.forced = &forcedDecision{Decision: Decision{Behavior: b, Reason: reason, By: ByCaller}, name: c.Name, input: slices.Clone(c.Input)}
	return c
}

// opinion returns the decision as far as it holds for c, or nil. Main says that c is a call
// of the main agent's model.
func (f *forcedDecision) opinion(c *Call, main bool) *Decision {
	switch {
	case f == nil:
		return nil
	case f.Behavior != Allow:
		return &f.Decision
	case !main || f.name != c.Name || !bytes.Equal(f.input, c.Input):
		return nil
	}
	return &f.Decision
}
