package pegboard_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// One call that never returns must not make every later message stay in memory.
func TestReviewDetachedKeepsLanes(t *testing.T) {
	release := make(chan struct{})
	s := session(t, pegboard.SessionConfig{})
	defer func() {
		close(release)
		for len(s.Detached()) > 0 {
			runtime.Gosched()
		}
	}()
	reg := registryOf(t, teller(pegboard.Info{Name: "Tell"}, func(c *pegboard.Call) (*pegboard.Result, error) {
		if c.ID == "stuck" {
			<-release
		}
		return pegboard.TextResult("a"), nil
	}))
	ex := executor(pegboard.Executor{Grace: time.Millisecond})
	pool := reg.AssemblePool(s, pegboard.PoolConfig{})
	cancelled, cancel := ctxWithTimeout(t)
	defer cancel()
	require.ErrorIs(t, ex.Run(cancelled, pool, call("stuck", "Tell", `{}`))[0].Err, pegboard.ErrDetached)
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	run(t, reg, s, call("x", "Tell", `{}`))
	before := heap()
	const n = 5_000
	for range n {
		ex.Run(t.Context(), pool, call("x", "Tell", `{}`))
	}
	after := heap()
	require.Less(t, int64(after)-int64(before), int64(n*50), "bytes for each message")
}

func ctxWithTimeout(t *testing.T) (ctx, func()) {
	t.Helper()
	c, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	return c, cancel
}
