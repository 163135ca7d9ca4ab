package pegboard_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestAHookPutsACallOff: nothing runs, nobody is asked, and the turn ends; unless something
// denies the call for good.
func TestAHookPutsACallOff(t *testing.T) {
	t.Parallel()
	type decision = pegboard.Decision
	pre := func(d decision, err error) pegboard.Hooks {
		return pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (decision, error) { return d, err }}
	}
	permission := func(d decision, err error) pegboard.Hooks {
		return pegboard.Hooks{Permission: func(ctx, *pegboard.Question) (decision, error) { return d, err }}
	}
	failing := func(mode pegboard.FailMode, timeout time.Duration, h pegboard.Hooks) pegboard.Hooks {
		h.OnFailure, h.Timeout = mode, timeout
		return h
	}
	later := fmt.Errorf("the night shift decides: %w", pegboard.ErrDeferred)
	ok, deny, allow, ask := decision{}, decision{Behavior: pegboard.Deny, Reason: "no"}, decision{Behavior: pegboard.Allow}, decision{Behavior: pegboard.Ask}
	strange := decision{Behavior: pegboard.Deny + 1}
	tests := []struct {
		name   string
		hooks  pegboard.Hooks
		mode   pegboard.Mode
		rules  pegboard.RuleSet
		input  string
		denied pegboard.Decider // who denies it, if somebody does
		stage  pegboard.Stage
	}{
		{name: "before the call", hooks: pre(ok, later), stage: pegboard.StageHook},
		{name: "before the call, although it is allowed", hooks: pre(allow, later), rules: pegboard.RuleSet{Allow: []string{"T"}}, stage: pegboard.StageHook},
		{name: "before the call, although a rule asks", hooks: pre(ok, later), rules: pegboard.RuleSet{Ask: []string{"T"}}, stage: pegboard.StageHook},
		{name: "in bypass mode", hooks: pre(ok, later), mode: pegboard.ModeBypass, stage: pegboard.StageHook},
		{name: "in a mode that asks nobody", hooks: pre(ok, later), mode: pegboard.ModeDontAsk, stage: pegboard.StageHook},
		{name: "a failure is passed over", hooks: failing(pegboard.FailContinue, 0, pre(ok, later)), stage: pegboard.StageHook},
		{name: "a failure blocks", hooks: failing(pegboard.FailBlock, time.Minute, pre(ok, later)), stage: pegboard.StageHook},
		{name: "beside a hook that allows", hooks: pegboard.JoinHooks(pre(allow, nil), pre(ok, later)), stage: pegboard.StageHook},
		{name: "beside a hook that asks", hooks: pegboard.JoinHooks(pre(ok, later), pre(ask, nil)), stage: pegboard.StageHook},
		{name: "beside another", hooks: pegboard.JoinHooks(pre(ok, later), pre(ok, pegboard.ErrDeferred)), stage: pegboard.StageHook},
		{name: "beside a hook that changes the input", hooks: pegboard.JoinHooks(pre(decision{Input: []byte(`{"mode":"x"}`)}, nil), pre(ok, later)), stage: pegboard.StageHook},
		{name: "before a hook that denies", hooks: pegboard.JoinHooks(pre(ok, later), pre(deny, nil)), denied: pegboard.ByHook, stage: pegboard.StagePermission},
		{name: "after a hook that denies", hooks: pegboard.JoinHooks(pre(deny, nil), pre(ok, later)), denied: pegboard.ByHook, stage: pegboard.StagePermission},
		{name: "before a hook with an opinion that is none", hooks: pegboard.JoinHooks(pre(ok, later), pre(strange, nil)), denied: pegboard.ByHook, stage: pegboard.StagePermission},
		{name: "before a hook that fails", hooks: pegboard.JoinHooks(pre(ok, later), pre(ok, errPlanned)), denied: pegboard.ByHook, stage: pegboard.StageHook},
		{name: "after a hook that fails", hooks: pegboard.JoinHooks(pre(ok, errPlanned), pre(ok, later)), denied: pegboard.ByHook, stage: pegboard.StageHook},
		{name: "a deny rule", hooks: pre(ok, later), rules: pegboard.RuleSet{Deny: []string{"T(mode:ok)"}}, denied: pegboard.ByRule, stage: pegboard.StagePermission},
		{name: "the tool denies", hooks: pre(ok, later), input: `{"mode":"denied"}`, denied: pegboard.ByTool, stage: pegboard.StagePermission},

		{name: "in the user's place", hooks: permission(ok, later), stage: pegboard.StagePermission},
		{name: "in the user's place, with an answer", hooks: permission(allow, later), stage: pegboard.StagePermission},
		{name: "in the user's place, and a failure is passed over", hooks: failing(pegboard.FailContinue, time.Minute, permission(ok, later)), stage: pegboard.StagePermission},
		{name: "in the user's place, beside one that allows", hooks: pegboard.JoinHooks(permission(allow, nil), permission(ok, later)), stage: pegboard.StagePermission},
		{name: "in the user's place, beside one that denies", hooks: pegboard.JoinHooks(permission(ok, later), permission(deny, nil)), denied: pegboard.ByHook, stage: pegboard.StagePermission},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			var told []*pegboard.HookCall
			watching := pegboard.Hooks{
				NotRun: func(_ ctx, h *pegboard.HookCall) error { told = append(told, h); return nil },
				Post:   func(ctx, *pegboard.HookCall) error { t.Error("it ran"); return nil },
			}
			cfg := pegboard.SessionConfig{Permissions: rules(t, tc.mode, tc.rules), Hooks: pegboard.JoinHooks(tc.hooks, watching)}
			cfg.Ask = func(ctx ctx, _ *pegboard.Question) (decision, error) { <-ctx.Done(); return ok, context.Cause(ctx) }
			ex := executor(pegboard.Executor{Logger: slog.New(slog.NewTextHandler(&log, nil))})
			input := tc.input
			if input == "" {
				input = `{"mode":"ok"}`
			}
			out := ex.Run(t.Context(), registryOf(t, moody("T")).AssemblePool(session(t, cfg), pegboard.PoolConfig{}), call("1", "T", input))[0]

			var ce *pegboard.CallError
			require.ErrorAs(t, out.Err, &ce)
			require.Equal(t, tc.stage, ce.Stage)
			require.True(t, out.Result.IsError)
			require.Zero(t, out.Attempts)
			require.Len(t, told, 1, "NotRun is told")
			if tc.denied != pegboard.ByDefault {
				require.ErrorIs(t, out.Err, pegboard.ErrDenied)
				require.NotErrorIs(t, out.Err, pegboard.ErrDeferred)
				require.Equal(t, tc.denied, out.Decision.By)
				return
			}
			require.ErrorIs(t, out.Err, pegboard.ErrDeferred)
			require.NotErrorIs(t, out.Err, pegboard.ErrDenied)
			require.Equal(t, pegboard.ErrDeferred, ce.Sentinel())
			require.True(t, out.StopTurn)
			require.Zero(t, out.Decision)
			require.Equal(t, "T was not run yet. The answer comes later.", out.Result.Text())
			require.Empty(t, log.String(), "it is no failure")
			require.ErrorIs(t, told[0].Outcome.Err, pegboard.ErrDeferred)
		})
	}
}

