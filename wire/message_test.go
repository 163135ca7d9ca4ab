package wire_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
	"github.com/seed49eaa51d/pegboard/wire/gemini"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
)

// TestOnlyWholeMessagesAreAnswers reads replies that a loop could mistake for an answer.
func TestOnlyWholeMessagesAreAnswers(t *testing.T) {
	t.Parallel()
	var r pegboard.Registry
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(t.Context())) })
	pool := r.AssemblePool(s, pegboard.PoolConfig{})
	claude, chats, google := anthropic.New(pool, anthropic.Config{}), chat.New(pool, chat.Config{}), gemini.New(pool, gemini.Config{})
	for _, test := range []struct {
		name   string
		codec  wire.Codec
		body   string
		finish pegboard.FinishReason // empty: the message is whole
		goesOn bool
		told   string // what the next request says of it
		calls  int    // that are answered as not run
	}{
		{name: "an answer", codec: claude, body: `{"type":"message","content":[{"type":"text","text":"Done."}],"stop_reason":"end_turn"}`},
		{name: "a call", codec: claude, body: `{"type":"message","content":[{"type":"tool_use","id":"a","name":"Bash","input":{}}],"stop_reason":"tool_use"}`, calls: 1},
		{
			name: "only call cut", codec: claude, body: `{"type":"message","content":[{"type":"tool_use","id":"a","name":"Write","input":{"file_path":"x"}}],"stop_reason":"max_tokens"}`,
			finish: pegboard.FinishLength, goesOn: true, told: "The call of Write was not complete and did not run.",
		},
		{
			name: "a whole call before the one that is cut", codec: claude,
			body:   `{"type":"message","content":[{"type":"tool_use","id":"a","name":"Bash","input":{}},{"type":"tool_use","id":"b","name":"Write","input":{}}],"stop_reason":"max_tokens"}`,
			finish: pegboard.FinishLength, goesOn: true, told: "The call of Write was not complete", calls: 1,
		},
		{
			name: "text cut", codec: chats, body: `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"The"},"finish_reason":"length"}]}`,
			finish: pegboard.FinishLength, goesOn: true, told: "Go on where it ended.",
		},
		{name: "a pause", codec: claude, body: `{"type":"message","content":[{"type":"text","text":"I search."}],"stop_reason":"pause_turn"}`, finish: pegboard.FinishPause, goesOn: true},
		{name: "a refusal", codec: claude, body: `{"type":"message","content":[{"type":"text","text":"No."}],"stop_reason":"refusal"}`, finish: pegboard.FinishFilter},
		{
			name: "a refusal of another provider", codec: chats,
			body:   `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal":"I cannot."},"finish_reason":"stop"}]}`,
			finish: pegboard.FinishFilter,
		},
		{
			name: "a call that could not be read", codec: google,
			body:   `{"candidates":[{"content":{"parts":[]},"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"Malformed function call: print(x)"}]}`,
			finish: pegboard.FinishBadCall, goesOn: true, told: "did not run (MALFORMED_FUNCTION_CALL: Malformed function call: print(x))",
		},
		{
			name: "a call of no tool", codec: google, body: `{"candidates":[{"content":{"parts":[]},"finishReason":"UNEXPECTED_TOOL_CALL"}]}`,
			finish: pegboard.FinishBadCall, goesOn: true, told: "did not run (UNEXPECTED_TOOL_CALL)",
		},
		{name: "a blocked prompt", codec: google, body: `{"promptFeedback":{"blockReason":"SAFETY"}}`, finish: pegboard.FinishFilter},
		{name: "a reason of next year", codec: google, body: `{"candidates":[{"content":{"parts":[{"text":"x"}]},"finishReason":"NEXT_YEAR"}]}`, finish: pegboard.FinishError},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m, err := test.codec.Read(strings.NewReader(test.body)).Message()
			require.NoError(t, err)
			results := test.codec.Results(m, nil)
			if test.finish == "" {
				require.NoError(t, m.Err())
				require.Empty(t, m.Notice())
				require.Equal(t, test.calls > 0, len(results) > 0)
				return
			}
			var ended *wire.EndingError
			require.ErrorAs(t, m.Err(), &ended)
			require.Equal(t, test.finish, ended.Finish)
			require.Equal(t, test.goesOn, ended.Continue)
			require.Len(t, m.Calls, test.calls)
			next := string(jsonOf(t, results))
			require.Contains(t, next, test.told)
			require.Equal(t, test.told != "", m.Notice() != "")
			require.Equal(t, test.calls, strings.Count(next, "was not run"))
			_, repairs := test.codec.Normalize(append(append(test.codec.User(pegboard.Part{Text: "Go."}), m.History...), results...))
			require.Empty(t, repairs, "the provider takes the next request")
		})
	}
}

func jsonOf(t *testing.T, messages []json.RawMessage) []byte {
	t.Helper()
	text, err := json.Marshal(messages)
	require.NoError(t, err)
	return text
}

// A loop asks how a message ended before it takes the message for an answer or runs its
// calls.
func ExampleMessage_Err() {
	reply := `{"type":"message","content":[{"type":"tool_use","id":"a","name":"Write","input":{}}],"stop_reason":"max_tokens"}`
	codec := new(anthropic.Codec)
	message, err := codec.Read(strings.NewReader(reply)).Message()
	fmt.Println(err)
	fmt.Println(message.Err())
	for _, next := range codec.Results(message, nil) {
		fmt.Println(string(next))
	}
	// Output:
	// <nil>
	// the model's message ended with length (max_tokens)
	// {"role":"user","content":[{"type":"text","text":"Your message reached the limit of its length. The call of Write was not complete and did not run. Send it again as smaller calls, for example a long text in several parts."}]}
}

func ExampleMessage_Notice() {
	m := wire.Message{Finish: pegboard.FinishBadCall, StopReason: "MALFORMED_FUNCTION_CALL"}
	fmt.Println(m.Notice())
	// Output:
	// A call in your message could not be read and did not run (MALFORMED_FUNCTION_CALL). Call a tool that you were given, with arguments that fit its definition.
}
