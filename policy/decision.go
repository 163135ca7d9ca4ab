package policy

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/enum"
)

// A Decision is a behavior and its grounds.
type Decision struct {
	Behavior Behavior
	// Reason is for the model when a call is denied, and for the user when it is asked
	// about.
	Reason string
	// Input, if set, replaces the call's input, which is then decoded, validated and
	// decided again. Package pegboard heeds it in what hooks, tools and answers say.
	Input json.RawMessage
	// Rule is the rule that decided, if one did.
	Rule *Rule
	// FactRule is the rule on facts that decided, if one did.
	FactRule *FactRule
	// Remember are updates of the permissions, from now on. An answer to a question may
	// set it: of a person, an approver or a permission hook; that of the classifier and
	// of a fork's hooks and approvers is ignored. Either all updates are applied or, if
	// one is wrong, none. An answer with another Input that would be denied under its own
	// updates, as in a mode that asks nobody, is refused as a whole.
	Remember []Update
	// By says who decided. Whoever returns a Decision leaves it zero.
	By Decider
	// StopTurn, with Deny, as the answer to a question or from a hook before the call,
	// ends the turn: the message's other calls are stopped.
	StopTurn bool

	unruled  bool // see Open
	cautious bool // see OnlyPerson
}

// Open reports whether no rule, opinion or mode has decided, so that an allow rule would help.
func (d Decision) Open() bool { return d.unruled }

// OnlyPerson reports whether only the user may allow the call, so that an allow rule would not
// help.
func (d Decision) OnlyPerson() bool { return d.cautious }

// Stricter returns the stricter of two opinions, the first if they are equal. An unknown
// behavior counts as Deny.
func Stricter(a, b Decision) Decision {
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
	ByApprover                  // one that a host asks before the user
	ByClassifier                // the classifier
	ByPerson                    // the user, or a program that answers in the user's place
	ByNobody                    // there was no answer
	ByCaller                    // who makes the call, see [Opinions]
	ByGuard                     // a check of the host, see [Opinions]
)

// String returns the decider in lower case.
func (d Decider) String() string {
	return enum.Name(d, "default", "rule", "mode", "tool", "hook", "approver", "classifier", "person", "nobody", "caller", "guard")
}

// source names who has an opinion of a call.
func (d Decider) source() string {
	if d == ByTool {
		return "the tool itself"
	}
	return "the " + d.String()
}

// strictest returns the strictest opinion.
func (o *Opinions) strictest() Decision {
	o.Hook.By, o.Tool.By = ByHook, ByTool
	d := Stricter(o.Hook, o.Tool)
	if o.Caller != nil {
		d = Stricter(d, *o.Caller)
	}
	if o.Guard != nil {
		d = Stricter(*o.Guard, d)
	}
	return d
}

// answers reports whether the caller's decision allows a call that was decided as d: one
// that nothing but its being unknown speaks against.
func (o *Opinions) answers(d Decision) bool {
	return o.Caller != nil && o.Caller.Behavior == Allow && d.Behavior == Ask && (d.unruled || d.By == ByMode) && o.Loop == ""
}

// An Explanation is a decision with the steps that led to it. It is recorded by the code
// that decides.
type Explanation struct {
	Decision Decision
	Targets  []Target // of the call, resolved
	Steps    []Step   // in the order in which they were taken
}

// A Step is one thing that was considered on the way to a decision.
type Step struct {
	Rule     *Rule     // the rule that was tried, or nil
	FactRule *FactRule // the rule on facts that was tried, or nil
	Target   string    // the target it was tried on; empty for the call as a whole
	Behavior Behavior  // the result; Undecided if the rule does not apply
	Reason   string
}

// String returns the explanation for a person, one line for each step.
func (x Explanation) String() string {
	var b strings.Builder
	for _, target := range x.Targets {
		fmt.Fprintf(&b, "it would %s\n", target)
	}
	for i, s := range x.Steps {
		if i == len(x.Steps)-1 && s.Target == "" && s.Reason == x.Decision.Reason {
			break // the decision repeats it
		}
		mark := "-"
		if s.Behavior != Undecided {
			mark = s.Behavior.String() + ":"
		}
		fmt.Fprintf(&b, "%s %s", mark, s.Reason)
		if s.Target != "" {
			fmt.Fprintf(&b, " (%s)", s.Target)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "= %v: %s\n", x.Decision.Behavior, x.Decision.Reason)
	return b.String()
}

// A Concern says whether a rule is about a call, see [Permissions.Concerns].
type Concern int

// The answers. The zero value is the cautious one.
const (
	ConcernMaybe Concern = iota // part of the call cannot be seen, and the rule may be about that
	ConcernNo                   // a deny rule of this text would not be about the call
	ConcernYes                  // a deny rule of this text would deny the call
)

// String returns the answer in lower case.
func (c Concern) String() string { return enum.Name(c, "maybe", "no", "yes") }
