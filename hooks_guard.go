package pegboard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// guarded returns h with Timeout and OnFailure built into each hook: what is
// left to decide of a failure is what FailByKind says.
func (h Hooks) guarded() Hooks {
	g := Hooks{Select: h.Select}
	if h.Pre != nil {
		g.Pre = guardDecision(h, h.Pre)
	}
	if h.Permission != nil {
		g.Permission = guardDecision(h, h.Permission)
	}
	if h.Post != nil {
		g.Post = guardError(h, h.Post, ownCall)
	}
	if h.PostFailure != nil {
		g.PostFailure = guardError(h, h.PostFailure, ownCall)
	}
	if h.Batch != nil {
		g.Batch = guardError(h, apart(h.Batch), ownOutcomes)
	}
	return g
}

// narrowing returns h without the power to allow: what a fork adds to the hooks
// of its parent.
func (h Hooks) narrowing() Hooks {
	h.Pre, h.Permission = withoutAllow(h.Pre), withoutAllow(h.Permission)
	return h
}

func narrowingAll(checks []Asker) []Asker {
	var narrowed []Asker
	for _, check := range checks {
		narrowed = append(narrowed, withoutAllow(check))
	}
	return narrowed
}

func withoutAllow[T any](hook func(context.Context, T) (Decision, error)) func(context.Context, T) (Decision, error) {
	if hook == nil {
		return nil
	}
	return func(ctx context.Context, x T) (Decision, error) {
		d, err := hook(ctx, x)
		if d.Behavior == Allow {
			d.Behavior = Undecided
		}
		d.Remember = nil
		return d, err
	}
}

// errBlocked marks the failure of a hook whose mode is FailBlock.
var errBlocked = errors.New("a hook that guards the call failed")

func guardDecision[T any](h Hooks, hook func(context.Context, T) (Decision, error)) func(context.Context, T) (Decision, error) {
	return func(ctx context.Context, x T) (Decision, error) {
		d, err := timed(ctx, h.Timeout, hook, x)
		if err != nil && h.OnFailure == FailContinue {
			return Decision{}, nil
		}
		return d, err
	}
}

// guardError guards a hook that changes what it is given. One that may be late gets
// its own, and what it made of it is taken over when it returns in time.
func guardError[T any](h Hooks, hook func(context.Context, T) error, own func(T) (mine T, take func())) func(context.Context, T) error {
	return func(ctx context.Context, x T) error {
		var err error
		if h.Timeout <= 0 {
			err = caught(goroutine.Try(func() error { return hook(ctx, x) }))
		} else {
			mine, take := own(x)
			_, err = limited(ctx, h.Timeout, func(ctx context.Context, x T) (struct{}, error) { return struct{}{}, hook(ctx, x) }, mine)
			if late := (*lateError)(nil); !errors.As(err, &late) {
				take()
			}
		}
		if err != nil && h.OnFailure == FailBlock {
			return fmt.Errorf("%w: %w", errBlocked, err)
		}
		return err
	}
}

// apart runs a hook on a goroutine of its own, which it may end: the one that runs
// the batch has more to do.
func apart(hook func(context.Context, []Outcome) error) func(context.Context, []Outcome) error {
	return func(ctx context.Context, outcomes []Outcome) (err error) {
		if crash := <-goroutine.Go(func() { err = hook(ctx, outcomes) }); crash != nil {
			return fmt.Errorf("%w: %w", ErrPanic, crash)
		}
		return err
	}
}

// timed runs a hook and gives it up when it takes longer than limit.
func timed[X, R any](ctx context.Context, limit time.Duration, hook func(context.Context, X) (R, error), x X) (r R, err error) {
	if limit > 0 {
		return limited(ctx, limit, hook, x)
	}
	err = caught(goroutine.Try(func() (err error) { r, err = hook(ctx, x); return err }))
	return r, err
}

// caught marks the error of a hook that panicked.
func caught(err error) error {
	if err == nil {
		return nil
	}
	var crash *goroutine.PanicError
	if errors.As(err, &crash) {
		return fmt.Errorf("%w: %w", ErrPanic, err)
	}
	return err
}

func limited[X, R any](ctx context.Context, limit time.Duration, hook func(context.Context, X) (R, error), x X) (R, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("hook %w after %v", ErrTimeout, limit))
	defer cancel()
	var r, none R
	var err error
	ended := goroutine.Go(func() { r, err = hook(ctx, x) })
	select {
	case crash := <-ended:
		if crash != nil {
			return none, fmt.Errorf("%w: %w", ErrPanic, crash)
		}
		return r, err
	case <-ctx.Done():
		return none, &lateError{context.Cause(ctx)}
	}
}

// lateError is why a hook was left behind, which may still be at work.
type lateError struct{ error }

func (e *lateError) Unwrap() error { return e.error }

func ownCall(h *HookCall) (mine *HookCall, take func()) {
	m := *h
	if h.Outcome != nil { // another hook may have taken it away
		o := *h.Outcome
		m.Outcome = &o
	}
	return &m, func() { h.Outcome = m.Outcome }
}

func ownOutcomes(outcomes []Outcome) (mine []Outcome, take func()) {
	mine = slices.Clone(outcomes)
	return mine, func() { copy(outcomes, mine) }
}
