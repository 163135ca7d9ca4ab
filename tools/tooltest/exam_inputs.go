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

// inputs takes every input to the call and examines it there, then every input
// once more the other way round: what ran before must not matter to traits.
func (x *exam) inputs(inputs []string) {
	if len(inputs) == 0 {
		x.violated(ruleInputs, "", "no input was given")
		return
	}
	first := make([]*pegboard.Traits, len(inputs)) // nil for inputs that need no second look
	for i, in := range inputs {
		if x.admitted(in, "", func(ctx context.Context, c *pegboard.Call) { first[i] = x.look(ctx, c, in) }) {
			x.mutations(in)
		}
	}
	for i, in := range slices.Backward(inputs) {
		if first[i] != nil {
			x.admitted(in, "after other calls: ", func(_ context.Context, c *pegboard.Call) { x.again(c, in, *first[i]) })
		}
	}
}

// admitted is like admit. It reports whether the input got to the visit, and
// notes why not.
func (x *exam) admitted(input, when string, visit func(context.Context, *pegboard.Call)) bool {
	out, err := x.admit(input, visit)
	switch {
	case err != nil:
		x.violated(ruleReturns, input, "%s%v", when, err)
	case errors.Is(out.Err, pegboard.ErrPanic):
		x.violated(ruleReturns, input, "%s%v", when, out.Err)
	case out.Err != nil:
		x.violated(ruleAccepts, input, "%s%v", when, out.Err)
	}
	return err == nil && out.Err == nil
}

// admit takes one input through every stage before the call and has visit look
// at the admitted call in place of the tool's Call. The error says that a stage
// before the call does not end.
func (x *exam) admit(input string, visit func(context.Context, *pegboard.Call)) (out pegboard.Outcome, err error) {
	arrived := make(chan struct{})
	var settled atomic.Bool // by the first of the visit and the end of patience
	t := visited{Tool: x.tool, visit: func(ctx context.Context, c *pegboard.Call) {
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

// visited is a tool whose calls are looked at in place of being run.
type visited struct {
	pegboard.Tool
	visit func(context.Context, *pegboard.Call)
}

// Call shows the call to the visitor.
func (v visited) Call(ctx context.Context, c *pegboard.Call) (*pegboard.Result, error) {
	v.visit(ctx, c)
	return &pegboard.Result{}, nil
}

// mutations tries what must be refused in place of a good input.
func (x *exam) mutations(input string) {
	for _, m := range mutate(x.schema, input) {
		passed := false
		out, err := x.admit(m.input, func(context.Context, *pegboard.Call) { passed = true })
		switch {
		case err != nil:
			x.violated(ruleReturns, m.input, "%v", err)
		case passed:
			x.violated(ruleRefuses, m.input, "%s, and the call would have run", m.what)
		case !errors.Is(out.Err, pegboard.ErrInvalidInput):
			x.violated(ruleRefuses, m.input, "%s, and what refused it was not the schema: %v", m.what, out.Err)
		}
	}
}
