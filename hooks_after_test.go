package pegboard_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestHooksKnowHowLongTheToolTook: without the question, the hooks and the pauses between
// attempts. The outcome has the whole time.
func TestHooksKnowHowLongTheToolTook(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		call   func(ctx ctx, c *pegboard.Call) error
		retry  pegboard.RetryPolicy
		took   time.Duration
		whole  time.Duration
		failed bool
		silent bool // neither hook runs
	}{
		{name: "at once", call: func(ctx, *pegboard.Call) error { return nil }, whole: 4 * time.Second},
		{name: "a while", call: func(ctx, *pegboard.Call) error { time.Sleep(time.Minute); return nil }, took: time.Minute, whole: 64 * time.Second},
		{name: "a failure", call: func(ctx, *pegboard.Call) error { time.Sleep(time.Minute); return errPlanned }, took: time.Minute, whole: 64 * time.Second, failed: true},
		{name: "a panic", call: func(ctx, *pegboard.Call) error { time.Sleep(time.Minute); panic("oh") }, took: time.Minute, whole: 64 * time.Second, failed: true},
		{
			name: "three attempts", took: 3 * time.Minute, whole: 3*time.Minute + 2*time.Hour + 4*time.Second, failed: true,
			call: func(ctx, *pegboard.Call) error {
				time.Sleep(time.Minute)
				return pegboard.Transient(errPlanned, time.Hour)
			},
			retry: pegboard.RetryPolicy{Attempts: 3, MaxDelay: 2 * time.Hour},
		},
		{name: "it does not return", call: func(ctx ctx, _ *pegboard.Call) error { time.Sleep(time.Hour); return nil }, took: 32 * time.Second, whole: 36 * time.Second, failed: true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				info := pegboard.Info{Name: "T", Retry: tc.retry}
				if tc.name == "it does not return" {
					info.Timeout = 30 * time.Second
				}
				tool := pegboard.Build(pegboard.Definition[struct{}, string]{
					Info: info, Description: "Takes its time.",
					Inspect: func(struct{}, *pegboard.Call) pegboard.Traits { return pegboard.Traits{Idempotent: true} },
					Call:    func(ctx ctx, _ struct{}, c *pegboard.Call) (string, error) { return "", tc.call(ctx, c) },
				})
				var took []time.Duration
				failed := false
				wait := func() { time.Sleep(time.Second) }
				cfg := pegboard.SessionConfig{PromptDelay: -1}
				cfg.Ask = func(ctx, *pegboard.Question) (pegboard.Decision, error) {
					wait()
					return pegboard.Decision{Behavior: pegboard.Allow}, nil
				}
				after := func(fails bool) func(ctx, *pegboard.HookCall) error {
					return func(_ ctx, h *pegboard.HookCall) error {
						wait()
						took, failed = append(took, h.Outcome.Elapsed), fails
						h.Outcome.Elapsed = 0
						wait()
						return nil
					}
				}
				cfg.Hooks = pegboard.Hooks{
					Pre:  func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) { wait(); return pegboard.Decision{}, nil },
					Post: after(false), PostFailure: after(true),
				}
				s := session(t, cfg)
				ex := executor(pegboard.Executor{})
				out := ex.Run(t.Context(), registryOf(t, tool).AssemblePool(s, pegboard.PoolConfig{}), call("1", "T", ``))[0]
				require.Equal(t, []time.Duration{tc.took}, took)
				require.Equal(t, tc.failed, failed)
				require.Equal(t, tc.whole, out.Elapsed)
				time.Sleep(2 * time.Hour)
			})
		})
	}
}

