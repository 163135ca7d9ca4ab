package tooltest_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func TestFakeConfig(t *testing.T) {
	t.Parallel()
	fake := tooltest.FakeConfig{
		Name: "Edit", Title: "Change a file", Aliases: []string{"Change"}, Description: "Edits.", RequiresUser: true,
		Traits: pegboard.Traits{Concurrency: pegboard.PerTarget, Destructive: true},
		Targets: func(input json.RawMessage) []pegboard.Target {
			var in struct{ Path string }
			if err := json.Unmarshal(input, &in); err != nil {
				return nil
			}
			return []pegboard.Target{{Kind: pegboard.TargetPath, Value: in.Path}}
		},
		Lines:           func(input json.RawMessage) pegboard.Lines { return pegboard.Lines{Before: "Edit " + string(input)} },
		ClassifierInput: func(input json.RawMessage, _ *pegboard.Call) string { return "edits " + string(input) },
	}.New()
	require.Equal(t, pegboard.Info{Name: "Edit", Title: "Change a file", Aliases: []string{"Change"}, RequiresUser: true}, fake.Info())
	d, ok := fake.Declare(pegboard.Scope{})
	require.True(t, ok)
	require.Equal(t, "Edits.", d.Description)
	require.JSONEq(t, `{"type":"object"}`, string(d.InputSchema))
	c := tooltest.Call("Edit", `{"path":"a"}`)
	require.Equal(t, pegboard.Traits{
		Targets:     []pegboard.Target{{Kind: pegboard.TargetPath, Value: "a"}},
		Concurrency: pegboard.PerTarget, Destructive: true,
	}, fake.Traits(&c))
	require.Equal(t, pegboard.Lines{Before: `Edit {"path":"a"}`}, fake.Lines(&c))
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
