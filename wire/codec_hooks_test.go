package wire_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
)

// TestCodecWritesWhatHooksSay has hooks say words of a call that they deny, of the batch and of
// no call, and looks where each provider gets them: after the result, as words of the user.
func TestCodecWritesWhatHooksSay(t *testing.T) {
	t.Parallel()
	const denied = `tide was denied: no tides today. Do not try the same by other means; do something else or tell the user.`
	image := pegboard.Part{MIME: "image/png", Data: append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00"), make([]byte, 50)...)}
	pixels := base64.StdEncoding.EncodeToString(image.Data)
	want := []string{
		wire.Anthropic: `[{"role":"user","content":[
			{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"` + denied + `"}],"is_error":true},
			{"type":"text","text":"of the call"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + pixels + `"}},
			{"type":"text","text":"of the batch"},{"type":"text","text":"of no call"}]}]`,
		wire.OpenAIChat: `[{"role":"tool","tool_call_id":"1","content":"Error: ` + denied + `"},
			{"role":"user","content":[{"type":"text","text":"of the call"},{"type":"image_url","image_url":{"url":"data:image/png;base64,` + pixels + `"}},
			{"type":"text","text":"of the batch"},{"type":"text","text":"of no call"}]}]`,
		wire.OpenAIResponses: `[{"type":"function_call_output","call_id":"1","output":"Error: ` + denied + `"},
			{"type":"message","role":"user","content":[{"type":"input_text","text":"of the call"},{"type":"input_image","image_url":"data:image/png;base64,` + pixels + `"},
			{"type":"input_text","text":"of the batch"},{"type":"input_text","text":"of no call"}]}]`,
		wire.Gemini: `[{"role":"user","parts":[{"functionResponse":{"id":"1","name":"tide","response":{"error":"` + denied + `"}}},
			{"text":"of the call"},{"inlineData":{"mimeType":"image/png","data":"` + pixels + `"}},{"text":"of the batch"},{"text":"of no call"}]}]`,
	}
	for _, streams := range []bool{false, true} {
		for _, to := range []wire.Provider{wire.Anthropic, wire.OpenAIChat, wire.OpenAIResponses, wire.Gemini} {
			t.Run(fmt.Sprintf("%v, stream %v", to, streams), func(t *testing.T) {
				t.Parallel()
				s, err := pegboard.NewSession(pegboard.SessionConfig{Hooks: pegboard.Hooks{
					Pre: func(_ context.Context, h *pegboard.HookCall) (pegboard.Decision, error) {
						h.Say(pegboard.Part{Text: "of the call"}, image)
						return pegboard.Decision{Behavior: pegboard.Deny, Reason: "no tides today"}, nil
					},
					Batch: func(ctx context.Context, _ []pegboard.Outcome) error {
						pegboard.SayInBatch(ctx, pegboard.Part{Text: "of the batch"})
						return nil
					},
				}})
				require.NoError(t, err)
				t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
				p := tidePoolIn(t, s)
				codec := codecs(p)[to]
				history := codec.User(pegboard.Part{Text: "When is high water in Tromsø?"})
				_, m, err := readWith(codec, script[to].call)
				require.NoError(t, err)
				var ex pegboard.Executor
				var outcomes []pegboard.Outcome
				if streams {
					stream := ex.Stream(t.Context(), p)
					stream.Submit(m.Calls[0])
					stream.Finish(m.Finish)
					outcomes = slices.Collect(stream.Outcomes())
				} else {
					outcomes = ex.Run(t.Context(), p, m.Calls...)
				}
				s.Tell(pegboard.Part{Text: "of no call"})
				results := codec.Results(m, outcomes, s.News()...)
				got, err := json.Marshal(results)
				require.NoError(t, err)
				require.JSONEq(t, want[to], string(got))
				history = slices.Concat(history, m.History, results)
				same, repairs := codec.Normalize(history)
				require.Empty(t, repairs)
				require.True(t, slices.EqualFunc(history, same, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }))
				again, err := json.Marshal(codec.Results(m, outcomes, s.News()...))
				require.NoError(t, err)
				require.NotContains(t, string(again), "of no call", "news is handed out once")
			})
		}
	}
}
