package wire_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/wire"
)

// events returns a stream of events with this data, of which the last is cut off.
func events(data ...string) string { return "data: " + strings.Join(data, "\n\ndata: ") }

// growing is a call that arrives in pieces, in the form of each provider.
var growing = []string{
	wire.Anthropic: events(
		`{"type":"message_start","message":{"id":"m"}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"1","name":"tide","input":{}}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"port\": \"Tro"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"msø\"}"}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"tool_use"}}`, "{}",
	),
	wire.OpenAIChat: events(
		`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"1","function":{"name":"tide","arguments":""}}]}}]}`,
		`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"port\": \"Tro"}}]}}]}`,
		`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"msø\"}"}}]}}]}`,
		`{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`, "[DONE]",
	),
	wire.OpenAIResponses: events(
		`{"type":"response.created","response":{"id":"r"}}`,
		`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"1","name":"tide","arguments":""}}`,
		`{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"port\": \"Tro"}`,
		`{"type":"response.function_call_arguments.delta","output_index":0,"delta":"msø\"}"}`,
		`{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"1","name":"tide","arguments":"{\"port\": \"Tromsø\"}"}}`, "{}",
	),
	wire.Gemini: events(
		`{"candidates":[{"content":{"parts":[{"functionCall":{"id":"1","name":"tide","willContinue":true}}]}}]}`,
		`{"candidates":[{"content":{"parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$.port","stringValue":"Tro","willContinue":true}],"willContinue":true}}]}}]}`,
		`{"candidates":[{"content":{"parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$.port","stringValue":"msø"}],"willContinue":true}}]}}]}`,
		`{"candidates":[{"content":{"parts":[{"functionCall":{}}]}}]}`, "{}",
	),
}

func TestCodecShowsCallsWhileTheyGrow(t *testing.T) {
	t.Parallel()
	for i, codec := range codecs(tidePool(t)) {
		t.Run(wire.Provider(i).String(), func(t *testing.T) {
			t.Parallel()
			var got []string
			for e := range codec.Read(strings.NewReader(growing[i])).Events() {
				if e.Partial != nil {
					require.Equal(t, wire.Event{Partial: e.Partial}, e, "one field is set")
					got = append(got, fmt.Sprintf("%s %s %s", e.Partial.ID, e.Partial.Name, strings.ReplaceAll(string(e.Partial.Input()), " ", "")))
				} else {
					require.NotNil(t, e.Call)
					got = append(got, "complete")
				}
			}
			require.Contains(t, []string{"1 tide ", "1 tide {}"}, got[0], "it has begun")
			require.Equal(t, []string{`1 tide {"port":"Tro"}`, `1 tide {"port":"Tromsø"}`, "complete"}, got[1:])
		})
	}
}

// TestCodecShowsCutCalls: they do not run, and no request holds them.
func TestCodecShowsCutCalls(t *testing.T) {
	t.Parallel()
	for i, codec := range codecs(tidePool(t)) {
		cut := strings.Index(growing[i], `msø`)
		reply := codec.Read(strings.NewReader(growing[i][:cut]))
		shown := ""
		for e := range reply.Events() {
			require.Nil(t, e.Call)
			shown = string(e.Partial.Input())
		}
		require.JSONEq(t, `{"port":"Tro"}`, shown)
		m, err := reply.Message()
		require.ErrorIs(t, err, wire.ErrTruncated)
		require.Empty(t, m.Calls)
		require.Len(t, m.Incomplete, 1)
		require.Empty(t, m.History)
	}
}

// TestCodecShowsNoCallThatArrivesAtOnce: its Event says all.
func TestCodecShowsNoCallThatArrivesAtOnce(t *testing.T) {
	t.Parallel()
	for i, codec := range codecs(tidePool(t)) {
		for e := range codec.Read(strings.NewReader(script[i].call)).Events() {
			require.Nil(t, e.Partial)
		}
	}
}

// TestCodecShowsLongCalls: each event holds all of the input so far, which is not copied for
// it. At the end at most a tenth was not shown.
func TestCodecShowsLongCalls(t *testing.T) {
	t.Parallel()
	const pieces = 20_000
	for i, codec := range codecs(tidePool(t)) {
		t.Run(wire.Provider(i).String(), func(t *testing.T) {
			t.Parallel()
			all := strings.Split(growing[i], "\n\n")
			at := slices.IndexFunc(all, func(event string) bool { return strings.Contains(event, "msø") })
			var body strings.Builder
			body.WriteString(strings.Join(all[:at], "\n\n"))
			for range pieces {
				body.WriteString("\n\n" + strings.NewReplacer(`msø\"}`, "xyz", "msø\"", "xyz\",\"willContinue\":true").Replace(all[at]))
			}
			shown := 0
			for e := range codec.Read(strings.NewReader(body.String())).Events() {
				shown = len(e.Partial.Text)
			}
			require.Greater(t, shown, 3*pieces*9/10)
		})
	}
}
