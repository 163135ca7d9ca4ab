package policy

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/enum"
)

// A Decision is a behavior and the reasons for it.
type Decision struct {
	Behavior Behavior
	// Reason is for the model if the call is denied, and for the user if it is asked about.
	Reason string
	// Input, if set, replaces the input of the call, which is then decoded, validated and decided
	// again. Package pegboard uses the Input of hooks, tools and answers.
	Input json.RawMessage
	// Rule is the rule that decided, or nil.
	Rule *Rule
	// Remember are updates that change the permissions from now on. The answer of a person, an
	// approver or a permission hook may set it. It is ignored in the answer of the classifier and
	// of a fork's hooks and approvers. Either all updates are applied or, if one is wrong, none.
	// An answer that also sets Input is refused as a whole if its updates would deny the new
	// input, for example by a mode that never asks.
	Remember []Update
	// By says who decided. Code that returns a Decision of its own leaves it zero.
	By Decider
	// StopTurn ends the turn: the other calls of the message are stopped. It has an effect only
	// with Deny, in the answer to a question or from a hook before the call.
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

// A Decider says who decided.
type Decider uint8

// The deciders.
const (
	ByDefault    Decider = iota // no decider was needed: reading is harmless, and any other call needs a reason
	ByRule                      // a rule
	ByMode                      // the mode
	ByTool                      // the tool itself
	ByHook                      // a hook
	ByApprover                  // an approver, which a host asks before the user
	ByClassifier                // the classifier
	ByPerson                    // the user, or a program that answers in the user's place
	ByNobody                    // there was no answer
	ByCaller                    // the caller, see [Opinions]
	ByGuard                     // a check of the host, see [Opinions]
)

// String returns the decider in lower case.
func (d Decider) String() string {
	return enum.Name(d, "default", "rule", "mode", "tool", "hook", "approver", "classifier", "person", "nobody", "caller", "guard")
}

// source returns a phrase for the origin of an opinion, such as "the hook".
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

// answers reports whether the Allow of the caller replaces d. It does if d is Ask only because
// nothing allows the call or because of the mode, and the loop breaker does not want the user to
// be asked.
func (o *Opinions) answers(d Decision) bool {
	return o.Caller != nil && o.Caller.Behavior == Allow && d.Behavior == Ask && (d.unruled || d.By == ByMode) && o.Loop == ""
}

// An Explanation is a decision with the steps that led to it. The deciding code itself records
// them.
type Explanation struct {
	Decision Decision
	Facts    Facts    // what the tool says of the call
	Targets  []Target // of the call, resolved
	Steps    []Step   // in the order in which they were taken
}

// A Step is one consideration on the way to a decision.
type Step struct {
	Rule     *Rule    // the rule that was tried, or nil
	Target   string   // the target that the rule was tried on; empty for the call as a whole
	Behavior Behavior // the result; Undecided if the rule does not apply
	Reason   string
}

// String returns the explanation for a person, one line for each step.
func (x Explanation) String() string {
	var b strings.Builder
	for _, target := range x.Targets {
		fmt.Fprintf(&b, "it would %s\n", target)
	}
	if words := x.Facts.words(); len(words) > 0 {
		fmt.Fprintf(&b, "the tool says: %s\n", strings.Join(words, ", "))
	}
	for i, s := range x.Steps {
		if i == len(x.Steps)-1 && s.Target == "" && s.Reason == x.Decision.Reason {
			break // it repeats the decision
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
	ConcernMaybe Concern = iota // part of the call cannot be seen, and the rule may be about that part
	ConcernNo                   // a deny rule of this text would not be about the call
	ConcernYes                  // a deny rule of this text would deny the call
)

// String returns the answer in lower case.
func (c Concern) String() string { return enum.Name(c, "maybe", "no", "yes") }
