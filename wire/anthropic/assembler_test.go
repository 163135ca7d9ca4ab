package anthropic_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
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

func fixture(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return string(b)
}

// read reads a reply with the names it holds.
func read(body io.Reader) (events []string, m *wire.Message, err error) {
	var w anthropic.Codec
	r := w.Read(body)
	for e := range r.Events() {
		switch {
		case e.Partial != nil: // the tests of package wire read them
		case e.Call != nil:
			events = append(events, fmt.Sprintf("call %s %s %s", e.Call.ID, e.Call.Name, string(e.Call.Input)))
		case e.Text != "":
			events = append(events, "text "+e.Text)
		default:
			events = append(events, "thinking "+e.Thinking)
		}
	}
	m, err = r.Message()
	return events, m, err
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
	t.Parallel()
	clock := use("toolu_1", "clock")
	tests := []struct {
		name       string
		body       string
		want       []string
		incomplete int
		err        error
	}{
		{name: "no argument", body: stream(start, begin(0, clock), end(0), because("tool_use"), stop), want: []string{"call toolu_1 clock "}},
		{name: "blank argument", body: stream(start, begin(0, clock), partial(0, ""), partial(0, " "), end(0), because("tool_use"), stop),
			want: []string{"call toolu_1 clock  "}},
		{name: "input with the start", body: stream(start, begin(0, `{"type":"tool_use","id":"a","name":"b","input":{"c":1}}`), end(0), stop),
			want: []string{`call a b {"c":1}`}},
		{name: "deltas win", body: stream(start, begin(0, `{"type":"tool_use","id":"a","name":"b","input":{"c":1}}`), partial(0, "{}"), end(0), stop),
			want: []string{`call a b {}`}},
		{name: "invalid JSON", body: stream(start, begin(0, clock), partial(0, `{"a": x`), partial(0, "}"), end(0), because("tool_use"), stop),
			want: []string{`call toolu_1 clock {"a": x}`}},
		{name: "invalid JSON, then text", body: stream(start, begin(0, clock), partial(0, `[]`), end(0), begin(1, `{"type":"text","text":"b"}`), end(1), stop),
			want: []string{`call toolu_1 clock []`, "text b"}},
		{name: "cut before any argument", body: stream(start, begin(0, clock), end(0), because("max_tokens"), stop), incomplete: 1},
		{name: "context full", body: stream(start, begin(0, clock), partial(0, `{"a`), end(0), because("model_context_window_exceeded"), stop), incomplete: 1},
		{name: "whole call at the last token", body: stream(start, begin(0, clock), partial(0, `{}`), end(0), because("max_tokens"), stop),
			want: []string{"call toolu_1 clock {}"}},
		{name: "never stopped", body: stream(start, begin(0, clock), partial(0, `{}`), because("tool_use"), stop), incomplete: 1},
		{name: "interleaved", body: stream(start, begin(0, clock), begin(1, use("toolu_2", "clock")), partial(1, `{"b":2}`), partial(0, `{"a":1}`), end(1), end(0), stop),
			want: []string{`call toolu_2 clock {"b":2}`, `call toolu_1 clock {"a":1}`}},
		{name: "server tools are no calls", body: stream(start,
			begin(0, `{"type":"server_tool_use","id":"srvtoolu_1","name":"a","input":{}}`), end(0),
			begin(1, `{"type":"mcp_tool_use","id":"mcptoolu_1","name":"a","input":{}}`), end(1),
			begin(2, use("srvtoolu_2", "a")), partial(2, "{}"), end(2), stop)},
		{name: "the same id twice", body: stream(start, begin(0, clock), partial(0, "{}"), end(0), begin(1, clock), partial(1, "{}"), end(1), stop),
			want: []string{"call toolu_1 clock {}", "call toolu_1 clock {}"}},
		{name: "message_start twice", body: stream(start, start, begin(0, `{"type":"text","text":"a"}`), start, end(0), stop), want: []string{"text a"}},
		{name: "what is not known", body: stream(start, `{"type":"vendor"}`, begin(0, `{"type":"vendor"}`), delta(0, `{"type":"vendor_delta","vendor":1}`), end(0), stop)},
		{name: "other events", body: "event: vendor\ndata: no JSON\n\nevent: ping\ndata: {\n\ndata:\n\n" + stream(start, stop)},
		{name: "type by event only", body: "event: message_start\ndata: {\"message\":{}}\n\nevent: message_stop\ndata: {}\n\n"},
		{name: "after the end", body: stream(start, stop, "garbage"), want: nil},
		{name: "message_delta without delta", body: stream(start, `{"type":"message_delta"}`, stop)},
		{name: "token counts of another kind", body: stream(`{"type":"message_start","message":{"usage":{"input_tokens":"many"}}}`, stop)},

		{name: "empty", body: "", err: wire.ErrTruncated},
		{name: "blank", body: " \r\n\n", err: wire.ErrTruncated},
		{name: "a page", body: "<html>\n<body>Bad gateway</body>\n", err: wire.ErrTruncated},
		{name: "cut after a block", body: stream(start, begin(0, clock), partial(0, "{}"), end(0)), want: []string{"call toolu_1 clock {}"}, err: wire.ErrTruncated},
		{name: "cut after an empty call", body: stream(start, begin(0, clock), end(0)), incomplete: 1, err: wire.ErrTruncated},
		{name: "cut within a block", body: stream(start, begin(0, clock), partial(0, "{}")), incomplete: 1, err: wire.ErrTruncated},
		{name: "cut within an event", body: stream(start) + `data: {"type":"message_st`, err: wire.ErrTruncated},
		{name: "no blank line at the end", body: strings.TrimSpace(stream(start, stop))},
		{name: "whole, cut", body: `{"type":"message","content":[{"type":"te`, err: wire.ErrTruncated},

		{name: "no JSON", body: stream(start, "{]"), err: wire.ErrMalformed},
		{name: "not an object", body: stream("[]"), err: wire.ErrMalformed},
		{name: "index too high", body: stream(start, begin(1, clock), end(1), stop), err: wire.ErrMalformed},
		{name: "index again", body: stream(start, begin(0, clock), end(0), begin(0, clock), stop), incomplete: 1, err: wire.ErrMalformed},
		{name: "no index", body: stream(start, `{"type":"content_block_start","content_block":{"type":"text"}}`, stop), err: wire.ErrMalformed},
		{name: "delta for no block", body: stream(start, partial(0, "{}"), stop), err: wire.ErrMalformed},
		{name: "delta after the stop", body: stream(start, begin(0, clock), end(0), partial(0, "{}"), stop), incomplete: 1, err: wire.ErrMalformed},
		{name: "stopped twice", body: stream(start, begin(0, clock), end(0), end(0), stop), incomplete: 1, err: wire.ErrMalformed},
		{name: "negative index", body: stream(start, partial(-1, "{}"), stop), err: wire.ErrMalformed},
		{name: "before message_start", body: stream(begin(0, clock), stop), err: wire.ErrMalformed},
		{name: "another message", body: stream(start, `{"type":"message_start","message":{"id":"msg_2"}}`, stop), err: wire.ErrMalformed},
		{name: "block is null", body: stream(start, begin(0, "null")), err: wire.ErrMalformed},
		{name: "delta is null", body: stream(start, begin(0, clock), delta(0, "null")), incomplete: 1, err: wire.ErrMalformed},
		{name: "partial_json is no string", body: stream(start, begin(0, clock), delta(0, `{"type":"input_json_delta","partial_json":{}}`)), incomplete: 1, err: wire.ErrMalformed},
		{name: "call without id", body: stream(start, begin(0, use("", "clock"))), err: wire.ErrMalformed},
		{name: "call without name", body: stream(start, begin(0, use("toolu_1", ""))), err: wire.ErrMalformed},
		{name: "whole, not valid", body: `{"type":"message",]`, err: wire.ErrMalformed},
		{name: "whole, of another API", body: `{"object":"response","error":null,"output":[]}`, err: wire.ErrMalformed},
		{name: "whole, content is text", body: `{"type":"message","content":"hello"}`, err: wire.ErrMalformed},
		{name: "whole, block is text", body: `{"type":"message","content":["hello"]}`, err: wire.ErrMalformed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			events, m, err := read(strings.NewReader(tt.body))
			require.ErrorIs(t, err, tt.err)
			require.Equal(t, tt.want, events)
			require.Len(t, m.Incomplete, tt.incomplete)

			again, _, err := read(iotest.OneByteReader(strings.NewReader(tt.body)))
			require.ErrorIs(t, err, tt.err)
			require.Equal(t, events, again, "one byte at a time")
		})
	}
}

