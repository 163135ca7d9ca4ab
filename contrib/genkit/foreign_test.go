package genkit_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/firebase/genkit/go/ai"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/genkit"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

type cityInput struct {
	City string `json:"city"`
}

func weather() ai.Tool {
	return ai.NewTool("weather", "Tells the weather.", func(ctx *ai.ToolContext, in cityInput) (string, error) {
		switch in.City {
		case "Atlantis":
			return "", errors.New("there is no such city")
		case "Utopia":
			return "", ctx.Interrupt(nil)
		}
		return "It rains in " + in.City + ".", nil
	})
}

// attached returns a func that calls a tool of genkit in a registry.
func attached(t *testing.T, theirs ai.Tool) func(rules []string, input string) pegboard.Outcome {
	t.Helper()
	made, err := genkit.FromTool(theirs)
	require.NoError(t, err)
	return func(rules []string, input string) pegboard.Outcome {
		var r pegboard.Registry
		report, err := r.Attach("genkit", made)
		require.NoError(t, err)
		require.Empty(t, report.Quarantined)
		s := newSession(t, pegboard.SessionConfig{Permissions: allowing(t, rules...)})
		pool := r.AssemblePool(s, pegboard.PoolConfig{})
		return new(pegboard.Executor).Run(t.Context(), pool, pegboard.Call{ID: "1", Name: "mcp__genkit__" + theirs.Name(), Input: json.RawMessage(input)})[0]
	}
}

func TestFromTool(t *testing.T) {
	t.Parallel()
	made, err := genkit.FromTool(weather())
	require.NoError(t, err)
	require.NoError(t, tooltest.Check(made, `{"city": "Oslo"}`))
	run, rule := attached(t, weather()), []string{"mcp__genkit"}

	o := run(rule, `{"city": "Oslo"}`)
	require.NoError(t, o.Err)
	require.Equal(t, "It rains in Oslo.", o.Result.Text())

	o = run(rule, `{"city": "Atlantis"}`)
	require.ErrorIs(t, o.Err, pegboard.ErrToolFailed)
	require.Contains(t, o.Result.Text(), "there is no such city")

	o = run(rule, `{"city": "Utopia"}`)
	require.ErrorIs(t, o.Err, pegboard.ErrToolFailed)
	require.Contains(t, o.Result.Text(), "interrupted")

	o = run(rule, `{"town": "Oslo"}`)
	require.ErrorIs(t, o.Err, pegboard.ErrInvalidInput)

	o = run(nil, `{"city": "Oslo"}`)
	require.ErrorIs(t, o.Err, pegboard.ErrDenied)
}

// TestFromMultipartTool: outputs that are no text, and parts.
func TestFromMultipartTool(t *testing.T) {
	t.Parallel()
	theirs := ai.NewMultipartTool("show", "Shows.", func(*ai.ToolContext, struct{}) (*ai.MultipartToolResponse, error) {
		return &ai.MultipartToolResponse{Output: map[string]any{"n": 1}, Content: []*ai.Part{
			ai.NewMediaPart("image/png", "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="),
			ai.NewMediaPart("image/png", "https://example.com/a.png"), ai.NewTextPart("a point"),
		}}, nil
	})
	o := attached(t, theirs)([]string{"mcp__genkit"}, `{}`)
	require.NoError(t, o.Err)
	require.Len(t, o.Result.Parts, 4)
	require.Equal(t, `{"n":1}`, o.Result.Parts[0].Text)
	require.Equal(t, "image/png", o.Result.Parts[1].MIME)
	require.NotEmpty(t, o.Result.Parts[1].Data)
	require.Equal(t, "https://example.com/a.png", o.Result.Parts[2].Text)
	require.Equal(t, "a point", o.Result.Parts[3].Text)
}

func TestFromToolRefuses(t *testing.T) {
	t.Parallel()
	_, err := genkit.FromTool(nil)
	require.Error(t, err)
	_, err = genkit.FromTool(ai.NewTool("list", "Lists.", func(*ai.ToolContext, []string) (string, error) { return "", nil }))
	require.Error(t, err, "the input of a tool here is an object")
}
