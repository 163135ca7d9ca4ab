package anthropic_test

import (
	"context"
	"errors"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/toolrunner"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	pegboardanthropic "github.com/seed49eaa51d/pegboard/contrib/anthropic"
)

type place struct {
	City string `json:"city" jsonschema:"required"`
}

// weather returns a tool of the SDK.
func weather(t *testing.T, get func(city string) (sdk.BetaToolResultBlockParamContentUnion, error)) sdk.BetaTool {
	t.Helper()
	tool, err := toolrunner.NewBetaToolFromJSONSchema("get_weather", "Says what the weather is.", func(_ context.Context, in place) (sdk.BetaToolResultBlockParamContentUnion, error) {
		return get(in.City)
	})
	require.NoError(t, err)
	return tool
}

func text(s string) sdk.BetaToolResultBlockParamContentUnion {
	return sdk.BetaToolResultBlockParamContentUnion{OfText: &sdk.BetaTextBlockParam{Text: s}}
}

// attached returns a pool with the tools of a source.
func attached(t *testing.T, s *pegboard.Session, tools ...sdk.BetaTool) (*pegboard.Pool, pegboard.AttachReport) {
	t.Helper()
	var r pegboard.Registry
	report, err := r.Attach("weather", pegboardanthropic.FromBetaTools(tools...)...)
	require.NoError(t, err)
	return r.AssemblePool(s, pegboard.PoolConfig{}), report
}

func TestFromBetaTools(t *testing.T) {
	t.Parallel()
	const name = "mcp__weather__get_weather"
	tool := weather(t, func(city string) (sdk.BetaToolResultBlockParamContentUnion, error) {
		if city == "Atlantis" {
			return sdk.BetaToolResultBlockParamContentUnion{}, errors.New("it has sunk")
		}
		return text("Rain in " + city + "."), nil
	})
	pool, _ := attached(t, newSession(t, pegboard.SessionConfig{}, name), tool)
	for d := range pool.Declarations(pegboard.External) {
		require.Equal(t, "Says what the weather is.", d.Description)
		require.Contains(t, string(d.InputSchema), `"required":["city"]`)
	}
	outs := new(pegboard.Executor).Run(t.Context(), pool, call(name, `{"city":"Ulm"}`), call(name, `{"city":"Atlantis"}`), call(name, `{"town":"Ulm"}`))
	require.NoError(t, outs[0].Err)
	require.Equal(t, "Rain in Ulm.", outs[0].Result.Text())
	require.ErrorContains(t, outs[1].Err, "it has sunk")
	require.Contains(t, outs[1].Result.Text(), "it has sunk")
	require.ErrorIs(t, outs[2].Err, pegboard.ErrInvalidInput)

	pool, _ = attached(t, newSession(t, pegboard.SessionConfig{}), tool)
	require.ErrorIs(t, new(pegboard.Executor).Run(t.Context(), pool, call(name, `{"city":"Ulm"}`))[0].Err, pegboard.ErrDenied, "nobody allowed it")
}

func TestPartsOfBetaTools(t *testing.T) {
	t.Parallel()
	const name = "mcp__weather__get_weather"
	for want, block := range map[*pegboard.Part]sdk.BetaToolResultBlockParamContentUnion{
		{MIME: "image/gif", Data: []byte("GIF89a\x01\x00\x01\x00\x00\x00\x00")}: {OfImage: &sdk.BetaImageBlockParam{Source: sdk.BetaImageBlockParamSourceUnion{
			OfBase64: &sdk.BetaBase64ImageSourceParam{MediaType: "image/gif", Data: "R0lGODlhAQABAAAAAA=="}}}},
		{MIME: "application/pdf", Data: []byte("%PDF-"), Title: "Map"}: {OfDocument: &sdk.BetaRequestDocumentBlockParam{Title: sdk.String("Map"), Source: sdk.BetaRequestDocumentBlockSourceUnionParam{
			OfBase64: &sdk.BetaBase64PDFSourceParam{Data: "JVBERi0="}}}},
		{MIME: "text/plain", Text: "Rain.", Title: "News"}: {OfDocument: &sdk.BetaRequestDocumentBlockParam{Title: sdk.String("News"), Source: sdk.BetaRequestDocumentBlockSourceUnionParam{
			OfText: &sdk.BetaPlainTextSourceParam{Data: "Rain."}}}},
		{Text: `{"tool_name":"get_wind","type":"tool_reference"}`}: {OfToolReference: &sdk.BetaToolReferenceBlockParam{ToolName: "get_wind"}},
		{Text: `{"source":{"data":"?","media_type":"image/gif","type":"base64"},"type":"image"}`}: {OfImage: &sdk.BetaImageBlockParam{Source: sdk.BetaImageBlockParamSourceUnion{
			OfBase64: &sdk.BetaBase64ImageSourceParam{MediaType: "image/gif", Data: "?"}}}},
	} {
		pool, _ := attached(t, newSession(t, pegboard.SessionConfig{}, name), weather(t, func(string) (sdk.BetaToolResultBlockParamContentUnion, error) { return block, nil }))
		o := new(pegboard.Executor).Run(t.Context(), pool, call(name, `{"city":"Ulm"}`))[0]
		require.NoError(t, o.Err)
		require.Equal(t, []pegboard.Part{*want}, o.Result.Parts)
	}
}

// TestUnusableBetaTools: one wrong tool does not cost the others.
func TestUnusableBetaTools(t *testing.T) {
	t.Parallel()
	wrong, err := toolrunner.NewBetaToolFromBytes("wrong", "", []byte(`{"type":"object","properties":{"a":{"type":"nothing"}}}`), func(context.Context, place) (sdk.BetaToolResultBlockParamContentUnion, error) {
		return text(""), nil
	})
	require.NoError(t, err)
	pool, report := attached(t, newSession(t, pegboard.SessionConfig{}), nil, wrong, weather(t, nil))
	require.Equal(t, 1, pool.Len())
	require.Len(t, report.Quarantined, 2)
}