func TestReadAPIError(t *testing.T) {
	t.Parallel()
	const envelope = `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}`
	overloaded := wire.APIError{Type: "overloaded_error", Message: "Overloaded", RequestID: "req_1"}
	tests := []struct {
		name string
		body string
		want wire.APIError
		text string
	}{
		{name: "instead of a reply", body: envelope, want: overloaded, text: "overloaded_error: Overloaded (req_1)"},
		{name: "within a stream", body: stream(start) + "event: error\ndata: " + envelope + "\n\n", want: overloaded, text: "overloaded_error: Overloaded (req_1)"},
		{name: "first of a stream", body: stream(envelope), want: overloaded, text: "overloaded_error: Overloaded (req_1)"},
		{name: "without type", body: `{"error":{"message":"no"}}`, want: wire.APIError{Message: "no"}, text: "no"},
		{name: "within a stream, without type", body: stream(start, `{"error":{"message":"no"}}`), want: wire.APIError{Message: "no"}, text: "no"},
		{name: "a text", body: `{"error":"no"}`, want: wire.APIError{Message: "no"}, text: "no"},
		{name: "empty", body: `{"type":"error"}`, want: wire.APIError{Type: "error", Message: `{"type":"error"}`}, text: `error: {"type":"error"}`},
		{name: "event of text", body: "event: error\ndata: gateway timeout\n\n", want: wire.APIError{Message: "gateway timeout"}, text: "gateway timeout"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, m, err := read(strings.NewReader(tt.body))
			var got *wire.APIError
			require.ErrorAs(t, err, &got)
			require.Equal(t, tt.want, *got)
			require.Equal(t, tt.text, err.Error())
			require.NotNil(t, m)
		})
	}
}

