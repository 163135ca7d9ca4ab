package responses_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/wiretest"
	"github.com/seed49eaa51d/pegboard/wire/openai/responses"
)

// stream writes the events of a stream as the API does.
func stream(data ...string) string {
	var b strings.Builder
	for _, d := range data {
		var e struct{ Type string }
		_ = json.Unmarshal([]byte(d), &e)
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", e.Type, d)
	}
	return b.String()
}

// The events of a response.
const created = `{"type":"response.created","response":{"id":"resp_1","object":"response","model":"model-1","status":"in_progress","output":[]}}`

func added(at int, item string) string {
	return fmt.Sprintf(`{"type":"response.output_item.added","output_index":%d,"item":%s}`, at, item)
}

func done(at int, item string) string {
	return fmt.Sprintf(`{"type":"response.output_item.done","output_index":%d,"item":%s}`, at, item)
}

func delta(at int, kind, text string) string {
	quoted, _ := json.Marshal(text)
	return fmt.Sprintf(`{"type":"response.%s.delta","output_index":%d,"delta":%s}`, kind, at, quoted)
}

func ending(status, members string, output ...string) string {
	return fmt.Sprintf(`{"type":"response.%s","response":%s}`, status, whole(status, members, output...))
}

func whole(status, members string, output ...string) string {
	return fmt.Sprintf(`{"id":"resp_1","object":"response","model":"model-1","status":%q%s,"output":[%s]}`, status, members, strings.Join(output, ","))
}

const outOfTokens = `,"incomplete_details":{"reason":"max_output_tokens"}`

// The items of a response.
const (
	thinks = `{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"Hm."}],"encrypted_content":"e=="}`
	says   = `{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","annotations":[],"text":"Hello <you>"}]}`
	patch  = `{"id":"apc_1","type":"apply_patch_call","status":"completed","call_id":"p","operation":{"type":"delete_file","path":"x"}}`
	hosted = `{"id":"ws_1","type":"web_search_call","status":"completed","action":{"type":"search","query":"q"}}`
	sought = `{"id":"tsc_1","type":"tool_search_call","status":"completed","arguments":{"goal": "a <map>"},"call_id":"s","execution":"client"}`
)

func use(id, name, arguments string) string { return useAs("completed", id, name, arguments) }

func useAs(status, id, name, arguments string) string {
	quoted, _ := json.Marshal(arguments)
	return fmt.Sprintf(`{"id":"fc_%s","type":"function_call","status":%q,"arguments":%s,"call_id":%q,"name":%q}`, id, status, quoted, id, name)
}

