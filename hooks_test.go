package pegboard_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestSelectHooksOnlyShrink: a tool stays if all hooks keep it, in the order of the
// pool.
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
		{name: "by an alias", hooks: []pegboard.Hooks{keep("Alpha", "C")}, want: []string{"A", "C"}},
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
			pool := registryOf(t, inert("A", "Alpha"), inert("B"), inert("C")).AssemblePool(s, pegboard.PoolConfig{})
			require.Equal(t, tc.want, names(pool))
			if !slices.Contains(tc.want, "B") {
				require.Contains(t, pool.Explain("B"), tc.says)
			}
			child, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, Hooks: keep("A", "B", "C")})
			require.NoError(t, err)
			require.Equal(t, tc.want, names(registryOf(t, inert("A", "Alpha"), inert("B"), inert("C")).AssemblePool(child, pegboard.PoolConfig{})), "a fork's hooks add nothing")
		})
	}
}

// TestHooksJoin covers the merging of several hooks.
func TestHooksJoin(t *testing.T) {
	t.Parallel()
	say := func(b pegboard.Behavior, input string) pegboard.Hooks {
		return pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (pegboard.Decision, error) {
			return pegboard.Decision{Behavior: b, Reason: b.String(), Input: json.RawMessage(input)}, nil
		}}
	}
	boom := errors.New("boom")
	fails := pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (pegboard.Decision, error) { return pegboard.Decision{}, boom }}
	tests := []struct {
		name  string
		hooks []pegboard.Hooks
		want  pegboard.Behavior
		input string
		err   error
	}{
		{name: "none"},
		{name: "allow and nothing", hooks: []pegboard.Hooks{say(pegboard.Allow, ""), say(pegboard.Undecided, "")}, want: pegboard.Allow},
		{name: "strictest first", hooks: []pegboard.Hooks{say(pegboard.Deny, ""), say(pegboard.Allow, "")}, want: pegboard.Deny},
		{name: "strictest last", hooks: []pegboard.Hooks{say(pegboard.Allow, ""), say(pegboard.Ask, ""), say(pegboard.Deny, "")}, want: pegboard.Deny},
		{name: "an input stays", hooks: []pegboard.Hooks{say(pegboard.Undecided, `{"a":1}`), say(pegboard.Ask, "")}, want: pegboard.Ask, input: `{"a":1}`},
		{name: "the last input wins", hooks: []pegboard.Hooks{say(pegboard.Undecided, `{"a":1}`), say(pegboard.Undecided, `{"a":2}`)}, input: `{"a":2}`},
		{name: "no change is no input", hooks: []pegboard.Hooks{say(pegboard.Undecided, `{"a":1}`), say(pegboard.Undecided, `{}`)}, input: `{"a":1}`},
		{name: "an error ends it", hooks: []pegboard.Hooks{say(pegboard.Allow, ""), fails, say(pegboard.Deny, "")}, err: boom},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			h := pegboard.JoinHooks(tc.hooks...)
			if len(tc.hooks) == 0 {
				require.Nil(t, h.Pre)
				return
			}
			d, err := h.Pre(t.Context(), &pegboard.HookCall{Call: &pegboard.Call{Input: json.RawMessage(`{}`)}})
			require.ErrorIs(t, err, tc.err)
			if err == nil {
				require.Equal(t, tc.want, d.Behavior)
				require.Equal(t, tc.input, string(d.Input))
			}
		})
	}
}
