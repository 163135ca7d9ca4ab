package agents

import "math"

// A Usage is the cost of requests to a model.
type Usage struct {
	InputTokens      int     `json:"input_tokens"` // without those read from or written to the cache
	OutputTokens     int     `json:"output_tokens"`
	CacheReadTokens  int     `json:"cache_read_input_tokens,omitempty"`
	CacheWriteTokens int     `json:"cache_creation_input_tokens,omitempty"`
	USD              float64 `json:"cost_usd,omitempty"`
}

// Tokens returns the sum of all tokens, at most [math.MaxInt].
func (u Usage) Tokens() int {
	return sum(sum(u.InputTokens, u.OutputTokens), sum(u.CacheReadTokens, u.CacheWriteTokens))
}

// plus returns the sum of u and v. Negative numbers of v, and a cost that is no number, do not
// count. No number becomes larger than what its type and JSON can hold.
func (u Usage) plus(v Usage) Usage {
	u.InputTokens = sum(u.InputTokens, v.InputTokens)
	u.OutputTokens = sum(u.OutputTokens, v.OutputTokens)
	u.CacheReadTokens = sum(u.CacheReadTokens, v.CacheReadTokens)
	u.CacheWriteTokens = sum(u.CacheWriteTokens, v.CacheWriteTokens)
	if v.USD > 0 {
		u.USD = min(u.USD+v.USD, math.MaxFloat64)
	}
	return u
}

// sum returns the sum of a and b, of which negative ones do not count.
func sum(a, b int) int {
	a, b = max(a, 0), max(b, 0)
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}
