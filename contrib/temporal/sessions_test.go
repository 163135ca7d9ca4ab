package temporal_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/temporal"
)

// TestSessionsOfAWorker are made once, kept for later calls, and closed: the one that was used
// longest ago when there are too many, and all in the end.
func TestSessionsOfAWorker(t *testing.T) {
	t.Parallel()
	queue := newQueue()
	var made, closed atomic.Int64
	key := pegboard.NewKey[*atomic.Int64]("count")
	count := tool("Count", func(_ context.Context, _ text, c *pegboard.Call) (*pegboard.Result, error) {
		return pegboard.TextResult(fmt.Sprint(key.GetOrInit(c.Session(), func() *atomic.Int64 { return new(atomic.Int64) }).Add(1))), nil
	})
	w, err := temporal.NewWorker(server.GetDefaultClient(), queue, temporal.WorkerOptions{MaxSessions: 1, Logger: quiet,
		Pool: func(ctx context.Context, d temporal.Description) (*pegboard.Pool, error) {
			made.Add(1)
			p, err := poolOf(nil, count)(ctx, d)
			if err == nil {
				p.Session().OnClose("count", func(context.Context) error { closed.Add(1); return nil })
			}
			return p, err
		}})
	require.NoError(t, err)
	require.NoError(t, w.Start())
	open := func(id string) *host {
		return newHost(t, temporal.Options{Route: to(queue)}, pegboard.SessionConfig{ID: id}, count)
	}
	a, b := open("a"), open("b")
	says := func(h *host, id string) string { return h.run(t.Context(), call(id, "Count", `{}`))[0].Result.Text() }
	require.Equal(t, "1", says(a, "1"))
	require.Equal(t, "2", says(a, "2"), "the same session")
	require.Equal(t, "1", says(b, "1"))
	require.Eventually(t, func() bool { return closed.Load() == 1 }, time.Minute, time.Millisecond, "that of a")
	require.Equal(t, "1", says(a, "3"), "made again")
	require.Equal(t, int64(3), made.Load())
	w.Stop()
	require.Equal(t, int64(3), closed.Load())
}

// TestPoolThatIsNone: the call has not run, and the next one tries again.
func TestPoolThatIsNone(t *testing.T) {
	t.Parallel()
	queue, tries := newQueue(), atomic.Int64{}
	pay := tool("Pay", nothing)
	w, err := temporal.NewWorker(server.GetDefaultClient(), queue, temporal.WorkerOptions{Logger: quiet,
		Pool: func(ctx context.Context, d temporal.Description) (*pegboard.Pool, error) {
			switch tries.Add(1) {
			case 1:
				return nil, errors.New("the repository is away")
			case 2:
				panic("broken")
			case 3:
				return nil, nil //nolint:nilnil // the mistake
			}
			return poolOf(nil, pay)(ctx, d)
		}})
	require.NoError(t, err)
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	h := newHost(t, temporal.Options{Route: to(queue)}, pegboard.SessionConfig{ID: t.Name()}, pay)
	for i, says := range []string{"the repository is away", "panic: broken", "returned no pool"} {
		o := h.run(t.Context(), call(fmt.Sprint(i), "Pay", `{}`))[0]
		require.ErrorIs(t, o.Err, temporal.ErrNoPool)
		require.Contains(t, o.Result.Text(), says)
	}
	require.NoError(t, h.run(t.Context(), call("last", "Pay", `{}`))[0].Err)
}
