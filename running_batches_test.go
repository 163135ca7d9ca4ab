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
		first, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: "a"})
		require.NoError(t, err)
		child, err := first.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: "b"})
		require.NoError(t, err)
		time.AfterFunc(time.Second, func() { s.Interrupt(pegboard.ErrNewMessage) })
		reg := registryOf(t, slow(pegboard.Info{Name: "Bash"}, false))
		ex := executor(pegboard.Executor{})
		out := ex.Run(t.Context(), reg.AssemblePool(child, pegboard.PoolConfig{}), call("1", "Bash", `{"ms":60000}`))[0]
		require.ErrorIs(t, out.Err, pegboard.ErrNewMessage)
	})
}

// TestInterruptLeavesTheBackgroundAlone: a message of the user stops no call of an agent that
// nothing waits for, nor of those that it waits for. Its own interrupt and Close do.
func TestInterruptLeavesTheBackgroundAlone(t *testing.T) {
	t.Parallel()
	ends := []struct {
		name string
		end  func(background *pegboard.Session)
		is   error
	}{
		{name: "its own interrupt", end: func(b *pegboard.Session) { b.Interrupt(pegboard.ErrUserInterrupt) }, is: pegboard.ErrUserInterrupt},
		{name: "Close", end: func(b *pegboard.Session) { _ = b.Close(context.Background()) }, is: pegboard.ErrClosed},
	}
	tests := []struct {
		name  string
		role  pegboard.Role
		moved bool
		below bool // the call is one of a sub-agent of the agent
	}{
		{name: "an async agent", role: pegboard.RoleAsyncAgent},
		{name: "a teammate", role: pegboard.RoleTeammate},
		{name: "a sub-agent that was moved", role: pegboard.RoleSubAgent, moved: true},
		{name: "below an async agent", role: pegboard.RoleAsyncAgent, below: true},
		{name: "below a sub-agent that was moved", role: pegboard.RoleSubAgent, moved: true, below: true},
	}
	for _, tt := range tests {
		for _, end := range ends {
			t.Run(tt.name+", "+end.name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					s := session(t, bypass(t))
					agent, err := s.Fork(pegboard.SessionConfig{Role: tt.role, AgentID: "a"})
					require.NoError(t, err)
					caller := agent
					if tt.below {
						caller, err = agent.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: "b"})
						require.NoError(t, err)
					}
					reg := registryOf(t, slow(pegboard.Info{Name: "Bash"}, false))
					if tt.moved {
						time.AfterFunc(500*time.Millisecond, agent.MoveToBackground)
					}
					time.AfterFunc(time.Second, func() { s.Interrupt(pegboard.ErrNewMessage) })
					ended := make(chan struct{})
					time.AfterFunc(2*time.Second, func() { defer close(ended); end.end(agent) })
					ex, began := executor(pegboard.Executor{}), time.Now()
					out := ex.Run(t.Context(), reg.AssemblePool(caller, pegboard.PoolConfig{}), call("1", "Bash", `{"ms":60000}`))[0]
					require.ErrorIs(t, out.Err, end.is)
					require.GreaterOrEqual(t, time.Since(began), 2*time.Second)
					<-ended
				})
			})
		}
	}
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
