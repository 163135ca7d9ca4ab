package pegboard_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestInterruptReachesForks: a session stops the calls of its forks at any depth.
func TestInterruptReachesForks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := session(t, bypass(t))
		child, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleAsyncAgent, AgentID: "a"})
		require.NoError(t, err)
		time.AfterFunc(time.Second, func() { s.Interrupt(pegboard.ErrNewMessage) })
		reg := registryOf(t, slow(pegboard.Info{Name: "Bash"}, false))
		ex := executor(pegboard.Executor{})
		out := ex.Run(t.Context(), reg.AssemblePool(child, pegboard.PoolConfig{}), call("1", "Bash", `{"ms":60000}`))[0]
		require.ErrorIs(t, out.Err, pegboard.ErrNewMessage)
	})
}

// Interrupt takes nil as a context.CancelCauseFunc does. A call that does not return is
// detached with an error that reads well.
func TestInterruptWithoutCauseDetachesADeafCall(t *testing.T) {
	t.Parallel()
	s := openSession(t)
	started := make(chan struct{})
	hang := make(chan struct{})
	defer close(hang)
	tool := plain("T", func(ctx, struct{}, *pegboard.Call) (string, error) { close(started); <-hang; return "", nil })
	pool := registryOf(t, tool).AssemblePool(s, pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{Grace: 10 * time.Millisecond})
	go func() { <-started; s.Interrupt(nil) }()
	out := ex.Run(context.Background(), pool, call("1", "T", ``))[0]
	require.ErrorIs(t, out.Err, pegboard.ErrDetached)
	require.NotErrorIs(t, out.Err, pegboard.ErrPanic)
	require.NotContains(t, out.Err.Error(), "%!")
}

func TestInterruptWithoutCauseCancelsACall(t *testing.T) {
	t.Parallel()
	s := openSession(t)
	started := make(chan struct{})
	tool := plain("T", func(c ctx, _ struct{}, _ *pegboard.Call) (string, error) {
		close(started)
		<-c.Done()
		return "", c.Err()
	})
	pool := registryOf(t, tool).AssemblePool(s, pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{})
	go func() { <-started; s.Interrupt(nil) }()
	out := ex.Run(context.Background(), pool, call("1", "T", ``))[0]
	require.ErrorIs(t, out.Err, pegboard.ErrCancelled)
}

// A call that never returns does not keep the batches that come after it in memory.
func TestDetachedCallKeepsNoLaterMessageInMemory(t *testing.T) {
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
