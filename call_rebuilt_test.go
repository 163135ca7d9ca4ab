package pegboard_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestProgressOfARebuiltCall goes to the func that its maker has set. That of a call of an
// executor goes to its listener, whatever a tool does.
func TestProgressOfARebuiltCall(t *testing.T) {
	t.Parallel()
	reports := func(got *[]any) func(string, any) {
		return func(text string, data any) { *got = append(*got, text, data) }
	}
	var stolen []any
	tool := plain("T", func(_ context.Context, _ struct{}, c *pegboard.Call) (string, error) {
		c.OnProgress(reports(&stolen))
		c.Emit("half")
		c.EmitData("all", 2)
		return "done", nil
	})
	pool := registryOf(t, tool).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})

	var events []string
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventProgress {
			events = append(events, e.Text)
		}
	}})
	require.NoError(t, ex.Run(t.Context(), pool, call("1", "T", `{}`))[0].Err)
	require.Equal(t, []string{"half", "all"}, events)
	require.Empty(t, stolen)

	quiet := plain("T", func(_ context.Context, _ struct{}, c *pegboard.Call) (string, error) {
		c.Emit("half")
		c.EmitData("all", 2)
		return "done", nil
	})
	pool = registryOf(t, quiet).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
	made, c, err := pool.Rebuild(call("1", "T", `{}`))
	require.NoError(t, err)
	_, err = made.Call(t.Context(), c)
	require.NoError(t, err, "no one listens")
	var got []any
	c.OnProgress(reports(&got))
	_, err = made.Call(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, []any{"half", nil, "all", 2}, got)

	bare := call("1", "T", `{}`)
	bare.OnProgress(reports(&got))
	bare.Emit("unheard")
	require.Len(t, got, 4)
}

// TestToolDigest is equal where the same inputs are accepted.
func TestToolDigest(t *testing.T) {
	t.Parallel()
	digest := func(name string, tools ...pegboard.Tool) string {
		_, c, err := registryOf(t, tools...).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}).Rebuild(call("1", name, `{}`))
		require.NoError(t, err)
		return c.ToolDigest()
	}
	type one struct {
		A string `json:"a,omitempty"`
	}
	type other struct {
		A string `json:"a,omitempty" jsonschema:"maxLength=3"`
	}
	first := accepting("T", func(context.Context, one, *pegboard.Call) (string, error) { return "", nil })
	require.Len(t, digest("T", first), 64)
	require.Equal(t, digest("T", first), digest("T", accepting("T", func(context.Context, one, *pegboard.Call) (string, error) { return "other code", nil })))
	require.NotEqual(t, digest("T", first), digest("T", accepting("T", func(context.Context, other, *pegboard.Call) (string, error) { return "", nil })))
	require.NotEqual(t, digest("T", first), digest("U", accepting("U", func(context.Context, one, *pegboard.Call) (string, error) { return "", nil })))
	bare := call("1", "T", `{}`)
	require.Empty(t, bare.ToolDigest())

	var seen string
	ex := executor(pegboard.Executor{Invoke: func(_ context.Context, _ pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
		seen = c.ToolDigest()
		return pegboard.TextResult("done"), nil
	}})
	require.NoError(t, ex.Run(t.Context(), registryOf(t, first).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}), call("1", "T", `{}`))[0].Err)
	require.Equal(t, digest("T", first), seen)
}

// TestInfoOfACall has what the registry knows of an attached tool.
func TestInfoOfACall(t *testing.T) {
	t.Parallel()
	registry := registryOf(t, accepting("T", func(context.Context, struct{}, *pegboard.Call) (string, error) { return "", nil }))
	_, err := registry.Attach("graphics", accepting("draw it", func(context.Context, struct{}, *pegboard.Call) (string, error) { return "", nil }))
	require.NoError(t, err)
	pool := registry.AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
	_, own, err := pool.Rebuild(call("1", "T", `{}`))
	require.NoError(t, err)
	require.Equal(t, "T", own.Info().Name)
	require.False(t, own.Info().Origin.External())
	_, theirs, err := pool.Rebuild(call("1", "mcp__graphics__draw_it", `{}`))
	require.NoError(t, err)
	require.Equal(t, "mcp__graphics__draw_it", theirs.Info().Name)
	require.Equal(t, pegboard.Origin{Source: "graphics", Tool: "draw it"}, theirs.Info().Origin)
	bare := call("1", "T", `{}`)
	require.Empty(t, bare.Info().Name)
}

// accepting returns a tool with the input In.
func accepting[In any](name string, call func(context.Context, In, *pegboard.Call) (string, error)) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[In, string]{Info: pegboard.Info{Name: name}, Description: "For a test.", Call: call})
}
