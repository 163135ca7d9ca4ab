package pegboard_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// slow returns a tool that takes as long as its input says and heeds its context
// unless it is deaf.
func slow(info pegboard.Info, deaf bool) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[job, string]{
		Info: info, Description: "Takes its time.",
		Inspect: func(in job, _ *pegboard.Call) pegboard.Traits {
			tr := pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared}
			if in.Path != "" {
				tr.Concurrency = pegboard.PerTarget
				tr.Targets = []pegboard.Target{{Kind: pegboard.TargetPath, Access: pegboard.AccessWrite, Value: in.Path}}
			}
			return tr
		},
		Call: func(ctx ctx, in job, _ *pegboard.Call) (string, error) {
			heard := ctx.Done()
			if deaf {
				heard = nil
			}
			select {
			case <-time.After(time.Duration(in.Ms) * time.Millisecond):
				return "done", nil
			case <-heard:
				return "half", context.Cause(ctx)
			}
		},
	})
}

// TestCausesAreTold cancels a running call for every reason there is. The host's
// error and the model's text say which it was.
func TestCausesAreTold(t *testing.T) {
	t.Parallel()
	minute := time.Minute
	tests := []struct {
		name  string
		info  pegboard.Info
		deaf  bool
		cause error // nil: nobody cancels
		is    []error
		not   error
		says  string
		takes time.Duration
	}{
		{name: "user", cause: pegboard.ErrUserInterrupt, is: []error{pegboard.ErrCancelled, pegboard.ErrUserInterrupt}, says: "user interrupted", takes: time.Second},
		{name: "without a reason", cause: context.Canceled, is: []error{pegboard.ErrCancelled, context.Canceled}, says: "user interrupted", takes: time.Second},
		{name: "the turn's time is over", cause: context.DeadlineExceeded, is: []error{pegboard.ErrCancelled}, says: "time for this turn", takes: time.Second},
		{name: "session closes", cause: pegboard.ErrClosed, is: []error{pegboard.ErrCancelled, pegboard.ErrClosed}, says: "session is closing", takes: time.Second},
		{name: "time-out of the tool", info: pegboard.Info{Timeout: 5 * time.Second}, is: []error{pegboard.ErrTimeout}, not: pegboard.ErrCancelled, says: "took too long", takes: 5 * time.Second},
		{name: "message, blocks", cause: pegboard.ErrNewMessage, says: "done", takes: minute},
		{name: "message, cancels", info: pegboard.Info{Interrupt: pegboard.InterruptCancel}, cause: pegboard.ErrNewMessage, is: []error{pegboard.ErrCancelled, pegboard.ErrNewMessage}, says: "new message", takes: time.Second},
		{name: "message, detaches", info: pegboard.Info{Interrupt: pegboard.InterruptDetach}, cause: pegboard.ErrNewMessage, is: []error{pegboard.ErrDetached, pegboard.ErrNewMessage}, says: "goes on in the background", takes: time.Second},
		{name: "a tool that does not hear", deaf: true, cause: pegboard.ErrUserInterrupt, is: []error{pegboard.ErrDetached, pegboard.ErrUserInterrupt}, says: "goes on in the background", takes: time.Second + pegboard.DefaultGrace},
		{name: "time-out of one that does not hear", deaf: true, info: pegboard.Info{Timeout: 5 * time.Second}, is: []error{pegboard.ErrDetached, pegboard.ErrTimeout}, says: "took too long", takes: 5*time.Second + pegboard.DefaultGrace},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				tc.info.Name = "Slow"
				turn, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				if tc.cause != nil {
					time.AfterFunc(time.Second, func() { cancel(tc.cause) })
				}
				ex := executor(pegboard.Executor{})
				begin := time.Now()
				out := ex.Run(turn, registryOf(t, slow(tc.info, tc.deaf)).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}), call("1", "Slow", `{"ms":60000}`))[0]
				require.Equal(t, tc.takes, time.Since(begin))
				for _, err := range tc.is {
					require.ErrorIs(t, out.Err, err)
				}
				if len(tc.is) == 0 {
					require.NoError(t, out.Err)
				}
				if tc.not != nil {
					require.NotErrorIs(t, out.Err, tc.not)
				}
				require.Contains(t, out.Result.Text(), tc.says)
				require.NotContains(t, out.Result.Text(), "denied")
				time.Sleep(time.Minute) // what was left behind ends
			})
		})
	}
}

