package anthropic_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/wiretest"
)

// stream makes the stream of some events from their data.
func stream(data ...string) string {
	var b strings.Builder
	for _, d := range data {
		fmt.Fprintf(&b, "data: %s\n\n", d)
	}
	return b.String()
}

const (
	start = `{"type":"message_start","message":{"id":"msg_1","model":"model-1","usage":{"input_tokens":3,"output_tokens":1}}}`
	stop  = `{"type":"message_stop"}`
)

func begin(index int, block string) string {
	return fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, index, block)
}

func delta(index int, delta string) string {
	return fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, index, delta)
}

func partial(index int, json string) string {
	return delta(index, fmt.Sprintf(`{"type":"input_json_delta","partial_json":%q}`, json))
}

func end(index int) string { return fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, index) }

func because(reason string) string {
	return fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":%q},"usage":{"output_tokens":9}}`, reason)
}

func use(id, name string) string {
	return fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%q,"input":{}}`, id, name)
}

func TestReadStream(t *testing.T) {
	t.Parallel()
	events, m, err := read(strings.NewReader(fixture(t, "parallel.sse")))
	require.NoError(t, err)
	require.Equal(t, []string{
		"thinking Two cities, ", "thinking two calls.", "text I look at ", "text both.",
		`call toolu_one weather {"city": "Zürich"}`, "call toolu_two clock ",
	}, events)
	require.Equal(t, []pegboard.Call{
		{ID: "toolu_one", Name: "weather", Input: []byte(`{"city": "Zürich"}`)},
		{ID: "toolu_two", Name: "clock"},
	}, m.Calls)
	require.Empty(t, m.Incomplete)
	require.Equal(t, "msg_parallel", m.ID)
	require.Equal(t, "model-1", m.Model)
	require.Equal(t, "I look at both.", m.Text)
	require.Equal(t, "tool_use", m.StopReason)
	require.Equal(t, wire.Usage{Input: 120, Output: 64, CacheRead: 40}, m.Usage)
}

func TestReadOutOfTokens(t *testing.T) {
	t.Parallel()
	events, m, err := read(strings.NewReader(fixture(t, "max_tokens.sse")))
	require.NoError(t, err)
	require.Equal(t, []string{"call toolu_whole clock {}"}, events)
	require.Equal(t, "max_tokens", m.StopReason)
	require.Len(t, m.Calls, 1)
	require.Equal(t, []pegboard.Call{{ID: "toolu_cut", Name: "weather", Input: []byte(`{"city": "Ber`)}}, m.Incomplete)
	require.NotContains(t, string(only(m.History)), "toolu_cut")
	require.Contains(t, string(only(m.History)), "toolu_whole")
}

func TestReadWhole(t *testing.T) {
	t.Parallel()
	events, m, err := read(strings.NewReader("\ufeff\r\n" + `{"id":"msg_2","type":"message","role":"assistant","model":"model-2",
		"content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"both"},
			{"type":"tool_use","id":"toolu_1","name":"clock","input":{}},
			{"type":"tool_use","id":"toolu_2","name":"weather","input": {"city" : "Z\u00fcrich", "n": 1.0}}],
		"stop_reason":"tool_use","usage":{"input_tokens":7,"output_tokens":8,"cache_creation_input_tokens":9}}`))
	require.NoError(t, err)
	require.Equal(t, []string{
		"thinking hm", "text both", "call toolu_1 clock {}", `call toolu_2 weather {"city" : "Z\u00fcrich", "n": 1.0}`,
	}, events)
	require.Len(t, m.Calls, 2)
	require.Equal(t, "both", m.Text)
	require.Equal(t, "tool_use", m.StopReason)
	require.Equal(t, wire.Usage{Input: 7, Output: 8, CacheWrite: 9}, m.Usage)
	require.Contains(t, string(only(m.History)), `"input": {"city" : "Z\u00fcrich", "n": 1.0}`)
}

