package wire_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
	"github.com/seed49eaa51d/pegboard/wire/gemini"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
	"github.com/seed49eaa51d/pegboard/wire/openai/responses"
)

// TestSuspendedMessageIsNotAnswered: while a call waits for an answer, no wire answers in its
// place. Afterwards the message is answered as a whole.
func TestSuspendedMessageIsNotAnswered(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		codec   func(p *pegboard.Pool, suspended bool) wire.Codec
		history []string // a message of the model with the calls a and b
	}{
		{"anthropic", func(p *pegboard.Pool, s bool) wire.Codec { return anthropic.New(p, anthropic.Config{Suspended: s}) },
			[]string{`{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"edit","input":{}},{"type":"tool_use","id":"b","name":"edit","input":{}}]}`}},
		{"chat", func(p *pegboard.Pool, s bool) wire.Codec { return chat.New(p, chat.Config{Suspended: s}) },
			[]string{`{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"edit","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"edit","arguments":"{}"}}]}`}},
		{"responses", func(p *pegboard.Pool, s bool) wire.Codec { return responses.New(p, responses.Config{Suspended: s}) },
			[]string{`{"type":"function_call","call_id":"a","name":"edit","arguments":"{}"}`, `{"type":"function_call","call_id":"b","name":"edit","arguments":"{}"}`}},
		{"gemini", func(p *pegboard.Pool, s bool) wire.Codec { return gemini.New(p, gemini.Config{Suspended: s}) },
			[]string{`{"role":"model","parts":[{"functionCall":{"id":"a","name":"edit","args":{}}},{"functionCall":{"id":"b","name":"edit","args":{}}}]}`}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := poolOf(t, definition{name: "edit", schema: `{"type":"object"}`})
			m := &wire.Message{Calls: []pegboard.Call{{ID: "a", Name: "edit"}, {ID: "b", Name: "edit"}}}
			for _, raw := range tc.history {
				m.History = append(m.History, json.RawMessage(raw))
			}
			ran := pegboard.Outcome{Call: &m.Calls[0], Result: pegboard.TextResult("done")}
			waits := pegboard.Outcome{Call: &m.Calls[1], Result: pegboard.TextResult("it waits"), Err: &pegboard.CallError{Err: fmt.Errorf("%w: question 1", pegboard.ErrSuspended)}}
			codec := tc.codec(p, true)
			require.Nil(t, codec.Results(m, []pegboard.Outcome{ran, waits}))
			normalized, repairs := codec.Normalize(m.History)
			require.Equal(t, m.History, normalized)
			require.Len(t, repairs, 2)
			for i, r := range repairs {
				require.Equal(t, wire.SuspendedCall, r.Kind)
				require.Equal(t, m.Calls[i].ID, r.CallID)
			}
			require.Equal(t, "suspended call", wire.SuspendedCall.String())

			_, repairs = tc.codec(p, false).Normalize(m.History)
			require.Equal(t, wire.MissingResult, repairs[0].Kind)
			waits.Err, waits.Result = nil, pegboard.TextResult("done, too")
			whole := append(m.History, codec.Results(m, []pegboard.Outcome{ran, waits})...)
			normalized, repairs = codec.Normalize(whole)
			require.Equal(t, whole, normalized)
			require.Empty(t, repairs)
		})
	}
}