// TestPartialOutputIsKept: what a stopped call had by then is shown.
func TestPartialOutputIsKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ex := executor(pegboard.Executor{})
		out := ex.Run(t.Context(), registryOf(t, slow(pegboard.Info{Name: "Slow", Timeout: time.Second}, false)).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}), call("1", "Slow", `{"ms":60000}`))[0]
		require.ErrorIs(t, out.Err, pegboard.ErrTimeout)
		require.True(t, strings.HasSuffix(out.Result.Text(), "\nhalf"), out.Result.Text())
		require.Equal(t, "half", out.Result.Data)
	})
}

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

func TestSiblings(t *testing.T) {
	t.Parallel()
	for _, cancel := range []bool{false, true} {
		for _, opted := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				fails := pegboard.Build(pegboard.Definition[struct{}, string]{
					Info: pegboard.Info{Name: "Fails", CancelsSiblings: opted}, Description: "Fails.",
					Traits: pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
					Call: func(ctx, struct{}, *pegboard.Call) (string, error) {
						time.Sleep(time.Second)
						return "", errors.New("no")
					},
				})
				ex := executor(pegboard.Executor{CancelSiblings: cancel})
				outs := ex.Run(t.Context(), registryOf(t, fails, slow(pegboard.Info{Name: "Slow"}, false)).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}),
					call("1", "Slow", `{"ms":60000}`), call("2", "Fails", ``), call("3", "Slow", `{"ms":50000}`))
				for _, i := range []int{0, 2} {
					if cancel && opted {
						require.ErrorIs(t, outs[i].Err, pegboard.ErrSiblingFailed)
						require.Contains(t, outs[i].Result.Text(), "Fails")
					} else {
						require.NoError(t, outs[i].Err)
					}
				}
			})
		}
	}
}

// TestResultsMayChangeTheSession, in the order of the message, once the calls
// that ran together have ended, and before the next one is decided.
func TestResultsMayChangeTheSession(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		order := pegboard.NewKey[string]("order")
		then := pegboard.Build(pegboard.Definition[job, *pegboard.Result]{
			Info: pegboard.Info{Name: "Then"}, Description: "Changes the session.",
			Inspect: func(in job, _ *pegboard.Call) pegboard.Traits {
				return pegboard.Traits{ReadOnly: true, Concurrency: map[string]pegboard.Concurrency{"shared": pegboard.Shared}[in.Class]}
			},
			Call: func(_ ctx, in job, c *pegboard.Call) (*pegboard.Result, error) {
				seen, _ := order.Get(c.Session())
				time.Sleep(time.Duration(in.Ms) * time.Millisecond)
				r := pegboard.TextResult("saw " + seen)
				r.UpdateSession = func(s *pegboard.Session) {
					before, _ := order.Get(s)
					order.Set(s, before+c.ID)
				}
				return r, nil
			},
		})
		ex := executor(pegboard.Executor{})
		outs := ex.Run(t.Context(), registryOf(t, then).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}),
			call("a", "Then", `{"class":"shared","ms":30}`), call("b", "Then", `{"class":"shared","ms":10}`),
			call("c", "Then", `{"ms":1}`), call("d", "Then", `{"ms":2}`))
		var saw []string
		for _, o := range outs {
			saw = append(saw, o.Result.Text())
		}
		require.Equal(t, []string{"saw ", "saw ", "saw ab", "saw abc"}, saw)
	})
}

func TestDeferredCallIsAnsweredByTheHost(t *testing.T) {
	t.Parallel()
	tool := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "T"}, Description: "Waits.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(ctx, struct{}, *pegboard.Call) (string, error) { return "", pegboard.ErrDeferred },
	})
	out := run(t, registryOf(t, tool), session(t, pegboard.SessionConfig{}), call("1", "T", ``))
	require.ErrorIs(t, out.Err, pegboard.ErrDeferred)
	require.Contains(t, out.Result.Text(), "not been answered yet")
}
