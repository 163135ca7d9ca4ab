package pegboard

import (
	"fmt"
	"strings"
)

// An Explanation is a decision with the steps that led to it. It is recorded by the code
// that decides.
type Explanation struct {
	Decision Decision
	Targets  []Target          // of the call, resolved
	Steps    []ExplanationStep // in the order in which they were taken
}

// An ExplanationStep is one thing that was considered on the way to a decision.
type ExplanationStep struct {
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
