package lifetime_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/lifetime"
)

var (
	errStopped = errors.New("stopped")
	errAgain   = errors.New("again")
)

func never(t *testing.T) func() {
	t.Helper()
	return func() { t.Error("it was not to be called") }
}

func TestReturns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		var a lifetime.Attempt
		require.False(t, a.Running())
		ctx := a.Begin(context.WithValue(t.Context(), key{}, "carried"))
		require.Equal(t, "carried", ctx.Value(key{}))
		a.SetTimeout(time.Second, never(t))
		require.True(t, a.Running())
		require.NoError(t, ctx.Err())
		require.True(t, a.Finish())
		require.False(t, a.Running())
		require.ErrorIs(t, context.Cause(ctx), context.Canceled)
		require.NoError(t, a.Cause())
		require.True(t, a.Finish(), "it says the same again")
		require.False(t, a.Abandon(), "it is too late for that")
		a.Stop(errStopped, time.Second, never(t))
		require.NoError(t, a.Cause())
		time.Sleep(time.Minute)
	})
}

func TestNotBegun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var a lifetime.Attempt
		require.False(t, a.Abandon())
		a.Stop(errStopped, time.Second, never(t))
		a.SetTimeout(time.Second, never(t))
		require.NoError(t, a.Cause())
		time.Sleep(time.Minute)
		require.True(t, a.Finish(), "the call is answered by who had it")
		ctx := a.Begin(t.Context())
		require.NoError(t, ctx.Err(), "a stop before it began is forgotten")
		require.True(t, a.Finish())
	})
}

func TestStop(t *testing.T) {
	t.Parallel()
	const grace = 2 * time.Second
	tests := []struct {
		name   string
		takes  time.Duration // until it returns once it is stopped
		counts bool
	}{
		{name: "it returns at once", takes: 0, counts: true},
		{name: "it returns within the grace", takes: grace - 1, counts: true},
		{name: "it returns too late", takes: grace + 1, counts: false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var a lifetime.Attempt
				ctx := a.Begin(t.Context())
				started := time.Now()
				a.Stop(errStopped, grace, func() {
					if a.Abandon() {
						a.HandOver()
					}
				})
				a.Stop(errAgain, 0, never(t))
				require.Equal(t, errStopped, context.Cause(ctx))
				require.Equal(t, errStopped, a.Cause())
				require.True(t, a.Running(), "until it returns")
				time.Sleep(tt.takes)
				synctest.Wait()
				require.Equal(t, tt.counts, a.Running())
				require.Equal(t, tt.counts, a.Finish())
				require.Equal(t, tt.takes, time.Since(started))
				time.Sleep(time.Minute)
				require.Equal(t, tt.counts, a.Finish())
				require.Equal(t, errStopped, a.Cause())
			})
		})
	}
}

func TestLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var a lifetime.Attempt
		var late time.Duration
		started := time.Now()
		ctx := a.Begin(t.Context())
		a.SetTimeout(time.Minute, func() {
			late = time.Since(started)
			a.Stop(errStopped, time.Hour, never(t))
		})
		<-ctx.Done()
		synctest.Wait()
		require.Equal(t, time.Minute, late)
		require.True(t, a.Finish())
		require.Equal(t, errStopped, a.Cause())
		time.Sleep(2 * time.Hour)
	})
}

// TestGiveUp gives up work that was never stopped: its context and its limit live on,
// and end when it returns after all that had to follow.
func TestGiveUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var a lifetime.Attempt
		ctx := a.Begin(t.Context())
		var late atomic.Bool
		a.SetTimeout(time.Second, func() { late.Store(true) })
		require.True(t, a.Abandon())
		require.False(t, a.Abandon(), "somebody else has done it")
		require.False(t, a.Running())
		require.NoError(t, ctx.Err())
		require.False(t, a.Finish(), "what comes of it does not count")
		a.Stop(errStopped, 0, never(t))
		require.NoError(t, ctx.Err())

		left := make(chan struct{})
		go func() {
			a.FinishAbandoned()
			close(left)
		}()
		time.Sleep(time.Minute)
		select {
		case <-left:
			require.Fail(t, "it left before all was settled")
		default:
		}
		require.True(t, late.Load())
		a.HandOver()
		<-left
		require.ErrorIs(t, context.Cause(ctx), context.Canceled)
	})
}

func TestCut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var a lifetime.Attempt
		ctx := a.Begin(t.Context())
		a.SetTimeout(time.Minute, never(t))
		a.CancelAbandoned(errAgain)
		require.NoError(t, ctx.Err(), "it was not given up")
		require.True(t, a.Abandon())
		a.CancelAbandoned(errStopped)
		require.Equal(t, errStopped, context.Cause(ctx))
		a.HandOver()
		a.FinishAbandoned()
		time.Sleep(time.Hour)
	})
}

// TestOneAnswer lets who works and who gives up meet: exactly one of them has the
// call in the end.
func TestOneAnswer(t *testing.T) {
	t.Parallel()
	for range effort.Of(t, 200) {
		var a lifetime.Attempt
		a.Begin(t.Context())
		var answers atomic.Int32
		done := make(chan struct{})
		go func() {
			defer close(done)
			if a.Abandon() {
				answers.Add(1)
				a.HandOver()
			}
		}()
		if a.Finish() {
			answers.Add(1)
		} else {
			a.FinishAbandoned()
		}
		<-done
		require.Equal(t, int32(1), answers.Load())
	}
}
