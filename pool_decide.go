package pegboard

import (
	"context"
	"fmt"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// Decide says how c would be decided now by its tool, the rules and the mode, without
// running it and without asking anyone. Hooks, the Guard, the classifier and the user may
// still deny the call, or answer what Decide returns Ask for. An input that cannot be read is
// denied, and so is a call whose decision the end of ctx has cut off.
func (p *Pool) Decide(ctx context.Context, c Call) Decision {
	p.mustExist("Decide")
	mustHaveContext("Decide", ctx)
	return p.decide(ctx, c, nil)
}

// ExplainDecision is Decide with every step.
func (p *Pool) ExplainDecision(ctx context.Context, c Call) (x Explanation) {
	p.mustExist("ExplainDecision")
	mustHaveContext("ExplainDecision", ctx)
	x.Decision = p.decide(ctx, c, &x)
	return x
}

func (p *Pool) decide(ctx context.Context, c Call, x *Explanation) Decision {
	forced := c.forced
	for range maxRewrites + 1 {
		if ctx.Err() != nil {
			return undecided(ctx)
		}
		tool, made, err := p.Rebuild(c)
		if err != nil {
			return Decision{Behavior: Deny, Reason: err.Error()}
		}
		if ctx.Err() != nil { // inspecting the call took long
			return undecided(ctx)
		}
		made.state.allowed = false // Rebuild assumes that the call was decided elsewhere
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
		if rewritten := made.replacement(own.Input); rewritten != nil && own.Behavior != Deny {
			c.Input = rewritten
			continue
		}
		var e evaluation
		made.prepare(&e, made.state.targets)
		e.caller = forced.opinion(made, p.session.parent == nil)
		if e.own, e.explanation = own, x; x != nil {
			x.Targets = made.Targets()
		}
		d := e.decide()
		if ctx.Err() != nil { // as did looking at its files
			return undecided(ctx)
		}
		if d.Behavior == Deny && d.unruled {
			d.Reason = withRemedy(made, d.Reason, made.state.targets)
		}
		return d
	}
	return Decision{Behavior: Deny, Reason: "the tool does not agree with itself on its input"}
}

// undecided is the answer where a context ended before the decision.
func undecided(ctx context.Context) Decision {
	return Decision{Behavior: Deny, Reason: fmt.Sprintf("it was not decided in time: %v", context.Cause(ctx))}
}