func TestRead(t *testing.T) {
	t.Parallel()
	begun := `{"id":"msg_1","type":"message","status":"in_progress","role":"assistant","content":[]}`
	usage := `,"usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":60},"output_tokens":7}`
	tests := []struct {
		name       string
		body       string
		events     []string
		calls      []string
		incomplete []string
		history    []string
		reason     string
		finish     pegboard.FinishReason
	}{
		{name: "streamed", body: stream(created, added(0, `{"id":"rs_1","type":"reasoning","summary":[]}`), delta(0, "reasoning_summary_text", "H"), delta(0, "reasoning_summary_text", "m."), done(0, thinks),
			added(1, begun), delta(1, "output_text", "Hello "), delta(1, "output_text", "<you>"), done(1, says),
			added(2, useAs("in_progress", "a", "clock", "")), delta(2, "function_call_arguments", `{ "x":`), delta(2, "function_call_arguments", ` 1.0}`), done(2, use("a", "clock", `{ "x": 1.0}`)),
			ending("completed", usage, thinks, says, use("a", "clock", `{ "x": 1.0}`))),
			events: []string{"thinking H", "thinking m.", "text Hello ", "text <you>", `call a clock { "x": 1.0}`}, calls: []string{`a clock { "x": 1.0}`},
			history: []string{thinks, says, use("a", "clock", `{ "x": 1.0}`)}, reason: "completed", finish: pegboard.FinishToolCalls},
		{name: "whole", body: whole("completed", usage, thinks, says, use("a", "clock", "{}")),
			events: []string{"thinking Hm.", "text Hello <you>", "call a clock {}"}, calls: []string{"a clock {}"},
			history: []string{thinks, says, use("a", "clock", "{}")}, reason: "completed", finish: pegboard.FinishToolCalls},
		{name: "only text", body: whole("completed", "", says), events: []string{"text Hello <you>"}, history: []string{says}, reason: "completed", finish: pegboard.FinishStop},
		{name: "parallel and interleaved", body: stream(created, added(0, useAs("in_progress", "a", "clock", "")), added(1, useAs("in_progress", "b", "map", "")),
			delta(1, "function_call_arguments", `{"b"`), delta(0, "function_call_arguments", `{"a"`), done(1, use("b", "map", `{"b":1}`)), done(0, use("a", "clock", `{"a":1}`)), ending("completed", "")),
			events: []string{`call b map {"b":1}`, `call a clock {"a":1}`}, calls: []string{`a clock {"a":1}`, `b map {"b":1}`},
			history: []string{use("a", "clock", `{"a":1}`), use("b", "map", `{"b":1}`)}, reason: "completed", finish: pegboard.FinishToolCalls},
		{name: "out of tokens within a call", body: stream(created, done(0, thinks), added(1, useAs("in_progress", "a", "rm", "")), delta(1, "function_call_arguments", `{"path":"/tm`),
			done(1, useAs("incomplete", "a", "rm", `{"path":"/tm`)), ending("incomplete", outOfTokens, thinks, useAs("incomplete", "a", "rm", `{"path":"/tm`))),
			events: []string{"thinking Hm."}, incomplete: []string{`a rm {"path":"/tm`}, reason: "max_output_tokens", finish: pegboard.FinishLength},
		{name: "out of tokens, and the item does not say so", body: whole("incomplete", outOfTokens, use("a", "clock", "{}"), use("b", "rm", `{"p`)),
			events: []string{"call a clock {}"}, calls: []string{"a clock {}"}, incomplete: []string{`b rm {"p`}, history: []string{use("a", "clock", "{}")}, reason: "max_output_tokens", finish: pegboard.FinishLength},
		{name: "cut, though it does not look so", body: whole("incomplete", outOfTokens, useAs("incomplete", "a", "rm", `{}`)), incomplete: []string{"a rm {}"}, reason: "max_output_tokens", finish: pegboard.FinishLength},
		{name: "cut, though something follows", body: whole("incomplete", outOfTokens, useAs("incomplete", "a", "rm", `{"p`), says), events: []string{"text Hello <you>"},
			incomplete: []string{`a rm {"p`}, history: []string{says}, reason: "max_output_tokens", finish: pegboard.FinishLength},
		{name: "filtered", body: whole("incomplete", `,"incomplete_details":{"reason":"content_filter"}`, says), events: []string{"text Hello <you>"}, history: []string{says}, reason: "content_filter", finish: pegboard.FinishFilter},
		{name: "refused", body: stream(created, added(0, begun), delta(0, "refusal", "No."), done(0, `{"type":"message","content":[{"type":"refusal","refusal":"No."}]}`), ending("completed", "")),
			events: []string{"text No."}, history: []string{`{"type":"message","content":[{"type":"refusal","refusal":"No."}]}`}, reason: "completed", finish: pegboard.FinishFilter},
		{name: "no JSON", body: whole("completed", "", use("a", "clock", `{x`), use("b", "clock", "")), events: []string{"call a clock {x", "call b clock "},
			calls: []string{"a clock {x", "b clock "}, history: []string{use("a", "clock", `{x`), use("b", "clock", "")}, reason: "completed", finish: pegboard.FinishToolCalls},
		{name: "a call twice", body: whole("completed", "", use("a", "clock", "{}"), use("a", "map", "{}")), events: []string{"call a clock {}", "call a map {}"},
			calls: []string{"a clock {}", "a map {}"}, history: []string{use("a", "clock", "{}")}, reason: "completed", finish: pegboard.FinishToolCalls},
		{name: "hosted items", body: whole("completed", "", patch, hosted, `{"type":"of next year","call_id":"z"}`), history: []string{patch, hosted, `{"type":"of next year","call_id":"z"}`}, reason: "completed", finish: pegboard.FinishStop},
		{name: "a search by the client", body: stream(created, added(0, strings.Replace(sought, `"s"`, `"another"`, 1)), done(0, sought), ending("completed", "")),
			events: []string{`call s tool_search {"goal": "a <map>"}`}, calls: []string{`s tool_search {"goal": "a <map>"}`}, history: []string{sought}, reason: "completed", finish: pegboard.FinishToolCalls},
		{name: "a search by the API", body: whole("completed", "", `{"type":"tool_search_call","execution":"server","call_id":null,"arguments":{}}`), history: []string{`{"type":"tool_search_call","execution":"server","call_id":null,"arguments":{}}`}, reason: "completed", finish: pegboard.FinishStop},
		{name: "arguments in deltas only", body: stream(created, added(0, useAs("in_progress", "a", "clock", "")), delta(0, "function_call_arguments", `{"x":1}`), done(0, use("a", "clock", "")), ending("completed", "")),
			events: []string{`call a clock {"x":1}`}, calls: []string{`a clock {"x":1}`}, history: []string{use("a", "clock", `{"x":1}`)}, reason: "completed", finish: pegboard.FinishToolCalls},
		{name: "arguments as an object, and none", body: whole("completed", "", `{"type":"function_call","call_id":"a","name":"clock","arguments":{"x": 1}}`, `{"type":"function_call","call_id":"b","name":"clock"}`),
			events: []string{`call a clock {"x": 1}`, "call b clock "}, calls: []string{`a clock {"x": 1}`, "b clock "}, reason: "completed", finish: pegboard.FinishToolCalls,
			history: []string{`{"type":"function_call","call_id":"a","name":"clock","arguments":"{\"x\": 1}"}`, `{"type":"function_call","call_id":"b","name":"clock","arguments":""}`}},
		{name: "no UTF-8", body: whole("completed", "", "{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"clock\",\"arguments\":\"{\xff}\"}"),
			events: []string{"call a clock {\ufffd}"}, calls: []string{"a clock {\ufffd}"}, reason: "completed", finish: pegboard.FinishToolCalls,
			history: []string{`{"type":"function_call","call_id":"a","name":"clock","arguments":"{` + "\ufffd" + `}"}`}},
		{name: "nothing but the end", body: stream(ending("completed", "", says, use("a", "clock", "{}"))), events: []string{"text Hello <you>", "call a clock {}"}, calls: []string{"a clock {}"},
			history: []string{says, use("a", "clock", "{}")}, reason: "completed", finish: pegboard.FinishToolCalls},
		{name: "events of other kinds", body: ": ping\n\nevent: keepalive\ndata: x\n\n" + stream(`{"type":"keepalive","sequence_number":3}`, `{"type":"response.audio.delta","delta":"x"}`, created, created,
			added(0, hosted), added(0, hosted), `{"type":"response.web_search_call.searching","output_index":0}`, `{"type":"response.of.delta","output_index":0,"delta":{"x":1}}`, done(0, hosted), ending("completed", "")),
			history: []string{hosted}, reason: "completed", finish: pegboard.FinishStop},
		{name: "two summaries", body: stream(created, added(0, `{"type":"reasoning"}`), delta(0, "reasoning_summary_text", "A"), strings.Replace(delta(0, "reasoning_summary_text", "B"), `"output_index"`, `"summary_index":1,"output_index"`, 1), done(0, thinks), done(1, says), ending("completed", "")),
			events: []string{"thinking A", "thinking \n\nB", "text Hello <you>"}, history: []string{thinks, says}, reason: "completed", finish: pegboard.FinishStop},
		{name: "two summaries at once", body: whole("completed", "", `{"type":"reasoning","summary":[{"text":"A"},{"text":"B"}],"content":[{"text":"C"}]}`, says),
			events: []string{"thinking A\n\nB\n\nC", "text Hello <you>"}, history: []string{`{"type":"reasoning","summary":[{"text":"A"},{"text":"B"}],"content":[{"text":"C"}]}`, says}, reason: "completed", finish: pegboard.FinishStop},
		{name: "reasoning that is not kept anywhere", body: whole("completed", `,"store":false`, `{"type":"reasoning"}`, thinks, `{"type":"reasoning","encrypted_content":null}`, says),
			events: []string{"thinking Hm.", "text Hello <you>"}, history: []string{thinks, says}, reason: "completed", finish: pegboard.FinishStop},
		{name: "reasoning that the API keeps", body: whole("completed", `,"store":true`, `{"type":"reasoning"}`, says), events: []string{"text Hello <you>"}, history: []string{`{"type":"reasoning"}`, says}, reason: "completed", finish: pegboard.FinishStop},
		{name: "without anything", body: whole("completed", ""), reason: "completed", finish: pegboard.FinishStop},
		{name: "cancelled without output", body: whole("incomplete", ""), reason: "incomplete", finish: pegboard.FinishError},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			events, m, err := read(strings.NewReader(tt.body))
			require.NoError(t, err)
			require.Equal(t, tt.events, events)
			require.Equal(t, tt.calls, written(m.Calls))
			require.Equal(t, tt.incomplete, written(m.Incomplete))
			require.Equal(t, tt.history, stringsOf(m.History))
			require.Equal(t, tt.reason, m.StopReason)
			require.Equal(t, tt.finish, m.Finish)
			require.Equal(t, "resp_1", m.ID)
			require.Equal(t, "model-1", m.Model)
			requireTurn(t, m, new(responses.Codec).Results(m, nil))
		})
	}
	_, m, err := read(strings.NewReader(whole("completed", usage)))
	require.NoError(t, err)
	require.Equal(t, wire.Usage{Input: 40, Output: 7, CacheRead: 60}, m.Usage)
}

