package tooltest

import (
	"context"
	"errors"
	"reflect"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// look examines an admitted call. It returns the traits to compare with later,
// or nil if they are not to be relied on.
func (x *exam) look(ctx context.Context, c *pegboard.Call, input string) *pegboard.Traits {
	traits, ok := x.traits(c, input)
	if !ok {
		return nil
	}
	pure := x.compare(input, "asked again", traits[0], traits)
	x.coherent(input, traits[0])
	if seen, ok := x.together(ctx, c, input); pure {
		pure = ok && x.compare(input, "asked by several goroutines at once", traits[0], seen)
	}
	x.cancel(ctx, c, input)
	if !pure {
		return nil
	}
	return &traits[0]
}

// again compares the traits of a call with those of one before.
func (x *exam) again(c *pegboard.Call, input string, first pegboard.Traits) {
	if traits, ok := x.traits(c, input); ok {
		x.compare(input, "asked after other calls", first, traits)
	}
}

func (x *exam) traits(c *pegboard.Call, input string) (traits []pegboard.Traits, ok bool) {
	var got []pegboard.Traits
	ok = x.try("Traits", input, func() {
		got = times(repeats, func() pegboard.Traits { return x.tool.Traits(c) })
	})
	if !ok {
		return nil, false
	}
	return got, true
}

func (x *exam) compare(input, when string, want pegboard.Traits, all []pegboard.Traits) (equal bool) {
	for _, got := range all {
		if !reflect.DeepEqual(got, want) {
			x.violated(rulePure, input, "they were %+v; %s, %+v", want, when, got)
			return false
		}
	}
	return true
}

func (x *exam) coherent(input string, tr pegboard.Traits) {
	if !tr.ReadOnly {
		return
	}
	if tr.Destructive {
		x.violated(ruleCoherent, input, "the call is read-only and destructive")
	}
	for _, target := range tr.Targets {
		if target.Access == pegboard.AccessWrite {
			x.violated(ruleCoherent, input, "the call is read-only, and one of its targets is to %s", target)
			return
		}
	}
}

// together calls every stage but the call from several goroutines at once.
func (x *exam) together(ctx context.Context, c *pegboard.Call, input string) (traits []pegboard.Traits, ok bool) {
	const callers = 4
	got := make([]pegboard.Traits, callers)
	ended := make([]<-chan error, callers)
	for i := range ended {
		ended[i] = goroutine.Go(func() {
			x.tool.Info()
			x.tool.Declare(x.session)
			got[i] = x.tool.Traits(c)
			_ = x.tool.Validate(ctx, c) // its answer was heard on the way to the call
			x.tool.Permit(ctx, c)
		})
	}
	grace := time.After(x.grace)
	for _, end := range ended {
		select {
		case err := <-end:
			if err != nil {
				x.violated(ruleReturns, input, "a stage called by several goroutines at once: %v", err)
				return nil, false
			}
		case <-grace:
			x.violated(ruleReturns, input, "a stage called by several goroutines at once did not return within %v", x.grace)
			return nil, false
		}
	}
	return got, true
}

// errCancelled is why the calls of an exam are cancelled.
var errCancelled = errors.New("cancelled before the call began")

// cancel runs the call twice at the same time with a context that has ended.
func (x *exam) cancel(ctx context.Context, c *pegboard.Call, input string) {
	ctx, cancel := context.WithCancelCause(ctx)
	cancel(errCancelled)
	call := func() { _, _ = x.tool.Call(ctx, c) } // a result and an error are both fine
	calls := []<-chan error{goroutine.Go(call), goroutine.Go(call)}
	grace := time.After(x.grace)
	for _, end := range calls {
		select {
		case err := <-end:
			if err != nil {
				x.violated(ruleReturns, input, "Call: %v", err)
				return
			}
		case <-grace:
			x.violated(ruleCancel, input, "Call did not return within %v", x.grace)
			return
		}
	}
}
