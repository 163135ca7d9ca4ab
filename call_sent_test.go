package pegboard_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

type sentInput struct {
	Text string `json:"text"`
	N    int    `json:"n,omitempty"`
}

// TestSent is about each of those that can replace an input, alone and after another.
func TestSent(t *testing.T) {
	t.Parallel()
	const wrote, changed, again = `{"text": "the model's"}`, `{"text":"other"}`, `{"text":"another"}`
	hook := func(input string) pegboard.Hooks {
		return pegboard.Hooks{Pre: func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
			if string(h.Call.Input) == wrote {
				return pegboard.Decision{Input: json.RawMessage(input)}, nil
			}
			copy(h.Call.Input, "scribble") // its own copy
			return pegboard.Decision{}, nil
		}}
	}
	person := func(input string) pegboard.Asker {
		return alwaysSays(pegboard.Decision{Behavior: pegboard.Allow, Input: json.RawMessage(input)})
	}
	tests := []struct {
		name   string
		cfg    pegboard.SessionConfig
		repair pegboard.Repair
		wrote  string
		own    string // what the tool's Permit makes of the model's input
		input  string
		sent   string
	}{
		{name: "nobody", cfg: pegboard.SessionConfig{Ask: person("")}, wrote: wrote, input: wrote, sent: wrote},
		{name: "a person", cfg: pegboard.SessionConfig{Ask: person(changed)}, wrote: wrote, input: changed, sent: wrote},
		{name: "a hook", cfg: pegboard.SessionConfig{Ask: person(""), Hooks: hook(changed)}, wrote: wrote, input: changed, sent: wrote},
		{name: "a hook, then a person", cfg: pegboard.SessionConfig{Ask: person(again), Hooks: hook(changed)}, wrote: wrote, input: again, sent: wrote},
		{name: "a hook, and a person changes it back", cfg: pegboard.SessionConfig{Ask: person(wrote), Hooks: pegboard.Hooks{Pre: firstOnly(changed)}}, wrote: wrote, input: wrote, sent: wrote},
		{name: "the tool", cfg: pegboard.SessionConfig{Ask: person("")}, wrote: wrote, own: changed, input: changed, sent: wrote},
		{name: "a guard", cfg: pegboard.SessionConfig{Ask: person(""), Guard: func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) {
			return pegboard.Decision{Input: json.RawMessage(changed)}, nil
		}}, wrote: wrote, input: changed, sent: wrote},
		{name: "a repair is the model's", cfg: pegboard.SessionConfig{Ask: person("")}, wrote: `{"text":"a","n":"3"}`, input: `{"text":"a","n":3}`, sent: `{"text":"a","n":3}`},
		{name: "a repair, then a person", cfg: pegboard.SessionConfig{Ask: person(changed)}, wrote: `{"text":"a","n":"3"}`, input: changed, sent: `{"text":"a","n":3}`},
		{name: "the answer is repaired", cfg: pegboard.SessionConfig{Ask: person(changed), Hooks: hook(`{"text":"b","n":"4"}`)}, wrote: wrote, input: changed, sent: wrote},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var input, sent, before string
			tool := pegboard.Build(pegboard.Definition[sentInput, string]{
				Info: pegboard.Info{Name: "T"}, Description: "For a test.",
				Permit: func(_ ctx, _ sentInput, c *pegboard.Call) pegboard.Decision {
					before = string(c.Sent())
					if tc.own != "" && string(c.Input) == wrote {
						return pegboard.Decision{Input: json.RawMessage(tc.own)}
					}
					return pegboard.Decision{}
				},
				Call: func(_ ctx, _ sentInput, c *pegboard.Call) (string, error) {
					input, sent = string(c.Input), string(c.Sent())
					copy(c.Sent(), "scribble")
					require.Equal(t, sent, string(c.Sent()))
					return "done", nil
				},
			})
			ex := executor(pegboard.Executor{Repair: tc.repair})
			pool := registryOf(t, tool).AssemblePool(session(t, tc.cfg), pegboard.PoolConfig{})
			out := ex.Run(t.Context(), pool, call("1", "T", tc.wrote))[0]
			require.NoError(t, out.Err)
			require.JSONEq(t, tc.input, input)
			require.Equal(t, tc.sent, sent)
			require.Equal(t, tc.sent, before)
			require.Equal(t, tc.sent, string(out.Call.Sent()))
		})
	}
}

// firstOnly returns a hook that replaces the first input it sees.
func firstOnly(input string) func(ctx, *pegboard.HookCall) (pegboard.Decision, error) {
	first := true
	return func(ctx, *pegboard.HookCall) (d pegboard.Decision, err error) {
		if first {
			d.Input = json.RawMessage(input)
		}
		first = false
		return d, nil
	}
}

// TestSentOfACallOutside: a call that no executor has admitted, one that was never decoded, and
// one that was made again, have one input only.
func TestSentOfACallOutside(t *testing.T) {
	t.Parallel()
	bare := call("1", "T", `{"a":1}`)
	require.JSONEq(t, `{"a":1}`, string(bare.Sent()))
	require.Nil(t, (&pegboard.Call{}).Sent())

	pool := registryOf(t, inert("T")).AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{})
	_, made, err := pool.Rebuild(call("1", "T", `{}`))
	require.NoError(t, err)
	require.Equal(t, "{}", string(made.Sent()))

	ex := executor(pegboard.Executor{})
	out := ex.Run(t.Context(), pool, call("1", "Unknown", `{"x`))[0]
	require.ErrorIs(t, out.Err, pegboard.ErrUnknownTool)
	require.Equal(t, `{"x`, string(out.Call.Sent()))
}
