package wire_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
	"github.com/seed49eaa51d/pegboard/wire/gemini"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
	"github.com/seed49eaa51d/pegboard/wire/openai/responses"
)

// codecs returns a Codec of each provider, in the order of [wire.Provider].
func codecs(p *pegboard.Pool) []wire.Codec {
	return []wire.Codec{
		wire.Anthropic:       anthropic.New(p, anthropic.Config{}),
		wire.OpenAIChat:      chat.New(p, chat.Config{}),
		wire.OpenAIResponses: responses.New(p, responses.Config{}),
		wire.Gemini:          gemini.New(p, gemini.Config{}),
	}
}

// script is the same conversation in the form of each provider.
var script = []struct{ call, answer, refusal string }{
	wire.Anthropic: {
		call:    `{"type":"message","stop_reason":"tool_use","content":[{"type":"text","text":"I look it up."},{"type":"tool_use","id":"1","name":"tide","input":{"port":"Tromsø"}}]}`,
		answer:  `{"type":"message","stop_reason":"end_turn","content":[{"type":"text","text":"At 13:04."}],"usage":{"input_tokens":7,"output_tokens":3}}`,
		refusal: `{"type":"error","error":{"type":"overloaded_error","message":"Try again."}}`,
	},
	wire.OpenAIChat: {
		call:    `{"choices":[{"message":{"content":"I look it up.","tool_calls":[{"id":"1","type":"function","function":{"name":"tide","arguments":"{\"port\":\"Tromsø\"}"}}]},"finish_reason":"tool_calls"}]}`,
		answer:  `{"choices":[{"message":{"content":"At 13:04."},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":3}}`,
		refusal: `{"error":{"type":"overloaded_error","message":"Try again."}}`,
	},
	wire.OpenAIResponses: {
		call:    `{"object":"response","status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I look it up."}]},{"type":"function_call","call_id":"1","name":"tide","arguments":"{\"port\":\"Tromsø\"}"}]}`,
		answer:  `{"object":"response","status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"At 13:04."}]}],"usage":{"input_tokens":7,"output_tokens":3}}`,
		refusal: `{"error":{"type":"overloaded_error","message":"Try again."}}`,
	},
	wire.Gemini: {
		call:    `{"candidates":[{"content":{"parts":[{"text":"I look it up."},{"functionCall":{"id":"1","name":"tide","args":{"port":"Tromsø"}}}]},"finishReason":"STOP"}]}`,
		answer:  `{"candidates":[{"content":{"parts":[{"text":"At 13:04."}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":3}}`,
		refusal: `{"error":{"code":503,"status":"overloaded_error","message":"Try again."}}`,
	},
}

// tidePool returns a pool of one tool.
func tidePool(t *testing.T) *pegboard.Pool {
	t.Helper()
	return tidePoolIn(t, newSession(t))
}

func tidePoolIn(t *testing.T, s *pegboard.Session) *pegboard.Pool {
	t.Helper()
	type input struct {
		Port string `json:"port"`
	}
	var r pegboard.Registry
	require.NoError(t, r.Add(pegboard.Build(pegboard.Definition[input, string]{
		Info:        pegboard.Info{Name: "tide"},
		Description: "Tells when the water is high.",
		Traits:      pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
		Call: func(_ context.Context, in input, _ *pegboard.Call) (string, error) {
			return in.Port + ": 13:04", nil
		},
	})))
	return r.AssemblePool(s, pegboard.PoolConfig{})
}

// TestCodec holds one conversation with each provider, by the same code.
func TestCodec(t *testing.T) {
	t.Parallel()
	for _, to := range []wire.Provider{wire.Anthropic, wire.OpenAIChat, wire.OpenAIResponses, wire.Gemini} {
		t.Run(to.String(), func(t *testing.T) {
			t.Parallel()
			p := tidePool(t)
			codec := codecs(p)[to]
			require.Contains(t, string(codec.Tools()), `"name":"tide"`)
			require.Empty(t, codec.Omitted())
			require.True(t, json.Valid(codec.Choice(wire.Choice{Mode: wire.One, Tool: "tide"})))
			require.Equal(t, "tide", codec.Name("tide"))

			history := codec.User(pegboard.Part{Text: "When is high water in Tromsø?"})
			events, m, err := readWith(codec, script[to].call)
			require.NoError(t, err)
			require.Equal(t, []string{"I look it up.", `tide {"port":"Tromsø"}`}, events)
			require.Equal(t, pegboard.FinishToolCalls, m.Finish)
			var e pegboard.Executor
			outcomes := e.Run(t.Context(), p, m.Calls...)
			history = slices.Concat(history, m.History, codec.Results(m, outcomes, pegboard.Part{Text: "Be quick."}))
			require.Contains(t, string(history[len(history)-1])+string(history[len(history)-2]), "Tromsø: 13:04")

			_, m, err = readWith(codec, script[to].answer)
			require.NoError(t, err)
			require.Equal(t, "At 13:04.", m.Text)
			require.Equal(t, pegboard.FinishStop, m.Finish)
			require.Equal(t, 7, m.Usage.Input)
			require.Equal(t, 3, m.Usage.Output)
			history = append(history, m.History...)
			require.Empty(t, codec.Results(m, nil))

			same, repairs := codec.Normalize(history)
			require.Empty(t, repairs)
			require.Equal(t, history, same)
			require.Equal(t, []string{"tide"}, codec.Loaded(history))
			require.Nil(t, codec.Recall([]string{"tide"}), "nothing is deferred")
		})
	}
}

