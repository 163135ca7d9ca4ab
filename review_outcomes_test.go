package pegboard_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// A tool that finished its work though the user interrupted: its result counts. A hook
// that guards results and has all the time it needs must not be "late".
func TestReviewPostHookAfterInterrupt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ctxErr atomic.Value
		cfg := bypass(t)
		cfg.Hooks = pegboard.Hooks{Timeout: time.Minute, OnFailure: pegboard.FailBlock, Post: func(c context.Context, _ *pegboard.HookCall) error {
			time.Sleep(time.Millisecond)
			if c.Err() != nil {
				ctxErr.Store(c.Err())
			}
			return nil
		}}
		tool := pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: "T"}, Description: "For a test.", // InterruptBlock: a new message waits for it
			Call: func(ctx, struct{}, *pegboard.Call) (string, error) {
				time.Sleep(time.Second)
				return "the file was written", nil
			},
		})
		turn, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(500*time.Millisecond, func() { cancel(pegboard.ErrNewMessage) })
		ex := executor(pegboard.Executor{})
		out := ex.Run(turn, registryOf(t, tool).AssemblePool(session(t, cfg), pegboard.PoolConfig{}), call("1", "T", ``))[0]
		time.Sleep(time.Second)
		require.Equal(t, "the file was written", out.Result.Text())
	})
}

// Printing a context is what mocks and loggers do with it; the standard library's may be.
func TestReviewPrintedContext(t *testing.T) {
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

// A new message waits for calls whose Interrupt is block, whatever becomes of the call
// beside them that it cancels.
func TestReviewNewMessageAndSiblings(t *testing.T) {
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

// A call that is answered later has not failed.
func TestReviewDeferredIsNoFailure(t *testing.T) {
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

// A tool that reports its failure by Result.IsError has failed, too.
func TestReviewIsErrorCancelsSiblings(t *testing.T) {
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

// Many events of a call with a large input hold it once.
func TestReviewEventsShareOneInput(t *testing.T) {
	t.Parallel()
	cfg := bypass(t)
	cfg.Hooks.Pre = func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
		for range 300 {
			h.Emit("line")
		}
		return pegboard.Decision{}, nil
	}
	inputs := map[*byte]bool{}
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventHook {
			inputs[&e.Call.Input[0]] = true
		}
	}})
	ex.Run(t.Context(), registryOf(t, inert("T")).AssemblePool(session(t, cfg), pegboard.PoolConfig{}), call("1", "T", `{}`))
	require.Len(t, inputs, 1)
}

// A crash in Traits counts as cautious everywhere else; of a mended call it ends the call.
func TestReviewTraitsPanicWhileMending(t *testing.T) {
	t.Parallel()
	tool := pegboard.Build(pegboard.Definition[job, string]{
		Info: pegboard.Info{Name: "T"}, Description: "x.",
		Inspect: func(job, *pegboard.Call) pegboard.Traits { panic("x") },
		Call:    func(ctx, job, *pegboard.Call) (string, error) { return "ran", nil },
	})
	ex := executor(pegboard.Executor{Repair: pegboard.Repair{Syntax: true, Values: true}})
	out := ex.Run(t.Context(), registryOf(t, tool).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}), call("1", "T", "```json\n{}\n```"))[0]
	require.NotErrorIs(t, out.Err, pegboard.ErrPanic)
	require.ErrorIs(t, out.Err, pegboard.ErrInvalidInput)
}

// Then that ends its goroutine: the tool ran, and what it returned stands.
func TestReviewThenGoexit(t *testing.T) {
	t.Parallel()
	n := 0
	s := session(t, bypass(t))
	pool := registryOf(t, thenTool(func(*pegboard.Session) { n++; runtime.Goexit() }), inert("U")).AssemblePool(s, pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{})
	outs := ex.Run(context.Background(), pool, call("1", "T", ``), call("2", "U", ``))
	require.NoError(t, outs[1].Err, "the call beside it has nothing to do with it")
	require.Equal(t, "U", outs[1].Result.Text())
	require.Equal(t, 1, n, "a change is applied once")
	require.NoError(t, outs[0].Err)
}

