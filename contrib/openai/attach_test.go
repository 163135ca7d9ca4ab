package openai_test

import (
	"context"
	"errors"
	"testing"

	sdk "github.com/openai/openai-go/v3"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	pegboardopenai "github.com/seed49eaa51d/pegboard/contrib/openai"
)

const getWeather = "mcp__weather__get_weather"

func weather() sdk.AgentToolParamFunction {
	return sdk.AgentToolParamFunction{Name: "get_weather", Description: "Says what the weather is.", Parameters: map[string]any{
		"type": "object", "properties": map[string]any{"city": map[string]any{"type": "string"}}, "required": []string{"city"},
	}}
}

func attached(t *testing.T, s *pegboard.Session, tools ...pegboard.Tool) (*pegboard.Pool, pegboard.AttachReport) {
	t.Helper()
	var r pegboard.Registry
	report, err := r.Attach("weather", tools...)
	require.NoError(t, err)
	return r.AssemblePool(s, pegboard.PoolConfig{}), report
}

func TestFromAgentTool(t *testing.T) {
	t.Parallel()
	tool := pegboardopenai.FromAgentTool(weather(), func(_ context.Context, arguments map[string]any) (any, error) {
		if arguments["city"] == "Atlantis" {
			return nil, errors.New("it has sunk")
		}
		return map[string]any{"rain": true}, nil
	})
	pool, _ := attached(t, newSession(t, pegboard.SessionConfig{}, getWeather), tool)
	outs := new(pegboard.Executor).Run(t.Context(), pool, call(getWeather, `{"city":"Ulm"}`), call(getWeather, `{"city":"Atlantis"}`), call(getWeather, `{"town":"Ulm"}`))
	require.NoError(t, outs[0].Err)
	require.JSONEq(t, `{"rain":true}`, outs[0].Result.Text())
	require.ErrorContains(t, outs[1].Err, "it has sunk")
	require.Contains(t, outs[1].Result.Text(), "it has sunk")
	require.ErrorIs(t, outs[2].Err, pegboard.ErrInvalidInput)

	pool, _ = attached(t, newSession(t, pegboard.SessionConfig{}), tool)
	require.ErrorIs(t, new(pegboard.Executor).Run(t.Context(), pool, call(getWeather, `{"city":"Ulm"}`))[0].Err, pegboard.ErrDenied, "nobody allowed it")
}

func TestOutputsOfAgentTools(t *testing.T) {
	t.Parallel()
	gif := []byte("GIF89a\x01\x00\x01\x00\x00\x00\x00")
	image := func(url string) sdk.InputContentParamUnion {
		return sdk.InputContentParamUnion{OfParamInputImage: &sdk.InputContentParamInputImage{ImageURL: url}}
	}
	for _, tt := range []struct {
		output any
		want   []pegboard.Part
	}{
		{"Rain.", []pegboard.Part{{Text: "Rain."}}},
		{[]sdk.InputContentParamUnion{sdk.InputContentParamOfParamInputText("Rain."), image("data:image/gif;base64,R0lGODlhAQABAAAAAA=="), image("https://example.com/a.gif"), {}},
			[]pegboard.Part{{Text: "Rain."}, {MIME: "image/gif", Data: gif}, {Text: "https://example.com/a.gif"}, {Text: "null"}}},
	} {
		pool, _ := attached(t, newSession(t, pegboard.SessionConfig{}, getWeather), pegboardopenai.FromAgentTool(weather(), func(context.Context, map[string]any) (any, error) { return tt.output, nil }))
		o := new(pegboard.Executor).Run(t.Context(), pool, call(getWeather, `{"city":"Ulm"}`))[0]
		require.NoError(t, o.Err)
		require.Equal(t, tt.want, o.Result.Parts)
	}
	pool, _ := attached(t, newSession(t, pegboard.SessionConfig{}, getWeather), pegboardopenai.FromAgentTool(weather(), func(context.Context, map[string]any) (any, error) { return 42, nil }))
	require.ErrorContains(t, new(pegboard.Executor).Run(t.Context(), pool, call(getWeather, `{"city":"Ulm"}`))[0].Err, "returned a int")
}

// TestUnusableAgentTools: one wrong function does not cost the others.
func TestUnusableAgentTools(t *testing.T) {
	t.Parallel()
	handle := func(context.Context, map[string]any) (any, error) { return "", nil }
	wrong := weather()
	wrong.Name, wrong.Parameters = "wrong", map[string]any{"type": "nothing"}
	odd := weather()
	odd.Name, odd.Parameters = "odd", map[string]any{"type": make(chan int)}
	missing := weather()
	missing.Name = "missing"
	pool, report := attached(t, newSession(t, pegboard.SessionConfig{}), pegboardopenai.FromAgentTool(wrong, handle), pegboardopenai.FromAgentTool(odd, handle),
		pegboardopenai.FromAgentTool(missing, nil), pegboardopenai.FromAgentTool(weather(), handle))
	require.Equal(t, 1, pool.Len())
	require.Len(t, report.Quarantined, 3)
}