func TestReadWholeOutOfTokens(t *testing.T) {
	t.Parallel()
	_, m, err := read(strings.NewReader(`{"type":"message","stop_reason":"max_tokens","content":[
		{"type":"tool_use","id":"toolu_1","name":"clock","input":{}},{"type":"tool_use","id":"toolu_2","name":"clock","input":{}}]}`))
	require.NoError(t, err)
	require.Equal(t, []pegboard.Call{{ID: "toolu_1", Name: "clock", Input: []byte("{}")}}, m.Calls)
	require.Equal(t, []pegboard.Call{{ID: "toolu_2", Name: "clock", Input: []byte("{}")}}, m.Incomplete)
}

func TestReadEvents(t *testing.T) {
	clock := use("toolu_1", "clock")
	wiretest.RunEvents(t, api, []wiretest.EventsCase{
		{Name: "no argument", Body: stream(start, begin(0, clock), end(0), because("tool_use"), stop), Want: []string{"call toolu_1 clock "}},
		{Name: "blank argument", Body: stream(start, begin(0, clock), partial(0, ""), partial(0, " "), end(0), because("tool_use"), stop),
			Want: []string{"call toolu_1 clock  "}},
		{Name: "input with the start", Body: stream(start, begin(0, `{"type":"tool_use","id":"a","name":"b","input":{"c":1}}`), end(0), stop),
			Want: []string{`call a b {"c":1}`}},
		{Name: "deltas win", Body: stream(start, begin(0, `{"type":"tool_use","id":"a","name":"b","input":{"c":1}}`), partial(0, "{}"), end(0), stop),
			Want: []string{`call a b {}`}},
		{Name: "invalid JSON", Body: stream(start, begin(0, clock), partial(0, `{"a": x`), partial(0, "}"), end(0), because("tool_use"), stop),
			Want: []string{`call toolu_1 clock {"a": x}`}},
		{Name: "invalid JSON, then text", Body: stream(start, begin(0, clock), partial(0, `[]`), end(0), begin(1, `{"type":"text","text":"b"}`), end(1), stop),
			Want: []string{`call toolu_1 clock []`, "text b"}},
		{Name: "cut before any argument", Body: stream(start, begin(0, clock), end(0), because("max_tokens"), stop), Incomplete: 1},
		{Name: "context full", Body: stream(start, begin(0, clock), partial(0, `{"a`), end(0), because("model_context_window_exceeded"), stop), Incomplete: 1},
		{Name: "whole call at the last token", Body: stream(start, begin(0, clock), partial(0, `{}`), end(0), because("max_tokens"), stop),
			Want: []string{"call toolu_1 clock {}"}},
		{Name: "never stopped", Body: stream(start, begin(0, clock), partial(0, `{}`), because("tool_use"), stop), Incomplete: 1},
		{Name: "interleaved", Body: stream(start, begin(0, clock), begin(1, use("toolu_2", "clock")), partial(1, `{"b":2}`), partial(0, `{"a":1}`), end(1), end(0), stop),
			Want: []string{`call toolu_2 clock {"b":2}`, `call toolu_1 clock {"a":1}`}},
		{Name: "server tools are no calls", Body: stream(start,
			begin(0, `{"type":"server_tool_use","id":"srvtoolu_1","name":"a","input":{}}`), end(0),
			begin(1, `{"type":"mcp_tool_use","id":"mcptoolu_1","name":"a","input":{}}`), end(1),
			begin(2, use("srvtoolu_2", "a")), partial(2, "{}"), end(2), stop)},
		{Name: "the same id twice", Body: stream(start, begin(0, clock), partial(0, "{}"), end(0), begin(1, clock), partial(1, "{}"), end(1), stop),
			Want: []string{"call toolu_1 clock {}", "call toolu_1 clock {}"}},
		{Name: "message_start twice", Body: stream(start, start, begin(0, `{"type":"text","text":"a"}`), start, end(0), stop), Want: []string{"text a"}},
		{Name: "what is not known", Body: stream(start, `{"type":"vendor"}`, begin(0, `{"type":"vendor"}`), delta(0, `{"type":"vendor_delta","vendor":1}`), end(0), stop)},
		{Name: "other events", Body: "event: vendor\ndata: no JSON\n\nevent: ping\ndata: {\n\ndata:\n\n" + stream(start, stop)},
		{Name: "type by event only", Body: "event: message_start\ndata: {\"message\":{}}\n\nevent: message_stop\ndata: {}\n\n"},
		{Name: "after the end", Body: stream(start, stop, "garbage")},
		{Name: "message_delta without delta", Body: stream(start, `{"type":"message_delta"}`, stop)},
		{Name: "token counts of another kind", Body: stream(`{"type":"message_start","message":{"usage":{"input_tokens":"many"}}}`, stop)},

		{Name: "cut after a block", Body: stream(start, begin(0, clock), partial(0, "{}"), end(0)), Want: []string{"call toolu_1 clock {}"}, Err: wire.ErrTruncated},
		{Name: "cut after an empty call", Body: stream(start, begin(0, clock), end(0)), Incomplete: 1, Err: wire.ErrTruncated},
		{Name: "cut within a block", Body: stream(start, begin(0, clock), partial(0, "{}")), Incomplete: 1, Err: wire.ErrTruncated},
		{Name: "cut within an event", Body: stream(start) + `data: {"type":"message_st`, Err: wire.ErrTruncated},
		{Name: "no blank line at the end", Body: strings.TrimSpace(stream(start, stop))},
		{Name: "whole, cut", Body: `{"type":"message","content":[{"type":"te`, Err: wire.ErrTruncated},

		{Name: "no JSON", Body: stream(start, "{]"), Err: wire.ErrMalformed},
		{Name: "not an object", Body: stream("[]"), Err: wire.ErrMalformed},
		{Name: "index too high", Body: stream(start, begin(1, clock), end(1), stop), Err: wire.ErrMalformed},
		{Name: "index again", Body: stream(start, begin(0, clock), end(0), begin(0, clock), stop), Incomplete: 1, Err: wire.ErrMalformed},
		{Name: "no index", Body: stream(start, `{"type":"content_block_start","content_block":{"type":"text"}}`, stop), Err: wire.ErrMalformed},
		{Name: "delta for no block", Body: stream(start, partial(0, "{}"), stop), Err: wire.ErrMalformed},
		{Name: "delta after the stop", Body: stream(start, begin(0, clock), end(0), partial(0, "{}"), stop), Incomplete: 1, Err: wire.ErrMalformed},
		{Name: "stopped twice", Body: stream(start, begin(0, clock), end(0), end(0), stop), Incomplete: 1, Err: wire.ErrMalformed},
		{Name: "negative index", Body: stream(start, partial(-1, "{}"), stop), Err: wire.ErrMalformed},
		{Name: "before message_start", Body: stream(begin(0, clock), stop), Err: wire.ErrMalformed},
		{Name: "another message", Body: stream(start, `{"type":"message_start","message":{"id":"msg_2"}}`, stop), Err: wire.ErrMalformed},
		{Name: "block is null", Body: stream(start, begin(0, "null")), Err: wire.ErrMalformed},
		{Name: "delta is null", Body: stream(start, begin(0, clock), delta(0, "null")), Incomplete: 1, Err: wire.ErrMalformed},
		{Name: "partial_json is no string", Body: stream(start, begin(0, clock), delta(0, `{"type":"input_json_delta","partial_json":{}}`)), Incomplete: 1, Err: wire.ErrMalformed},
		{Name: "call without id", Body: stream(start, begin(0, use("", "clock"))), Err: wire.ErrMalformed},
		{Name: "call without name", Body: stream(start, begin(0, use("toolu_1", ""))), Err: wire.ErrMalformed},
		{Name: "whole, not valid", Body: `{"type":"message",]`, Err: wire.ErrMalformed},
		{Name: "whole, of another API", Body: `{"object":"response","error":null,"output":[]}`, Err: wire.ErrMalformed},
		{Name: "whole, content is text", Body: `{"type":"message","content":"hello"}`, Err: wire.ErrMalformed},
		{Name: "whole, block is text", Body: `{"type":"message","content":["hello"]}`, Err: wire.ErrMalformed},
	})
}

