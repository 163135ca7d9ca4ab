package main

import (
	"encoding/json"
	"errors"
	"io"
	"testing"

	anthropicsdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"github.com/stretchr/testify/require"
	"google.golang.org/genai"

	"github.com/seed49eaa51d/pegboard"
)

// again passes JSON through a type of an SDK.
func again[T any](raw []byte) ([]byte, error) {
	var value T
	if err := json.Unmarshal(raw, &value); err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

// sdkTypes are what each SDK keeps a message and a tool in.
type sdkTypes struct{ message, tool func([]byte) ([]byte, error) }

func typesOf(name string) sdkTypes {
	switch name {
	case "anthropic":
		return sdkTypes{again[anthropicsdk.MessageParam], again[anthropicsdk.ToolUnionParam]}
	case "openai-chat":
		return sdkTypes{again[openai.ChatCompletionMessageParamUnion], again[openai.ChatCompletionToolUnionParam]}
	case "openai-responses":
		return sdkTypes{inputItem, again[responses.ToolUnionParam]}
	}
	return sdkTypes{again[genai.Content], again[genai.Tool]}
}

// inputItem passes an item through the union of all that the Responses API takes. The
// union decodes every message as a user's and loses the id and the status of the
// model's own, which has a type to itself.
func inputItem(raw []byte) ([]byte, error) {
	var message struct{ Type, Role string }
	if err := json.Unmarshal(raw, &message); err != nil {
		return nil, err
	}
	if message.Type == "message" && message.Role == "assistant" {
		return again[responses.ResponseOutputMessageParam](raw)
	}
	return again[responses.ResponseInputItemUnionParam](raw)
}

// TestRequestsInTheSDKsTypes passes all JSON that the codecs wrote in a conversation
// through the SDKs' own types, which must keep it.
func TestRequestsInTheSDKsTypes(t *testing.T) {
	t.Parallel()
	s, seen := start(t)
	for _, p := range providers() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			_, err := talk(t.Context(), io.Discard, p, s.endpoint(p))
			require.NoError(t, err)
			types := typesOf(p.name)
			for _, request := range seen.requests(t, p.name) {
				for _, message := range elements(t, request[p.history]) {
					requireKept(t, types.message, message)
				}
				for _, tool := range elements(t, request["tools"]) {
					requireKept(t, types.tool, tool)
				}
			}
		})
	}
}

func requireKept(t *testing.T, through func([]byte) ([]byte, error), text string) {
	t.Helper()
	kept, err := through([]byte(text))
	require.NoError(t, err, text)
	require.JSONEq(t, text, string(kept))
}

// TestResultsInTheSDKsTypes does the same with every kind of result. The server then takes
// the history, so that the results are complete and in order, too.
func TestResultsInTheSDKsTypes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		result *pegboard.Result // nil: there is no outcome
		err    error
		more   []pegboard.Part // said by the user meanwhile
	}{
		{name: "text", result: pegboard.TextResult("13:04")},
		{name: "text that JSON escapes", result: pegboard.TextResult("a < b & \"c\"\u2028\x00 \U0001f6a2")},
		{name: "several texts", result: &pegboard.Result{Parts: []pegboard.Part{{Text: "13:04"}, {Text: "2.7 m"}}}},
		{name: "nothing", result: &pegboard.Result{}},
		{name: "no outcome"},
		{name: "failure", result: &pegboard.Result{IsError: true, Parts: []pegboard.Part{{Text: "no such port"}}}, err: errors.New("no such port")},
		{name: "failure without a word", result: &pegboard.Result{IsError: true}},
		{name: "image", result: parts(pegboard.Part{MIME: "image/png", Data: []byte("\x89PNG")})},
		{name: "text and image", result: parts(pegboard.Part{Text: "the chart"}, pegboard.Part{MIME: "image/png", Data: []byte("\x89PNG")})},
		{name: "PDF", result: parts(pegboard.Part{MIME: "application/pdf", Data: []byte("%PDF-1.7"), Title: "Tide table"})},
		{name: "text document", result: parts(pegboard.Part{MIME: "text/plain", Text: "13:04", Title: "Tide table"})},
		{name: "search result", result: parts(pegboard.Part{Text: "13:04", Title: "Tides", Source: "https://example.com/tides"})},
		{name: "tool reference", result: parts(pegboard.Part{Tool: "Ferry"})},
		{name: "more", result: pegboard.TextResult("13:04"), more: []pegboard.Part{{Text: "and tomorrow?"}, {MIME: "image/png", Data: []byte("\x89PNG")}}},
		{name: "other bytes", result: parts(pegboard.Part{MIME: "audio/wav", Data: []byte("RIFF")})},
	}
	s, _ := start(t)
	for _, p := range providers() {
		send, err := p.dial(t.Context(), s.endpoint(p))
		require.NoError(t, err)
		for _, tc := range tests {
			t.Run(p.name+"/"+tc.name, func(t *testing.T) {
				t.Parallel()
				codec := p.codec(harbour(t))
				history := codec.User(pegboard.Part{Text: question})
				message, err := ask(t.Context(), codec, send, history, ignore)
				require.NoError(t, err)
				require.Len(t, message.Calls, 2)
				outcomes := []pegboard.Outcome{{Call: &message.Calls[1], Result: pegboard.TextResult("16:30")}}
				if tc.result != nil {
					outcomes = append(outcomes, pegboard.Outcome{Call: &message.Calls[0], Result: tc.result, Err: tc.err})
				}
				results := codec.Results(message, outcomes, tc.more...)
				for _, raw := range append(message.History, results...) {
					requireKept(t, typesOf(p.name).message, string(raw))
				}
				history = append(append(history, message.History...), results...)
				last, err := ask(t.Context(), codec, send, history, ignore)
				require.NoError(t, err)
				require.Empty(t, last.Calls)
			})
		}
	}
}

func parts(all ...pegboard.Part) *pegboard.Result { return &pegboard.Result{Parts: all} }
