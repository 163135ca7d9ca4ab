package eino_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/schema"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/eino"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func (i *interrupting) InvokableRun(ctx context.Context, _ string, _ ...tool.Option) (string, error) {
	if i.calls++; i.calls == 1 {
		return "", tool.Interrupt(ctx, "may it?")
	}
	return "approved", nil
}

// store keeps checkpoints.
type store struct{ all sync.Map }

func (s *store) Get(_ context.Context, id string) ([]byte, bool, error) {
	v, ok := s.all.Load(id)
	data, _ := v.([]byte)
	return data, ok, nil
}

func (s *store) Set(_ context.Context, id string, data []byte) error {
	s.all.Store(id, data)
	return nil
}

type cityInput struct {
	City string `json:"city" jsonschema:"required"`
}

func weather(t testing.TB) tool.InvokableTool {
	t.Helper()
	made, err := utils.InferTool("weather", "Tells the weather.", func(_ context.Context, in *cityInput) (string, error) {
		if in.City == "Atlantis" {
			return "", errors.New("there is no such city")
		}
		return "It rains in " + in.City + ".", nil
	})
	require.NoError(t, err)
	return made
}

func TestFromTool(t *testing.T) {
	t.Parallel()
	made, err := eino.FromTool(t.Context(), weather(t))
	require.NoError(t, err)
	require.NoError(t, tooltest.Check(made, `{"city": "Oslo"}`))
	run := func(rules []string, input string) pegboard.Outcome {
		var r pegboard.Registry
		report, err := r.Attach("weather service", made)
		require.NoError(t, err)
		require.Empty(t, report.Quarantined)
		s := newSession(t, pegboard.SessionConfig{Permissions: allowing(t, rules...)})
		pool := r.AssemblePool(s, pegboard.PoolConfig{})
		require.Equal(t, 1, pool.Len())
		for tool := range pool.All() {
			return new(pegboard.Executor).Run(t.Context(), pool, pegboard.Call{ID: "1", Name: tool.Info().Name, Input: json.RawMessage(input)})[0]
		}
		panic("no tool")
	}
	rule := []string{"mcp__weather_service__weather"}

	o := run(rule, `{"city": "Oslo"}`)
	require.NoError(t, o.Err)
	require.Equal(t, "It rains in Oslo.", o.Result.Text())

	o = run(rule, `{"city": "Atlantis"}`)
	require.ErrorIs(t, o.Err, pegboard.ErrToolFailed)
	require.Contains(t, o.Result.Text(), "there is no such city")

	o = run(rule, `{"town": "Oslo"}`)
	require.ErrorIs(t, o.Err, pegboard.ErrInvalidInput)

	o = run(nil, `{"city": "Oslo"}`)
	require.ErrorIs(t, o.Err, pegboard.ErrDenied)
	require.Equal(t, "It rains in Oslo.", run(rule, `{"city": "Oslo"}`).Result.Text())
}

// oddTool has an Info of its own.
type oddTool struct {
	tool.InvokableTool
	info *schema.ToolInfo
	err  error
}

func (o oddTool) Info(context.Context) (*schema.ToolInfo, error) { return o.info, o.err }

func TestFromToolRefuses(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	_, err := eino.FromTool(t.Context(), nil)
	require.Error(t, err)
	_, err = eino.FromTool(t.Context(), oddTool{err: broken})
	require.ErrorIs(t, err, broken)
	_, err = eino.FromTool(t.Context(), oddTool{})
	require.Error(t, err)
	var build *pegboard.BuildError
	_, err = eino.FromTool(t.Context(), oddTool{info: &schema.ToolInfo{}})
	require.ErrorAs(t, err, &build)
	_, err = eino.FromTool(t.Context(), oddTool{info: &schema.ToolInfo{Name: "plain"}})
	require.NoError(t, err, "a tool without parameters")
}
