package pegboard_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestSelectHooksOnlyShrink: what they keep is what all of them keep, in the
// order of the pool.
func TestSelectHooksOnlyShrink(t *testing.T) {
	t.Parallel()
	keep := func(names ...string) pegboard.Hooks {
		return pegboard.Hooks{Select: func(*pegboard.Session, []string) []string { return names }}
	}
	tests := []struct {
		name  string
		hooks []pegboard.Hooks
		want  []string
		says  string
	}{
		{name: "none", want: []string{"A", "B", "C"}},
		{name: "one", hooks: []pegboard.Hooks{keep("C", "A")}, want: []string{"A", "C"}, says: "did not select"},
		{name: "two", hooks: []pegboard.Hooks{keep("A", "B"), keep("B", "C")}, want: []string{"B"}, says: "did not select"},
		{name: "adds nothing", hooks: []pegboard.Hooks{keep("A", "Z")}, want: []string{"A"}},
		{name: "nothing", hooks: []pegboard.Hooks{keep()}, want: []string{}},
		{name: "panics", hooks: []pegboard.Hooks{{Select: func(*pegboard.Session, []string) []string { panic("no") }}}, want: []string{}, says: "failed"},
		{name: "writes into the list", hooks: []pegboard.Hooks{
			{Select: func(_ *pegboard.Session, names []string) []string { names[0] = "Z"; return names }}, keep("A", "B"),
		}, want: []string{"B"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := session(t, pegboard.SessionConfig{Hooks: pegboard.JoinHooks(tc.hooks...)})
			pool := registryOf(t, inert("A"), inert("B"), inert("C")).AssemblePool(s, pegboard.PoolConfig{})
			require.Equal(t, tc.want, names(pool))
			if !slices.Contains(tc.want, "B") {
				require.Contains(t, pool.Explain("B"), tc.says)
			}
			child, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, Hooks: keep("A", "B", "C")})
			require.NoError(t, err)
			require.Equal(t, tc.want, names(registryOf(t, inert("A"), inert("B"), inert("C")).AssemblePool(child, pegboard.PoolConfig{})), "a fork's hooks add nothing")
		})
	}
}

// TestBatchHooksSeeTheWholeMessage, and may change results but lose none.
func TestBatchHooksSeeTheWholeMessage(t *testing.T) {
	t.Parallel()
	for _, mode := range []pegboard.FailMode{pegboard.FailDefault, pegboard.FailBlock} {
		var saw []string
		cfg := bypass(t)
		cfg.Hooks = pegboard.Hooks{OnFailure: mode, Batch: func(_ ctx, outs []pegboard.Outcome) error {
			for _, o := range outs {
				saw = append(saw, o.Call.ID)
			}
			outs[0].Result = pegboard.TextResult("changed")
			outs[1].Result = nil
			return errors.New("not satisfied")
		}}
		ex := executor(pegboard.Executor{})
		outs := ex.Run(t.Context(), registryOf(t, inert("A")).AssemblePool(session(t, cfg), pegboard.PoolConfig{}), call("1", "A", ``), call("2", "A", ``))
		require.Equal(t, []string{"1", "2"}, saw)
		if mode == pegboard.FailBlock {
			require.Contains(t, outs[0].Result.Text(), "withheld")
			require.True(t, outs[1].Result.IsError)
			continue
		}
		require.Equal(t, "changed", outs[0].Result.Text())
		require.Equal(t, "A", outs[1].Result.Text())
	}
}

// TestHooksThatAreLate have failed, and what that means is for their mode to say.
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
				time.Sleep(2 * time.Hour) // what was left behind ends
			})
		})
	}
}

// TestHooksMayReportProgress, told apart from that of tools.
func TestHooksMayReportProgress(t *testing.T) {
	t.Parallel()
	cfg := bypass(t)
	cfg.Hooks = pegboard.Hooks{
		Pre: func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
			h.Emit("checking")
			return pegboard.Decision{}, nil
		},
		Post: func(_ ctx, h *pegboard.HookCall) error { h.Emit("formatting"); return nil },
	}
	var said []string
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventHook {
			said = append(said, fmt.Sprint(e.Call.ID, " ", e.Text))
		}
	}})
	ex.Run(context.Background(), registryOf(t, inert("A")).AssemblePool(session(t, cfg), pegboard.PoolConfig{}), call("1", "A", ``))
	require.Equal(t, []string{"1 checking", "1 formatting"}, said)
}