// readWith reads a whole reply and returns its events.
func readWith(codec wire.Codec, body string) (events []string, m *wire.Message, err error) {
	reply := codec.Read(strings.NewReader(body))
	for e := range reply.Events() {
		if e.Call != nil {
			events = append(events, e.Call.Name+" "+string(e.Call.Input))
		} else {
			events = append(events, e.Text)
		}
	}
	m, err = reply.Message()
	return events, m, err
}

// shortener replaces the text of every result.
type shortener struct{ tools []string }

func (s *shortener) TrimResults(_ context.Context, results []pegboard.HistoryResult) (texts []string) {
	for _, r := range results {
		s.tools, texts = append(s.tools, r.Tool), append(texts, "short")
	}
	return texts
}

func TestCodecTrim(t *testing.T) {
	t.Parallel()
	for i, codec := range codecs(tidePool(t)) {
		_, m, err := readWith(codec, script[i].call)
		require.NoError(t, err)
		outcomes := []pegboard.Outcome{{Call: &m.Calls[0], Result: pegboard.TextResult("long")}}
		history := append(m.History, codec.Results(m, outcomes)...)
		var s shortener
		got := codec.Trim(t.Context(), history, &s)
		require.Equal(t, []string{"tide"}, s.tools)
		require.Len(t, got, len(history))
		last := len(got) - 1
		require.Equal(t, strings.Replace(string(history[last]), "long", "short", 1), string(got[last]))
		require.Equal(t, history[:last], got[:last])
	}
}

// TestCodecInterrupted drops the result of a call, as a crash does.
func TestCodecInterrupted(t *testing.T) {
	t.Parallel()
	for i, codec := range codecs(tidePool(t)) {
		_, m, err := readWith(codec, script[i].call)
		require.NoError(t, err)
		got, repairs := codec.Normalize(m.History)
		require.Len(t, repairs, 1)
		require.Equal(t, wire.MissingResult, repairs[0].Kind)
		require.Equal(t, "1", repairs[0].CallID)
		require.Greater(t, len(got), len(m.History))
		again, repairs := codec.Normalize(got)
		require.Empty(t, repairs)
		require.Equal(t, got, again)
	}
}

// TestCodecErrors reads replies that are none, in part or not at all.
func TestCodecErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection reset")
	for i, codec := range codecs(tidePool(t)) {
		_, m, err := readWith(codec, script[i].refusal)
		var refused *wire.APIError
		require.ErrorAs(t, err, &refused)
		require.Equal(t, "overloaded_error", refused.Type)
		require.Equal(t, "Try again.", refused.Message)
		require.Equal(t, pegboard.FinishError, m.Finish)

		_, m, err = readWith(codec, script[i].call[:40])
		require.ErrorIs(t, err, wire.ErrTruncated)
		require.Empty(t, m.Calls)
		require.Equal(t, pegboard.FinishError, m.Finish)

		_, _, err = readWith(codec, `{"type":7,"choices":7,"object":7,"candidates":7}`)
		require.ErrorIs(t, err, wire.ErrMalformed)

		m, err = codec.Read(iotest.ErrReader(broken)).Message()
		require.ErrorIs(t, err, wire.ErrTruncated)
		require.ErrorIs(t, err, broken)
		require.NotNil(t, m)
	}
}

// TestCodecZero reads a reply and answers its call without a pool.
func TestCodecZero(t *testing.T) {
	t.Parallel()
	for i, codec := range []wire.Codec{new(anthropic.Codec), new(chat.Codec), new(responses.Codec), new(gemini.Codec)} {
		require.Equal(t, `[]`, string(codec.Tools()))
		require.Equal(t, `{}`, string(codec.Choice(wire.Choice{Mode: wire.Required})))
		require.Empty(t, codec.Omitted())
		_, m, err := readWith(codec, script[i].call)
		require.NoError(t, err)
		require.Equal(t, "tide", m.Calls[0].Name)
		history := append(m.History, codec.Results(m, nil)...)
		require.Contains(t, string(history[len(history)-1]), "tide was not run")
		_, repairs := codec.Normalize(history)
		require.Empty(t, repairs)
		require.Equal(t, []string{"tide"}, codec.Loaded(history))
		require.Nil(t, codec.Recall([]string{"tide"}))
		require.Nil(t, codec.User())
	}
}