func TestReadAPIError(t *testing.T) {
	const envelope = `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}`
	overloaded := wire.APIError{Type: "overloaded_error", Message: "Overloaded", RequestID: "req_1"}
	wiretest.RunRefused(t, api, []wiretest.RefusedCase{
		{Name: "instead of a reply", Body: envelope, Want: overloaded, Text: "overloaded_error: Overloaded (req_1)"},
		{Name: "within a stream", Body: stream(start) + "event: error\ndata: " + envelope + "\n\n", Want: overloaded, Text: "overloaded_error: Overloaded (req_1)"},
		{Name: "first of a stream", Body: stream(envelope), Want: overloaded, Text: "overloaded_error: Overloaded (req_1)"},
		{Name: "without type", Body: `{"error":{"message":"no"}}`, Want: wire.APIError{Message: "no"}, Text: "no"},
		{Name: "within a stream, without type", Body: stream(start, `{"error":{"message":"no"}}`), Want: wire.APIError{Message: "no"}, Text: "no"},
		{Name: "a text", Body: `{"error":"no"}`, Want: wire.APIError{Message: "no"}, Text: "no"},
		{Name: "empty", Body: `{"type":"error"}`, Want: wire.APIError{Type: "error", Message: `{"type":"error"}`}, Text: `error: {"type":"error"}`},
		{Name: "event of text", Body: "event: error\ndata: gateway timeout\n\n", Want: wire.APIError{Message: "gateway timeout"}, Text: "gateway timeout"},
	})
}

