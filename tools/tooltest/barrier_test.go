package tooltest_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// arrive starts n callers of Wait and returns where their errors come out.
func arrive(ctx context.Context, b *tooltest.Barrier, n int) <-chan error {
	errs := make(chan error, n)
	for range n {
		go func() { errs <- b.Wait(ctx) }()
	}
	return errs
}

func TestBarrierOpensForGroups(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &tooltest.Barrier{N: 3}
		for range 2 {
			errs := arrive(t.Context(), b, 2)
			synctest.Wait()
			require.Empty(t, errs, "two of three must wait")
			require.NoError(t, b.Wait(t.Context()))
			synctest.Wait()
			require.Len(t, errs, 2)
			require.NoError(t, errors.Join(<-errs, <-errs))
		}
	})
}

func TestBarrierOfOneHoldsNothing(t *testing.T) {
	t.Parallel()
	for _, n := range []int{-1, 0, 1} {
		b := &tooltest.Barrier{N: n}
		require.NoError(t, b.Wait(t.Context()))
		require.NoError(t, b.Wait(t.Context()))
	}
}

func TestBarrierTimesOut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		timeout time.Duration
		want    time.Duration
	}{
		{name: "default", want: tooltest.DefaultTimeout},
		{name: "set", timeout: time.Minute, want: time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := &tooltest.Barrier{N: 2, Timeout: tt.timeout}
				start := time.Now()
				require.EqualError(t, b.Wait(t.Context()), "barrier of 2 calls: only 1 ran at the same time")
				require.Equal(t, tt.want, time.Since(start))
				// The one who left does not count for the next group.
				require.Error(t, b.Wait(t.Context()))
				errs := arrive(t.Context(), b, 2)
				require.NoError(t, errors.Join(<-errs, <-errs))
			})
		})
	}
}

func TestBarrierHeedsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		errs := arrive(ctx, &tooltest.Barrier{N: 2}, 1)
		synctest.Wait()
		cancel(cause)
		err := <-errs
		require.ErrorIs(t, err, cause)
		require.EqualError(t, err, "barrier of 2 calls: enough")
	})
}

// TestBarrierProvesOverlap has exclusive calls as a control: they cannot meet.
func TestBarrierProvesOverlap(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name        string
		concurrency pegboard.Concurrency
		meet        bool
	}{
		{name: "shared", concurrency: pegboard.Shared, meet: true},
		{name: "exclusive", concurrency: pegboard.Exclusive},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				fake := tooltest.FakeConfig{Name: "T", Traits: pegboard.Traits{Concurrency: tt.concurrency}}.New(
					tooltest.Reply{Barrier: &tooltest.Barrier{N: 3}, Text: "met"})
				call := tooltest.Call("T", `{}`)
				var e pegboard.Executor
				for _, out := range e.Run(t.Context(), poolOf(t, fake), call, call, call) {
					require.Equal(t, tt.meet, out.Err == nil, "%v", out.Err)
				}
			})
		})
	}
}
