package pegboard

import (
	"encoding/json"
)

// A Decision is a behavior and its grounds.
type Decision struct {
	Behavior Behavior
	// Reason is for the model when a call is denied, and for the user when it is asked
	// about.
	Reason string
	// Input, if set, replaces the call's input, which is then decoded, validated and
	// decided again. Hooks, tools and Askers may set it.
	Input json.RawMessage
	// Rule is the rule that decided, if one did.
	Rule *Rule
	// FactRule is the rule on facts that decided, if one did.
	FactRule *FactRule
	// Remember are updates of the permissions, from now on. An answer to a question may
	// set it: of an [Asker], an approver or a permission hook; that of the classifier and
	// of a fork's hooks and approvers is ignored. Either all updates are applied or, if
	// one is wrong, none. An answer with another Input that would be denied under its own
	// updates, as in a mode that asks nobody, is refused as a whole.
	Remember []PermissionUpdate
	// By says who decided. The library sets it.
	By Decider
	// StopTurn, with Deny, as the answer to a question or from a hook before the call,
	// ends the turn: the message's other calls are stopped, see [Outcome].StopTurn.
	StopTurn bool

	unruled  bool // no rule, opinion or mode decided: an allow rule would help
	cautious bool // only the user may allow it: an allow rule would not help

	deferred error // of a permission hook that puts off its answer
}

// stricter returns the stricter of two opinions, the first if they are equal. An unknown
// behavior counts as Deny.
func stricter(a, b Decision) Decision {
	for _, d := range []*Decision{&a, &b} {
		if d.Behavior < Undecided || d.Behavior > Deny {
			d.Behavior, d.Reason = Deny, "an opinion that is none: "+d.Reason
		}
	}
	if b.Behavior > a.Behavior {
		return b
	}
	return a
}

// Decider says who decided.
type Decider uint8

// The deciders.
const (
	ByDefault    Decider = iota // no one had to: reading is harmless, anything else needs a reason
	ByRule                      // a rule
	ByMode                      // the mode
	ByTool                      // the tool itself
	ByHook                      // a hook
	ByApprover                  // one of [SessionConfig].Approvers
	ByClassifier                // the classifier
	ByPerson                    // the user, or a program that answers in the user's place
	ByNobody                    // there was no answer
	ByCaller                    // the caller of the executor, see [ForceDecision]
	ByGuard                     // the session's [Guard]
)

// String returns the decider in lower case.
func (d Decider) String() string {
	return nameOf(int(d), "default", "rule", "mode", "tool", "hook", "approver", "classifier", "person", "nobody", "caller", "guard")
}

// source names who has an opinion of a call.
func (d Decider) source() string {
	if d == ByTool {
		return "the tool itself"
	}
	return "the " + d.String()
}

func (d Decider) withArticle() string {
	if d == ByApprover {
		return "an " + d.String()
	}
	return "a " + d.String()
}
