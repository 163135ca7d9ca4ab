package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	anthropicsdk "github.com/anthropics/anthropic-sdk-go"
	anthropicstream "github.com/anthropics/anthropic-sdk-go/packages/ssestream"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/responses"
	"github.com/stretchr/testify/require"
	"google.golang.org/genai"
)

// called is a call as an SDK sees it.
type called struct{ name, input string }

// TestAccumulators reads the fixtures with the SDKs' own types. They find the calls
// that the codecs find. OpenAI's models write null where strict mode makes them write
// something, and the codec takes it out again.
func TestAccumulators(t *testing.T) {
	t.Parallel()
	want := []called{{"Tide", `{"port":"Tromsø","days":1}`}, {"Ferry", `{"from":"Tromsø","to":"Atlantis"}`}}
	strict := []called{want[0], {"Ferry", `{"from":"Tromsø","to":"Atlantis","passengers":null}`}}
	tests := []struct {
		name  string
		calls func(t *testing.T, fixture *http.Response) []called
		want  []called
	}{
		{name: "anthropic", calls: anthropicCalls, want: want},
		{name: "openai-chat", calls: chatCalls, want: strict},
		{name: "openai-responses", calls: responsesCalls, want: strict},
		{name: "gemini", calls: geminiCalls, want: want},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := tc.calls(t, response(t, tc.name+"/1.sse"))
			require.Len(t, got, len(tc.want))
			for i, want := range tc.want {
				require.Equal(t, want.name, got[i].name)
				require.JSONEq(t, want.input, got[i].input)
			}
			require.Empty(t, tc.calls(t, response(t, tc.name+"/2.sse")))
		})
	}
}

func response(t *testing.T, fixture string) *http.Response {
	t.Helper()
	b, err := fixtures.ReadFile("fixtures/" + fixture)
	require.NoError(t, err)
	return &http.Response{
		StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(b)),
		Header: http.Header{"Content-Type": {"text/event-stream"}},
	}
}

func anthropicCalls(t *testing.T, fixture *http.Response) (calls []called) {
	t.Helper()
	stream := anthropicstream.NewStream[anthropicsdk.MessageStreamEventUnion](anthropicstream.NewDecoder(fixture), nil)
	var message anthropicsdk.Message
	for stream.Next() {
		require.NoError(t, message.Accumulate(stream.Current()))
	}
	require.NoError(t, stream.Err())
	for _, block := range message.Content {
		if block.Type == "tool_use" {
			calls = append(calls, called{block.Name, string(block.Input)})
		}
	}
	return calls
}

func chatCalls(t *testing.T, fixture *http.Response) (calls []called) {
	t.Helper()
	stream := ssestream.NewStream[openai.ChatCompletionChunk](ssestream.NewDecoder(fixture), nil)
	var completion openai.ChatCompletionAccumulator
	for stream.Next() {
		require.True(t, completion.AddChunk(stream.Current()))
	}
	require.NoError(t, stream.Err())
	for _, c := range completion.Choices[0].Message.ToolCalls {
		calls = append(calls, called{c.Function.Name, c.Function.Arguments})
	}
	return calls
}

func responsesCalls(t *testing.T, fixture *http.Response) (calls []called) {
	t.Helper()
	stream := ssestream.NewStream[responses.ResponseStreamEventUnion](ssestream.NewDecoder(fixture), nil)
	var deltas strings.Builder
	var arguments string
	for stream.Next() {
		switch e := stream.Current().AsAny().(type) {
		case responses.ResponseFunctionCallArgumentsDeltaEvent:
			deltas.WriteString(e.Delta)
		case responses.ResponseFunctionCallArgumentsDoneEvent:
			arguments += e.Arguments
		case responses.ResponseCompletedEvent:
			for _, item := range e.Response.Output {
				if c, ok := item.AsAny().(responses.ResponseFunctionToolCall); ok {
					calls = append(calls, called{c.Name, c.Arguments})
				}
			}
		}
	}
	require.NoError(t, stream.Err())
	require.Equal(t, deltas.String(), arguments, "the pieces of the fixture are its calls")
	return calls
}

// geminiCalls asks a genai client, since the SDK exports no decoder.
func geminiCalls(t *testing.T, fixture *http.Response) (calls []called) {
	t.Helper()
	client, err := genai.NewClient(t.Context(), &genai.ClientConfig{
		APIKey: "fixture", Backend: genai.BackendGeminiAPI, HTTPClient: &http.Client{Transport: replaying{fixture}},
	})
	require.NoError(t, err)
	for chunk, err := range client.Models.GenerateContentStream(t.Context(), "fixture", genai.Text("?"), nil) {
		require.NoError(t, err)
		for _, c := range chunk.FunctionCalls() {
			input, err := json.Marshal(c.Args)
			require.NoError(t, err)
			calls = append(calls, called{c.Name, string(input)})
		}
	}
	return calls
}

// replaying answers any request with one response.
type replaying struct{ response *http.Response }

func (r replaying) RoundTrip(*http.Request) (*http.Response, error) { return r.response, nil }

// TestRawEvents shows that the two SDKs that have a RawJSON hand out each event as
// it came: the other way to a Reply, for a host that reads the SDK's stream itself.
// Anthropic's keeps only its pings, which say nothing.
func TestRawEvents(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		events func(fixture *http.Response) []string
	}{
		{name: "anthropic", events: func(fixture *http.Response) (all []string) {
			stream := anthropicstream.NewStream[anthropicsdk.MessageStreamEventUnion](anthropicstream.NewDecoder(fixture), nil)
			for stream.Next() {
				all = append(all, stream.Current().RawJSON())
			}
			return all
		}},
		{name: "openai-chat", events: func(fixture *http.Response) (all []string) {
			stream := ssestream.NewStream[openai.ChatCompletionChunk](ssestream.NewDecoder(fixture), nil)
			for stream.Next() {
				all = append(all, stream.Current().RawJSON())
			}
			return all
		}},
		{name: "openai-responses", events: func(fixture *http.Response) (all []string) {
			stream := ssestream.NewStream[responses.ResponseStreamEventUnion](ssestream.NewDecoder(fixture), nil)
			for stream.Next() {
				all = append(all, stream.Current().RawJSON())
			}
			return all
		}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			sent, err := io.ReadAll(response(t, tc.name+"/1.sse").Body)
			require.NoError(t, err)
			var want []string
			for line := range strings.Lines(string(sent)) {
				data, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "data: ")
				if ok && data != "[DONE]" && data != `{"type":"ping"}` {
					want = append(want, data)
				}
			}
			require.Equal(t, want, tc.events(response(t, tc.name+"/1.sse")))
		})
	}
}
