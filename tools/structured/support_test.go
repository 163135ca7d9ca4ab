package structured_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/structured"
)

const verdictSchema = `{"type":"object","properties":{"verdict":{"type":"string","enum":["good","bad"]},"lines":{"type":"integer"}},"required":["verdict"],"additionalProperties":false}`

// run is a run of a model with a tool of its own, Look, and an Output.
type run struct {
	out  *structured.Output
	pool *pegboard.Pool
	exec *pegboard.Executor
}

func newRun(t *testing.T, schema string, cfg pegboard.SessionConfig) *run {
	t.Helper()
	out, err := structured.New(json.RawMessage(schema))
	require.NoError(t, err)
	cfg.Dir = t.TempDir()
	session, err := pegboard.NewSession(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, session.Close(context.Background())) })
	var registry pegboard.Registry
	require.NoError(t, registry.Add(pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Look"}, Description: "Looks.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "seen", nil },
	}), pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Script"}, Description: "Calls StructuredOutput.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			return c.Run(ctx, answer(`{"verdict":"good"}`))[0].Result.Text(), nil
		},
	})))
	return &run{
		out: out, pool: registry.AssemblePool(session, pegboard.PoolConfig{With: []pegboard.Tool{out.Tool()}}),
		exec: &pegboard.Executor{Logger: slog.New(slog.DiscardHandler)},
	}
}

// answer is a call of the tool.
func answer(input string) pegboard.Call {
	return pegboard.Call{ID: "call-" + input, Name: structured.Name, Input: json.RawMessage(input)}
}

func look() pegboard.Call { return pegboard.Call{ID: "look", Name: "Look"} }

// message runs the calls of a message, and tells the Output.
func (r *run) message(t *testing.T, calls ...pegboard.Call) ([]pegboard.Part, error) {
	t.Helper()
	if len(calls) == 0 {
		return r.out.Next()
	}
	return r.out.Next(r.exec.Run(t.Context(), r.pool, calls...)...)
}

func (r *run) requireNoValue(t *testing.T) {
	t.Helper()
	value, ok := r.out.Value()
	require.False(t, ok)
	require.Nil(t, value)
}

func (r *run) requireValue(t *testing.T, want string) {
	t.Helper()
	value, ok := r.out.Value()
	require.True(t, ok)
	require.Equal(t, want, string(value))
}
