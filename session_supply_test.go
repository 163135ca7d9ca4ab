package pegboard_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

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
		open := s.Awaited()
		require.Len(t, open, 3)
		for _, i := range []int{2, 0, 1} {
			a := open[i]
			require.Equal(t, "Open", a.Tool.Info().Name)
			require.Empty(t, a.AgentPath)
			require.ErrorIs(t, s.Supply("nobody", pegboard.Supply{Result: pegboard.TextResult("x")}), pegboard.ErrNotAwaited)
			sayTitle(t, a, string(a.Call.Input[8:9]))
			synctest.Wait()
		}
		for i, o := range <-ended {
			require.NoError(t, o.Err)
			require.Equal(t, page{Title: string("abc"[i])}, o.Result.Data)
		}
		require.ErrorIs(t, open[0].Supply(pegboard.Supply{Result: pegboard.TextResult("x")}), pegboard.ErrNotAwaited)
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
		open := main.Awaited()
		require.Len(t, open, 1)
		require.Equal(t, []string{"outer", "inner"}, open[0].AgentPath)
		require.Empty(t, agent.Awaited())
		require.ErrorIs(t, agent.Supply(open[0].ID, pegboard.Supply{Result: pegboard.TextResult("x")}), pegboard.ErrNotAwaited)
		open[0].Call.Input, open[0].AgentPath[0] = nil, "spoiled"
		again := main.Awaited()[0]
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
		do   func(s *pegboard.Session, a *pegboard.AwaitedCall)
		is   error
		text string
	}{
		{name: "deferred, then stopped", is: pegboard.ErrDeferred, text: "has not been answered yet", do: func(s *pegboard.Session, a *pegboard.AwaitedCall) {
			require.NoError(t, a.Supply(pegboard.Supply{Err: pegboard.ErrDeferred}))
			s.Interrupt(nil)
		}},
		{name: "supplied, then stopped", text: "words", do: func(s *pegboard.Session, a *pegboard.AwaitedCall) {
			require.NoError(t, a.Supply(pegboard.Supply{Result: pegboard.TextResult("words")}))
			s.Interrupt(nil)
		}},
		{name: "stopped, then supplied", is: pegboard.ErrUserInterrupt, text: "interrupted", do: func(s *pegboard.Session, a *pegboard.AwaitedCall) {
			s.Interrupt(nil)
			require.ErrorIs(t, a.Supply(pegboard.Supply{Result: pegboard.TextResult("words")}), pegboard.ErrNotAwaited)
		}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s, pool := browsing(t, bypass(t))
			h := &host{execute: func(a *pegboard.AwaitedCall) { tc.do(s, a) }}
			ex := executor(pegboard.Executor{OnEvent: h.listen})
			o := ex.Run(t.Context(), pool, call("1", "Open", `{}`))[0]
			require.ErrorIs(t, o.Err, tc.is)
			require.Contains(t, o.Result.Text(), tc.text)
		})
	}
}

// An AwaitedCall that no executor has made is not awaited.
func TestSessionSupplyOfNothing(t *testing.T) {
	t.Parallel()
	c := call("1", "Open", `{}`)
	for _, a := range []pegboard.AwaitedCall{{}, {ID: "1", Call: &c}} {
		require.ErrorIs(t, a.Supply(pegboard.Supply{Result: pegboard.TextResult("x")}), pegboard.ErrNotAwaited)
	}
}