// TestReadOneOfSeveral reads a body that holds several messages: a reply is the
// first one.
func TestReadOneOfSeveral(t *testing.T) {
	t.Parallel()
	one := stream(start, begin(0, use("a", "clock")), end(0), because("tool_use"), stop)
	two := stream(strings.ReplaceAll(start, "msg_1", "msg_2"), begin(0, use("b", "clock")), end(0), because("tool_use"), stop)
	events, m, err := read(strings.NewReader(one + two))
	require.NoError(t, err)
	require.Equal(t, []string{"call a clock "}, events)
	require.Equal(t, "msg_1", m.ID)

	whole := `{"type":"message","id":"msg_1","content":[` + use("a", "clock") + `]}`
	events, _, err = read(strings.NewReader(whole + "\n" + two))
	require.NoError(t, err)
	require.Equal(t, []string{"call a clock {}"}, events)
}

// TestTooManyBlocks reads a reply whose blocks are many and small.
func TestTooManyBlocks(t *testing.T) {
	t.Parallel()
	body := `{"type":"message","id":"m","stop_reason":"end_turn","content":[` + strings.Repeat("{},", 1<<17) + `{}]}`
	_, m, err := read(strings.NewReader(body))
	require.ErrorIs(t, err, wire.ErrMalformed)
	require.ErrorContains(t, err, "more than 131072 content blocks")
	require.Equal(t, pegboard.FinishError, m.Finish)
}

func TestRead(t *testing.T) {
	wiretest.RunRead(t, api, fixture(t, "parallel.sse"), fixture(t, "max_tokens.sse"), fixture(t, "invalid_json.sse"))
}

