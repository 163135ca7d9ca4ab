package asking

import (
	"context"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// An Ahead is a decider that was started before the question is put. Drop it in the end.
type Ahead[A any] struct {
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when the decider has returned
	answer A
	ok     bool
}

// Ahead starts a decider. Its context ends with ctx, when the Ahead is dropped, or when the
// context of Decide ends.
func (l *Line[Q, A]) Ahead(ctx context.Context, decider func(ctx context.Context) (A, bool)) *Ahead[A] {
	a := &Ahead[A]{done: make(chan struct{})}
	ctx, a.cancel = context.WithCancelCause(ctx)
	l.addRunning(1)
	goroutine.Go(func() {
		defer l.addRunning(-1)
		defer close(a.done) // deferred, since the decider may call Goexit
		if ctx.Err() == nil {
			a.answer, a.ok = decider(ctx)
		}
	})
	return a
}

// Decide is a decider of a [Race]: it waits for the decider that was started.
func (a *Ahead[A]) Decide(ctx context.Context) (A, bool) {
	select {
	case <-a.done:
		return a.answer, a.ok
	case <-ctx.Done():
		a.cancel(context.Cause(ctx))
		var none A
		return none, false
	}
}

// Drop ends the context of the decider, whose answer is not needed.
func (a *Ahead[A]) Drop() { a.cancel(errAnswered) }
