package pegboard_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestDetachedCallKeepsWhatItHolds: in its own batch, in later ones and for
// forks, until it returns.
func TestDetachedCallKeepsWhatItHolds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := session(t, bypass(t))
		child, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: "a"})
		require.NoError(t, err)
		reg := registryOf(t, slow(pegboard.Info{Name: "Deaf", Timeout: time.Second}, true))
		ex := executor(pegboard.Executor{})
		outs := ex.Run(t.Context(), reg.AssemblePool(s, pegboard.PoolConfig{}), call("1", "Deaf", `{"path":"a","ms":60000}`), call("2", "Deaf", `{"path":"a","ms":1}`), call("3", "Deaf", `{"path":"b","ms":1}`))
		require.ErrorIs(t, outs[0].Err, pegboard.ErrDetached)
		require.ErrorIs(t, outs[1].Err, pegboard.ErrDetached)
		require.Contains(t, outs[1].Result.Text(), "Deaf write "+s.Dir()+"/a")
		require.NoError(t, outs[2].Err)
		require.Len(t, s.Detached(), 1)

		again := func(s *pegboard.Session) error {
			return ex.Run(t.Context(), reg.AssemblePool(s, pegboard.PoolConfig{}), call("4", "Deaf", `{"path":"a","ms":1}`))[0].Err
		}
		require.ErrorIs(t, again(s), pegboard.ErrDetached)
		require.ErrorIs(t, again(child), pegboard.ErrDetached)
		require.ErrorContains(t, s.Close(t.Context()), "Deaf write "+s.Dir()+"/a", "Close names what it could not end")
		time.Sleep(time.Minute)
		require.Empty(t, s.Detached())
	})
}

// A tool's time limit holds for a call that a new message has detached.
func TestTimeoutHoldsForADetachedCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tool := slow(pegboard.Info{Name: "T", Interrupt: pegboard.InterruptDetach, Timeout: 10 * time.Second}, false)
		s := session(t, bypass(t))
		turn, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(pegboard.ErrNewMessage) })
		ex := executor(pegboard.Executor{})
		out := ex.Run(turn, registryOf(t, tool).AssemblePool(s, pegboard.PoolConfig{}), call("1", "T", `{"ms":600000}`))[0]
		require.ErrorIs(t, out.Err, pegboard.ErrDetached)
		time.Sleep(time.Minute)
		left := s.Detached()
		time.Sleep(time.Hour)
		require.Empty(t, left)
	})
}