// TestABatchHookEndsTheTurn, in each way, also when a stream has yielded the outcomes before.
func TestABatchHookEndsTheTurn(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		stop func(outs []pegboard.Outcome)
		want []bool // by outcome, of a Run
	}{
		{name: "not at all", stop: func([]pegboard.Outcome) {}, want: []bool{false, false}},
		{name: "by the first outcome", stop: func(outs []pegboard.Outcome) { outs[0].StopTurn = true }, want: []bool{true, false}},
		{name: "by the last outcome", stop: func(outs []pegboard.Outcome) { outs[1].StopTurn = true }, want: []bool{false, true}},
		{name: "by another result", stop: func(outs []pegboard.Outcome) { outs[1].Result = &pegboard.Result{StopTurn: true} }, want: []bool{false, true}},
		{name: "in the result", stop: func(outs []pegboard.Outcome) { outs[1].Result.StopTurn = true }, want: []bool{false, true}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			cfg := bypass(t)
			cfg.Hooks.Batch = func(_ ctx, outs []pegboard.Outcome) error { tc.stop(outs); return nil }
			reading := pegboard.Build(pegboard.Definition[struct{}, string]{
				Info: pegboard.Info{Name: "R"}, Description: "Reads.",
				Inspect: func(struct{}, *pegboard.Call) pegboard.Traits {
					return pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared}
				},
				Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "ok", nil },
			})
			pool := registryOf(t, reading).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
			ex := executor(pegboard.Executor{})
			calls := []pegboard.Call{call("1", "R", `{}`), call("2", "R", `{}`)}
			stops := slices.Contains(tc.want, true)

			for i, o := range ex.Run(t.Context(), pool, calls...) {
				require.Equal(t, tc.want[i], o.StopTurn)
			}
			for yielded := range 3 { // before Finish
				stream := ex.Stream(t.Context(), pool)
				for _, c := range calls {
					stream.Submit(c)
				}
				var early, late []pegboard.Outcome
				for len(early) < yielded {
					for o := range stream.Ready() {
						if early = append(early, o); len(early) == yielded {
							break
						}
					}
				}
				require.False(t, stream.StopTurn())
				stream.Finish(pegboard.FinishToolCalls)
				late = slices.Collect(stream.Outcomes())
				require.Len(t, late, 2-yielded)
				require.Equal(t, stops, stream.StopTurn())
				if yielded < 2 {
					require.Equal(t, stops, slices.ContainsFunc(late, func(o pegboard.Outcome) bool { return o.StopTurn }), "in what is yielded late")
				}
				for i := range early {
					require.False(t, early[i].StopTurn, "what was yielded stays")
				}
			}
		})
	}
}

// TestStopTurnOfAStream is heard of any outcome, without a Batch hook.
func TestStopTurnOfAStream(t *testing.T) {
	t.Parallel()
	cfg := bypass(t)
	cfg.Hooks.Post = func(_ ctx, h *pegboard.HookCall) error { h.Outcome.StopTurn = h.Call.ID == "1"; return nil }
	pool := registryOf(t, inert("A")).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{})
	for _, id := range []string{"1", "2"} {
		stream := ex.Stream(t.Context(), pool)
		outs := collect(stream, []pegboard.Call{call(id, "A", ``), call("3", "A", ``)})
		require.Equal(t, id == "1", outs[0].StopTurn)
		require.Equal(t, id == "1", stream.StopTurn())
	}
}

// TestACallInsideACallEndsTheTurn of the outer call: by a hook after it, its result, or since it
// is answered later.
func TestACallInsideACallEndsTheTurn(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		hooks pegboard.Hooks
		want  bool
	}{
		{name: "not at all"},
		{name: "by a hook after it", want: true, hooks: pegboard.Hooks{Post: func(_ ctx, h *pegboard.HookCall) error { h.Outcome.StopTurn = h.Call.Name == "A"; return nil }}},
		{name: "by its result", want: true, hooks: pegboard.Hooks{Post: func(_ ctx, h *pegboard.HookCall) error {
			if h.Call.Name == "A" {
				h.Outcome.Result = &pegboard.Result{StopTurn: true}
			}
			return nil
		}}},
		{name: "it was put off", want: true, hooks: pegboard.Hooks{Pre: func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
			if h.Call.Name == "A" {
				return pegboard.Decision{}, pegboard.ErrDeferred
			}
			return pegboard.Decision{}, nil
		}}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			cfg := bypass(t)
			cfg.Hooks = tc.hooks
			inner, _ := script("Inner", call("3", "A", ``))
			outer, made := script("Outer", call("2", "Inner", ``))
			ex := executor(pegboard.Executor{})
			out := ex.Run(t.Context(), registryOf(t, outer, inner, inert("A")).AssemblePool(session(t, cfg), pegboard.PoolConfig{}), call("1", "Outer", ``))[0]
			require.NoError(t, out.Err)
			require.Equal(t, "done", out.Result.Text())
			require.Equal(t, tc.want, (*made)[0].StopTurn)
			require.Equal(t, tc.want, out.StopTurn)
		})
	}
}

