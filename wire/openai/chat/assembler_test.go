package chat_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/wiretest"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
)

// TestReadServices reads calls as various services send them.
func TestReadServices(t *testing.T) {
	t.Parallel()
	const add, sum = `a add {"x": 1}`, `b sum {"y":[2]}`
	tests := []struct {
		name   string
		chunks []string
		want   []string // all but the last chunk, which says "tool_calls"
	}{
		{name: "as documented", want: []string{add, sum}, chunks: []string{delta(`"role":"assistant","content":null`),
			calling(piece(0, "a", "add", "")), calling(piece(0, "", "", `{"x"`)), calling(piece(0, "", "", `: 1}`)), calling(piece(1, "b", "sum", "")), calling(piece(1, "", "", `{"y":[2]}`))}},
		{name: "each in one piece", want: []string{add, sum}, chunks: []string{calling(piece(0, "a", "add", `{"x": 1}`)), calling(piece(1, "b", "sum", `{"y":[2]}`))}},
		{name: "all in one chunk", want: []string{add, sum}, chunks: []string{calling(piece(0, "a", "add", `{"x": 1}`), piece(1, "b", "sum", `{"y":[2]}`))}},
		{name: "interleaved", want: []string{add, sum}, chunks: []string{calling(piece(0, "a", "add", `{"x"`), piece(1, "b", "sum", `{"y`)), calling(piece(1, "", "", `":[2]}`), piece(0, "", "", `: 1}`))}},
		{name: "numbered from one, with a gap", want: []string{add, sum}, chunks: []string{calling(piece(1, "a", "add", `{"x": 1}`)), calling(piece(3, "b", "sum", `{"y":[2]}`))}},
		{name: "id and name repeated", want: []string{add, sum}, chunks: []string{calling(piece(0, "a", "add", `{"x"`)), calling(piece(0, "a", "add", `: 1}`)), calling(piece(1, "b", "sum", `{"y":[`)), calling(piece(1, "b", "sum", `2]}`))}},
		{name: "another id in each piece", want: []string{add}, chunks: []string{calling(piece(0, "a", "add", `{"x"`)), calling(piece(0, "z", "", `: 1}`))}},
		{name: "id after the name", want: []string{add}, chunks: []string{calling(piece(0, "", "add", ``)), calling(piece(0, "a", "", `{"x": 1}`))}},
		{name: "name in pieces", want: []string{add}, chunks: []string{calling(piece(0, "a", "a", ``)), calling(piece(0, "", "dd", ``)), calling(piece(0, "", "", `{"x": 1}`))}},
		{name: "empty pieces", want: []string{add}, chunks: []string{calling(), delta(``), calling(piece(0, "a", "add", ``)), calling(piece(0, "", "", ``)), saying(""),
			calling(`{"index":0}`), calling(`{"index":0,"id":"","function":{"name":"","arguments":"{\"x\": 1}"}}`), calling(`{"index":0,"id":null,"function":{"name":null,"arguments":null}}`), calling(`{"index":0,"function":null}`)}},

		{name: "no number", want: []string{add, sum}, chunks: []string{calling(piece(-1, "a", "add", `{"x"`)), calling(piece(-1, "", "", `: 1}`)), calling(piece(-1, "b", "sum", `{"y":[2]}`))}},
		{name: "no number, but the id", want: []string{add, sum}, chunks: []string{calling(piece(-1, "a", "add", `{"x"`), piece(-1, "b", "sum", `{"y":`)), calling(piece(-1, "a", "", `: 1}`), piece(-1, "b", "", `[2]}`))}},
		{name: "number null", want: []string{add}, chunks: []string{calling(`{"index":null,"id":"a","function":{"name":"add","arguments":"{\"x\": 1}"}}`)}},
		{name: "all numbered zero", want: []string{add, sum}, chunks: []string{calling(piece(0, "a", "add", `{"x": 1}`)), calling(piece(0, "b", "sum", `{"y":[2]}`))}},
		{name: "all numbered zero, in pieces", want: []string{add, sum}, chunks: []string{calling(piece(0, "a", "add", `{"x"`)), calling(piece(0, "", "", `: 1}`)), calling(piece(0, "b", "sum", `{"y":`)), calling(piece(0, "", "", `[2]}`))}},
		{name: "the same tool twice, all numbered zero", want: []string{add, `b add {"x": 1}`}, chunks: []string{calling(piece(0, "a", "add", `{"x": 1}`)), calling(piece(0, "b", "add", `{"x": 1}`))}},
		{name: "no arguments", want: []string{"a add ", "b sum ", "c add {}"}, chunks: []string{calling(piece(0, "a", "add", "")), calling(`{"index":1,"id":"b","function":{"name":"sum"}}`), calling(piece(2, "c", "add", "{}"))}},
		{name: "arguments as an object", want: []string{add}, chunks: []string{calling(`{"index":0,"id":"a","function":{"name":"add","arguments":{"x": 1}}}`)}},
		{name: "a pair of escapes split", want: []string{"a add {\"x\":\"😀\"}"}, chunks: []string{calling(`{"index":0,"id":"a","function":{"name":"add","arguments":"{\"x\":\"\ud83d"}}`), calling(`{"index":0,"function":{"arguments":"\ude00\"}"}}`)}},
		{name: "space after the end", want: []string{add, sum}, chunks: []string{calling(piece(0, "a", "add", `{"x": 1}`)), calling(piece(1, "b", "sum", `{"y":[2]}`)), calling(piece(0, "", "", " \n"))}},
		{name: "no JSON", want: []string{`a add {"x": `, sum}, chunks: []string{calling(piece(0, "a", "add", `{"x": `)), calling(piece(1, "b", "sum", `{"y":[2]}`))}},
		{name: "two with one id", want: []string{add, `a sum {}`}, chunks: []string{calling(piece(0, "a", "add", `{"x": 1}`)), calling(piece(1, "a", "sum", `{}`))}},
		{name: "two with one id, not numbered", want: []string{add, `a sum {}`}, chunks: []string{calling(piece(-1, "a", "add", `{"x": 1}`)), calling(piece(-1, "a", "sum", `{}`))}},
		{name: "id and name repeated at the end", want: []string{add}, chunks: []string{calling(piece(-1, "a", "add", `{"x": 1}`)), calling(piece(-1, "a", "add", ``))}},
		{name: "other choices", want: []string{add}, chunks: []string{`{"choices":[{"index":1,"delta":{"tool_calls":[` + piece(0, "z", "other", "{}") + `]},"finish_reason":"stop"},{"index":0,"delta":{"tool_calls":[` + piece(0, "a", "add", `{"x": 1}`) + `]}}]}`}},
		{name: "no choices", want: []string{add}, chunks: []string{`{"id":"","model":"","choices":[],"prompt_filter_results":[]}`, `{"ping":1}`, `null`, calling(piece(0, "a", "add", `{"x": 1}`)), `{"choices":null}`, `{"choices":[{"index":0,"delta":null}]}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, m, err := read(strings.NewReader(stream(append(tt.chunks, because("tool_calls"))...)))
			require.NoError(t, err)
			require.Equal(t, tt.want, written(m.Calls))
			require.Empty(t, m.Incomplete)
			require.Equal(t, "chatcmpl-1", m.ID)
			require.Equal(t, "model-1", m.Model)
			requireTurn(t, m, new(chat.Codec).Results(m, nil))
		})
	}
}

// TestReadWithoutIDs gives calls ids of their own, always the same.
func TestReadWithoutIDs(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		chunks []string
		want   []string
	}{
		{name: "numbered", want: []string{"add {}", "add {}"}, chunks: []string{calling(piece(0, "", "add", "{}")), calling(piece(1, "", "add", "{}"))}},
		{name: "not numbered", want: []string{"add {}", "add {}", "sum "}, chunks: []string{calling(piece(-1, "", "add", "{}"), piece(-1, "", "add", "{}")), calling(piece(-1, "", "sum", ""))}},
		{name: "not numbered, in pieces", want: []string{`add {"x":1}`, "add {}"}, chunks: []string{calling(piece(-1, "", "add", `{"x`)), calling(piece(-1, "", "add", `":1}`)), calling(piece(-1, "", "add", "{}"))}},
		{name: "without arguments", want: []string{"add ", "add ", "sum "}, chunks: []string{calling(piece(-1, "", "add", ""), piece(-1, "", "add", ""), piece(-1, "", "sum", ""))}},
		{name: "all numbered zero", want: []string{"add {}", "sum {}"}, chunks: []string{calling(piece(0, "", "add", "{}"), piece(0, "", "sum", "{}"))}},
		{name: "the old form", want: []string{`add {"x":1}`}, chunks: []string{delta(`"function_call":{"name":"add","arguments":"{\"x"}`), delta(`"function_call":{"arguments":"\":1}"}`)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, m, err := read(strings.NewReader(stream(append(tt.chunks, because("stop"))...)))
			require.NoError(t, err)
			ids := map[string]bool{}
			var got []string
			for _, c := range m.Calls {
				require.Regexp(t, `^call_[0-9a-f]{24}$`, c.ID)
				require.False(t, ids[c.ID])
				ids[c.ID] = true
				got = append(got, c.Name+" "+string(c.Input))
			}
			require.Equal(t, tt.want, got)
			require.Equal(t, pegboard.FinishToolCalls, m.Finish)
			requireTurn(t, m, new(chat.Codec).Results(m, nil))
			_, again, _ := read(iotest.OneByteReader(strings.NewReader(stream(append(tt.chunks, because("stop"))...))))
			require.Equal(t, m.Calls, again.Calls)
		})
	}
}

// TestReadCut never hands out what was not finished.
func TestReadCut(t *testing.T) {
	t.Parallel()
	whole, begun, empty := calling(piece(0, "a", "add", `{"x":1}`)), calling(piece(1, "b", "sum", `{"y":`)), calling(piece(1, "b", "sum", ``))
	reset := errors.New("reset")
	tests := []struct {
		name       string
		body       io.Reader
		err        error
		calls      []string
		incomplete []string
	}{
		{name: "out of tokens", body: strings.NewReader(stream(whole, begun, because("length"))), calls: []string{`a add {"x":1}`}, incomplete: []string{`b sum {"y":`}},
		{name: "before the arguments", body: strings.NewReader(stream(whole, empty, because("max_tokens"))), calls: []string{`a add {"x":1}`}, incomplete: []string{"b sum "}},
		{name: "filtered", body: strings.NewReader(stream(whole, begun, because("content_filter"))), calls: []string{`a add {"x":1}`}, incomplete: []string{`b sum {"y":`}},
		{name: "a reason of next year", body: strings.NewReader(stream(begun, because("moon"))), incomplete: []string{`b sum {"y":`}},
		{name: "interleaved", body: strings.NewReader(stream(begun, whole, because("length"))), incomplete: []string{`b sum {"y":`, `a add {"x":1}`}},
		{name: "no end", body: strings.NewReader(open(whole, begun)), err: wire.ErrTruncated, calls: []string{`a add {"x":1}`}, incomplete: []string{`b sum {"y":`}},
		{name: "no reason", body: strings.NewReader(stream(whole, begun)), err: wire.ErrTruncated, calls: []string{`a add {"x":1}`}, incomplete: []string{`b sum {"y":`}},
		{name: "connection lost", body: io.MultiReader(strings.NewReader(open(begun)), iotest.ErrReader(reset)), err: reset, incomplete: []string{`b sum {"y":`}},
		{name: "within a chunk", body: strings.NewReader(open(begun) + because("tool_calls")[:20]), err: wire.ErrTruncated},
		{name: "an unended chunk is still one", body: strings.NewReader(open(whole) + "data: " + because("tool_calls")), calls: []string{`a add {"x":1}`}},
		{name: "no end but a reason", body: strings.NewReader(open(whole, because("stop"))), calls: []string{`a add {"x":1}`}},
		{name: "connection lost after a reason", body: io.MultiReader(strings.NewReader(open(whole, because("stop"))), iotest.ErrReader(reset)), calls: []string{`a add {"x":1}`}},
		{name: "whole reply out of tokens", body: strings.NewReader(`{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"add","arguments":"{}"}},{"id":"b","function":{"name":"sum","arguments":"{\"y\":"}}]},"finish_reason":"length"}]}`),
			calls: []string{"a add {}"}, incomplete: []string{`b sum {"y":`}},
		{name: "within a whole reply", body: strings.NewReader(`{"choices":[{"message":`), err: wire.ErrTruncated},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			events, m, err := read(tt.body)
			require.ErrorIs(t, err, tt.err)
			require.Equal(t, tt.calls, written(m.Calls))
			if tt.incomplete != nil {
				require.Equal(t, tt.incomplete, written(m.Incomplete))
			}
			require.Len(t, events, len(m.Calls))
			requireTurn(t, m, new(chat.Codec).Results(m, nil))
		})
	}
}

// TestReadEarly yields calls when they are known to be complete, not before and not later.
func TestReadEarly(t *testing.T) {
	t.Parallel()
	body, feed := io.Pipe()
	defer func() { require.NoError(t, body.Close()) }()
	var w chat.Codec
	var got []string
	send := make(chan string)
	go func() {
		for s := range send {
			_, _ = feed.Write([]byte(s))
		}
	}()
	send <- open(calling(piece(0, "a", "add", "{}")), saying("one"), calling(piece(1, "b", "sum", "")), saying("two"), because("tool_calls"), saying("three"))
	reply := w.Read(body)
	for e := range reply.Events() {
		if e.Partial != nil {
			continue
		}
		if e.Call != nil {
			got = append(got, e.Call.ID)
		} else if got = append(got, e.Text); e.Text == "three" {
			break
		}
	}
	require.Equal(t, []string{"one", "a", "two", "three"}, got)
	send <- "data: [DONE]\n\nwhat follows is not read"
	close(send)
	m, err := reply.Message()
	require.NoError(t, err)
	require.Equal(t, []string{"a add {}", "b sum "}, written(m.Calls))
}

func TestReadErrors(t *testing.T) {
	wiretest.RunRefused(t, api, []wiretest.RefusedCase{
		{Name: "whole", Body: `{"error":{"message":"no","type":"invalid_request_error","param":"model","code":"model_not_found"}}`,
			Want: wire.APIError{Type: "invalid_request_error", Code: "model_not_found", Param: "model", Message: "no"}, Text: "model_not_found: no"},
		{Name: "in an array", Body: "\n[{\n" + `"error":{"code":400,"message":"no","status":"INVALID_ARGUMENT"}}]`, Want: wire.APIError{Code: "400", Message: "no"}, Text: "400: no"},
		{Name: "a string", Body: `{"error":"no"}`, Want: wire.APIError{Message: "no"}, Text: "no"},
		{Name: "without a message", Body: `{"error":{"type":"x"}}`, Want: wire.APIError{Type: "x", Message: `{"type":"x"}`}, Text: `x: {"type":"x"}`},
		{Name: "without envelope", Body: `{"object":"error","message":"no","type":"BadRequestError","code":400}`, Want: wire.APIError{Type: "BadRequestError", Code: "400", Message: "no"}, Text: "400: no"},
		{Name: "detail", Body: `{"detail":[{"loc":["body"]}]}`, Want: wire.APIError{Message: `{"detail":[{"loc":["body"]}]}`}, Text: `{"detail":[{"loc":["body"]}]}`},
		{Name: "in the choice", Body: `{"choices":[{"finish_reason":"error","error":{"code":502,"message":"no"}}]}`, Want: wire.APIError{Code: "502", Message: "no"}, Text: "502: no"},
		{Name: "in a stream", Body: open(saying("So"), `{"error":{"message":"no","type":"server_error"}}`), Want: wire.APIError{Type: "server_error", Message: "no"}, Text: "server_error: no"},
		{Name: "in an event", Body: "event: error\ndata: overloaded\n\n", Want: wire.APIError{Message: "overloaded"}, Text: "overloaded"},
		{Name: "in an event, of no known form", Body: "event: error\ndata: {\"reason\":7}\n\n", Want: wire.APIError{Message: `{"reason":7}`}, Text: `{"reason":7}`},
		{Name: "first in a stream", Body: open(`{"error":{"message":"no"},"choices":[]}`), Want: wire.APIError{Message: "no"}, Text: "no"},
	})
}

func TestReadMalformed(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		open(`so`), open(`7`), open(`{"choices":7}`), open(`{"choices":[{"delta":7}]}`), open(`{"choices":[]}{}`), `{"choices":[]}`, `{}`, `{"choices":[{"delta":{"content":"x"}}]}`, `{"a" 1}`,
		open(delta(`"tool_calls":7`)), open(calling(`7`)), open(calling(`{"index":"0"}`)), open(calling(`{"function":7}`)),
		stream(calling(piece(0, "a", "", "{}")), because("tool_calls")),
		open(calling(piece(0, "a", "add", "{}")), calling(piece(1, "b", "add", "{}")), calling(piece(0, "", "", "{}"))),
	} {
		_, m, err := read(strings.NewReader(body))
		require.ErrorIs(t, err, wire.ErrMalformed, body)
		requireTurn(t, m, new(chat.Codec).Results(m, nil))
	}
}

func TestReadWhole(t *testing.T) {
	t.Parallel()
	events, m, err := read(strings.NewReader("\ufeff\r\n" + `{"id":"chatcmpl-2","model":"model-2","object":"chat.completion","choices":[
		{"index":0,"message":{"role":"assistant","content":"both","reasoning_content":"hm","refusal":null,"annotations":[],"tool_calls":[
			{"id":"a","type":"function","index":0,"function":{"name":"clock","arguments":""}},
			{"id":"b","type":"function","index":0,"function":{"name":"weather","arguments":"{\"city\" : \"Z\\u00fcrich\", \"n\": 1.0}"}}]},"logprobs":null,"finish_reason":"tool_calls"},
		{"index":1,"message":{"content":"other"},"finish_reason":"stop"}],
		"usage":{"prompt_tokens":20,"completion_tokens":8,"total_tokens":28,"prompt_tokens_details":{"cached_tokens":13}}} and more`))
	require.NoError(t, err)
	require.Equal(t, []string{"thinking hm", "text both", "call a clock ", `call b weather {"city" : "Z\u00fcrich", "n": 1.0}`}, events)
	require.Equal(t, "both", m.Text)
	require.Equal(t, "tool_calls", m.StopReason)
	require.Equal(t, wire.Usage{Input: 7, Output: 8, CacheRead: 13}, m.Usage)
	require.Equal(t, `{"role":"assistant","content":"both","reasoning_content":"hm","tool_calls":[`+
		`{"id":"a","type":"function","function":{"name":"clock","arguments":"{}"}},`+
		`{"id":"b","type":"function","function":{"name":"weather","arguments":"{\"city\" : \"Z\\u00fcrich\", \"n\": 1.0}"}}]}`, string(only(m.History)))
}

// TestReadWholeCalls takes each element as a call of its own, however it is numbered.
func TestReadWholeCalls(t *testing.T) {
	t.Parallel()
	_, m, err := read(strings.NewReader(`{"choices":[{"message":{"tool_calls":[` + piece(0, "", "add", "") + `,` + piece(0, "", "sum", "") + `]},"finish_reason":"tool_calls"}]}`))
	require.NoError(t, err)
	require.Len(t, m.Calls, 2)
	require.Equal(t, "add", m.Calls[0].Name)
	require.Equal(t, "sum", m.Calls[1].Name)
	requireTurn(t, m, new(chat.Codec).Results(m, nil))
}

func TestRead(t *testing.T) { wiretest.RunRead(t, api) }

func FuzzRead(f *testing.F) {
	wiretest.FuzzRead(f, api,
		stream(saying("Both."), calling(piece(0, "a", "add", "")), calling(piece(0, "", "", `{"x":"ü`)), calling(piece(0, "", "", `"}`)), calling(piece(1, "b", "sum", `{}`)), because("tool_calls")),
		stream(calling(piece(-1, "", "add", `{"x`), piece(-1, "", "sum", "{}")), because("length")),
		`{"choices":[{"message":{"content":"x","tool_calls":[{"id":"a","function":{"name":"add","arguments":"{"}}]},"finish_reason":"stop"}]}`,
		"event: error\r\ndata: {\"error\":{}}\r\n\r\n")
}

// TestReadEchoes runs no call that is only a name said once more.
func TestReadEchoes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		chunks []string
		want   []string
	}{
		{name: "name in each piece", want: []string{`add {"x":1}`}, chunks: []string{calling(piece(0, "", "add", `{"x"`)), calling(piece(0, "", "add", `:1}`)), calling(piece(0, "", "add", ``))}},
		{name: "not numbered", want: []string{`add {"x":1}`}, chunks: []string{calling(piece(-1, "", "add", `{"x":1}`)), calling(piece(-1, "", "add", ``))}},
		{name: "id in the first", want: []string{`add {"x":1}`, "sum {}"}, chunks: []string{calling(piece(0, "a", "add", `{"x":1}`)), calling(piece(0, "", "add", ``)), calling(piece(1, "b", "sum", `{}`))}},
		{name: "the old form beside the new", want: []string{"add {}"}, chunks: []string{delta(`"tool_calls":[` + piece(0, "a", "add", "{}") + `],"function_call":{"name":"add","arguments":"{}"}`)}},
		{name: "the old form beside nothing", want: []string{"add {}"}, chunks: []string{delta(`"tool_calls":[],"function_call":{"name":"add","arguments":"{}"}`)}},
		{name: "another number", want: []string{"add {}", "add "}, chunks: []string{calling(piece(0, "", "add", `{}`)), calling(piece(1, "", "add", ``))}},
		{name: "called again in pieces", want: []string{"add {}", `add {"x":1}`}, chunks: []string{calling(piece(0, "", "add", `{}`)), calling(piece(0, "", "add", ``)), calling(piece(0, "", "", `{"x":1}`))}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			events, m, err := read(strings.NewReader(stream(append(tt.chunks, because("stop"))...)))
			require.NoError(t, err)
			var got []string
			for _, c := range m.Calls {
				got = append(got, c.Name+" "+string(c.Input))
			}
			require.Equal(t, tt.want, got)
			require.Len(t, events, len(tt.want))
			require.Empty(t, m.Incomplete)
			requireTurn(t, m, new(chat.Codec).Results(m, nil))
		})
	}
}

// TestReadCutAfterTheReason does not take a finish_reason for the end if a call
// came after it.
func TestReadCutAfterTheReason(t *testing.T) {
	t.Parallel()
	early, begun := because("stop"), calling(piece(0, "a", "rm", ""))
	_, m, err := read(strings.NewReader(open(early, begun)))
	require.ErrorIs(t, err, wire.ErrTruncated)
	require.Empty(t, m.Calls)
	require.Equal(t, []string{"a rm "}, written(m.Incomplete))

	_, m, err = read(strings.NewReader(open(early, begun, calling(piece(0, "", "", `{"p`)))))
	require.ErrorIs(t, err, wire.ErrTruncated)
	require.Empty(t, m.Calls)

	for _, whole := range []string{stream(early, begun), open(early, begun, early), open(begun, early, calling(piece(0, "", "", "")))} {
		_, m, err = read(strings.NewReader(whole))
		require.NoError(t, err)
		require.Equal(t, []string{"a rm "}, written(m.Calls))
	}
}

// TestReadBroken reads what is made to take long in no more than seconds. Looking
// at all of the arguments with each piece would take minutes.
func TestReadBroken(t *testing.T) {
	t.Parallel()
	const times = 20_000
	long, calls := strings.Repeat("x", 1<<20), strings.Repeat(piece(-1, "", "f", "{}")+",", times)
	tests := []struct {
		name string
		body string
		want error
	}{
		{name: "many calls", body: open(calling(calls + piece(-1, "", "f", "{}"))), want: wire.ErrMalformed},
		{name: "calls behind one that is long", body: open(calling(piece(0, "a", "f", long)), calling(strings.Repeat(piece(1, "", "g", "{}")+",", 9000)+piece(1, "", "g", "{}"))), want: wire.ErrTruncated},
		{name: "pieces that look complete", body: open(calling(piece(0, "a", "f", `{"`+long)), calling(strings.Repeat(piece(0, "a", "f", "}")+",", times)+piece(0, "a", "f", "}"))), want: wire.ErrTruncated},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			_, m, err := read(strings.NewReader(tt.body))
			require.ErrorIs(t, err, tt.want)
			require.Less(t, time.Since(start), 30*time.Second)
			requireTurn(t, m, new(chat.Codec).Results(m, nil))
		})
	}
}

// FuzzArguments hands out a call that may have been cut only if its arguments are an
// object, in whatever pieces they come.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{`{}`, ` {"a":"}\\\"{"} `, `{"a":[{}]} x`, `{"a":"\u00e9`, `}{`, `[]`, `{}}`, `"{}"`, `{]`} {
		f.Add(seed, uint(3))
	}
	f.Fuzz(func(t *testing.T, arguments string, at uint) {
		if !utf8.ValidString(arguments) {
			return
		}
		at %= uint(len(arguments) + 1)
		for at < uint(len(arguments)) && !utf8.RuneStart(arguments[at]) {
			at++
		}
		_, m, err := read(strings.NewReader(stream(calling(piece(0, "a", "f", arguments[:at])), calling(piece(0, "", "", arguments[at:])), because("length"))))
		require.NoError(t, err)
		object := strings.HasPrefix(strings.TrimLeft(arguments, " \t\r\n"), "{") && json.Valid([]byte(arguments))
		calls := append(m.Calls, m.Incomplete...)
		require.Len(t, calls, 1)
		require.Equal(t, object, len(m.Calls) == 1)
		require.Equal(t, arguments, string(calls[0].Input))
	})
}