func FuzzRead(f *testing.F) {
	wiretest.FuzzRead(f, api, fixture(f, "parallel.sse"), fixture(f, "max_tokens.sse"), fixture(f, "invalid_json.sse"), `{"type":"error","error":{"message":"no"}}`,
		stream(start, begin(0, `{"type":"thinking","thinking":""}`), delta(0, `{"type":"signature_delta","signature":"s"}`), end(0), because("end_turn"), stop),
		stream(start, begin(0, `{"type":"server_tool_use","id":"srvtoolu_1","name":"a"}`), partial(0, "{}"), end(0), because("max_tokens"), stop),
		stream(start, begin(0, `{"type":"text","text":"a","citations":null}`), delta(0, `{"type":"citations_delta","citation":{}}`), end(0), stop))
}

func TestFinish(t *testing.T) {
	begun := stream(start, begin(0, use("a", "clock")), end(0), because("tool_use"))
	wiretest.RunFinish(t, api, func(reason string) string {
		return fmt.Sprintf(`{"type":"message","content":[],"stop_reason":%q}`, reason)
	},
		map[string]pegboard.FinishReason{
			"end_turn": pegboard.FinishStop, "stop_sequence": pegboard.FinishStop, "pause_turn": pegboard.FinishPause,
			"tool_use": pegboard.FinishToolCalls, "max_tokens": pegboard.FinishLength,
			"model_context_window_exceeded": pegboard.FinishLength, "refusal": pegboard.FinishFilter,
			"": pegboard.FinishError, "a reason of next year": pegboard.FinishError,
		},
		wiretest.BrokenCase{Name: "no message_stop", Body: begun, Err: wire.ErrTruncated},
		wiretest.BrokenCase{Name: "no JSON follows", Body: begun + "event: message_delta\ndata: x\n\n", Err: wire.ErrMalformed},
		wiretest.BrokenCase{Name: "an error follows", Body: begun + stream(`{"type":"error","error":{"type":"overloaded_error","message":"later"}}`)})
}

