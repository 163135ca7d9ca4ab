package pegboard_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// TestHooksThatAreLate: a hook that exceeds its time-out has failed, and Hooks.OnFailure
// says whether that blocks the call.
func TestHooksThatAreLate(t *testing.T) {
	t.Parallel()
	late := func(h *pegboard.HookCall) {
		if h.Call.Name == "A" {
			time.Sleep(time.Hour) // heeds no context
		}
	}
	pre := func(mode pegboard.FailMode) pegboard.Hooks {
		return pegboard.Hooks{Timeout: time.Second, OnFailure: mode, Pre: func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
			late(h)
			return pegboard.Decision{}, nil
		}}
	}
	post := func(mode pegboard.FailMode) pegboard.Hooks {
		return pegboard.Hooks{Timeout: time.Second, OnFailure: mode, Post: func(_ ctx, h *pegboard.HookCall) error { late(h); return nil }}
	}
	tests := []struct {
		name  string
		hooks pegboard.Hooks
		is    error
		text  string
	}{
		{name: "pre", hooks: pre(pegboard.FailDefault), is: pegboard.ErrTimeout, text: "a hook that guards it failed"},
		{name: "pre, continue", hooks: pre(pegboard.FailContinue), text: "A"},
		{name: "post", hooks: post(pegboard.FailDefault), text: "A"},
		{name: "post, block", hooks: post(pegboard.FailBlock), is: pegboard.ErrTimeout, text: "withheld"},
		{name: "one of two", hooks: pegboard.JoinHooks(pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (pegboard.Decision, error) {
			time.Sleep(time.Minute) // has no time-out of its own
			return pegboard.Decision{}, nil
		}}, pre(pegboard.FailContinue)), text: "A"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				cfg := bypass(t)
				cfg.Hooks = tc.hooks
				out := run(t, registryOf(t, inert("A")), session(t, cfg), call("1", "A", ``))
				require.ErrorIs(t, out.Err, tc.is)
				require.Contains(t, out.Result.Text(), tc.text)
				time.Sleep(2 * time.Hour) // the late hooks end
			})
		})
	}
}

// A hook that exceeded its time-out may still emit progress. It does not race with the
// call, and nothing follows the call's last event.
func TestProgressOfALateHookComesBeforeTheLastEvent(t *testing.T) {
	t.Parallel()
	var group sync.WaitGroup
	cfg := bypass(t)
	cfg.Hooks = pegboard.Hooks{Timeout: time.Millisecond, OnFailure: pegboard.FailContinue, Pre: func(_ context.Context, h *pegboard.HookCall) (pegboard.Decision, error) {
		group.Add(1)
		defer group.Done()
		for begin := time.Now(); time.Since(begin) < 10*time.Millisecond; {
			h.Emit("late")
			time.Sleep(50 * time.Microsecond)
		}
		return pegboard.Decision{}, nil
	}}
	var kinds []pegboard.EventKind
	pool := registryOf(t, slow(pegboard.Info{Name: "T"}, false), slow(pegboard.Info{Name: "U"}, false)).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Call.ID == "1" {
			kinds = append(kinds, e.Kind)
		}
	}})
	for range effort.Of(t, 30) {
		kinds = nil
		ex.Run(t.Context(), pool, call("1", "T", `{"ms":2}`), call("2", "U", `{"ms":20}`))
		group.Wait()
		require.Equal(t, pegboard.EventFinished, kinds[len(kinds)-1])
	}
}

// A hook that exceeded its time-out emits progress without a pause while its call goes
// on and ends.
func TestLateHookDoesNotRaceWithItsCall(t *testing.T) {
	t.Parallel()
	var group sync.WaitGroup
	cfg := bypass(t)
	cfg.Hooks = pegboard.Hooks{Timeout: time.Millisecond, OnFailure: pegboard.FailContinue, Pre: func(_ context.Context, h *pegboard.HookCall) (pegboard.Decision, error) {
		group.Add(1)
		defer group.Done()
		for begin := time.Now(); time.Since(begin) < 10*time.Millisecond; {
			h.Emit("late")
		}
		return pegboard.Decision{}, nil
	}}
	pool := registryOf(t, slow(pegboard.Info{Name: "T"}, false)).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{OnEvent: func(pegboard.Event) {}})
	for range effort.Of(t, 30) {
		ex.Run(t.Context(), pool, call("1", "T", `{"ms":5}`))
		group.Wait()
	}
}

// A hook that exceeded its time-out writes to a copy. The outcome holds what the hook
// gave in time, or the result before it.
func TestLateHookChangesNoResult(t *testing.T) {
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

// A hook that withholds a result leaves the decision and the call of the outcome as they
// are.
func TestWithheldResultKeepsTheRestOfTheOutcome(t *testing.T) {
	t.Parallel()
	cfg := bypass(t)
	cfg.Hooks = pegboard.Hooks{OnFailure: pegboard.FailBlock, Post: func(ctx, *pegboard.HookCall) error { return errPlanned }}
	out := run(t, registryOf(t, inert("A")), session(t, cfg), call("1", "A", ``))
	require.ErrorIs(t, out.Err, errPlanned)
	require.Equal(t, pegboard.Allow, out.Decision.Behavior)
	require.NotNil(t, out.Call)
}

// A hook that withholds a result does not hide that the call goes on in the background.
func TestWithheldResultDoesNotHideADetachedCall(t *testing.T) {
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
