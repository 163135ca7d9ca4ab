package pegboard_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// TestInputIsChangedAtMostEightTimes by hooks, the tool and the asker together. The
// model is not told to try again.
func TestInputIsChangedAtMostEightTimes(t *testing.T) {
	t.Parallel()
	for _, changes := range []int{1, 7, 8, 9, 1000} {
		t.Run(fmt.Sprint(changes), func(t *testing.T) {
			t.Parallel()
			var ran []step
			var reg pegboard.Registry
			require.NoError(t, reg.Add(stepper(&ran)))
			cfg := bypass(t)
			cfg.Hooks.Pre = func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
				var in step
				err := json.Unmarshal(h.Call.Input, &in)
				if next := fmt.Sprintf(`{"n":%d}`, in.N-1); in.N > -changes {
					return policy.Decision{Input: json.RawMessage(next)}, err
				}
				return policy.Decision{}, err
			}
			out := run(t, &reg, session(t, cfg), call("1", "T", `{"n":0}`))
			if changes <= 8 {
				require.NoError(t, out.Err)
				require.Equal(t, []step{{N: -changes}}, ran)
				return
			}
			require.Empty(t, ran)
			require.ErrorIs(t, out.Err, pegboard.ErrDenied)
			require.Contains(t, out.Result.Text(), "do not agree on its input. Tell the user")
		})
	}
}

// TestPanicInInspectFailsTheCall, which keeps nothing of the input before.
func TestPanicInInspectFailsTheCall(t *testing.T) {
	t.Parallel()
	type in struct {
		Bad bool `json:"bad,omitempty"`
	}
	tool := pegboard.Build(pegboard.Definition[in, string]{
		Info: pegboard.Info{Name: "T"}, Description: "For a test.",
		Inspect: func(v in, _ *pegboard.Call) pegboard.Traits {
			if v.Bad {
				panic("no idea")
			}
			return pegboard.Traits{ReadOnly: true, Targets: []policy.Target{{Kind: policy.Path, Access: policy.Read, Value: "f"}}}
		},
		Call: func(ctx, in, *pegboard.Call) (string, error) { return "ran", nil },
	})
	s := session(t, pegboard.SessionConfig{Hooks: pegboard.Hooks{Pre: func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
		if string(h.Call.Input) == `{"bad":false}` {
			return policy.Decision{Input: json.RawMessage(`{"bad":true}`)}, nil
		}
		return policy.Decision{}, nil
	}}})
	reg := registryOf(t, tool)
	require.NoError(t, run(t, reg, s, call("1", "T", `{}`)).Err)
	out := run(t, reg, s, call("1", "T", `{"bad":false}`))
	require.ErrorIs(t, out.Err, pegboard.ErrPanic)
	require.Empty(t, out.Call.Targets())
	require.False(t, out.Call.Facts().ReadOnly)
}

// logged returns an executor's logger and the text that it has logged.
func logged() (*slog.Logger, *bytes.Buffer) {
	var text bytes.Buffer
	return slog.New(slog.NewTextHandler(&text, nil)), &text
}

// requireSite requires that the error holds a panic of this file.
func requireSite(t *testing.T, err error) {
	t.Helper()
	require.ErrorIs(t, err, pegboard.ErrPanic)
	var p *pegboard.PanicError
	require.ErrorAs(t, err, &p)
	require.Equal(t, "boom", p.Value)
	require.Contains(t, p.Site, "pipeline_test.go:")
	require.Contains(t, string(p.Stack), "pipeline_test.go:")
	require.Contains(t, err.Error(), "pipeline_test.go:")
}