// TestReadCut ends streams before their time.
func TestReadCut(t *testing.T) {
	t.Parallel()
	begun := `{"id":"msg_1","type":"message","status":"in_progress","role":"assistant","content":[],"phase":"x"}`
	tests := []struct {
		name       string
		body       string
		incomplete []string
		history    []string
	}{
		{name: "the first event", body: stream(created)},
		{name: "within an event", body: stream(created) + `data: {"type":"resp`},
		{name: "within a call", body: stream(created, done(0, says), done(1, thinks), added(2, useAs("in_progress", "a", "rm", "")), delta(2, "function_call_arguments", `{"p`)),
			incomplete: []string{`a rm {"p`}, history: []string{says}},
		{name: "after a call that may have been cut", body: stream(created, done(0, use("a", "rm", `{"p`))), incomplete: []string{`a rm {"p`}},
		{name: "within the text", body: stream(created, done(0, thinks), added(1, begun), delta(1, "output_text", "Hel"), delta(1, "output_text", "lo")),
			history: []string{thinks, `{"id":"msg_1","type":"message","status":"incomplete","role":"assistant","content":[{"type":"output_text","text":"Hello","annotations":[]}],"phase":"x"}`}},
		{name: "within parts in another order", body: stream(created, added(0, `{"type":"message"}`), strings.Replace(delta(0, "output_text", "B"), `"output_index"`, `"content_index":900,"output_index"`, 1), delta(0, "output_text", "A")),
			history: []string{`{"type":"message","content":[{"type":"output_text","text":"A","annotations":[]},{"type":"output_text","text":"B","annotations":[]}],"status":"incomplete"}`}},
		{name: "before the text", body: stream(created, done(0, thinks), added(1, begun))},
		{name: "within a refusal", body: stream(created, added(0, `{"type":"message"}`), delta(0, "refusal", "No")),
			history: []string{`{"type":"message","content":[{"type":"refusal","refusal":"No"}],"status":"incomplete"}`}},
		{name: "within an item of the API", body: stream(created, done(0, says), added(1, hosted)), history: []string{says}},
		{name: "by [DONE]", body: stream(created, done(0, says)) + "data: [DONE]\n\n", history: []string{says}},
		{name: "whole", body: `{"object":"response","status":"completed","output":[`},
		{name: "still running", body: whole("in_progress", "", says), history: []string{says}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, m, err := read(strings.NewReader(tt.body))
			require.ErrorIs(t, err, wire.ErrTruncated)
			require.Empty(t, m.Calls)
			require.Equal(t, tt.incomplete, written(m.Incomplete))
			require.Equal(t, tt.history, stringsOf(m.History))
			require.Equal(t, pegboard.FinishError, m.Finish)
			requireTurn(t, m, new(responses.Codec).Results(m, nil))
		})
	}
}