// TestCodecResultsHoldTheMessages: Result.Messages once reached nobody.
func TestCodecResultsHoldTheMessages(t *testing.T) {
	t.Parallel()
	text := func(s string) pegboard.Part { return pegboard.Part{Text: s} }
	for i, codec := range codecs(tidePool(t)) {
		t.Run(wire.Provider(i).String(), func(t *testing.T) {
			t.Parallel()
			_, m, err := readWith(codec, script[i].call)
			require.NoError(t, err)
			silent := []pegboard.Outcome{{Call: &m.Calls[0], Result: pegboard.TextResult("13:04")}}
			for _, failed := range []bool{false, true} {
				said := &pegboard.Result{IsError: failed, Parts: []pegboard.Part{text("13:04")}, Messages: []pegboard.Part{text("First.")}}
				silent[0].Result.IsError = failed
				outcomes := []pegboard.Outcome{
					{Call: &pegboard.Call{ID: "of another message"}, Result: &pegboard.Result{Messages: []pegboard.Part{text("Nowhere.")}}},
					{Call: &m.Calls[0], Result: &pegboard.Result{Parts: []pegboard.Part{text("Nowhere.")}, Messages: []pegboard.Part{text("Second.")}}, Err: pegboard.ErrDuplicate},
					{Call: &m.Calls[0], Result: said},
					{Call: &m.Calls[0], Result: said},
				}
				got := codec.Results(m, outcomes, text("Be quick."))
				require.Equal(t, codec.Results(m, silent, text("First."), text("Second."), text("Be quick.")), got, "as if the host had passed them")
				require.Equal(t, codec.Results(m, silent, text("First."), text("Second.")), codec.Results(m, outcomes))
				_, repairs := codec.Normalize(append(slices.Clone(m.History), got...))
				require.Empty(t, repairs)
			}
		})
	}
}

// TestCodecResultsKeepMessagesInTheOrderOfTheCalls also has an image in a result, which
// some providers take only after the results.
func TestCodecResultsKeepMessagesInTheOrderOfTheCalls(t *testing.T) {
	t.Parallel()
	m := &wire.Message{Calls: []pegboard.Call{{ID: "a", Name: "tide"}, {ID: "b", Name: "tide"}, {ID: "c", Name: "tide"}}}
	image := pegboard.Part{MIME: "image/png", Data: []byte("\x89PNG")}
	outcomes := []pegboard.Outcome{
		{Call: &m.Calls[1], Result: &pegboard.Result{Parts: []pegboard.Part{image}, Messages: []pegboard.Part{{Text: "M2"}}}},
		{Call: &m.Calls[0], Result: &pegboard.Result{Parts: []pegboard.Part{{Text: "R1"}, image}, Messages: []pegboard.Part{{Text: "M1"}, image}}},
	}
	all := append(codecs(tidePool(t)), gemini.New(tidePool(t), gemini.Config{MediaBeside: true}))
	for _, codec := range all {
		var sent strings.Builder
		for _, raw := range codec.Results(m, outcomes, pegboard.Part{Text: "M3"}) {
			require.True(t, json.Valid(raw))
			sent.Write(raw)
		}
		got := sent.String()
		require.Equal(t, 3, strings.Count(got, base64.StdEncoding.EncodeToString(image.Data)), got)
		at := -1
		for _, text := range []string{"R1", "tide was not run", "M1", "M2", "M3"} {
			require.Equal(t, 1, strings.Count(got, text), got)
			require.Greater(t, strings.Index(got, text), at, got)
			at = strings.Index(got, text)
		}
	}
}

// TestCodecResultsOfAMessageMadeByHand answers a message that consists of the calls and the
// history of another, as a host keeps them that is started again.
func TestCodecResultsOfAMessageMadeByHand(t *testing.T) {
	t.Parallel()
	for i, codec := range codecs(tidePool(t)) {
		_, m, err := readWith(codec, script[i].call)
		require.NoError(t, err)
		outcomes := []pegboard.Outcome{{Call: &pegboard.Call{ID: "1"}, Result: pegboard.TextResult("13:04")}}
		again := &wire.Message{Calls: []pegboard.Call{{ID: "1", Name: "tide"}}, History: m.History}
		require.Equal(t, codec.Results(m, outcomes), codec.Results(again, outcomes))
	}
}
