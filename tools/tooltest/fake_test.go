package tooltest_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func TestFakeGivesRepliesInTurn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		replies []tooltest.Reply
		want    []string
	}{
		{name: "none", want: []string{"ok", "ok"}},
		{name: "one", replies: []tooltest.Reply{{Text: "a"}}, want: []string{"a", "a"}},
		{name: "the last repeats", replies: []tooltest.Reply{{Text: "a"}, {Text: "b"}}, want: []string{"a", "b", "b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fake := tooltest.NewFake("Bash", tt.replies...)
			for _, want := range tt.want {
				out := tooltest.Run(t.Context(), fake, nil, `{}`)
				require.NoError(t, out.Err)
				require.Equal(t, want, out.Result.Text())
			}
		})
	}
}

func TestFakeRecordsCalls(t *testing.T) {
	t.Parallel()
	fake := tooltest.FakeConfig{
		Name:        "Read",
		InputSchema: `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}`,
		Traits:      pegboard.Traits{Concurrency: pegboard.Shared},
	}.New()
	require.Empty(t, fake.Calls())
	calls := []pegboard.Call{tooltest.Call("Read", `{"path":"a"}`), tooltest.Call("Read", `{"pth":"b"}`), tooltest.Call("Read", `{"path":"c"}`)}
	var e pegboard.Executor
	e.Run(t.Context(), poolOf(t, fake), calls...)
	require.ElementsMatch(t, []string{`{"path":"a"}`, `{"path":"c"}`}, inputsOf(fake.Calls()), "what was refused is no call")

	fake.Calls()[0].Input[0] = 'X'
	require.NotContains(t, string(fake.Calls()[0].Input), "X", "Calls returns copies")
}

func inputsOf(calls []pegboard.Call) []string {
	var inputs []string
	for _, c := range calls {
		inputs = append(inputs, string(c.Input))
	}
	return inputs
}

func TestStandInKeepsAllButTheCall(t *testing.T) {
	t.Parallel()
	fake := tooltest.StandIn(shout(), tooltest.Reply{Text: "scripted"})
	require.Equal(t, shout().Info(), fake.Info())
	out := tooltest.Run(t.Context(), fake, nil, `{"text":"hello"}`)
	require.Equal(t, "scripted", out.Result.Text())
	require.True(t, out.Call.Facts().ReadOnly)
	require.ErrorIs(t, tooltest.Run(t.Context(), fake, nil, `{"txt":"hello"}`).Err, pegboard.ErrInvalidInput)
	require.Equal(t, "ok", tooltest.Run(t.Context(), tooltest.StandIn(shout()), nil, `{"text":"a"}`).Result.Text())
}

func TestFakeConfig(t *testing.T) {
	t.Parallel()
	fake := tooltest.FakeConfig{
		Name: "Edit", Title: "Change a file", Aliases: []string{"Change"}, Description: "Edits.", RequiresUser: true,
		Traits: pegboard.Traits{Concurrency: pegboard.PerTarget, Destructive: true},
		Targets: func(input json.RawMessage) []policy.Target {
			var in struct{ Path string }
			if err := json.Unmarshal(input, &in); err != nil {
				return nil
			}
			return []policy.Target{{Kind: policy.Path, Value: in.Path}}
		},
		Summary:         func(input json.RawMessage) pegboard.Summary { return pegboard.Summary{Before: "Edit " + string(input)} },
		ClassifierInput: func(input json.RawMessage, _ *pegboard.Call) string { return "edits " + string(input) },
	}.New()
	require.Equal(t, pegboard.Info{Name: "Edit", Title: "Change a file", Aliases: []string{"Change"}, RequiresUser: true}, fake.Info())
	d, ok := fake.Declare(pegboard.Scope{})
	require.True(t, ok)
	require.Equal(t, "Edits.", d.Description)
	require.JSONEq(t, `{"type":"object"}`, string(d.InputSchema))
	c := tooltest.Call("Edit", `{"path":"a"}`)
	require.Equal(t, pegboard.Traits{
		Targets:     []policy.Target{{Kind: policy.Path, Value: "a"}},
		Concurrency: pegboard.PerTarget, Destructive: true,
	}, fake.Traits(&c))
	require.Equal(t, pegboard.Summary{Before: `Edit {"path":"a"}`}, fake.Summary(&c))
	require.Equal(t, `edits {"path":"a"}`, fake.ClassifierInput(&c))
}

func TestFakeIsCautious(t *testing.T) {
	t.Parallel()
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir()})
	require.NoError(t, err)
	fake := tooltest.NewFake("Bash")
	out := tooltest.Run(t.Context(), fake, s, `{}`)
	require.ErrorIs(t, out.Err, pegboard.ErrDenied)
	require.Empty(t, fake.Calls())
	require.NoError(t, s.Close(t.Context()))
}

func TestFakePanicsOnWrongSource(t *testing.T) {
	t.Parallel()
	require.PanicsWithValue(t, "tooltest: fake tool: tool without a name: Info.Name: is empty", func() { tooltest.NewFake("") })
	require.Panics(t, func() { tooltest.FakeConfig{Name: "T", InputSchema: `{"type":1}`}.New() })
}
