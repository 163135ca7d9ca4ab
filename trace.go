package pegboard

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// A Explanation is a decision and how it came about. It is made by the code that
// decides, so it cannot say anything else.
type Explanation struct {
	Decision Decision
	Targets  []Target          // what the call acts on, resolved
	Steps    []ExplanationStep // in the order in which they were taken
}

// A ExplanationStep is one thing that was looked at on the way to a decision.
type ExplanationStep struct {
	Rule     *Rule    // the rule that was tried, or nil
	Target   string   // what it was held against; empty if it was the call as such
	Behavior Behavior // what follows from it; Undecided if it does not apply
	Reason   string
}

// String returns the trace for a person, a line for each step.
func (t Explanation) String() string {
	var b strings.Builder
	for _, target := range t.Targets {
		fmt.Fprintf(&b, "it would %s\n", target)
	}
	for i, s := range t.Steps {
		if i == len(t.Steps)-1 && s.Target == "" && s.Reason == t.Decision.Reason {
			break // the decision says it
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
	fmt.Fprintf(&b, "= %v: %s\n", t.Decision.Behavior, t.Decision.Reason)
	return b.String()
}

// Decide says how c would be decided now, without running it and without asking
// anybody: by its tool, the rules and the mode. Hooks, the classifier and people
// may still refuse it, or answer what would be asked. An input that cannot be read
// is denied.
func (p *Pool) Decide(ctx context.Context, c Call) Decision { return p.settle(ctx, c, nil) }

// ExplainDecision is Decide with every step on the way.
func (p *Pool) ExplainDecision(ctx context.Context, c Call) (t Explanation) {
	t.Decision = p.settle(ctx, c, &t)
	return t
}

func (p *Pool) settle(ctx context.Context, c Call, t *Explanation) Decision {
	for range maxRewrites + 1 {
		tool, made, err := p.Rebuild(c)
		if err != nil {
			return Decision{Behavior: Deny, Reason: err.Error()}
		}
		made.state.allowed = false // it was not decided, as Admit takes for granted
		var own Decision
		if err := goroutine.Try(func() error {
			err := tool.Validate(ctx, made)
			if err == nil {
				own = tool.Permit(ctx, made)
			}
			return err
		}); err != nil {
			return Decision{Behavior: Deny, Reason: err.Error()}
		}
		if own.Behavior != Deny && len(own.Input) > 0 && !bytes.Equal(own.Input, made.Input) {
			c.Input = own.Input
			continue
		}
		var x subject
		perms := made.put(&x, made.state.targets)
		if x.own, x.trace = own, t; t != nil {
			t.Targets = made.Targets()
		}
		d := perms.decide(&x)
		if d.Behavior == Deny && d.unruled {
			d.Reason = made.withRemedy(d.Reason, made.state.targets)
		}
		return d
	}
	return Decision{Behavior: Deny, Reason: "the tool does not agree with itself on its input"}
}
