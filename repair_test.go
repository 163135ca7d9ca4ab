package pegboard_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// TestRepair repairs input as the host permits, for read-only calls only, and lists the
// repairs.
func TestRepair(t *testing.T) {
	t.Parallel()
	type input struct {
		Text  string   `json:"text,omitempty"`
		Names []string `json:"names,omitempty"`
		Count int      `json:"count,omitempty"`
		Sure  bool     `json:"sure,omitempty"`
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
		{name: "never for writers", how: values, writes: true, input: `{"names":"[]"}`},
		{name: "scalars", input: `{"count":"5","sure":"True","text":null}`, want: `{"count":5,"sure":true}`},
		{name: "scalars of writers, too", writes: true, input: `{"count":5.0,"sure":"false"}`, want: `{"count":5,"sure":false}`},
		{name: "scalars refused", how: pegboard.Repair{NoScalars: true}, input: `{"count":"5"}`},
		{name: "scalars beside another mistake", input: `{"count":"5","names":"[]"}`},
		{name: "scalars beside another repair", how: values, input: `{"count":"5","names":"[]"}`, want: `{"count":5,"names":[]}`},
		{name: "a scalar with several readings", input: `{"count":"5.5"}`},
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

// A host's Repair.Func may keep the call it was given, for a log line for example.
func TestCallKeptByARepairDoesNotRace(t *testing.T) {
	t.Parallel()
	pool := workers(t)
	var group sync.WaitGroup
	ex := executor(pegboard.Executor{Repair: pegboard.Repair{Func: func(_ context.Context, _ pegboard.Tool, c *pegboard.Call, _ error) json.RawMessage {
		group.Go(func() { _ = c.Session(); _ = c.Parent() })
		return json.RawMessage(`{"class":"shared"}`)
	}}})
	for range effort.Of(t, 200) {
		ex.Run(t.Context(), pool, call("1", "Work", `{"class":3}`))
	}
	group.Wait()
}

// When Traits panics for a repaired input, the repair does not stand and the call fails
// as invalid input. It does not end as a panic.
func TestPanicInTraitsOfARepairedInputIsInvalidInput(t *testing.T) {
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