// TestReadHandsOutCallsAtOnce makes sure that a call is there as soon as its
// block has stopped, while the model still writes.
func TestReadHandsOutCallsAtOnce(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	go func() {
		_, _ = io.WriteString(w, stream(start, begin(0, use("toolu_1", "clock")), partial(0, "{}"), end(0)))
	}()
	var wire anthropic.Codec
	reply := wire.Read(r)
	for e := range reply.Events() {
		if e.Partial != nil {
			continue
		}
		require.Equal(t, "toolu_1", e.Call.ID)
		break // nothing more was written
	}
	go func() {
		_, _ = io.WriteString(w, stream(begin(1, use("toolu_2", "clock")), end(1), because("tool_use"), stop))
	}()
	for e := range reply.Events() {
		if e.Partial == nil {
			require.Equal(t, "toolu_2", e.Call.ID)
		}
	}
	m, err := reply.Message()
	require.NoError(t, err)
	require.Len(t, m.Calls, 2)
}

// TestReadTakesACopy makes sure that what is done to the input of an event does
// not reach the message.
func TestReadTakesACopy(t *testing.T) {
	t.Parallel()
	var w anthropic.Codec
	r := w.Read(strings.NewReader(stream(start, begin(0, use("toolu_1", "clock")), partial(0, `{"a":1}`), end(0), stop)))
	for e := range r.Events() {
		if e.Call != nil {
			clear(e.Call.Input)
		}
	}
	m, err := r.Message()
	require.NoError(t, err)
	require.Equal(t, `{"a":1}`, string(m.Calls[0].Input))
	clear(m.Calls[0].Input)
	require.Contains(t, string(only(m.History)), `"input":{"a":1}`)
}

func TestReadKeepsTheErrorOfTheBody(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection reset")
	for _, body := range []string{"", stream(start, begin(0, `{"type":"text","text":"half"}`)), `{"type":"mess`} {
		_, m, err := read(io.MultiReader(strings.NewReader(body), iotest.ErrReader(broken)))
		require.ErrorIs(t, err, wire.ErrTruncated)
		require.ErrorIs(t, err, broken)
		require.Equal(t, strings.Contains(body, "half"), m.Text == "half")
	}
}

func TestReadLimits(t *testing.T) {
	t.Parallel()
	mega := strings.Repeat("x", 1<<20)
	tests := []struct {
		name string
		body io.Reader
	}{
		{name: "line", body: strings.NewReader("data: " + strings.Repeat("x", 17<<20))},
		{name: "stream", body: io.MultiReader(strings.NewReader(stream(start, begin(0, use("a", "b")))), &repeated{text: "event: vendor\ndata: " + mega + "\n\n"})},
		{name: "whole", body: io.MultiReader(strings.NewReader(`{"type":"`), &repeated{text: mega})},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := read(tt.body)
			require.ErrorIs(t, err, wire.ErrMalformed)
		})
	}
}

// repeated is an endless repetition of a text.
type repeated struct {
	text string
	at   int
}

func (r *repeated) Read(p []byte) (int, error) {
	n := copy(p, r.text[r.at:])
	r.at = (r.at + n) % len(r.text)
	return n, nil
}

