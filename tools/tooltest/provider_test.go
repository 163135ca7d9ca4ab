package tooltest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
	"github.com/seed49eaa51d/pegboard/wire/gemini"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
	"github.com/seed49eaa51d/pegboard/wire/openai/responses"
)

// api is what a loop needs to know of an API.
type api struct {
	path, stream string // of a whole reply and of a stream
	history      string // the member that holds it
	codec        func(*pegboard.Pool) wire.Codec
}

var apis = []api{
	wire.Anthropic: {
		path: "/v1/messages", history: "messages",
		codec: func(p *pegboard.Pool) wire.Codec { return anthropic.New(p, anthropic.Config{}) },
	},
	wire.OpenAIChat: {
		path: "/v1/chat/completions", history: "messages",
		codec: func(p *pegboard.Pool) wire.Codec { return chat.New(p, chat.Config{}) },
	},
	wire.OpenAIResponses: {
		path: "/v1/responses", history: "input",
		codec: func(p *pegboard.Pool) wire.Codec { return responses.New(p, responses.Config{}) },
	},
	wire.Gemini: {
		path: "/v1beta/models/m:generateContent", stream: "/v1beta/models/m:streamGenerateContent?alt=sse", history: "contents",
		codec: func(p *pegboard.Pool) wire.Codec { return gemini.New(p, gemini.Config{}) },
	},
}

// ask sends a history and reads the answer.
func (a api) ask(t *testing.T, s *httptest.Server, codec wire.Codec, stream bool, history []json.RawMessage) (*wire.Message, error) {
	t.Helper()
	path := a.path
	if stream && a.stream != "" {
		path = a.stream
	}
	body, err := json.Marshal(map[string]any{"model": "m", "stream": stream && a.stream == "", a.history: history})
	require.NoError(t, err)
	response, err := s.Client().Post(s.URL+path, "application/json", bytes.NewReader(body))
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	return wire.ReadResponse(codec, response).Message()
}

// overAPIs calls test for whole and streamed replies of each API.
func overAPIs(t *testing.T, test func(t *testing.T, a api, stream bool)) {
	t.Helper()
	for i, a := range apis {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, stream %v", wire.Provider(i), stream), func(t *testing.T) {
				t.Parallel()
				test(t, a, stream)
			})
		}
	}
}

func TestProviderPlaysItsScript(t *testing.T) {
	t.Parallel()
	errDown := errors.New("the service is down")
	overAPIs(t, func(t *testing.T, a api, stream bool) {
		t.Helper()
		var seen []string
		s := httptest.NewServer(tooltest.Provider{Turns: []tooltest.Turn{
			{
				Text:  "Ich schaue nach: Größe?",
				Calls: []pegboard.Call{tooltest.Call("Weather", `{"city":"Köln"}`), tooltest.Call("Weather", "")},
				Expect: func(outcomes []pegboard.Outcome) error {
					for _, o := range outcomes {
						seen = append(seen, fmt.Sprintf("%s %s %s", o.Call.ID, o.Call.Name, o.Result.Text()))
					}
					return nil
				},
			},
			{Calls: []pegboard.Call{tooltest.Call("Weather", `{"city":"Ulm"}`)}},
			{Text: "It rains."},
			{Text: "Bye."},
		}})
		defer s.Close()
		session, err := tooltest.NewSession("")
		require.NoError(t, err)
		defer func() { require.NoError(t, session.Close(t.Context())) }()
		weather := tooltest.NewFake("Weather", tooltest.Reply{Text: "rain"}, tooltest.Reply{Err: errDown}, tooltest.Reply{Text: "sun"})
		var registry pegboard.Registry
		require.NoError(t, registry.Add(weather))
		pool := registry.AssemblePool(session, pegboard.PoolConfig{})
		codec := a.codec(pool)
		var executor pegboard.Executor
		history := codec.User(pegboard.Part{Text: "How is the weather?"})
		var texts []string
		for range 4 {
			m, err := a.ask(t, s, codec, stream, history)
			require.NoError(t, err)
			require.NoError(t, m.Err())
			require.NotZero(t, m.Usage.Output)
			texts = append(texts, m.Text)
			history = append(history, m.History...)
			if len(m.Calls) == 0 {
				history = append(history, codec.User(pegboard.Part{Text: "And then?"})...)
				continue
			}
			outcomes := executor.Run(t.Context(), pool, m.Calls...)
			history = append(history, codec.Results(m, outcomes)...)
		}
		require.Equal(t, []string{"Ich schaue nach: Größe?", "", "It rains.", "Bye."}, texts)
		var inputs []string
		for _, c := range weather.Calls() {
			inputs = append(inputs, string(c.Input))
		}
		require.ElementsMatch(t, []string{`{"city":"Köln"}`, `{}`, `{"city":"Ulm"}`}, inputs)
		require.Len(t, seen, 2)
		require.Equal(t, "turn-1-call-1 Weather rain", seen[0])
		require.Contains(t, seen[1], "turn-1-call-2 Weather ")
		require.Contains(t, seen[1], errDown.Error())
	})
}

