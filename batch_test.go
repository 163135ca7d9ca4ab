package pegboard_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

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

// A call whose result has IsError has failed, and cancels the calls beside it like one
// that returns an error.
func TestResultMarkedAsErrorCancelsSiblings(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fails := pegboard.Build(pegboard.Definition[struct{}, *pegboard.Result]{
			Info: pegboard.Info{Name: "Fails", CancelsSiblings: true}, Description: "x.", Traits: pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
			Call: func(ctx, struct{}, *pegboard.Call) (*pegboard.Result, error) {
				r := pegboard.TextResult("exit 1")
				r.IsError = true
				return r, nil
			},
		})
		other := slow(pegboard.Info{Name: "Other"}, false)
		ex := executor(pegboard.Executor{CancelSiblings: true})
		outs := ex.Run(t.Context(), registryOf(t, fails, other).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}), call("2", "Other", `{"ms":5000}`), call("1", "Fails", ``))
		require.ErrorIs(t, outs[0].Err, pegboard.ErrSiblingFailed)
	})
}

// A call that the host answers later has not failed, so it cancels no call beside it.
func TestDeferredCallDoesNotCancelSiblings(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		later := pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: "Later", CancelsSiblings: true}, Description: "x.", Traits: pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
			Call: func(ctx, struct{}, *pegboard.Call) (string, error) { return "", pegboard.ErrDeferred },
		})
		other := slow(pegboard.Info{Name: "Other"}, false)
		ex := executor(pegboard.Executor{CancelSiblings: true})
		outs := ex.Run(t.Context(), registryOf(t, later, other).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}), call("2", "Other", `{"ms":5000}`), call("1", "Later", ``))
		require.ErrorIs(t, outs[1].Err, pegboard.ErrDeferred)
		require.NoError(t, outs[0].Err)
	})
}

// A new message waits for calls whose Interrupt is InterruptBlock, also when it cancels
// a call whose failure stops its siblings.
func TestNewMessageDoesNotStopABlockingSibling(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		quick := slow(pegboard.Info{Name: "Shell", Interrupt: pegboard.InterruptCancel, CancelsSiblings: true}, false)
		block := slow(pegboard.Info{Name: "Write", Interrupt: pegboard.InterruptBlock}, false)
		turn, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(pegboard.ErrNewMessage) })
		ex := executor(pegboard.Executor{CancelSiblings: true})
		outs := ex.Run(turn, registryOf(t, quick, block).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}),
			call("1", "Shell", `{"ms":5000}`), call("2", "Write", `{"ms":5000}`))
		require.ErrorIs(t, outs[0].Err, pegboard.ErrNewMessage)
		require.NoError(t, outs[1].Err)
	})
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
				return pegboard.Traits{ReadOnly: true, Concurrency: map[string]pegboard.Concurrency{"": pegboard.Exclusive, "shared": pegboard.Shared}[in.Class]}
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

func thenTool(then func(*pegboard.Session)) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, *pegboard.Result]{
		Info: pegboard.Info{Name: "T"}, Description: "For a test.",
		Call: func(ctx, struct{}, *pegboard.Call) (*pegboard.Result, error) {
			r := pegboard.TextResult("ok")
			r.UpdateSession = then
			return r, nil
		},
	})
}

// An UpdateSession function that ends its goroutine loses neither the outcome of its
// call nor those beside it, and is called once.
func TestGoexitInUpdateSessionLosesNoOutcome(t *testing.T) {
	t.Parallel()
	n := 0
	s := session(t, bypass(t))
	pool := registryOf(t, thenTool(func(*pegboard.Session) { n++; runtime.Goexit() }), inert("U")).AssemblePool(s, pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{})
	outs := ex.Run(context.Background(), pool, call("1", "T", ``), call("2", "U", ``))
	require.NoError(t, outs[1].Err, "the call beside it has nothing to do with it")
	require.Equal(t, "U", outs[1].Result.Text())
	require.Equal(t, 1, n, "a change is applied once")
	require.ErrorIs(t, outs[0].Err, pegboard.ErrPanic)
	require.Contains(t, outs[0].Result.Text(), "ok\nT ran, but it failed inside")
}

// An UpdateSession function may interrupt the session, as a tool does that ends the
// turn.
func TestUpdateSessionMayInterruptTheSession(t *testing.T) {
	t.Parallel()
	s := openSession(t)
	pool := registryOf(t, thenTool(func(s *pegboard.Session) { s.Interrupt(pegboard.ErrUserInterrupt) })).AssemblePool(s, pegboard.PoolConfig{})
	within(t, "Interrupt in Then", func() {
		ex := executor(pegboard.Executor{})
		ex.Run(context.Background(), pool, call("1", "T", ``))
	})
}

// An UpdateSession function that changes the permissions takes the session's lock while
// its batch ends. Interrupt takes locks of the session and of its batches, and once
// took them in the other order.
func TestUpdateSessionDoesNotDeadlockWithInterrupt(t *testing.T) {
	t.Parallel()
	s := openSession(t)
	begun := make(chan struct{})
	pool := registryOf(t, thenTool(func(s *pegboard.Session) {
		close(begun)
		time.Sleep(100 * time.Millisecond)
		_ = s.SetPermissions(s.Permissions())
	})).AssemblePool(s, pegboard.PoolConfig{})
	within(t, "Then and Interrupt", func() {
		go func() { <-begun; s.Interrupt(pegboard.ErrUserInterrupt) }()
		ex := executor(pegboard.Executor{})
		ex.Run(context.Background(), pool, call("1", "T", ``))
	})
}

// Mocks and loggers print the contexts they are given. Printing reads every field of the
// library's own contexts, while another goroutine cancels them.
func TestPrintingAContextDoesNotRace(t *testing.T) {
	t.Parallel()
	pool := registryOf(t, plain("T", func(c ctx, _ struct{}, _ *pegboard.Call) (string, error) {
		for range 2000 {
			_ = fmt.Sprint(c)
		}
		return fmt.Sprint(c), nil
	})).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
	for range effort.Of(t, 50) {
		turn, cancel := context.WithCancelCause(context.Background())
		time.AfterFunc(time.Millisecond, func() { cancel(pegboard.ErrUserInterrupt) })
		ex := executor(pegboard.Executor{})
		out := ex.Run(turn, pool, call("1", "T", ``))[0]
		_ = out
	}
}
