package agents_test

import (
	"context"
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// TestUsageOutOfRange: no cost that a Loop reports makes the budget larger, or keeps the record
// and the result of an agent from being written.
func TestUsageOutOfRange(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		used  agents.Usage
		spent bool
	}{
		{name: "the largest numbers", used: agents.Usage{InputTokens: math.MaxInt, OutputTokens: math.MaxInt}, spent: true},
		{name: "an infinite cost", used: agents.Usage{USD: math.Inf(1)}, spent: true},
		{name: "the largest cost", used: agents.Usage{USD: math.MaxFloat64}, spent: true},
		{name: "no number", used: agents.Usage{USD: math.NaN()}},
		{name: "negative numbers", used: agents.Usage{InputTokens: -1 << 30, USD: -100}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, pegboard.SessionConfig{}, func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
				_, err := a.Next(ctx, agents.Usage{})
				return agents.Reply{Text: "Done.", Used: tc.used}, err
			}, func(o *agents.Options) { o.MaxTokens, o.MaxUSD, o.Dir = 1000, 5, t.TempDir() }, look())
			for range 2 {
				out := h.call(t, nil)
				if out.Err == nil {
					data := resultOf(t, out)
					require.GreaterOrEqual(t, data.TotalTokens, 0)
					_, err := json.Marshal(data)
					require.NoError(t, err)
				}
			}
			err := h.call(t, nil).Err
			if tc.spent {
				require.ErrorIs(t, err, agents.ErrBudget)
			} else {
				require.NoError(t, err)
			}
		})
	}
}