// TestReadHistoryHoldsTextAndRefusal, of which neither is lost.
func TestReadHistoryHoldsTextAndRefusal(t *testing.T) {
	t.Parallel()
	_, m, err := read(strings.NewReader(`{"choices":[{"message":{"content":"So far.","refusal":"No."},"finish_reason":"stop"}]}`))
	require.NoError(t, err)
	require.JSONEq(t, `{"role":"assistant","content":"So far.","refusal":"No."}`, string(only(m.History)))
}

func TestReadWithoutFirstChoice(t *testing.T) {
	t.Parallel()
	_, m, err := read(strings.NewReader(`{"choices":[{"index":1,"message":{"content":"x"},"finish_reason":"stop"}]}`))
	require.ErrorIs(t, err, wire.ErrMalformed)
	require.Empty(t, m.Text)
}

func TestFinish(t *testing.T) {
	reply := func(message, reason string) string {
		return fmt.Sprintf(`{"choices":[{"message":%s,"finish_reason":%q}]}`, message, reason)
	}
	begun := open(calling(piece(0, "a", "f", "{}")), because("tool_calls"))
	wiretest.RunFinish(t, api, func(reason string) string { return reply("{}", reason) }, map[string]pegboard.FinishReason{
		"stop": pegboard.FinishStop, "end_turn": pegboard.FinishStop, "tool_calls": pegboard.FinishToolCalls, "function_call": pegboard.FinishToolCalls,
		"length": pegboard.FinishLength, "max_tokens": pegboard.FinishLength, "content_filter": pegboard.FinishFilter,
		"": pegboard.FinishError, "error": pegboard.FinishError, "a reason of next year": pegboard.FinishError,
	},
		wiretest.BrokenCase{Name: "an error follows", Body: begun + open(`{"error":{"message":"overloaded"}}`)},
		wiretest.BrokenCase{Name: "no JSON follows", Body: begun + open("{"), Err: wire.ErrMalformed})
	for body, want := range map[string]pegboard.FinishReason{
		reply(`{"tool_calls":[{"function":{"name":"clock","arguments":"{}"}}]}`, "stop"): pegboard.FinishToolCalls,
		reply(`{"refusal":"no"}`, "stop"):                                                pegboard.FinishFilter,
	} {
		_, m, err := read(strings.NewReader(body))
		require.NoError(t, err)
		require.Equal(t, want, m.Finish, body)
	}
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
