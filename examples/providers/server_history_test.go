package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHistoryChecks gives the local server histories that it must refuse: a server that
// takes everything would prove nothing.
func TestHistoryChecks(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		turns   func([]json.RawMessage) (int, error)
		history string
		want    string
	}{
		{name: "anthropic: results swapped", turns: anthropicTurns, want: "followed by the results", history: `[
			{"role":"assistant","content":[{"type":"tool_use","id":"a"},{"type":"tool_use","id":"b"}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"b"},{"type":"tool_result","tool_use_id":"a"}]}]`},
		{name: "anthropic: unsigned thinking", turns: anthropicTurns, want: "signature", history: `[
			{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"a"}]}]`},
		{name: "chat: one result is missing", turns: chatTurns, want: "followed by the results", history: `[
			{"role":"assistant","tool_calls":[{"id":"a"},{"id":"b"}]},{"role":"tool","tool_call_id":"a"},{"role":"user","content":"?"}]`},
		{name: "chat: a result without a call", turns: chatTurns, want: "followed by the results", history: `[
			{"role":"user","content":"?"},{"role":"tool","tool_call_id":"a"}]`},
		{name: "responses: no results", turns: responsesTurns, want: "followed by the results", history: `[
			{"type":"function_call","call_id":"a"},{"role":"user","content":"?"}]`},
		{name: "responses: reasoning without content", turns: responsesTurns, want: "reasoning", history: `[
			{"type":"reasoning","summary":[]},{"type":"message","role":"assistant"}]`},
		{name: "gemini: results swapped", turns: geminiTurns, want: "followed by the results", history: `[
			{"role":"model","parts":[{"functionCall":{"name":"a"},"thoughtSignature":"eA=="},{"functionCall":{"name":"b"}}]},
			{"role":"user","parts":[{"functionResponse":{"name":"b"}},{"functionResponse":{"name":"a"}}]}]`},
		{name: "gemini: no signature", turns: geminiTurns, want: "signature", history: `[
			{"role":"model","parts":[{"functionCall":{"name":"a"}}]}]`},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var history []json.RawMessage
			require.NoError(t, json.Unmarshal([]byte(tc.history), &history))
			_, err := tc.turns(history)
			require.ErrorContains(t, err, tc.want)
		})
	}
}
