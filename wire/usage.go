package wire

import "math"

// Usage is how many tokens a reply took, or several. A count that the provider did not send is
// 0.
type Usage struct {
	Input      int `json:"input_tokens"`                          // without CacheRead and CacheWrite
	Output     int `json:"output_tokens"`                         // with the thinking
	Thinking   int `json:"thinking_tokens,omitempty"`             // part of Output; only Gemini tells it apart
	CacheRead  int `json:"cache_read_input_tokens,omitempty"`     // input that the provider's cache served
	CacheWrite int `json:"cache_creation_input_tokens,omitempty"` // input that the provider's cache stored; Gemini does not say
	Total      int `json:"total_tokens,omitempty"`                // as Gemini adds it up; 0 with other providers
	// USD is the price, which no provider sends: the host may set it.
	USD float64 `json:"cost_usd,omitempty"`
}

// Tokens returns the sum of all tokens, at most [math.MaxInt].
func (u Usage) Tokens() int { return sum(sum(u.Input, u.Output), sum(u.CacheRead, u.CacheWrite)) }

// Plus returns the sum of u and v. Negative numbers of v, and a price that is no number, do not
// count. No number becomes larger than its type and JSON can hold.
func (u Usage) Plus(v Usage) Usage {
	u.Input = sum(u.Input, v.Input)
	u.Output = sum(u.Output, v.Output)
	u.Thinking = sum(u.Thinking, v.Thinking)
	u.CacheRead = sum(u.CacheRead, v.CacheRead)
	u.CacheWrite = sum(u.CacheWrite, v.CacheWrite)
	u.Total = sum(u.Total, v.Total)
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
