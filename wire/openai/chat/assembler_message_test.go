package chat_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
)

func TestFinish(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]pegboard.FinishReason{
		"stop": pegboard.FinishStop, "end_turn": pegboard.FinishStop, "tool_calls": pegboard.FinishToolCalls, "function_call": pegboard.FinishToolCalls,
		"length": pegboard.FinishLength, "max_tokens": pegboard.FinishLength, "content_filter": pegboard.FinishFilter,
		"": pegboard.FinishError, "error": pegboard.FinishError, "a reason of next year": pegboard.FinishError,
	} {
		require.Equal(t, want, finishOf(t, `{}`, reason), reason)
	}
	require.Equal(t, pegboard.FinishToolCalls, finishOf(t, `{"tool_calls":[{"function":{"name":"clock","arguments":"{}"}}]}`, "stop"))
	require.Equal(t, pegboard.FinishFilter, finishOf(t, `{"refusal":"no"}`, "stop"))
}

func finishOf(t *testing.T, message, reason string) pegboard.FinishReason {
	t.Helper()
	_, m, err := read(strings.NewReader(fmt.Sprintf(`{"choices":[{"message":%s,"finish_reason":%q}]}`, message, reason)))
	require.NoError(t, err)
	return m.Finish
}

func TestHistory(t *testing.T) {
	t.Parallel()
	const done = `"type":"function","function":{"name":"add","arguments":`
	tests := []struct {
		name   string
		chunks []string
		want   string // empty: nothing to send
	}{
		{name: "text", chunks: []string{saying("So <it>"), saying(" is.")}, want: `{"role":"assistant","content":"So <it> is."}`},
		{name: "blank text", chunks: []string{saying(" \n")}},
		{name: "nothing", chunks: []string{delta(`"role":"assistant","content":""`)}},
		{name: "only reasoning", chunks: []string{delta(`"reasoning_content":"hm"`)}},
		{name: "arguments as they came", chunks: []string{calling(`{"index":0,"id":"a","function":{"name":"add","arguments":"{\u0022x\": \"\u003c"}}`), calling(`{"index":0,"function":{"arguments":"\"}"}}`)},
			want: `{"role":"assistant","content":null,"tool_calls":[{"id":"a",` + done + `"{\u0022x\": \"\u003c\"}"}}]}`},
		{name: "no arguments", chunks: []string{calling(piece(0, "a", "add", " "))}, want: `{"role":"assistant","content":null,"tool_calls":[{"id":"a",` + done + `"{}"}}]}`},
		{name: "no JSON", chunks: []string{calling(piece(0, "a", "add", `{"x": <1>`))}, want: `{"role":"assistant","content":null,"tool_calls":[{"id":"a",` + done + `"{\"INVALID_JSON\":\"{\\\"x\\\": <1>\"}"}}]}`},
		{name: "no object", chunks: []string{calling(piece(0, "a", "add", `[1]`))}, want: `{"role":"assistant","content":null,"tool_calls":[{"id":"a",` + done + `"{\"INVALID_JSON\":\"[1]\"}"}}]}`},
		{name: "an id twice", chunks: []string{calling(piece(0, "a", "add", `{}`), piece(1, "a", "sum", `{}`))}, want: `{"role":"assistant","content":null,"tool_calls":[{"id":"a",` + done + `"{}"}}]}`},
		{name: "what services add", chunks: []string{
			delta(`"role":"assistant","reasoning":"a","reasoning_details":[{"text":"a"}],"annotations":[]`), delta(`"reasoning":"b","reasoning_content":"","reasoning_details":[{"text":"b"}],"extra_content":{"n":1}`),
			calling(`{"index":0,"id":"a","type":"function","function":{"name":"add","arguments":"{}"},"extra_content":{"google":{"thought_signature":"s=="}}}`)},
			want: `{"role":"assistant","content":null,"reasoning":"ab","reasoning_details":[{"text":"a"},{"text":"b"}],"reasoning_content":"","extra_content":{"n":1},` +
				`"tool_calls":[{"id":"a",` + done + `"{}"},"extra_content":{"google":{"thought_signature":"s=="}}}]}`},
		{name: "refusal", chunks: []string{delta(`"content":null,"refusal":"I will "`), delta(`"refusal":"not."`)}, want: `{"role":"assistant","content":[{"type":"refusal","refusal":"I will not."}]}`},
		{name: "content in parts", chunks: []string{delta(`"content":[{"type":"thinking","thinking":[]},{"type":"text","text":"So"}]`), saying(" it is.")}, want: `{"role":"assistant","content":"So it is."}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, m, err := read(strings.NewReader(stream(append(tt.chunks, because("stop"))...)))
			require.NoError(t, err)
			require.Equal(t, tt.want, string(only(m.History)))
			requireTurn(t, m, new(chat.Codec).Results(m, nil))
		})
	}
}

func TestRefusal(t *testing.T) {
	t.Parallel()
	events, m, err := read(strings.NewReader(stream(delta(`"refusal":"I will "`), delta(`"refusal":"not."`), because("stop"))))
	require.NoError(t, err)
	require.Equal(t, []string{"text I will ", "text not."}, events)
	require.Equal(t, "I will not.", m.Refusal)
	require.Equal(t, "I will not.", m.Text)
	require.Equal(t, pegboard.FinishFilter, m.Finish)
}

func TestUsage(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, usage string
		want        wire.Usage
	}{
		{name: "counts", usage: `{"prompt_tokens":9,"completion_tokens":2}`, want: wire.Usage{Input: 9, Output: 2}},
		{name: "cache", usage: `{"prompt_tokens":9,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4,"cache_write_tokens":3}}`, want: wire.Usage{Input: 2, Output: 2, CacheRead: 4, CacheWrite: 3}},
		{name: "more cached than counted", usage: `{"prompt_tokens":1,"prompt_tokens_details":{"cached_tokens":4}}`, want: wire.Usage{CacheRead: 4}},
		{name: "nothing", usage: `null`},
		{name: "not counts", usage: `"many"`},
		{name: "empty", usage: `{}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, last := range []string{`{"choices":[],"usage":` + tt.usage + `}`, `{"choices":[{"index":0,"delta":{},"usage":` + tt.usage + `}]}`} {
				_, m, err := read(strings.NewReader(stream(because("stop"), last, `{"choices":[],"usage":null}`)))
				require.NoError(t, err)
				require.Equal(t, tt.want, m.Usage)
			}
		})
	}
}
