package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestTheThirdIdenticalCallAsks, and what the person says counts.
func TestTheThirdIdenticalCallAsks(t *testing.T) {
	t.Parallel()
	for _, answer := range []pegboard.Behavior{pegboard.Allow, pegboard.Deny} {
		asked := 0
		cfg := pegboard.SessionConfig{Breaker: pegboard.BreakerLimits{Denials: -1, Repeats: 3}, Ask: func(context.Context, *pegboard.Question) (pegboard.Decision, error) {
			asked++
			return pegboard.Decision{Behavior: answer}, nil
		}}
		s := session(t, cfg)
		reg := registryOf(t, slow(pegboard.Info{Name: "T"}, false))
		for i := range 3 {
			out := run(t, reg, s, call(fmt.Sprint(i), "T", `{}`))
			require.Equal(t, i == 2 && answer == pegboard.Deny, out.Err != nil)
		}
		require.Equal(t, 1, asked)
		s.NewTurn()
		require.NoError(t, run(t, reg, s, call("4", "T", ` { } `)).Err)
		require.Equal(t, 1, asked, "the user spoke in between")
	}
}

// TestPollingIsNoLoop exempts a tool that says so.
func TestPollingIsNoLoop(t *testing.T) {
	t.Parallel()
	poll := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Poll", Polls: true}, Description: "Polls.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(ctx, struct{}, *pegboard.Call) (string, error) { return "not yet", nil },
	})
	s := session(t, pegboard.SessionConfig{Breaker: pegboard.BreakerLimits{Repeats: 3}})
	for i := range 10 {
		require.NoError(t, run(t, registryOf(t, poll), s, call(fmt.Sprint(i), "Poll", ``)).Err)
	}
}

// TestThreeErrorsInARowAsk, of one tool; a success in between starts anew.
func TestThreeErrorsInARowAsk(t *testing.T) {
	t.Parallel()
	fail := true
	tool := pegboard.Build(pegboard.Definition[job, string]{
		Info: pegboard.Info{Name: "T"}, Description: "Fails or not.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(ctx, job, *pegboard.Call) (string, error) {
			if fail {
				return "", errors.New("no")
			}
			return "yes", nil
		},
	})
	s := session(t, pegboard.SessionConfig{Breaker: pegboard.BreakerLimits{Errors: 3}})
	reg := registryOf(t, tool)
	n := 0
	next := func() error {
		n++
		return run(t, reg, s, call(fmt.Sprint(n), "T", fmt.Sprintf(`{"ms":%d}`, n))).Err
	}
	require.NotErrorIs(t, next(), pegboard.ErrDenied)
	require.NotErrorIs(t, next(), pegboard.ErrDenied)
	fail = false
	require.NoError(t, next())
	fail = true
	for range 3 {
		require.NotErrorIs(t, next(), pegboard.ErrDenied)
	}
	require.ErrorIs(t, next(), pegboard.ErrDenied, "nobody is there to ask")
}

// TestThreeDenialsInARowStopTheTurn, and the model is told.
func TestThreeDenialsInARowStopTheTurn(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Breaker: pegboard.BreakerLimits{Denials: 3}})
	reg := registryOf(t, inert("A"), inert("B"), inert("C"))
	for i, name := range []string{"A", "B", "C"} {
		out := run(t, reg, s, call(name, name, ``))
		require.ErrorIs(t, out.Err, pegboard.ErrDenied)
		require.Equal(t, i == 2, out.StopTurn)
	}
}

// TestRepair mends what the host permits, for readers only, and says so.
func TestRepair(t *testing.T) {
	t.Parallel()
	type input struct {
		Text  string   `json:"text,omitempty"`
		Names []string `json:"names,omitempty"`
	}
	syntax, values := pegboard.Repair{Syntax: true}, pegboard.Repair{Values: true}
	byHost := pegboard.Repair{Func: func(context.Context, pegboard.Tool, *pegboard.Call, error) json.RawMessage {
		return json.RawMessage(`{"text":"host"}`)
	}}
	tests := []struct {
		name   string
		how    pegboard.Repair
		writes bool
		input  string
		want   string // the input that runs; empty: it is refused
	}{
		{name: "not asked for", input: "{\"text\":\"a\nb\"}"},
		{name: "control character", how: syntax, input: "{\"text\":\"a\nb\"}", want: `{"text":"a\nb"}`},
		{name: "fence", how: syntax, input: "```json\n{\"text\":\"a\"}\n```", want: `{"text":"a"}`},
		{name: "list in a string", how: values, input: `{"names":"[\"a\",\"b\"]"}`, want: `{"names":["a","b"]}`},
		{name: "null", how: values, input: `{"text":null}`, want: `{}`},
		{name: "never for writers", how: values, writes: true, input: `{"text":null}`},
		{name: "never two keys", how: pegboard.Repair{Syntax: true, Values: true}, input: `{"text":"a","text":"b"}`},
		{name: "never another case", how: pegboard.Repair{Syntax: true, Values: true}, input: `{"TEXT":"a"}`},
		{name: "the host's", how: byHost, input: `{`, want: `{"text":"host"}`},
		{name: "the host's, for a writer", how: byHost, writes: true, input: `{`},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tool := pegboard.Build(pegboard.Definition[input, string]{
				Info: pegboard.Info{Name: "T"}, Description: "Reads.", Traits: pegboard.Traits{ReadOnly: !tc.writes},
				Call: func(ctx, input, *pegboard.Call) (string, error) { return "ran", nil },
			})
			var told []string
			ex := executor(pegboard.Executor{Repair: tc.how, OnEvent: func(e pegboard.Event) {
				if e.Kind == pegboard.EventRepaired {
					told = append(told, e.Text)
				}
			}})
			out := ex.Run(t.Context(), registryOf(t, tool).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}), call("1", "T", tc.input))[0]
			if tc.want == "" {
				require.ErrorIs(t, out.Err, pegboard.ErrInvalidInput)
				require.Empty(t, out.Repairs)
				return
			}
			require.NoError(t, out.Err)
			require.JSONEq(t, tc.want, string(out.Call.Input))
			require.NotEmpty(t, out.Repairs)
			require.Len(t, told, 1)
		})
	}
}
