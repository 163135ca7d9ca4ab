package pegboard_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// echoing returns a definition of a tool that returns its input.
func echoing[In any]() pegboard.Definition[In, In] {
	return pegboard.Definition[In, In]{
		Info: pegboard.Info{Name: "T"}, Description: "Does it.",
		Call: func(_ ctx, in In, _ *pegboard.Call) (In, error) { return in, nil },
	}
}

// refusal returns the field and the text of the error of a Build.
func refusal[In, Out any](t *testing.T, d pegboard.Definition[In, Out]) string {
	t.Helper()
	tool, err := pegboard.TryBuild(d)
	var wrong *pegboard.BuildError
	require.ErrorAs(t, err, &wrong)
	require.Nil(t, tool)
	return err.Error()
}

func TestTagsWithoutAMeaningAreBuildErrors(t *testing.T) {
	t.Parallel()
	type comma struct {
		Path string `json:"path" jsonschema:"description=Where to look, or nothing"`
	}
	type number struct {
		Size int `json:"size" jsonschema:"minimum=abc"`
	}
	type other struct {
		Path string `json:"path" description:"Where."`
	}
	require.Contains(t, refusal(t, echoing[comma]()), `T: In: comma.Path: the tag jsonschema: " or nothing" is no keyword; a comma inside a text is written \\,`)
	require.Contains(t, refusal(t, echoing[number]()), `T: In: number.Size: the tag jsonschema: minimum=abc wants a number: minimum=1`)
	require.Contains(t, refusal(t, echoing[other]()), `write jsonschema_description:"Where."`)
}

// TestDefaultThatTheModelReadsIsWhatTheToolGets also covers Validate and the other stages,
// which get the same input.
func TestDefaultThatTheModelReadsIsWhatTheToolGets(t *testing.T) {
	t.Parallel()
	type input struct {
		Limit int    `json:"limit" jsonschema:"default=5,maximum=9"`
		Name  string `json:"name,omitempty"`
	}
	d := echoing[input]()
	d.Inspect = func(in input, _ *pegboard.Call) pegboard.Traits {
		return pegboard.Traits{ReadOnly: in.Limit > 0, Concurrency: pegboard.Shared}
	}
	tool := pegboard.Build(d)
	declared, _ := tool.Declare(pegboard.Scope{})
	require.Contains(t, string(declared.InputSchema), `"limit":{"type":"integer","maximum":9,"default":5}`)
	require.NotContains(t, string(declared.InputSchema), "required")
	pool := registryOf(t, tool).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{})
	for _, tt := range []struct{ input, want string }{
		{input: ``, want: `{"limit":5}`},
		{input: `{"name":"a"}`, want: `{"limit":5,"name":"a"}`},
		{input: `{"limit":0}`, want: `{"limit":0}`},
		{input: `{"limit":9,"name":""}`, want: `{"limit":9}`},
	} {
		out := ex.Run(t.Context(), pool, pegboard.Call{ID: "1", Name: "T", Input: json.RawMessage(tt.input)})[0]
		require.Equal(t, tt.want, out.Result.Text(), tt.input)
		require.Equal(t, tt.input, string(out.Call.Input), "the model's bytes stay")
	}
}

func TestOutputsThatJSONCannotEncodeAreBuildErrors(t *testing.T) {
	t.Parallel()
	type output struct{ Lines chan string }
	d := pegboard.Definition[struct{}, output]{
		Info: pegboard.Info{Name: "T"}, Description: "Does it.",
		Call: func(ctx, struct{}, *pegboard.Call) (output, error) { return output{}, nil },
	}
	require.Equal(t, `T: Out: output.Lines: a chan string has no JSON form; leave it out with the tag json:"-", or set Result`, refusal(t, d))
	d.Result = func(output) *pegboard.Result { return pegboard.TextResult("done") }
	pegboard.Build(d)

	require.Contains(t, refusal(t, pegboard.Definition[struct{}, pegboard.Result]{
		Info: pegboard.Info{Name: "T"}, Description: "Does it.",
		Call: func(ctx, struct{}, *pegboard.Call) (pegboard.Result, error) { return pegboard.Result{}, nil },
	}), "T: Out: Result.UpdateSession: a func(*pegboard.Session) has no JSON form")
}

// TestDenyRuleOnAParameterCoversItsDefault: a call that leaves the parameter out runs with
// the default.
func TestDenyRuleOnAParameterCoversItsDefault(t *testing.T) {
	t.Parallel()
	type input struct {
		Mode string `json:"mode" jsonschema:"enum=safe,enum=danger,default=danger"`
	}
	perms, err := pegboard.NewPermissions(pegboard.ModeDefault, pegboard.RuleSet{Allow: []string{"T"}, Deny: []string{"T(mode:danger)"}})
	require.NoError(t, err)
	pool := registryOf(t, pegboard.Build(echoing[input]())).AssemblePool(session(t, pegboard.SessionConfig{Permissions: perms}), pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{})
	for _, in := range []string{``, `{}`, `{"mode":"danger"}`} {
		require.ErrorIs(t, ex.Run(t.Context(), pool, call("1", "T", in))[0].Err, pegboard.ErrDenied, in)
	}
	require.NoError(t, ex.Run(t.Context(), pool, call("2", "T", `{"mode":"safe"}`))[0].Err)
}