func TestReadMalformed(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, body, want string }{
		{name: "HTML", body: "{<html>", want: "not valid JSON"},
		{name: "another object", body: `{"object":"chat.completion"}`, want: `the object "chat.completion"`},
		{name: "no object", body: "data: 7\n\n", want: "event"},
		{name: "text", body: "data: hello\n\ndata: you\n\n", want: "event"},
		{name: "an item before the response", body: stream(done(0, says)), want: "before response.created"},
		{name: "another response", body: stream(created, strings.ReplaceAll(ending("completed", ""), "resp_1", "resp_2")), want: "resp_2"},
		{name: "a gap", body: stream(created, added(1, says)), want: "1 began where 0"},
		{name: "negative", body: stream(created, added(-1, says)), want: "-1 began"},
		{name: "twice", body: stream(created, added(0, says), added(0, patch)), want: "0 began where 1"},
		{name: "done twice", body: stream(created, done(0, says), done(0, says)), want: "not open"},
		{name: "a delta of nothing", body: stream(created, delta(0, "output_text", "x")), want: "not open"},
		{name: "a delta too late", body: stream(created, done(0, says), delta(0, "output_text", "x")), want: "not open"},
		{name: "another item at the end", body: stream(created, added(0, says), done(0, patch)), want: "began as message"},
		{name: "an item that is none", body: stream(created, added(0, `"x"`)), want: "no object"},
		{name: "an odd item", body: stream(created, added(0, `{"type":7}`)), want: "no type"},
		{name: "an item that says two things", body: stream(created, added(0, `{"type":"function_call","type":"message"}`)), want: "twice"},
		{name: "a call without id", body: stream(created, done(0, `{"type":"function_call","name":"x","arguments":"{}"}`)), want: "no call_id"},
		{name: "a call without name", body: stream(created, done(0, `{"type":"function_call","call_id":"x","arguments":"{}"}`)), want: "no name"},
		{name: "an odd index", body: stream(created, `{"type":"response.output_item.added","output_index":"x"}`), want: "output_index"},
		{name: "an odd part", body: stream(created, added(0, says), strings.Replace(delta(0, "output_text", "x"), `"output_index"`, `"content_index":-1,"output_index"`, 1)), want: "no part -1"},
		{name: "an open item", body: stream(created, added(0, hosted), ending("completed", "")), want: "not its output item 0"},
		{name: "an odd end", body: stream(created, `{"type":"response.completed","response":{"id":"resp_1","status":7}}`), want: "response"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, m, err := read(strings.NewReader(tt.body))
			require.ErrorIs(t, err, wire.ErrMalformed)
			require.ErrorContains(t, err, tt.want)
			requireTurn(t, m, new(responses.Codec).Results(m, nil))
		})
	}
}

