package gemini_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/gemini"
)

// outputOf returns the output schema that the API is told of a tool, or "".
func outputOf(t *testing.T, tool pegboard.Tool, config gemini.Config) string {
	t.Helper()
	var all []struct {
		FunctionDeclarations []struct{ ResponseJSONSchema json.RawMessage }
	}
	require.NoError(t, json.Unmarshal(gemini.New(poolOf(t, tool), config).Tools(), &all))
	return string(all[0].FunctionDeclarations[0].ResponseJSONSchema)
}

// TestOutputSchemasAreSentOnRequest, of tools whose output the model reads.
func TestOutputSchemasAreSentOnRequest(t *testing.T) {
	t.Parallel()
	type weather struct {
		Degrees float64 `json:"degrees"`
		Note    *string `json:"note"`
	}
	d := pegboard.Definition[struct{}, weather]{
		Info: pegboard.Info{Name: "weather"}, Description: "Tells the weather.",
		Call: func(context.Context, struct{}, *pegboard.Call) (weather, error) { return weather{}, nil },
	}
	shown := pegboard.Build(d)
	d.Result = func(weather) *pegboard.Result { return pegboard.TextResult("warm") }
	on := gemini.Config{OutputSchemas: true}
	want := outputOf(t, shown, on)
	require.JSONEq(t, `{"type":"object","properties":{"degrees":{"type":"number"},"note":{"type":["string","null"]}},"required":["degrees","note"],"additionalProperties":false}`, want)
	for range 2 { // the forms are remembered apart
		require.Empty(t, outputOf(t, shown, gemini.Config{}))
		require.Equal(t, want, outputOf(t, shown, on))
	}
	require.Empty(t, outputOf(t, pegboard.Build(d), on), "the model reads other words")
	require.Empty(t, outputOf(t, tool(t, "clock", "Tells the time.", anyObject), on))
	dashes, err := pegboard.BuildRaw(json.RawMessage(anyObject), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info: pegboard.Info{Name: "dashes"}, Description: "Its output has names that the API would not take.",
		OutputSchema: json.RawMessage(`{"type":"object","properties":{"-A":{"type":"integer"}}}`),
		Call:         func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) { return nil, nil },
	})
	require.NoError(t, err)
	require.Empty(t, outputOf(t, dashes, on))
}