// A tool's time limit holds for a call that a new message has sent into the background.
func TestReviewTimeoutOfDetached(t *testing.T) {
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

// A hook that denies and wants the turn to stop (mission 6: hooks may stop the agent).
func TestReviewPreHookStopsTheTurn(t *testing.T) {
	t.Parallel()
	cfg := bypass(t)
	cfg.Hooks.Pre = func(context.Context, *pegboard.HookCall) (pegboard.Decision, error) {
		return pegboard.Decision{Behavior: pegboard.Deny, Reason: "no", StopTurn: true}, nil
	}
	ex := executor(pegboard.Executor{})
	out := ex.Run(t.Context(), registryOf(t, inert("T")).AssemblePool(session(t, cfg), pegboard.PoolConfig{}), call("1", "T", ``))[0]
	require.ErrorIs(t, out.Err, pegboard.ErrDenied)
	require.True(t, out.StopTurn)
}

// Abandon ends a call that waits for the end of its message as abandoned, and not as one
// of a message that was cut off.
func TestReviewAbandonHasOneCause(t *testing.T) {
	t.Parallel()
	for range effort.Of(t, 300) {
		synctest.Test(t, func(t *testing.T) {
			ex := executor(pegboard.Executor{})
			s := ex.Stream(t.Context(), workers(t))
			s.Submit(call("1", "Work", `{"write":true}`))
			s.Abandon(nil)
			require.ErrorIs(t, slices.Collect(s.Wait())[0].Err, pegboard.ErrAbandoned)
		})
	}
}

// A result that a hook withholds leaves the rest of the outcome as it is.
func TestReviewBlockedHookLosesTheCall(t *testing.T) {
	t.Parallel()
	cfg := bypass(t)
	cfg.Hooks = pegboard.Hooks{OnFailure: pegboard.FailBlock, Post: func(ctx, *pegboard.HookCall) error { return errPlanned }}
	out := run(t, registryOf(t, inert("A")), session(t, cfg), call("1", "A", ``))
	require.ErrorIs(t, out.Err, errPlanned)
	require.Equal(t, pegboard.Allow, out.Decision.Behavior)
	require.NotNil(t, out.Call)
}

// A result that a hook withholds does not hide that the call goes on.
func TestReviewBlockedHookHidesThatACallWasDetached(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg := bypass(t)
		cfg.Hooks = pegboard.Hooks{OnFailure: pegboard.FailBlock, PostFailure: func(ctx, *pegboard.HookCall) error { return errPlanned }}
		s := session(t, cfg)
		out := run(t, registryOf(t, slow(pegboard.Info{Name: "Deaf", Timeout: time.Second}, true)), s, call("1", "Deaf", `{"ms":60000}`))
		require.NotEmpty(t, s.Detached(), "it goes on")
		defer time.Sleep(time.Hour)
		require.ErrorIs(t, out.Err, pegboard.ErrDetached)
	})
}

// A hook that is at work when the user interrupts has refused nothing.
func TestReviewInterruptedPreHookIsNoDenial(t *testing.T) {
	t.Parallel()
	for _, limit := range []time.Duration{0, time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			cfg := bypass(t)
			cfg.Hooks = pegboard.Hooks{Timeout: limit, Pre: func(ctx ctx, _ *pegboard.HookCall) (pegboard.Decision, error) {
				<-ctx.Done()
				return pegboard.Decision{}, context.Cause(ctx)
			}}
			turn, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Second, func() { cancel(pegboard.ErrUserInterrupt) })
			ex := executor(pegboard.Executor{})
			out := ex.Run(turn, registryOf(t, inert("A")).AssemblePool(session(t, cfg), pegboard.PoolConfig{}), call("1", "A", ``))[0]
			require.ErrorIs(t, out.Err, pegboard.ErrCancelled, out.Result.Text())
			require.NotErrorIs(t, out.Err, pegboard.ErrDenied)
		})
	}
}

// What a hook does once it was left behind reaches nobody.
func TestReviewLateHookChangesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg := bypass(t)
		cfg.Hooks.Timeout = time.Second
		cfg.Hooks.Post = func(_ ctx, h *pegboard.HookCall) error {
			time.Sleep(time.Second)
			h.Outcome.Result = pegboard.TextResult("late")
			return nil
		}
		cfg.Hooks.Batch = func(_ ctx, outcomes []pegboard.Outcome) error {
			time.Sleep(time.Second)
			outcomes[0].Result = pegboard.TextResult("later")
			return nil
		}
		for range 50 {
			out := run(t, registryOf(t, inert("T")), session(t, cfg), call("1", "T", ``))
			require.Contains(t, []string{"T", "late", "later"}, out.Result.Text(), "one of the two came first")
		}
		time.Sleep(time.Hour)
	})
}