func TestProviderRefuses(t *testing.T) {
	t.Parallel()
	errNoSun := errors.New("the model wants sun")
	turns := []tooltest.Turn{
		{
			Calls: []pegboard.Call{tooltest.Call("Weather", `{}`), tooltest.Call("Weather", `{}`)},
			Expect: func(outcomes []pegboard.Outcome) error {
				if outcomes[0].Result.Text() != "sun" {
					return errNoSun
				}
				return nil
			},
		},
		{Text: "Thanks."},
	}
	tests := []struct {
		name    string
		results []string // of the calls, in order
		more    bool     // the conversation goes on after the script's end
		want    string
	}{
		{name: "no result", want: "no outcome was handed over for turn-1-call-1, a call of Weather"},
		{name: "one result", results: []string{"sun"}, want: "no outcome was handed over for turn-1-call-2, a call of Weather"},
		{name: "unexpected", results: []string{"rain", "rain"}, want: "turn 1: the model wants sun"},
		{name: "after the end", results: []string{"sun", "sun"}, more: true, want: "the model was asked for turn 3, its script has 2"},
	}
	overAPIs(t, func(t *testing.T, a api, stream bool) {
		t.Helper()
		s := httptest.NewServer(tooltest.Provider{Turns: turns})
		defer s.Close()
		codec := a.codec(poolOf(t, tooltest.NewFake("Weather")))
		history := codec.User(pegboard.Part{Text: "How is the weather?"})
		first, err := a.ask(t, s, codec, stream, history)
		require.NoError(t, err)
		history = append(history, first.History...)
		for _, tt := range tests {
			var outcomes []pegboard.Outcome
			for i, text := range tt.results {
				outcomes = append(outcomes, pegboard.Outcome{Call: &first.Calls[i], Result: pegboard.TextResult(text)})
			}
			some := *first
			some.Calls, some.History = first.Calls[:len(outcomes)], nil
			now := append(history[:len(history):len(history)], answersOnly(codec, some, outcomes)...)
			if tt.more {
				m, err := a.ask(t, s, codec, stream, now)
				require.NoError(t, err, tt.name)
				now = append(append(now, m.History...), codec.User(pegboard.Part{Text: "And then?"})...)
			}
			_, err := a.ask(t, s, codec, stream, now)
			var refused *wire.APIError
			require.ErrorAs(t, err, &refused, tt.name)
			require.Contains(t, refused.Message, tt.want, tt.name)
			require.Equal(t, http.StatusBadRequest, refused.HTTPStatus)
		}
	})
}

// answersOnly returns the messages that answer the calls of m alone.
func answersOnly(codec wire.Codec, m wire.Message, outcomes []pegboard.Outcome) []json.RawMessage {
	if len(m.Calls) == 0 {
		return nil
	}
	return codec.Results(&m, outcomes)
}

func TestProviderPaths(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(tooltest.Provider{Turns: []tooltest.Turn{
		{Calls: []pegboard.Call{{ID: "a", Name: "T", Input: json.RawMessage(`{"a":`)}}}, {Text: "done"},
	}})
	t.Cleanup(s.Close)
	tests := []struct{ name, path, body, want string }{
		{name: "unknown", path: "/v1/embeddings", body: `{}`, want: "no API has the path /v1/embeddings"},
		{name: "no JSON", path: "/v1/messages", body: `{`, want: "unexpected end of JSON"},
		{name: "broken input in pieces", path: "/v1/messages", body: `{"stream":true}`, want: `"partial_json":"{\"a\":"`},
		{name: "broken input as text", path: "/v1/chat/completions", body: `{}`, want: `"arguments":"{\"a\":"`},
		{name: "broken input that must be JSON", path: "/v1/messages", body: `{}`, want: `"type":"invalid_request_error"`},
		{name: "a text as input", path: "/v1/responses", body: `{"input":"Hi"}`, want: `"id":"resp_1"`},
		{
			name: "after a response", path: "/v1/responses",
			body: `{"previous_response_id":"resp_1","input":[{"type":"function_call_output","call_id":"a","output":[{"type":"input_text","text":"x"}]}]}`,
			want: `"text":"done"`,
		},
		{
			name: "after a response, without its result", path: "/v1/responses", body: `{"previous_response_id":"resp_1","input":"Hi"}`,
			want: "no outcome was handed over for a",
		},
		{name: "too many turns", path: "/v1/responses", body: `{"previous_response_id":"resp_7","input":"Hi"}`, want: "has had 7 turns"},
		{
			name: "results without ids", path: "/v1beta/models/m:streamGenerateContent",
			body: `{"contents":[{"role":"model","parts":[]},{"parts":[{"functionResponse":{"name":"T","response":{"output":"x"}}}]}]}`, want: `[{"candidates"`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			response, err := s.Client().Post(s.URL+tt.path, "application/json", strings.NewReader(tt.body))
			require.NoError(t, err)
			defer func() { _ = response.Body.Close() }()
			body, err := io.ReadAll(response.Body)
			require.NoError(t, err)
			require.Contains(t, string(body), tt.want)
		})
	}
}
