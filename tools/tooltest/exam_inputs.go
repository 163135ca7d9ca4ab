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

// checkInputs examines the call of every input. Then it asks for the traits of all
// inputs again, in reverse order: they must not depend on earlier calls.
func (x *exam) checkInputs(inputs []string) {
	if len(inputs) == 0 {
		x.addViolation(ruleInputs, "", "no input was given")
		return
	}
	first := make([]*pegboard.Traits, len(inputs)) // nil for an input whose traits are not compared again
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

// expectCall is like runToCall. It reports whether the input has reached the call,
// and records a violation if not.
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

// runToCall runs one input through every stage before the call, and calls visit with
// the accepted call instead of the tool's Call. It returns an error if a stage does
// not return.
func (x *exam) runToCall(input string, visit func(context.Context, *pegboard.Call)) (out pegboard.Outcome, err error) {
	arrived := make(chan struct{})
	var decided atomic.Bool // set by the visit or at the timeout, whichever is first
	t := visitedTool{Tool: x.tool, visit: func(ctx context.Context, c *pegboard.Call) {
		if decided.CompareAndSwap(false, true) {
			close(arrived)
			visit(ctx, c)
		}
	}}
	var got pegboard.Outcome
	x.session.NewTurn() // so that the repeated calls do not look like a loop
	ended := goroutine.Go(func() { got = Run(context.Background(), t, x.session, input) })
	select {
	case <-arrived: // the checks in visit have timeouts of their own
		err = <-ended
	case err = <-ended:
	case <-time.After(x.grace):
		if decided.CompareAndSwap(false, true) {
			return out, fmt.Errorf("a stage before the call did not return within %v", x.grace)
		}
		err = <-ended
	}
	return got, err
}

// checkMutations runs the mutations of an accepted input, which must be refused.
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
