package wire_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/wire"
)

func TestUsagePlus(t *testing.T) {
	t.Parallel()
	most := wire.Usage{Input: math.MaxInt, Output: math.MaxInt, USD: math.MaxFloat64}
	tests := []struct {
		name        string
		a, b, want  wire.Usage
		tokens      int
		encodedWant string
	}{
		{name: "nothing", encodedWant: `{"input_tokens":0,"output_tokens":0}`},
		{
			name: "everything", a: wire.Usage{Input: 1, Output: 5, Thinking: 2, CacheRead: 3, CacheWrite: 4, Total: 13, USD: 0.5},
			b:    wire.Usage{Input: 10, Output: 50, Thinking: 20, CacheRead: 30, CacheWrite: 40, Total: 130, USD: 0.25},
			want: wire.Usage{Input: 11, Output: 55, Thinking: 22, CacheRead: 33, CacheWrite: 44, Total: 143, USD: 0.75}, tokens: 143,
			encodedWant: `{"input_tokens":11,"output_tokens":55,"thinking_tokens":22,"cache_read_input_tokens":33,"cache_creation_input_tokens":44,"total_tokens":143,"cost_usd":0.75}`,
		},
		{
			name: "negative, and no number", a: wire.Usage{Input: 1}, b: wire.Usage{Input: -5, USD: math.NaN()},
			want: wire.Usage{Input: 1}, tokens: 1, encodedWant: `{"input_tokens":1,"output_tokens":0}`,
		},
		{name: "too much", a: most, b: most, want: most, tokens: math.MaxInt},
	}
	for _, tt := range tests {
		got := tt.a.Plus(tt.b)
		require.Equal(t, tt.want, got, tt.name)
		require.Equal(t, tt.tokens, got.Tokens(), tt.name)
		encoded, err := json.Marshal(got)
		require.NoError(t, err, tt.name)
		if tt.encodedWant != "" {
			require.Equal(t, tt.encodedWant, string(encoded), tt.name)
		}
	}
}