func TestPanicIsInTheOutcomeWithItsPlace(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*pegboard.Definition[struct{}, *pegboard.Result])
		stage  pegboard.Stage
		says   string
	}{
		{name: "Inspect", stage: pegboard.StageTargets, says: "at the stage targets", change: func(d *pegboard.Definition[struct{}, *pegboard.Result]) {
			d.Inspect = func(struct{}, *pegboard.Call) pegboard.Traits { panic("boom") }
		}},
		{name: "Validate", stage: pegboard.StageValidate, says: "at the stage validate", change: func(d *pegboard.Definition[struct{}, *pegboard.Result]) {
			d.Validate = func(ctx, struct{}, *pegboard.Call) error { panic("boom") }
		}},
		{name: "Call", stage: pegboard.StageCall, says: "at the stage call", change: func(d *pegboard.Definition[struct{}, *pegboard.Result]) {
			d.Call = func(ctx, struct{}, *pegboard.Call) (*pegboard.Result, error) { panic("boom") }
		}},
		{name: "UpdateSession", stage: pegboard.StageResult, says: "it failed inside when it changed the session", change: func(d *pegboard.Definition[struct{}, *pegboard.Result]) {
			d.Call = func(ctx, struct{}, *pegboard.Call) (*pegboard.Result, error) {
				return &pegboard.Result{Parts: []pegboard.Part{{Text: "Done."}}, UpdateSession: func(*pegboard.Session) { panic("boom") }}, nil
			}
		}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			ran := false
			def := pegboard.Definition[struct{}, *pegboard.Result]{
				Info: pegboard.Info{Name: "T"}, Description: "x.",
				Call: func(ctx, struct{}, *pegboard.Call) (*pegboard.Result, error) {
					ran = true
					return pegboard.TextResult("ran"), nil
				},
			}
			tc.change(&def)
			logger, text := logged()
			ex := executor(pegboard.Executor{Logger: logger})
			s := session(t, pegboard.SessionConfig{Permissions: rules(t, "", policy.RuleSet{Allow: []string{"T"}})})
			out := ex.Run(t.Context(), registryOf(t, pegboard.Build(def)).AssemblePool(s, pegboard.PoolConfig{}), call("1", "T", `{}`))[0]
			require.False(t, ran, "a bare allow of the tool lets no call run whose targets are not known")
			requireSite(t, out.Err)
			var ce *pegboard.CallError
			require.ErrorAs(t, out.Err, &ce)
			require.Equal(t, tc.stage, ce.Stage)
			require.True(t, out.Result.IsError)
			require.Contains(t, out.Result.Text(), tc.says)
			require.NotContains(t, out.Result.Text(), ".go:")
			require.Equal(t, 1, strings.Count(text.String(), "call crashed"), text)
			require.Contains(t, text.String(), "pipeline_test.go:")
		})
	}
}

// TestPanicOfAnEarlierCallsUpdate: the updates of calls that ran together run when the
// last of them has ended, after the outcome of the first was made.
func TestPanicOfAnEarlierCallsUpdate(t *testing.T) {
	t.Parallel()
	first := make(chan struct{})
	tool := pegboard.Build(pegboard.Definition[job, *pegboard.Result]{
		Info: pegboard.Info{Name: "T"}, Description: "x.", Traits: readsShared,
		Call: func(_ ctx, in job, c *pegboard.Call) (*pegboard.Result, error) {
			if c.ID == "2" {
				<-first
				return pegboard.TextResult("second"), nil
			}
			return &pegboard.Result{Parts: []pegboard.Part{{Text: "first"}}, UpdateSession: func(*pegboard.Session) { panic("boom") }}, nil
		},
	})
	logger, _ := logged()
	ex := executor(pegboard.Executor{Logger: logger, OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventFinished && e.Call.ID == "1" {
			close(first)
		}
	}})
	outs := ex.Run(t.Context(), registryOf(t, tool).AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{}), call("1", "T", `{}`), call("2", "T", `{}`))
	requireSite(t, outs[0].Err)
	require.Contains(t, outs[0].Result.Text(), "first\nT ran, but it failed inside")
	require.NoError(t, outs[1].Err)
	require.Equal(t, "second", outs[1].Result.Text())
}

// TestPanicWithoutALogger is not parallel: it replaces the default logger of the process.
func TestPanicWithoutALogger(t *testing.T) { //nolint:paralleltest // it replaces slog.Default
	logger, text := logged()
	before := slog.Default()
	slog.SetDefault(logger)
	defer slog.SetDefault(before)
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventStarted {
			panic("boom")
		}
	}})
	tool := teller(pegboard.Info{Name: "T"}, func(*pegboard.Call) (*pegboard.Result, error) { panic(errors.New("bang")) })
	out := ex.Run(t.Context(), registryOf(t, tool).AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{}), call("1", "T", `{}`))[0]
	require.ErrorIs(t, out.Err, pegboard.ErrPanic)
	for _, want := range []string{`msg="event listener failed" event=started error="panic: boom" site=`, `msg="call crashed" tool=T stage=call error="panic: bang" site=`, "pipeline_test.go:"} {
		require.Contains(t, text.String(), want)
	}
}

// TestDecideOfAPanickingInspect is an error, not a decision about no targets.
func TestDecideOfAPanickingInspect(t *testing.T) {
	t.Parallel()
	tool := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "T"}, Description: "x.",
		Inspect: func(struct{}, *pegboard.Call) pegboard.Traits { panic("boom") },
		Call:    func(ctx, struct{}, *pegboard.Call) (string, error) { return "ran", nil },
	})
	p := registryOf(t, tool).AssemblePool(session(t, pegboard.SessionConfig{Permissions: rules(t, "", policy.RuleSet{Allow: []string{"T"}})}), pegboard.PoolConfig{})
	require.Equal(t, policy.Deny, p.Decide(t.Context(), call("1", "T", `{}`)).Behavior)
	_, _, err := p.Rebuild(call("1", "T", `{}`))
	requireSite(t, err)
}
