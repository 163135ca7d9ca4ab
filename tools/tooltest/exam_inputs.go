package tooltest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// checkInputs takes every input to the call and examines it there, then every input
// once more the other way round: what ran before must not matter to traits.
func (x *exam) checkInputs(inputs []string) {
	if len(inputs) == 0 {
		x.addViolation(ruleInputs, "", "no input was given")
		return
	}
	first := make([]*pegboard.Traits, len(inputs)) // nil for inputs that need no second look
	for i, in := range inputs {
		if x.expectCall(in, "", func(ctx context.Context, c *pegboard.Call) { first[i] = x.checkCall(ctx, c, in) }) {
			x.checkMutations(in)
		}
	}
	for i, in := range slices.Backward(inputs) {
		if first[i] != nil {
			x.expectCall(in, "after other calls: ", func(_ context.Context, c *pegboard.Call) { x.checkTraitsAgain(c, in, *first[i]) })
		}
	}
}

// expectCall is like admit. It reports whether the input got to the visit, and
// notes why not.
func (x *exam) expectCall(input, when string, visit func(context.Context, *pegboard.Call)) bool {
	out, err := x.runToCall(input, visit)
	switch {
	case err != nil:
		x.addViolation(ruleReturns, input, "%s%v", when, err)
	case errors.Is(out.Err, pegboard.ErrPanic):
		x.addViolation(ruleReturns, input, "%s%v", when, out.Err)
	case out.Err != nil:
		x.addViolation(ruleAccepts, input, "%s%v", when, out.Err)
	}
	return err == nil && out.Err == nil
}

// runToCall takes one input through every stage before the call and has visit look
// at the admitted call in place of the tool's Call. The error says that a stage
// before the call does not end.
func (x *exam) runToCall(input string, visit func(context.Context, *pegboard.Call)) (out pegboard.Outcome, err error) {
	arrived := make(chan struct{})
	var settled atomic.Bool // by the first of the visit and the end of patience
	t := visitedTool{Tool: x.tool, visit: func(ctx context.Context, c *pegboard.Call) {
		if settled.CompareAndSwap(false, true) {
			close(arrived)
			visit(ctx, c)
		}
	}}
	var got pegboard.Outcome
	x.session.NewTurn() // an exam repeats itself and is no loop
	ended := goroutine.Go(func() { got = Run(context.Background(), t, x.session, input) })
	select {
	case <-arrived: // visits watch the time themselves
		err = <-ended
	case err = <-ended:
	case <-time.After(x.grace):
		if settled.CompareAndSwap(false, true) {
			return out, fmt.Errorf("a stage before the call did not return within %v", x.grace)
		}
		err = <-ended
	}
	return got, err
}

// checkMutations tries what must be refused in place of a good input.
func (x *exam) checkMutations(input string) {
	for _, m := range mutate(x.schema, input) {
		passed := false
		out, err := x.runToCall(m.input, func(context.Context, *pegboard.Call) { passed = true })
		switch {
		case err != nil:
			x.addViolation(ruleReturns, m.input, "%v", err)
		case passed:
			x.addViolation(ruleRefuses, m.input, "%s, and the call would have run", m.defect)
		case !errors.Is(out.Err, pegboard.ErrInvalidInput):
			x.addViolation(ruleRefuses, m.input, "%s, and what refused it was not the schema: %v", m.defect, out.Err)
		}
	}
}
