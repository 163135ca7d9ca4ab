package agents

// A Usage is the cost of requests to a model.
type Usage struct {
	InputTokens      int     `json:"input_tokens"` // without those read from or written to the cache
	OutputTokens     int     `json:"output_tokens"`
	CacheReadTokens  int     `json:"cache_read_input_tokens,omitempty"`
	CacheWriteTokens int     `json:"cache_creation_input_tokens,omitempty"`
	USD              float64 `json:"cost_usd,omitempty"`
}

// Tokens returns the sum of all tokens.
func (u Usage) Tokens() int {
	return u.InputTokens + u.OutputTokens + u.CacheReadTokens + u.CacheWriteTokens
}

// plus returns the sum of u and v. Negative numbers of v, and a cost that is no number, do not
// count.
func (u Usage) plus(v Usage) Usage {
	u.InputTokens += max(v.InputTokens, 0)
	u.OutputTokens += max(v.OutputTokens, 0)
	u.CacheReadTokens += max(v.CacheReadTokens, 0)
	u.CacheWriteTokens += max(v.CacheWriteTokens, 0)
	if v.USD > 0 {
		u.USD += v.USD
	}
	return u
}
