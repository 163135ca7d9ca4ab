package pegboard

import (
	"encoding/json"
	"fmt"
)

// Decider says who decided.
type Decider uint8

// The deciders.
const (
	ByDefault    Decider = iota // nobody had to: reading is harmless, the rest needs a reason
	ByRule                      // a rule
	ByMode                      // the mode
	ByTool                      // the tool itself
	ByHook                      // a hook
	ByApprover                  // one of [SessionConfig].Approvers
	ByClassifier                // the classifier
	ByPerson                    // who answered for the person
	ByNobody                    // there was no answer
)

// String returns the decider in lower case.
func (d Decider) String() string {
	return nameOf(int(d), "default", "rule", "mode", "tool", "hook", "check", "classifier", "person", "nobody")
}

// A Decision is a behavior and its grounds.
type Decision struct {
	Behavior Behavior
	// Reason is for the model when a call is denied, for the person when it is
	// asked about.
	Reason string
	// Input, if set, replaces the call's input, which is then decoded,
	// validated and decided anew. Hooks, tools and askers may set it.
	Input json.RawMessage
	// Rule is the rule that decided, if one did.
	Rule *Rule
	// Remember is how the permissions change from now on. Who answers a question may
	// set it: an [Asker], a check, a permission hook; of the classifier and of a
	// fork's hooks and checks it is ignored. It is all done or, if one update is
	// wrong, none of it. A mode that asks nobody also refuses another Input that the
	// same answer brings.
	Remember []PermissionUpdate
	// By says who decided. It is set by whoever asked them.
	By Decider
	// StopTurn, with Deny, as the answer to a question or from a hook before the call,
	// ends the turn: the message's other calls are stopped, see [Outcome].StopTurn.
	StopTurn bool

	unruled  bool // no rule, opinion or mode spoke of it: an allow rule might
	cautious bool // something about it needs a person: no allow rule would do
}

// stricter returns the stricter of two opinions, the first if they are equal.
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

// Behavior answers whether a call may run.
type Behavior int

// The behaviors. Larger is stricter; Undecided is no answer.
const (
	Undecided Behavior = iota
	Allow
	Ask
	Deny
)

// String returns the behavior in lower case.
func (b Behavior) String() string { return nameOf(int(b), "undecided", "allow", "ask", "deny") }

// MarshalText returns what String does.
func (b Behavior) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// UnmarshalText reads allow, ask or deny.
func (b *Behavior) UnmarshalText(text []byte) error {
	for _, known := range []Behavior{Allow, Ask, Deny} {
		if string(text) == known.String() {
			*b = known
			return nil
		}
	}
	return fmt.Errorf("unknown behavior %q; use allow, ask or deny", text)
}