// FuzzRead reads anything at all. However the bytes arrive, the reply is the same,
// and what comes of it could be sent.
func FuzzRead(f *testing.F) {
	f.Add([]byte(fixture(f, "invalid_json.sse")))
	f.Add([]byte(stream(start, begin(0, `{"type":"thinking","thinking":""}`), delta(0, `{"type":"signature_delta","signature":"s"}`), end(0), because("end_turn"), stop)))
	f.Add([]byte(stream(start, begin(0, `{"type":"server_tool_use","id":"srvtoolu_1","name":"a"}`), partial(0, "{}"), end(0), because("max_tokens"), stop)))
	f.Add([]byte(`{"type":"message","content":[{"type":"tool_use","id":"a","name":"b","input":{}}]}`))
	f.Add([]byte(`{"type":"error","error":{"message":"no"}}`))
	f.Add([]byte(stream(start, begin(0, `{"type":"text","text":"a","citations":null}`), delta(0, `{"type":"citations_delta","citation":{}}`), end(0), stop)))
	f.Fuzz(func(t *testing.T, body []byte) {
		whole, m, err := read(strings.NewReader(string(body)))
		byByte, n, errByByte := read(iotest.OneByteReader(strings.NewReader(string(body))))
		require.Equal(t, whole, byByte)
		require.Equal(t, m, n)
		require.Equal(t, fmt.Sprint(err), fmt.Sprint(errByByte))
		requireTurn(t, m, only(new(anthropic.Codec).Results(m, nil)))
	})
}

// TestEveryBoundary cuts streams in two at every byte.
func TestEveryBoundary(t *testing.T) {
	t.Parallel()
	for _, name := range streams {
		body := fixture(t, name)
		whole, m, err := read(strings.NewReader(body))
		require.NoError(t, err)
		for at := range body {
			halves, n, err := read(io.MultiReader(strings.NewReader(body[:at]), strings.NewReader(body[at:])))
			require.NoError(t, err)
			require.True(t, slices.Equal(whole, halves) && reflect.DeepEqual(m, n), "%s cut at %d", name, at)
		}
	}
}

var streams = []string{"parallel.sse", "max_tokens.sse", "invalid_json.sse"}

// FuzzChunks cuts a stream into pieces anywhere. The reply stays the same, byte for
// byte.
func FuzzChunks(f *testing.F) {
	for _, name := range streams {
		f.Add(fixture(f, name), []byte{1, 2, 3, 0, 255})
	}
	f.Fuzz(func(t *testing.T, body string, sizes []byte) {
		var pieces []io.Reader
		rest := body
		for _, size := range sizes {
			n := min(int(size), len(rest))
			pieces = append(pieces, strings.NewReader(rest[:n]))
			rest = rest[n:]
		}
		whole, m, err := read(strings.NewReader(body))
		cut, n, errCut := read(io.MultiReader(append(pieces, strings.NewReader(rest))...))
		require.Equal(t, whole, cut)
		require.Equal(t, m, n)
		require.Equal(t, fmt.Sprint(err), fmt.Sprint(errCut))
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

func TestFinish(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]pegboard.FinishReason{
		"end_turn": pegboard.FinishStop, "stop_sequence": pegboard.FinishStop, "pause_turn": pegboard.FinishPause,
		"tool_use": pegboard.FinishToolCalls, "max_tokens": pegboard.FinishLength,
		"model_context_window_exceeded": pegboard.FinishLength, "refusal": pegboard.FinishFilter,
		"": pegboard.FinishError, "a reason of next year": pegboard.FinishError,
	} {
		_, m, err := read(strings.NewReader(fmt.Sprintf(`{"type":"message","content":[],"stop_reason":%q}`, reason)))
		require.NoError(t, err)
		require.Equal(t, want, m.Finish, reason)
	}
}

// TestFinishOfBrokenReply reads replies that say how they ended, and are not whole:
// nothing that writes may run on them.
func TestFinishOfBrokenReply(t *testing.T) {
	t.Parallel()
	begun := stream(start, begin(0, use("a", "clock")), end(0), because("tool_use"))
	tests := []struct {
		name string
		body string
		err  error
	}{
		{name: "no message_stop", body: begun, err: wire.ErrTruncated},
		{name: "no JSON follows", body: begun + "event: message_delta\ndata: x\n\n", err: wire.ErrMalformed},
		{name: "an error follows", body: begun + stream(`{"type":"error","error":{"type":"overloaded_error","message":"later"}}`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, m, err := read(strings.NewReader(tt.body))
			if tt.err == nil {
				var refused *wire.APIError
				require.ErrorAs(t, err, &refused)
			} else {
				require.ErrorIs(t, err, tt.err)
			}
			require.Len(t, m.Calls, 1)
			require.Empty(t, m.StopReason)
			require.Equal(t, pegboard.FinishError, m.Finish)
		})
	}
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
