package pegboard_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// brokenHandler panics at every record.
type brokenHandler struct{ slog.Handler }

func (brokenHandler) Enabled(context.Context, slog.Level) bool  { return true }
func (brokenHandler) Handle(context.Context, slog.Record) error { panic("the disk is full") }

// TestBrokenLoggerHoldsUpNobody: a log line is lost, no call and no outcome.
func TestBrokenLoggerHoldsUpNobody(t *testing.T) {
	t.Parallel()
	a := actor{name: "T", call: func(ctx, *pegboard.Call) error { panic("boom") }}
	ex := executor(pegboard.Executor{Logger: slog.New(brokenHandler{})})
	outs := ex.Run(t.Context(), a.pool(t, session(t, bypass(t))), call("1", "T", ``), call("2", "T", ``))
	for _, out := range outs {
		require.ErrorIs(t, out.Err, pegboard.ErrPanic)
		require.ErrorContains(t, out.Err, "boom")
	}
}

// TestListenerThatEndsItsGoroutineAtTheEnd loses its event: the outcome stands,
// and the event is sent once.
func TestListenerThatEndsItsGoroutineAtTheEnd(t *testing.T) {
	t.Parallel()
	a := actor{name: "T"}
	met := 0
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventFinished {
			met++
			runtime.Goexit()
		}
	}})
	outs := ex.Run(t.Context(), a.pool(t, session(t, bypass(t))), call("1", "T", ``), call("2", "T", ``))
	require.Equal(t, 2, met)
	for _, out := range outs {
		require.NoError(t, out.Err)
		require.Equal(t, "done", out.Result.Text())
	}
}

// TestTraitsOfAPanicAreTheCautiousOnes, not those of the input before.
func TestTraitsOfAPanicAreTheCautiousOnes(t *testing.T) {
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
			return pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: "f"}}}
		},
		Call: func(ctx, in, *pegboard.Call) (string, error) { return "ran", nil },
	})
	s := session(t, pegboard.SessionConfig{Hooks: pegboard.Hooks{Pre: func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
		if string(h.Call.Input) == `{"bad":false}` {
			return pegboard.Decision{Input: json.RawMessage(`{"bad":true}`)}, nil
		}
		return pegboard.Decision{}, nil
	}}})
	reg := registryOf(t, tool)
	require.NoError(t, run(t, reg, s, call("1", "T", `{}`)).Err)
	out := run(t, reg, s, call("1", "T", `{"bad":false}`))
	require.ErrorIs(t, out.Err, pegboard.ErrDenied)
	require.Empty(t, out.Call.Targets())
	require.False(t, out.Call.ReadOnly())
}
