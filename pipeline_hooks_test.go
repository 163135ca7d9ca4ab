package pegboard_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A hook that denies a call may also stop the turn.
func TestPreHookMayStopTheTurn(t *testing.T) {
	t.Parallel()
	cfg := bypass(t)
	cfg.Hooks.Pre = func(context.Context, *pegboard.HookCall) (policy.Decision, error) {
		return policy.Decision{Behavior: policy.Deny, Reason: "no", StopTurn: true}, nil
	}
	ex := executor(pegboard.Executor{})
	out := ex.Run(t.Context(), registryOf(t, inert("T")).AssemblePool(session(t, cfg), pegboard.PoolConfig{}), call("1", "T", ``))[0]
	require.ErrorIs(t, out.Err, pegboard.ErrDenied)
	require.True(t, out.StopTurn)
}

// A hook that is running when the user interrupts has denied nothing: the call was
// cancelled.
func TestInterruptedPreHookIsNoDenial(t *testing.T) {
	t.Parallel()
	for _, limit := range []time.Duration{0, time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			cfg := bypass(t)
			cfg.Hooks = pegboard.Hooks{Timeout: limit, Pre: func(ctx ctx, _ *pegboard.HookCall) (policy.Decision, error) {
				<-ctx.Done()
				return policy.Decision{}, context.Cause(ctx)
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

// TestPostHooksMayReplaceTheResult, and cannot lose it.
func TestPostHooksMayReplaceTheResult(t *testing.T) {
	t.Parallel()
	var reg pegboard.Registry
	require.NoError(t, reg.Add(inert("T")))
	cfg := bypass(t)
	cfg.Hooks = pegboard.JoinHooks(
		pegboard.Hooks{Post: func(_ ctx, h *pegboard.HookCall) error {
			h.Outcome.Result = pegboard.TextResult("replaced")
			return errors.New("only logged")
		}},
		pegboard.Hooks{Post: func(_ ctx, h *pegboard.HookCall) error {
			h.Outcome.Result = pegboard.TextResult(h.Outcome.Result.Text() + " twice")
			return nil
		}})
	require.Equal(t, "replaced twice", run(t, &reg, session(t, cfg), call("1", "T", ``)).Result.Text())

	cfg.Hooks = pegboard.Hooks{Post: func(_ ctx, h *pegboard.HookCall) error { h.Outcome.Result = nil; return nil }}
	require.Equal(t, "T", run(t, &reg, session(t, cfg), call("1", "T", ``)).Result.Text())

	cfg.Hooks = pegboard.Hooks{Post: func(ctx, *pegboard.HookCall) error { runtime.Goexit(); return nil }}
	require.ErrorIs(t, run(t, &reg, session(t, cfg), call("1", "T", ``)).Err, pegboard.ErrPanic)
}

// A call that finished its work although the user interrupted has its result. A hook
// after it still has its own time-out and is not late.
func TestPostHookHasItsTimeAfterAnInterrupt(t *testing.T) {
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

// TestOnlyTheResultOfAHookCounts: what else a hook or a listener writes to what
// it is told has no effect.
func TestOnlyTheResultOfAHookCounts(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	spoil := func(c *pegboard.Call) { c.ID, c.Name, c.Input = "other", "Other", nil }
	spoilAll := func(h *pegboard.HookCall) error {
		spoil(h.Call)
		spoil(h.Outcome.Call)
		h.Outcome.Call, h.Outcome.Err, h.Outcome.Decision = nil, errors.New("not this"), policy.Decision{}
		h.Outcome.Result = pegboard.TextResult("from the hook")
		return nil
	}
	cfg := bypass(t)
	cfg.Hooks = pegboard.Hooks{
		Pre: func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
			spoil(h.Call)
			return policy.Decision{}, nil
		},
		Post:        func(_ ctx, h *pegboard.HookCall) error { return spoilAll(h) },
		PostFailure: func(_ ctx, h *pegboard.HookCall) error { return spoilAll(h) },
		NotRun:      func(_ ctx, h *pegboard.HookCall) error { return spoilAll(h) },
	}
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
		spoil(e.Call)
		if e.Outcome != nil {
			e.Outcome.Err = errors.New("nor this")
		}
	}})
	for _, want := range []error{nil, boom} {
		a := actor{name: "T", call: func(ctx, *pegboard.Call) error { return want }}
		out := ex.Run(t.Context(), a.pool(t, session(t, cfg)), call("1", "T", `{"a":1}`))[0]
		require.Equal(t, "1 T "+`{"a":1}`, out.Call.ID+" "+out.Call.Name+" "+string(out.Call.Input))
		require.Equal(t, policy.Allow, out.Decision.Behavior)
		require.ErrorIs(t, out.Err, want)
		require.Equal(t, "from the hook", out.Result.Text())
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

// TestBatchHookMayChangeResultsOnly: its other changes to the outcomes have no effect.
func TestBatchHookMayChangeResultsOnly(t *testing.T) {
	t.Parallel()
	a := actor{name: "T"}
	cfg := bypass(t)
	cfg.Hooks.Batch = func(_ ctx, outs []pegboard.Outcome) error {
		outs[0].Call.ID = "other"
		outs[0].Call, outs[0].Err, outs[0].Decision = nil, errors.New("not this"), policy.Decision{}
		outs[0].Result = pegboard.TextResult("from the hook")
		return nil
	}
	ex := executor(pegboard.Executor{})
	out := ex.Run(t.Context(), a.pool(t, session(t, cfg)), call("1", "T", ``))[0]
	require.NoError(t, out.Err)
	require.Equal(t, "1", out.Call.ID)
	require.Equal(t, policy.Allow, out.Decision.Behavior)
	require.Equal(t, "from the hook", out.Result.Text())
}

// TestBatchHookIsForMessages: it is not called for the calls that a call makes.
func TestBatchHookIsForMessages(t *testing.T) {
	t.Parallel()
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Script", "Own"}})
	require.NoError(t, err)
	batches := 0
	s := session(t, pegboard.SessionConfig{Permissions: perms, Hooks: pegboard.Hooks{
		Batch: func(_ context.Context, outcomes []pegboard.Outcome) error { batches += len(outcomes); return nil },
	}})
	tool, outcomes := script("Script", pegboard.Call{ID: "a", Name: "Own"}, pegboard.Call{ID: "b", Name: "Own"})
	var reg pegboard.Registry
	require.NoError(t, reg.Add(tool, plain("Own", says("own"))))
	e := executor(pegboard.Executor{})
	e.Run(t.Context(), reg.AssemblePool(s, pegboard.PoolConfig{}), pegboard.Call{ID: "out", Name: "Script"})
	require.Len(t, *outcomes, 2)
	require.Equal(t, 1, batches)
}

// A Batch hook may end its goroutine, as require does in a test. The batch is
// unregistered all the same, so that Close does not wait for it.
func TestGoexitInABatchHookDoesNotHangClose(t *testing.T) {
	t.Parallel()
	cfg := bypass(t)
	cfg.Hooks.Batch = func(context.Context, []pegboard.Outcome) error { runtime.Goexit(); return nil }
	s, err := pegboard.NewSession(cfg)
	require.NoError(t, err)
	pool := registryOf(t, inert("T")).AssemblePool(s, pegboard.PoolConfig{})
	within(t, "Run", func() {
		ex := executor(pegboard.Executor{})
		ex.Run(context.Background(), pool, call("1", "T", ``))
	})
	patience, stop := context.WithTimeoutCause(context.Background(), time.Second, errors.New("Close hangs"))
	defer stop()
	require.NoError(t, s.Close(patience))
}

// TestHooksMayReportProgress, told apart from that of tools.
func TestHooksMayReportProgress(t *testing.T) {
	t.Parallel()
	cfg := bypass(t)
	cfg.Hooks = pegboard.Hooks{
		Pre: func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
			h.Emit("checking")
			return policy.Decision{}, nil
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

func TestPostAndBatchHooksMayStopTheTurn(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		hooks pegboard.Hooks
	}{
		{name: "Post, by the outcome", hooks: pegboard.Hooks{Post: func(_ ctx, h *pegboard.HookCall) error { h.Outcome.StopTurn = true; return nil }}},
		{name: "Post, by a result", hooks: pegboard.Hooks{Post: func(_ ctx, h *pegboard.HookCall) error {
			h.Outcome.Result = &pegboard.Result{StopTurn: true}
			return nil
		}}},
		{name: "Post, in time", hooks: pegboard.Hooks{Timeout: time.Minute, Post: func(_ ctx, h *pegboard.HookCall) error { h.Outcome.StopTurn = true; return nil }}},
		{name: "Batch, by the outcome", hooks: pegboard.Hooks{Batch: func(_ ctx, outs []pegboard.Outcome) error { outs[0].StopTurn = true; return nil }}},
		{name: "Batch, by a result", hooks: pegboard.Hooks{Batch: func(_ ctx, outs []pegboard.Outcome) error {
			outs[0].Result = &pegboard.Result{StopTurn: true}
			return nil
		}}},
		{name: "Batch, and blocks", hooks: pegboard.Hooks{OnFailure: pegboard.FailBlock, Batch: func(_ ctx, outs []pegboard.Outcome) error {
			outs[0].StopTurn = true
			return errors.New("no")
		}}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			cfg := bypass(t)
			cfg.Hooks = tc.hooks
			pool := registryOf(t, inert("A")).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
			ex := executor(pegboard.Executor{})
			require.True(t, ex.Run(t.Context(), pool, call("1", "A", ``))[0].StopTurn)
			stream := ex.Stream(t.Context(), pool)
			stream.Submit(call("1", "A", ``))
			stream.Finish(pegboard.FinishToolCalls)
			for o := range stream.Outcomes() {
				require.True(t, o.StopTurn)
			}
		})
	}
}

func TestBatchHookThatBlocksChangedNothingInAStream(t *testing.T) {
	t.Parallel()
	cfg := bypass(t)
	cfg.Hooks = pegboard.Hooks{OnFailure: pegboard.FailBlock, Batch: func(ctx, []pegboard.Outcome) error { return errors.New("a secret is in it") }}
	pool := registryOf(t, inert("A")).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
	var log bytes.Buffer
	ex := executor(pegboard.Executor{StartWritesEarly: true, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	stream := ex.Stream(t.Context(), pool)
	stream.Submit(call("1", "A", ``))
	var outs []pegboard.Outcome
	for len(outs) == 0 { // the message goes on, so the first result is handed out
		for o := range stream.Ready() {
			outs = append(outs, o)
		}
	}
	stream.Submit(call("2", "A", ``))
	stream.Submit(call("3", "A", ``))
	stream.Finish(pegboard.FinishToolCalls)
	for range stream.Ready() {
		require.Fail(t, "the hook may change what is left")
	}
	for o := range stream.Outcomes() {
		outs = append(outs, o)
	}
	require.Len(t, outs, 3)
	for i, o := range outs[1:] {
		require.True(t, o.Result.IsError, i)
		require.Contains(t, o.Result.Text(), "withheld")
		require.Contains(t, o.Result.Text(), "too late for the results of A 1")
		require.ErrorContains(t, o.Err, "a secret is in it")
		var failed *pegboard.CallError
		require.ErrorAs(t, o.Err, &failed)
		require.Equal(t, pegboard.StageHook, failed.Stage)
	}
	require.Contains(t, log.String(), "handed out: A 1")
}

func TestBatchHookMayChangeTheLastResultsOfAStream(t *testing.T) {
	t.Parallel()
	cfg := bypass(t)
	cfg.Hooks.Batch = func(_ ctx, outs []pegboard.Outcome) error {
		for i := range outs {
			outs[i].Result = pegboard.TextResult("changed")
		}
		return nil
	}
	pool := registryOf(t, inert("A")).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{})
	for _, abandon := range []bool{false, true} {
		stream := ex.Stream(t.Context(), pool)
		stream.Submit(call("1", "A", ``))
		stream.Finish(pegboard.FinishToolCalls)
		if abandon {
			stream.Abandon(nil)
		}
		var texts []string
		for o := range stream.Outcomes() {
			texts = append(texts, o.Result.Text())
		}
		require.Equal(t, []string{"changed"}, texts)
	}
}

func TestHooksMaySay(t *testing.T) {
	t.Parallel()
	var kept *pegboard.HookCall
	cfg := pegboard.SessionConfig{Permissions: rules(t, "", policy.RuleSet{Allow: []string{"A"}})}
	cfg.Hooks = pegboard.JoinHooks(
		pegboard.Hooks{Pre: func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
			h.Say(pegboard.Part{Text: "before " + h.Call.Name})
			h.Say(pegboard.Part{Text: ""})
			return policy.Decision{}, nil
		}},
		pegboard.Hooks{Timeout: time.Minute, Post: func(_ ctx, h *pegboard.HookCall) error {
			kept = h
			h.Say(pegboard.Part{Text: "after " + h.Call.Name})
			h.Outcome.Result = pegboard.TextResult("replaced")
			return nil
		}},
		pegboard.Hooks{Batch: func(_ ctx, outs []pegboard.Outcome) error {
			r := *outs[len(outs)-1].Result
			r.Messages = append(slices.Clone(r.Messages), pegboard.Part{Text: "around the batch"})
			outs[len(outs)-1].Result = &r
			return nil
		}},
	)
	ex := executor(pegboard.Executor{})
	s := session(t, cfg)
	outs := ex.Run(t.Context(), registryOf(t, inert("A")).AssemblePool(s, pegboard.PoolConfig{}), call("1", "A", ``))
	require.Equal(t, "replaced", outs[0].Result.Text())
	require.Equal(t, []pegboard.Part{{Text: "before A"}, {Text: "after A"}, {Text: "around the batch"}}, outs[0].Result.Messages)
	kept.Say(pegboard.Part{Text: "too late"})
	require.Len(t, outs[0].Result.Messages, 3)

	pool := registryOf(t, inert("A")).AssemblePool(s, pegboard.PoolConfig{})
	require.NoError(t, s.SetPermissions(rules(t, "", policy.RuleSet{Deny: []string{"A"}})))
	denied := ex.Run(t.Context(), pool, call("1", "A", ``))[0]
	require.ErrorIs(t, denied.Err, pegboard.ErrDenied)
	require.Equal(t, "before A", denied.Result.Messages[0].Text, "also of a call that is denied")
}

// TestNotRunHook: it runs for every way in which a call ends before its tool is called, and
// for no other.
func TestNotRunHook(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		calls []pegboard.Call // the hook is expected for the last one
		perms policy.RuleSet
		is    error
		stage pegboard.Stage
		by    policy.Decider // of the denial
		stops bool           // Pre stops the batch
		cut   bool           // the message was cut off
		none  bool           // no hook is expected
	}{
		{name: "an unknown name", calls: []pegboard.Call{call("1", "Nobody", `{`)}, is: pegboard.ErrUnknownTool, stage: pegboard.StageLookup},
		{name: "a tool that a rule excludes", calls: []pegboard.Call{call("1", "T", `{}`)}, perms: policy.RuleSet{Deny: []string{"T"}}, is: pegboard.ErrDenied, stage: pegboard.StageLookup, by: policy.ByRule},
		{name: "no JSON", calls: []pegboard.Call{call("1", "T", `{`)}, is: pegboard.ErrInvalidInput, stage: pegboard.StageDecode},
		{name: "against the schema", calls: []pegboard.Call{call("1", "T", `{"mood":1}`)}, is: pegboard.ErrInvalidInput, stage: pegboard.StageDecode},
		{name: "refused by Validate", calls: []pegboard.Call{call("1", "T", `{"mode":"invalid"}`)}, is: pegboard.ErrInvalidInput, stage: pegboard.StageValidate},
		{name: "a second id", calls: []pegboard.Call{call("1", "T", `{"mode":"ok"}`), call("1", "T", `{"mode":"ok"}`)}, perms: policy.RuleSet{Allow: []string{"T"}}, is: pegboard.ErrDuplicate, stage: pegboard.StageAdmit},
		{name: "denied by the tool", calls: []pegboard.Call{call("1", "T", `{"mode":"denied"}`)}, is: pegboard.ErrDenied, stage: pegboard.StagePermission, by: policy.ByTool},
		{name: "nobody to ask", calls: []pegboard.Call{call("1", "T", `{"mode":"ok"}`)}, is: pegboard.ErrNoApprover, stage: pegboard.StagePermission, by: policy.ByNobody},
		{name: "stopped", calls: []pegboard.Call{call("1", "T", `{"mode":"ok"}`)}, stops: true, is: pegboard.ErrCancelled, stage: pegboard.StageHook},
		{name: "cut off", calls: []pegboard.Call{call("1", "T", `{"mode":"ok"}`)}, cut: true, is: pegboard.ErrCancelled, stage: pegboard.StageTargets},
		{name: "it ran", calls: []pegboard.Call{call("1", "T", `{"mode":"ok"}`)}, perms: policy.RuleSet{Allow: []string{"T"}}, none: true},
		{name: "it failed while it ran", calls: []pegboard.Call{call("1", "T", `{"mode":"fails"}`)}, perms: policy.RuleSet{Allow: []string{"T"}}, is: pegboard.ErrToolFailed, stage: pegboard.StageCall, none: true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			turn, stop := context.WithCancel(t.Context())
			defer stop()
			wanted, hooks := tc.calls[len(tc.calls)-1], 0
			cfg := pegboard.SessionConfig{Permissions: rules(t, "", tc.perms)}
			cfg.Hooks.NotRun = func(_ ctx, h *pegboard.HookCall) error {
				hooks++
				require.Equal(t, tc.stage == pegboard.StageLookup, h.Tool == nil)
				require.Equal(t, wanted.Name, h.Call.Name)
				require.Equal(t, string(wanted.Input), string(h.Call.Input), "what the model wrote")
				require.ErrorIs(t, h.Outcome.Err, tc.is)
				require.Equal(t, tc.by, h.Outcome.Decision.By)
				h.Say(pegboard.Part{Text: "from the hook"})
				h.Outcome.Err, h.Outcome.StopTurn = nil, true
				h.Outcome.Result = &pegboard.Result{Parts: []pegboard.Part{{Text: "changed"}}, UpdateSession: func(*pegboard.Session) { t.Error("a call that was not run changed the session") }}
				return nil
			}
			if tc.stops {
				cfg.Hooks.Pre = func(ctx ctx, _ *pegboard.HookCall) (policy.Decision, error) {
					stop()
					return policy.Decision{}, ctx.Err()
				}
			}
			ex := executor(pegboard.Executor{})
			stream := ex.Stream(turn, registryOf(t, moody("T")).AssemblePool(session(t, cfg), pegboard.PoolConfig{}))
			for _, c := range tc.calls {
				stream.Submit(c)
			}
			stream.Finish(map[bool]pegboard.FinishReason{false: pegboard.FinishToolCalls, true: pegboard.FinishLength}[tc.cut])
			outs := slices.Collect(stream.Outcomes())
			o := outs[len(outs)-1]

			require.ErrorIs(t, o.Err, tc.is)
			if tc.none {
				require.Zero(t, hooks)
				return
			}
			require.Equal(t, 1, hooks)
			var ce *pegboard.CallError
			require.ErrorAs(t, o.Err, &ce, "a hook makes no success of it")
			require.Equal(t, tc.stage, ce.Stage)
			require.True(t, o.Result.IsError)
			require.True(t, o.StopTurn)
			require.Equal(t, "changed", o.Result.Text())
			require.Equal(t, []pegboard.Part{{Text: "from the hook"}}, o.Result.Messages)
		})
	}
}

// A NotRun hook that fails, or takes the text away, leaves the outcome as it was.
func TestNotRunHookLeavesAReason(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		hook func(h *pegboard.HookCall) error
		logs string
	}{
		{name: "no result", hook: func(h *pegboard.HookCall) error { h.Outcome.Result = nil; return nil }},
		{name: "no outcome", hook: func(h *pegboard.HookCall) error { h.Outcome = nil; return nil }},
		{name: "an empty result", hook: func(h *pegboard.HookCall) error { h.Outcome.Result = &pegboard.Result{}; return nil }},
		{name: "an error", hook: func(*pegboard.HookCall) error { return errPlanned }, logs: errPlanned.Error()},
		{name: "a panic", hook: func(*pegboard.HookCall) error { panic("oh") }, logs: "panic: oh"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for _, mode := range []pegboard.FailMode{pegboard.FailDefault, pegboard.FailBlock, pegboard.FailContinue} {
				var log bytes.Buffer
				s := session(t, pegboard.SessionConfig{Hooks: pegboard.Hooks{OnFailure: mode, NotRun: func(_ ctx, h *pegboard.HookCall) error { return tc.hook(h) }}})
				ex := executor(pegboard.Executor{Logger: slog.New(slog.NewTextHandler(&log, nil))})
				o := ex.Run(t.Context(), registryOf(t, inert("T")).AssemblePool(s, pegboard.PoolConfig{}), call("1", "U", ``))[0]
				require.ErrorIs(t, o.Err, pegboard.ErrUnknownTool)
				require.Equal(t, "U is not a registered tool. Call one of the tools you were given.", o.Result.Text())
				require.True(t, o.Result.IsError)
				require.Contains(t, log.String(), tc.logs)
			}
		})
	}
}

// The hooks of a session run for the refused calls of its forks, too.
func TestNotRunHookOfAParent(t *testing.T) {
	t.Parallel()
	var saw []string
	note := func(who string) pegboard.Hooks {
		return pegboard.Hooks{NotRun: func(_ ctx, h *pegboard.HookCall) error { saw = append(saw, who+" "+h.Call.ID); return nil }}
	}
	parent := session(t, pegboard.SessionConfig{Hooks: note("parent")})
	child := forked(t, parent, pegboard.SessionConfig{Hooks: note("child")})
	run(t, registryOf(t), child, call("1", "U", ``))
	require.Equal(t, []string{"parent 1", "child 1"}, saw)
}