func TestHistory(t *testing.T) {
	t.Parallel()
	const (
		text     = `{"type":"text","text":"a"}`
		thinking = `{"type":"thinking","thinking":"t","signature":"s"}`
	)
	clock := use("toolu_1", "clock")
	tests := []struct {
		name string
		body string
		want string // content; empty: no message
	}{
		{name: "untouched", body: stream(start, begin(0, `{"type": "vendor", "b":1, "a":[ 1.0 ], "s":"<>"}`), end(0), stop),
			want: `[{"type": "vendor", "b":1, "a":[ 1.0 ], "s":"<>"}]`},
		{name: "text", body: stream(start, begin(0, `{"type":"text","text":"a"}`), delta(0, `{"type":"text_delta","text":"<b>"}`), delta(0, `{"type":"text_delta","text":" ü\n"}`), end(0), stop),
			want: `[{"type":"text","text":"a<b> ü\n"}]`},
		{name: "citations", body: stream(start, begin(0, `{"type":"text","text":"","citations":[]}`), delta(0, `{"type":"text_delta","text":"a"}`),
			delta(0, `{"type":"citations_delta","citation":{"n":1}}`), delta(0, `{"type":"citations_delta","citation":{"n":2}}`), delta(0, `{"type":"citations_delta"}`), end(0), stop),
			want: `[{"type":"text","text":"a","citations":[{"n":1},{"n":2}]}]`},
		{name: "thinking", body: stream(start, begin(0, `{"type":"thinking","thinking":"","signature":""}`), delta(0, `{"type":"thinking_delta","thinking":"t"}`),
			delta(0, `{"type":"signature_delta","signature":"s"}`), end(0), begin(1, text), end(1), stop), want: `[` + thinking + `,` + text + `]`},
		{name: "a delta not known yet", body: stream(start, begin(0, `{"type":"compaction","content":null,"n":1}`), delta(0, `{"type":"compaction_delta","content":"short"}`), end(0), stop),
			want: `[{"type":"compaction","content":"short","n":1}]`},
		{name: "a delta cannot change what a block is", body: stream(start, begin(0, clock), partial(0, "{}"), delta(0, `{"type":"odd_delta","id":"2","name":"x","input":"y"}`), end(0), stop),
			want: `[` + clock + `]`},
		{name: "input byte for byte", body: stream(start, begin(0, `{"type":"tool_use","id":"a","name":"b","input":{},"caller":{"type":"direct"}}`), partial(0, `{"x": 1.0,`), partial(0, ` "y":"<ü>" }`), end(0), stop),
			want: `[{"type":"tool_use","id":"a","name":"b","input":{"x": 1.0, "y":"<ü>" },"caller":{"type":"direct"}}]`},
		{name: "no input", body: stream(start, begin(0, clock), end(0), because("tool_use"), stop), want: `[` + clock + `]`},
		{name: "no input at all", body: stream(start, begin(0, `{"type":"tool_use","id":"a","name":"b"}`), end(0), stop), want: `[{"type":"tool_use","id":"a","name":"b","input":{}}]`},
		{name: "input is null", body: stream(start, begin(0, `{"type":"tool_use","id":"a","name":"b","input":null}`), end(0), stop), want: `[{"type":"tool_use","id":"a","name":"b","input":{}}]`},
		{name: "invalid input", body: stream(start, begin(0, clock), partial(0, `{"a": "<`), end(0), stop),
			want: `[{"type":"tool_use","id":"toolu_1","name":"clock","input":{"INVALID_JSON":"{\"a\": \"<"}}]`},
		{name: "input is an array", body: stream(start, begin(0, clock), partial(0, `[]`), end(0), stop),
			want: `[{"type":"tool_use","id":"toolu_1","name":"clock","input":{"INVALID_JSON":"[]"}}]`},
		{name: "whole with input as text", body: `{"type":"message","content":[{"type":"tool_use","id":"a","name":"b","input":"{}"}]}`,
			want: `[{"type":"tool_use","id":"a","name":"b","input":{"INVALID_JSON":"\"{}\""}}]`},
		{name: "server tool", body: stream(start, begin(0, `{"type":"server_tool_use","id":"srvtoolu_1","name":"a","input":{}}`), partial(0, `{"q": 1}`), end(0), stop),
			want: `[{"type":"server_tool_use","id":"srvtoolu_1","name":"a","input":{"q": 1}}]`},

		{name: "blank text is left out", body: stream(start, begin(0, `{"type":"text","text":""}`), end(0), begin(1, `{"type":"text","text":" \n"}`), end(1), begin(2, text), end(2), stop), want: `[` + text + `]`},
		{name: "thinking at the end is left out", body: stream(start, begin(0, text), end(0), begin(1, thinking), end(1), begin(2, `{"type":"redacted_thinking","data":"d"}`), end(2), begin(3, `{"type":"text","text":" "}`), end(3), because("max_tokens"), stop), want: `[` + text + `]`},
		{name: "the second call of an id is left out", body: stream(start, begin(0, clock), end(0), begin(1, clock), end(1), because("tool_use"), stop), want: `[` + clock + `]`},
		{name: "unfinished call is left out", body: stream(start, begin(0, text), end(0), begin(1, clock), partial(1, "{}")), want: `[` + text + `]`},
		{name: "unfinished thinking is left out", body: stream(start, begin(0, text), end(0), begin(1, thinking)), want: `[` + text + `]`},
		{name: "unfinished text stays", body: stream(start, begin(0, `{"type":"text","text":""}`), delta(0, `{"type":"text_delta","text":"hal"}`)), want: `[{"type":"text","text":"hal"}]`},
		{name: "nothing is left", body: stream(start, begin(0, thinking), end(0), stop)},
		{name: "nothing came", body: ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, m, _ := read(strings.NewReader(tt.body)) // some are cut on purpose
			if tt.want == "" {
				require.Nil(t, only(m.History))
				return
			}
			require.Equal(t, `{"role":"assistant","content":`+tt.want+`}`, string(only(m.History)))
		})
	}
}