// TestACallThatWasPutOffIsAnsweredLater by running it again, as the host does on another day.
func TestACallThatWasPutOffIsAnsweredLater(t *testing.T) {
	t.Parallel()
	night := true
	cfg := bypass(t)
	cfg.Hooks.Pre = func(ctx, *pegboard.HookCall) (pegboard.Decision, error) {
		if night {
			return pegboard.Decision{}, pegboard.ErrDeferred
		}
		return pegboard.Decision{}, nil
	}
	pool := registryOf(t, inert("A"), inert("B")).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{})
	outs := ex.Run(t.Context(), pool, call("1", "A", ``), call("2", "B", ``))
	require.ErrorIs(t, outs[0].Err, pegboard.ErrDeferred)
	require.ErrorIs(t, outs[1].Err, pegboard.ErrDeferred)
	night = false
	again := ex.Run(t.Context(), pool, *outs[0].Call)[0]
	require.NoError(t, again.Err)
	require.Equal(t, "A", again.Result.Text())
}

// TestAQuestionThatIsPutOffIsWithdrawn while the user looks at it.
func TestAQuestionThatIsPutOffIsWithdrawn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var withdrawn error
		cfg := pegboard.SessionConfig{PromptDelay: time.Second}
		cfg.Hooks.Permission = func(ctx, *pegboard.Question) (pegboard.Decision, error) {
			time.Sleep(time.Minute)
			return pegboard.Decision{}, pegboard.ErrDeferred
		}
		cfg.Ask = func(ctx ctx, _ *pegboard.Question) (pegboard.Decision, error) {
			<-ctx.Done()
			withdrawn = context.Cause(ctx)
			return pegboard.Decision{}, withdrawn
		}
		s := session(t, cfg)
		out := run(t, registryOf(t, inert("A")), s, call("1", "A", ``))
		require.ErrorIs(t, out.Err, pegboard.ErrDeferred)
		require.True(t, out.StopTurn)
		synctest.Wait()
		require.Error(t, withdrawn)
		require.Empty(t, s.Questions())
	})
}

// TestACheckCannotBePutOff: a running call needs its answer now.
func TestACheckCannotBePutOff(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	checks := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Checks"}, Description: "Checks a host while it runs.",
		Inspect: func(struct{}, *pegboard.Call) pegboard.Traits { return readsData },
		Call: func(ctx ctx, _ struct{}, c *pegboard.Call) (string, error) {
			return "went on", c.Check(ctx, pegboard.Target{Kind: pegboard.TargetHost, Value: "example.com"})
		},
	})
	cfg := pegboard.SessionConfig{Permissions: rules(t, "", pegboard.RuleSet{Allow: []string{"Checks"}, Ask: []string{"WebFetch(domain:example.com)"}})}
	cfg.Hooks.Permission = func(ctx, *pegboard.Question) (pegboard.Decision, error) {
		return pegboard.Decision{}, pegboard.ErrDeferred
	}
	ex := executor(pegboard.Executor{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	out := ex.Run(t.Context(), registryOf(t, checks).AssemblePool(session(t, cfg), pegboard.PoolConfig{}), call("1", "Checks", ``))[0]
	require.ErrorIs(t, out.Err, pegboard.ErrDenied)
	require.NotErrorIs(t, out.Err, pegboard.ErrDeferred)
	require.Contains(t, log.String(), "answered later", "the hook has failed")
}
