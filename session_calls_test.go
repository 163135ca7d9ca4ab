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
	cancelled, cancel := context.WithCancel(t.Context())
	defer cancel()
	reg := registryOf(t, teller(pegboard.Info{Name: "Tell"}, func(c *pegboard.Call) (*pegboard.Result, error) {
		if c.ID == "stuck" {
			cancel()
			<-release
		}
		return pegboard.TextResult("a"), nil
	}))
	ex := executor(pegboard.Executor{Grace: time.Millisecond})
	pool := reg.AssemblePool(s, pegboard.PoolConfig{})
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

// Calls are told apart although the provider gave them no ids, and answered in any order.
// The outcomes come in the order of the message.
func TestSessionSupplyByID(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, pool := browsing(t, bypass(t))
		ended := make(chan []pegboard.Outcome, 1)
		ex := executor(pegboard.Executor{})
		go func() {
			ended <- ex.Run(t.Context(), pool, call("", "Open", `{"url":"a"}`), call("", "Open", `{"url":"b"}`), call("", "Open", `{"url":"c"}`))
		}()
		synctest.Wait()
		open := s.ExternalCalls()
		require.Len(t, open, 3)
		for _, i := range []int{2, 0, 1} {
			a := open[i]
			require.Equal(t, "Open", a.Tool.Info().Name)
			require.Empty(t, a.AgentPath)
			require.ErrorIs(t, s.SubmitResult("nobody", pegboard.ExternalResult{Result: pegboard.TextResult("x")}), pegboard.ErrNoExternalCall)
			sayTitle(t, a, string(a.Call.Input[8:9]))
			synctest.Wait()
		}
		for i, o := range <-ended {
			require.NoError(t, o.Err)
			require.Equal(t, page{Title: string("abc"[i])}, o.Result.Data)
		}
		require.ErrorIs(t, open[0].Submit(pegboard.ExternalResult{Result: pegboard.TextResult("x")}), pegboard.ErrNoExternalCall)
	})
}

// The main session sees and supplies the calls of all agents; an agent's own session
// neither.
func TestSessionAwaitedOfAgents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		main := session(t, bypass(t))
		agent := forked(t, forked(t, main, pegboard.SessionConfig{AgentID: "outer"}), pegboard.SessionConfig{AgentID: "inner"})
		pool := registryOf(t, browser(pegboard.Info{})).AssemblePool(agent, pegboard.PoolConfig{})
		ended := make(chan pegboard.Outcome, 1)
		ex := executor(pegboard.Executor{})
		go func() { ended <- ex.Run(t.Context(), pool, call("1", "Open", `{}`))[0] }()
		synctest.Wait()
		open := main.ExternalCalls()
		require.Len(t, open, 1)
		require.Equal(t, []string{"outer", "inner"}, open[0].AgentPath)
		require.Empty(t, agent.ExternalCalls())
		require.ErrorIs(t, agent.SubmitResult(open[0].ID, pegboard.ExternalResult{Result: pegboard.TextResult("x")}), pegboard.ErrNoExternalCall)
		open[0].Call.Input, open[0].AgentPath[0] = nil, "spoiled"
		again := main.ExternalCalls()[0]
		require.Equal(t, `{}`, string(again.Call.Input), "what the host writes has no effect")
		require.Equal(t, "outer", again.AgentPath[0])
		sayTitle(t, open[0], "a")
		require.NoError(t, (<-ended).Err)
	})
}

// TestSessionSupplyBeforeAStop: what was accepted first counts, so that a host may put off
// its calls and close the session at once.
func TestSessionSupplyBeforeAStop(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		do   func(s *pegboard.Session, a *pegboard.ExternalCall)
		is   error
		text string
	}{
		{name: "deferred, then stopped", is: pegboard.ErrDeferred, text: "has not been answered yet", do: func(s *pegboard.Session, a *pegboard.ExternalCall) {
			require.NoError(t, a.Submit(pegboard.ExternalResult{Err: pegboard.ErrDeferred}))
			s.Interrupt(nil)
		}},
		{name: "supplied, then stopped", text: "words", do: func(s *pegboard.Session, a *pegboard.ExternalCall) {
			require.NoError(t, a.Submit(pegboard.ExternalResult{Result: pegboard.TextResult("words")}))
			s.Interrupt(nil)
		}},
		{name: "stopped, then supplied", is: pegboard.ErrUserInterrupt, text: "interrupted", do: func(s *pegboard.Session, a *pegboard.ExternalCall) {
			s.Interrupt(nil)
			require.ErrorIs(t, a.Submit(pegboard.ExternalResult{Result: pegboard.TextResult("words")}), pegboard.ErrNoExternalCall)
		}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s, pool := browsing(t, bypass(t))
			h := &host{execute: func(a *pegboard.ExternalCall) { tc.do(s, a) }}
			ex := executor(pegboard.Executor{OnEvent: h.listen})
			o := ex.Run(t.Context(), pool, call("1", "Open", `{}`))[0]
			require.ErrorIs(t, o.Err, tc.is)
			require.Contains(t, o.Result.Text(), tc.text)
		})
	}
}

// An ExternalCall that no executor has made is not awaited.
func TestSessionSupplyOfNothing(t *testing.T) {
	t.Parallel()
	c := call("1", "Open", `{}`)
	for _, a := range []pegboard.ExternalCall{{}, {ID: "1", Call: &c}} {
		require.ErrorIs(t, a.Submit(pegboard.ExternalResult{Result: pegboard.TextResult("x")}), pegboard.ErrNoExternalCall)
	}
}
