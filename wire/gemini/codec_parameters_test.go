package gemini_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/gemini"
)

// TestParametersHaveOtherNames in requests and replies if the API does not take theirs. A
// call comes back with the names that the tool declares, however it arrives.
func TestParametersHaveOtherNames(t *testing.T) {
	t.Parallel()
	var r pegboard.Registry
	require.NoError(t, r.Add(tool(t, "find", "", `{"type":"object","properties":{"-i":{"type":"boolean"},"pattern":{"type":"string"}},"required":["pattern","-i"],"additionalProperties":false}`)))
	conversation := session(t)
	pool := r.AssemblePool(conversation, pegboard.PoolConfig{})
	for _, config := range []gemini.Config{{}, {JSONSchema: true}} {
		c := gemini.New(pool, config)
		require.Empty(t, c.Omitted())
		require.Contains(t, string(c.Tools()), `"_i"`)
		require.NotContains(t, string(c.Tools()), `"-i":`)
		streamed := stream(`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"find","partialArgs":[{"jsonPath":"$.pattern","stringValue":"x"},{"jsonPath":"$._i","boolValue":true}],"willContinue":true}}]}}],"responseId":"r"}`,
			`{"candidates":[{"content":{"parts":[{"functionCall":{}}]},"finishReason":"STOP"}],"responseId":"r"}`)
		for _, body := range []string{ends("STOP", calls("find", `{"pattern":"x","_i":true}`)), streamed} {
			m, err := c.Read(strings.NewReader(body)).Message()
			require.NoError(t, err)
			require.Len(t, m.Calls, 1)
			require.JSONEq(t, `{"pattern":"x","-i":true}`, string(m.Calls[0].Input))
			require.Contains(t, string(only(m.History)), "_i", "the history is as the model wrote it")
			e := pegboard.Executor{}
			conversation.NewTurn()
			o := e.Run(t.Context(), pool, m.Calls...)[0]
			require.NoError(t, o.Err)
			next := c.Results(m, []pegboard.Outcome{o})
			sent, repairs := c.Normalize(append(append([]json.RawMessage{}, m.History...), next...))
			require.Empty(t, repairs)
			require.Len(t, sent, 2)
		}
	}
}
