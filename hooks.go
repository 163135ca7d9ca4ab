package pegboard

import (
	"bytes"
	"context"
	"errors"
)

// Hooks run around each call. Any of them may be nil. Those of one call run one
// after the other, those of different calls may run concurrently.
//
// A hook can refuse a call, make it be asked about, change its input or result.
// It can spare the person a question, but nothing it says turns a deny or ask
// rule into anything laxer.
type Hooks struct {
	// Pre runs before permission is decided. An error denies the call. A
	// changed input is decoded, validated and decided anew, hooks included, at
	// most eight times.
	Pre func(ctx context.Context, h *HookCall) (Decision, error)
	// Post runs after a call that succeeded, and may change h.Outcome.Result.
	// Its error is logged, the result stands.
	Post func(ctx context.Context, h *HookCall) error
	// Failure runs after a call that failed while it ran, in place of Post.
	Failure func(ctx context.Context, h *HookCall) error
}

// HookCall is what a hook is told. More fields may come.
type HookCall struct {
	Tool    Tool
	Call    *Call
	Outcome *Outcome // nil in Pre
}

// JoinHooks returns hooks that run hs in the order given. All Pre hooks see the
// same call. The strictest decision wins, and of several changed inputs the
// last. An error of one Pre hook denies; Post and Failure errors are joined.
func JoinHooks(hs ...Hooks) Hooks {
	var joined Hooks
	for _, h := range hs {
		if h.Pre != nil {
			joined.Pre = joinPre(joined.Pre, h.Pre)
		}
		joined.Post = joinPost(joined.Post, h.Post)
		joined.Failure = joinPost(joined.Failure, h.Failure)
	}
	return joined
}

// narrowing returns h without the power to allow: what a fork adds to the hooks
// of its parent.
func (h Hooks) narrowing() Hooks {
	pre := h.Pre
	if pre == nil {
		return h
	}
	h.Pre = func(ctx context.Context, c *HookCall) (Decision, error) {
		d, err := pre(ctx, c)
		if d.Behavior == Allow {
			d.Behavior = Undecided
		}
		return d, err
	}
	return h
}

type (
	preHook  = func(context.Context, *HookCall) (Decision, error)
	postHook = func(context.Context, *HookCall) error
)

func joinPre(a, b preHook) preHook {
	if a == nil {
		return b
	}
	return func(ctx context.Context, h *HookCall) (Decision, error) {
		x, err := a(ctx, h)
		if err != nil || x.Behavior == Deny {
			return x, err
		}
		y, err := b(ctx, h)
		if err != nil {
			return y, err
		}
		d := stricter(x, y)
		d.Input = x.Input
		if len(y.Input) > 0 && !bytes.Equal(y.Input, h.Call.Input) {
			d.Input = y.Input
		}
		return d, nil
	}
}

func joinPost(a, b postHook) postHook {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(ctx context.Context, h *HookCall) error {
		err := a(ctx, h)
		return errors.Join(err, b(ctx, h))
	}
}
