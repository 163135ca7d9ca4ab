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

// TestStuckReaderRefusesNoCall: what only reads guards nothing once its call is answered.
func TestStuckReaderRefusesNoCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := session(t, bypass(t))
		reader := slow(pegboard.Info{Name: "Read", Timeout: time.Second}, true)
		pool := registryOf(t, reader, inert("Exclusive")).AssemblePool(s, pegboard.PoolConfig{})
		ex := executor(pegboard.Executor{})
		outs := ex.Run(t.Context(), pool, call("1", "Read", `{"ms":60000}`), call("2", "Exclusive", `{}`))
		require.ErrorIs(t, outs[0].Err, pegboard.ErrDetached)
		require.NoError(t, outs[1].Err)
		require.NoError(t, ex.Run(t.Context(), pool, call("3", "Exclusive", `{}`))[0].Err)
		require.Equal(t, []string{"Read"}, s.Detached())
		require.False(t, s.Forget("1"), "it holds nothing")
		time.Sleep(time.Minute)
		require.Empty(t, s.Detached())
	})
}

// TestHostForgetsAStuckWriter: the error names how.
func TestHostForgetsAStuckWriter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := session(t, bypass(t))
		pool := registryOf(t, slow(pegboard.Info{Name: "Deaf", Timeout: time.Second}, true)).AssemblePool(s, pegboard.PoolConfig{})
		ex := executor(pegboard.Executor{})
		path := `{"path":"a","ms":1}`
		outs := ex.Run(t.Context(), pool, call("stuck", "Deaf", `{"path":"a","ms":60000}`), call("2", "Deaf", path))
		require.ErrorContains(t, outs[1].Err, `Session.Forget("stuck") gives back what it holds`)
		require.NotContains(t, outs[1].Result.Text(), "Session.Forget", "that is not for the model")
		require.False(t, s.Forget("2"))
		require.True(t, s.Forget("stuck"))
		require.False(t, s.Forget("stuck"))
		require.NoError(t, ex.Run(t.Context(), pool, call("3", "Deaf", path))[0].Err)
		require.Len(t, s.Detached(), 1, "it still runs")
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

// TestStoppedCallSaysByWhomWhateverItsToolReturned: a shell whose command was ended
// reports that as an ordinary result.
func TestStoppedCallSaysByWhomWhateverItsToolReturned(t *testing.T) {
	t.Parallel()
	failed := &pegboard.Result{Parts: []pegboard.Part{{Text: "half"}}, IsError: true, Data: 7}
	tests := []struct {
		name    string
		returns func() (*pegboard.Result, error)
		data    any
		says    string
	}{
		{name: "a result", returns: func() (*pegboard.Result, error) { return pegboard.TextResult("all"), nil }, says: "was stopped while it ran: the user interrupted the turn. Nobody refused the call; repeat it only if the user wants it. It returned this:\nall"},
		{name: "a failure", returns: func() (*pegboard.Result, error) { return failed, nil }, data: 7, says: "It returned this:\nhalf"},
		{name: "nothing", returns: func() (*pegboard.Result, error) { return nil, nil }, says: "was stopped before it finished; it may have done part of its work: the user interrupted the turn"},
		{name: "its own error", returns: func() (*pegboard.Result, error) { return nil, errPlanned }, says: "was stopped before it finished; it may have done part of its work: the user interrupted the turn"},
		{name: "an error and a part", returns: func() (*pegboard.Result, error) { return failed, errPlanned }, data: 7, says: "repeat it only if the user wants it.\nhalf"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				tool := pegboard.Build(pegboard.Definition[struct{}, *pegboard.Result]{
					Info: pegboard.Info{Name: "T"}, Description: "x.",
					Call: func(own ctx, _ struct{}, _ *pegboard.Call) (*pegboard.Result, error) {
						<-own.Done()
						return tc.returns()
					},
				})
				turn, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(time.Second, func() { cancel(pegboard.ErrUserInterrupt) })
				ex := executor(pegboard.Executor{})
				out := ex.Run(turn, registryOf(t, tool).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}), call("1", "T", ``))[0]
				require.ErrorIs(t, out.Err, pegboard.ErrCancelled)
				require.ErrorIs(t, out.Err, pegboard.ErrUserInterrupt)
				require.True(t, out.Result.IsError)
				require.Equal(t, tc.data, out.Result.Data)
				require.Contains(t, out.Result.Text(), tc.says)
			})
		})
	}
}