// TestNotRunHearsWhoDenied: each refusal is told with its decider, in time for a stream, and
// the hook changes the text and not the refusal.
func TestNotRunHearsWhoDenied(t *testing.T) {
	t.Parallel()
	type decision = pegboard.Decision
	deny := decision{Behavior: pegboard.Deny, Reason: "no"}
	asker := func(d decision) pegboard.Asker {
		return func(ctx, *pegboard.Question) (decision, error) { return d, nil }
	}
	tests := []struct {
		name string
		cfg  pegboard.SessionConfig
		mode pegboard.Mode
		set  pegboard.RuleSet
		call pegboard.Call
		by   pegboard.Decider
	}{
		{name: "a rule", set: pegboard.RuleSet{Deny: []string{"T(mode:ok)"}}, by: pegboard.ByRule},
		{name: "the mode", mode: pegboard.ModeDontAsk, by: pegboard.ByMode},
		{name: "the tool", call: call("1", "T", `{"mode":"denied"}`), by: pegboard.ByTool},
		{name: "a hook before the call", cfg: pegboard.SessionConfig{Hooks: pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (decision, error) { return deny, nil }}}, by: pegboard.ByHook},
		{name: "a hook that answers", cfg: pegboard.SessionConfig{Hooks: pegboard.Hooks{Permission: asker(deny)}}, by: pegboard.ByHook},
		{name: "an approver", cfg: pegboard.SessionConfig{Approvers: []pegboard.Asker{asker(deny)}}, by: pegboard.ByApprover},
		{name: "the classifier", cfg: pegboard.SessionConfig{Classifier: pegboard.Classifier(asker(deny))}, mode: pegboard.ModeAuto, by: pegboard.ByClassifier},
		{name: "the user", cfg: pegboard.SessionConfig{Ask: asker(deny)}, by: pegboard.ByPerson},
		{name: "nobody", by: pegboard.ByNobody},
		{name: "the caller", call: pegboard.ForceDecision(call("1", "T", `{"mode":"ok"}`), pegboard.Deny, "no"), by: pegboard.ByCaller},
		{name: "the guard", cfg: pegboard.SessionConfig{Guard: pegboard.Guard(asker(deny))}, by: pegboard.ByGuard},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var told []decision
			cfg := tc.cfg
			cfg.Permissions = rules(t, tc.mode, tc.set)
			cfg.Hooks = pegboard.JoinHooks(cfg.Hooks, pegboard.Hooks{NotRun: func(_ ctx, h *pegboard.HookCall) error {
				told = append(told, h.Outcome.Decision)
				h.Outcome.Err, h.Outcome.Decision = nil, decision{Behavior: pegboard.Allow}
				h.Outcome.Result = pegboard.TextResult("You may try again.")
				return nil
			}})
			c := tc.call
			if c.Name == "" {
				c = call("1", "T", `{"mode":"ok"}`)
			}
			ex := executor(pegboard.Executor{})
			stream := ex.Stream(t.Context(), registryOf(t, describing{moody("T")}).AssemblePool(session(t, cfg), pegboard.PoolConfig{}))
			stream.Submit(c)
			stream.Finish(pegboard.FinishToolCalls)
			outs := slices.Collect(stream.Outcomes())
			require.Len(t, told, 1)
			require.Equal(t, tc.by, told[0].By)
			require.Equal(t, pegboard.Deny, told[0].Behavior)
			require.ErrorIs(t, outs[0].Err, pegboard.ErrDenied)
			require.Equal(t, tc.by, outs[0].Decision.By)
			require.True(t, outs[0].Result.IsError)
			require.Equal(t, "You may try again.", outs[0].Result.Text())
		})
	}
}

// describing is a tool that tells a classifier what it would do.
type describing struct{ pegboard.Tool }

func (describing) ClassifierInput(*pegboard.Call) string { return "something" }