func TestReadAPIError(t *testing.T) {
	wiretest.RunRefused(t, api, []wiretest.RefusedCase{
		{Name: "whole", Body: `{"error":{"message":"No such model","type":"invalid_request_error","param":"model","code":null}}`,
			Want: wire.APIError{Type: "invalid_request_error", Param: "model", Message: "No such model"}, Text: "invalid_request_error: No such model"},
		{Name: "a string", Body: `{"error":"Not found"}`, Want: wire.APIError{Message: "Not found"}, Text: "Not found"},
		{Name: "a code that is a number", Body: `{"error":{"message":"slow","code":429}}`, Want: wire.APIError{Code: "429", Message: "slow"}, Text: "429: slow"},
		{Name: "no message", Body: `{"error":{}}`, Want: wire.APIError{Message: "{}"}, Text: "{}"},
		{Name: "an event", Body: stream(created, `{"type":"error","code":"rate_limit_exceeded","message":"slow","param":null,"sequence_number":1}`),
			Want: wire.APIError{Code: "rate_limit_exceeded", Message: "slow"}, Text: "rate_limit_exceeded: slow"},
		{Name: "an envelope in an event", Body: stream(`{"type":"error","error":{"type":"server_error","message":"oh"}}`), Want: wire.APIError{Type: "server_error", Message: "oh"}, Text: "server_error: oh"},
		{Name: "an envelope without type", Body: `data: {"error":{"message":"oh"}}` + "\n\n", Want: wire.APIError{Message: "oh"}, Text: "oh"},
		{Name: "an event of text", Body: "event: error\ndata: overloaded\n\n", Want: wire.APIError{Message: "overloaded"}, Text: "overloaded"},
		{Name: "failed", Body: stream(created, ending("failed", `,"error":{"code":"server_error","message":"oh"}`)), Want: wire.APIError{Code: "server_error", Message: "oh"}, Text: "server_error: oh"},
		{Name: "failed for no reason", Body: whole("failed", `,"error":null`), Want: wire.APIError{Message: "the response was failed"}, Text: "the response was failed"},
		{Name: "cancelled", Body: whole("cancelled", ""), Want: wire.APIError{Message: "the response was cancelled"}, Text: "the response was cancelled"},
	})
}

// TestReadFailedWithinACall runs nothing that the API did not end.
func TestReadFailedWithinACall(t *testing.T) {
	t.Parallel()
	_, m, err := read(strings.NewReader(stream(created, added(0, useAs("in_progress", "a", "rm", "")), ending("failed", "", useAs("in_progress", "a", "rm", "{}")))))
	require.Error(t, err)
	require.Empty(t, m.Calls)
	require.Len(t, m.Incomplete, 1)
}

func TestReadInPieces(t *testing.T) {
	wiretest.RunRead(t, api, stream(created, added(0, says), delta(0, "output_text", "Hello"), done(0, says), done(1, use("a", "clock", `{"x":"ü"}`)), ending("completed", "")))
}

func FuzzRead(f *testing.F) {
	wiretest.FuzzRead(f, api,
		stream(created, added(0, says), delta(0, "output_text", "x"), done(0, says), done(1, use("a", "clock", "{}")), ending("completed", "")),
		whole("incomplete", outOfTokens, thinks, sought, use("a", "rm", `{"p`)),
		stream(created, added(0, useAs("in_progress", "a", "clock", "")), delta(0, "function_call_arguments", "{}")))
}
