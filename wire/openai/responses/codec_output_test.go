package responses_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/openai/responses"
)

// outputOf returns the output schema that the API is told of a tool, or "".
func outputOf(t *testing.T, tool pegboard.Tool, config responses.Config) string {
	t.Helper()
	var all []struct {
		OutputSchema json.RawMessage `json:"output_schema"`
	}
	require.NoError(t, json.Unmarshal(responses.New(poolOf(t, tool), config).Tools(), &all))
	return string(all[0].OutputSchema)
}

// TestOutputSchemasAreSentOnRequest, of tools whose output the model reads.
func TestOutputSchemasAreSentOnRequest(t *testing.T) {
	t.Parallel()
	type weather struct {
		Degrees float64 `json:"degrees"`
	}
	d := pegboard.Definition[struct{}, weather]{
		Info: pegboard.Info{Name: "weather"}, Description: "Tells the weather.",
		Call: func(context.Context, struct{}, *pegboard.Call) (weather, error) { return weather{}, nil },
	}
	shown := pegboard.Build(d)
	d.Result = func(weather) *pegboard.Result { return pegboard.TextResult("warm") }
	on := responses.Config{OutputSchemas: true}
	const want = `{"type":"object","properties":{"degrees":{"type":"number"}},"required":["degrees"],"additionalProperties":false}`
	for range 2 { // the forms are remembered apart
		require.Empty(t, outputOf(t, shown, responses.Config{}))
		require.Equal(t, want, outputOf(t, shown, on))
	}
	require.Empty(t, outputOf(t, pegboard.Build(d), on), "the model reads other words")
	require.Empty(t, outputOf(t, tool(t, named("clock"), "Tells the time.", anyObject), on))
}
