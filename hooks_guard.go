package pegboard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// guarded returns h with Timeout and OnFailure applied to each hook. The remaining
// failures are treated as FailDefault says.
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
	if h.NotRun != nil {
		g.NotRun = guardError(h, h.NotRun, ownCall)
	}
	if h.Batch != nil {
		g.Batch = guardError(h, h.Batch, ownOutcomes)
	}
	return g
}

// narrowing returns h without the power to allow, for a fork.
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

// errBlocked is wrapped by the failure of a hook whose OnFailure is FailBlock.
var errBlocked = errors.New("a hook that guards the call failed")

func guardDecision[T any](h Hooks, hook func(context.Context, T) (Decision, error)) func(context.Context, T) (Decision, error) {
	return func(ctx context.Context, x T) (Decision, error) {
		d, err := call(ctx, h.Timeout, hook, x)
		if err != nil && h.OnFailure == FailContinue && !errors.Is(err, ErrDeferred) {
			return Decision{}, nil
		}
		return d, err
	}
}

// guardError guards a hook that changes its argument. A hook with a timeout works on a
// copy, whose changes are taken over if it returns in time.
func guardError[T any](h Hooks, hook func(context.Context, T) error, copyOf func(T) (own T, takeOver func())) func(context.Context, T) error {
	return func(ctx context.Context, x T) error {
		var err error
		if h.Timeout <= 0 {
			err = markPanic(goroutine.Try(func() error { return hook(ctx, x) }))
		} else {
			own, takeOver := copyOf(x)
			_, err = withTimeout(ctx, h.Timeout, func(ctx context.Context, x T) (struct{}, error) { return struct{}{}, hook(ctx, x) }, own)
			if late := (*hookTimeoutError)(nil); !errors.As(err, &late) {
				takeOver()
			}
		}
		if err != nil && h.OnFailure == FailBlock {
			return fmt.Errorf("%w: %w", errBlocked, err)
		}
		return err
	}
}

// call runs a hook, and abandons it after limit; 0 means no limit.
func call[X, R any](ctx context.Context, limit time.Duration, hook func(context.Context, X) (R, error), x X) (r R, err error) {
	if limit > 0 {
		return withTimeout(ctx, limit, hook, x)
	}
	err = markPanic(goroutine.Try(func() (err error) { r, err = hook(ctx, x); return err }))
	return r, err
}

// markPanic wraps the error of a panic with [ErrPanic].
func markPanic(err error) error {
	if err == nil {
		return nil
	}
	var crash *goroutine.PanicError
	if errors.As(err, &crash) {
		return fmt.Errorf("%w: %w", ErrPanic, err)
	}
	return err
}

// withTimeout runs a hook on a goroutine of its own, and abandons it after limit.
func withTimeout[X, R any](ctx context.Context, limit time.Duration, hook func(context.Context, X) (R, error), x X) (R, error) {
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
		return none, &hookTimeoutError{context.Cause(ctx)}
	}
}

// A hookTimeoutError is the error of a hook that was abandoned. It may still be running.
type hookTimeoutError struct{ error }

func (e *hookTimeoutError) Unwrap() error { return e.error }

func ownCall(h *HookCall) (own *HookCall, takeOver func()) {
	m := *h
	if h.Outcome != nil { // an earlier hook may have set it to nil
		o := *h.Outcome
		m.Outcome = &o
	}
	return &m, func() { h.Outcome = m.Outcome }
}

func ownOutcomes(outcomes []Outcome) (own []Outcome, takeOver func()) {
	own = slices.Clone(outcomes)
	return own, func() { copy(outcomes, own) }
}
