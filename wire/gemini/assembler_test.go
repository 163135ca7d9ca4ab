package gemini_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/gemini"
)

func TestReadStream(t *testing.T) {
	t.Parallel()
	responses := []string{
		`{"candidates":[{"content":{"parts":[{"text":"Two ","thought":true}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":9},"responseId":"r1"}`,
		`{"candidates":[{"content":{"parts":[{"text":"cities.","thought":true,"x":1},{"text":"I look "}]}}],"responseId":"r1"}`,
		`{"candidates":[{"content":{"parts":[{"text":"at both."},{"functionCall": {"name": "weather","args": {"city": "Z\u00fcrich", "n": 1.0}},"thoughtSignature":"s=="}]}}]}`,
		`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"clock"}}]},"finishReason":"STOP","finishMessage":"Model generated function call(s)."}],` +
			`"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":8,"thoughtsTokenCount":7,"cachedContentTokenCount":6,"totalTokenCount":24},"modelVersion":"model-1","responseId":"r1"}`,
	}
	for _, body := range []string{stream(responses...), array(responses...)} {
		events, m, err := read(strings.NewReader(body))
		require.NoError(t, err)
		require.Equal(t, []string{
			"thinking Two ", "thinking cities.", "text I look ", "text at both.",
			`call r1-1 weather {"city": "Z\u00fcrich", "n": 1.0}`, "call r1-2 clock ",
		}, events)
		require.Equal(t, []pegboard.Call{
			{ID: "r1-1", Name: "weather", Input: []byte(`{"city": "Z\u00fcrich", "n": 1.0}`)}, {ID: "r1-2", Name: "clock"},
		}, m.Calls)
		require.Empty(t, m.Incomplete)
		require.Equal(t, "r1", m.ID)
		require.Equal(t, "model-1", m.Model)
		require.Equal(t, "I look at both.", m.Text)
		require.Equal(t, "STOP", m.StopReason)
		require.Equal(t, "Model generated function call(s).", m.StopMessage)
		require.Equal(t, wire.Usage{Input: 3, Output: 15, Thinking: 7, CacheRead: 6, Total: 24}, m.Usage)
		require.Equal(t, `{"role":"model","parts":[{"text":"Two ","thought":true},{"text":"cities.","thought":true,"x":1},{"text":"I look "},{"text":"at both."},`+
			`{"functionCall": {"name": "weather","args": {"city": "Z\u00fcrich", "n": 1.0}},"thoughtSignature":"s=="},{"functionCall":{"name":"clock"}}]}`, string(only(m.History)))
	}
}

func TestReadEvents(t *testing.T) {
	t.Parallel()
	clock := calls("clock", "{}")
	tests := []struct {
		name string
		body string
		want []string
		err  error
	}{
		{name: "whole", body: ends("STOP", `{"text":"a"}`, clock), want: []string{"text a", "call r-1 clock {}"}},
		{name: "whole, then more", body: ends("STOP", clock) + ends("STOP", clock), want: []string{"call r-1 clock {}"}},
		{name: "whole, then garbage", body: ends("STOP", clock) + "]", want: []string{"call r-1 clock {}"}},
		{name: "array, then more", body: array(ends("STOP", clock)) + array(ends("STOP", clock)), want: []string{"call r-1 clock {}"}},
		{name: "array with spaces", body: "\ufeff \r\n[ " + says(clock) + "\r\n,\r\n" + ends("STOP") + "\n] ", want: []string{"call r-1 clock {}"}},
		{name: "ids of the API", body: stream(ends("STOP", callsWithID("x", "clock", "{}"), clock)), want: []string{"call x clock {}", "call r-2 clock {}"}},
		{name: "an id that would be made", body: stream(ends("STOP", callsWithID("r-2", "clock", "{}"), clock)), want: []string{"call r-2 clock {}", "call r-3 clock {}"}},
		{name: "the same id twice", body: stream(ends("STOP", callsWithID("x", "clock", "{}"), callsWithID("x", "clock", "{}"))),
			want: []string{"call x clock {}", "call x clock {}"}},
		{name: "args is null", body: stream(ends("STOP", calls("clock", "null"))), want: []string{"call r-1 clock "}},
		{name: "args is no object", body: stream(ends("STOP", calls("clock", `"{}"`))), want: []string{`call r-1 clock "{}"`}},
		{name: "a finishReason in every response", body: stream(ends("STOP", `{"text":"a"}`), ends("STOP", clock)), want: []string{"text a", "call r-1 clock {}"}},
		{name: "token counts after the end", body: stream(ends("STOP", clock), `{"usageMetadata":{"totalTokenCount":3}}`), want: []string{"call r-1 clock {}"}},
		{name: "another response after the end", body: stream(ends("STOP", clock), strings.Replace(ends("STOP", clock), `"r"`, `"s"`, 1)), want: []string{"call r-1 clock {}"}},
		{name: "the end of another API", body: stream(ends("STOP", clock), "[DONE]", "garbage"), want: []string{"call r-1 clock {}"}},
		{name: "no blank line at the end", body: strings.TrimSpace(stream(ends("STOP", clock))), want: []string{"call r-1 clock {}"}},
		{name: "comments and empty events", body: ": ping\n\ndata:\n\nevent: x\n\n" + stream(ends("STOP", clock)), want: []string{"call r-1 clock {}"}},
		{name: "what is not known", body: stream(says(clock), `{"vendor":1}`, ends("STOP", `{"vendor":{}}`)), want: []string{"call r-1 clock {}"}},
		{name: "other candidates", body: stream(`{"candidates":[{"index":1,"content":{"parts":[{"text":"b"}]},"finishReason":"SAFETY"},{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]}`),
			want: []string{"text a"}},
		{name: "no content", body: stream(`{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL"}]}`)},
		{name: "content is null", body: stream(`{"candidates":[{"content":null,"finishReason":"STOP"}]}`)},
		{name: "blocked", body: `{"promptFeedback":{"blockReason":"SAFETY"}}`},
		{name: "token counts of another kind", body: ends("STOP")[:1] + `"usageMetadata":{"totalTokenCount":"many"},` + ends("STOP")[1:]},

		{name: "empty", body: "", err: wire.ErrTruncated},
		{name: "blank", body: " \r\n\n", err: wire.ErrTruncated},
		{name: "a page", body: "<html>\n<body>Bad gateway</body>\n", err: wire.ErrTruncated},
		{name: "empty array", body: "[]", err: wire.ErrTruncated},
		{name: "stream without finishReason", body: stream(says(clock)), want: []string{"call r-1 clock {}"}, err: wire.ErrTruncated},
		{name: "unspecified finishReason", body: stream(ends("FINISH_REASON_UNSPECIFIED", clock)), want: []string{"call r-1 clock {}"}, err: wire.ErrTruncated},
		{name: "array without finishReason", body: array(says(clock)), want: []string{"call r-1 clock {}"}, err: wire.ErrTruncated},
		{name: "whole without finishReason", body: says(clock), want: []string{"call r-1 clock {}"}, err: wire.ErrTruncated},
		{name: "the end of another API, too early", body: stream(says(clock), "[DONE]"), want: []string{"call r-1 clock {}"}, err: wire.ErrTruncated},
		{name: "cut within an event", body: stream(says(clock)) + `data: {"candida`, want: []string{"call r-1 clock {}"}, err: wire.ErrTruncated},
		{name: "cut within an element", body: "[" + says(clock) + ", {", want: []string{"call r-1 clock {}"}, err: wire.ErrTruncated},
		{name: "cut between elements", body: "[" + ends("STOP", clock) + ",", want: []string{"call r-1 clock {}"}, err: wire.ErrTruncated},
		{name: "cut before the bracket", body: "[" + ends("STOP", clock), want: []string{"call r-1 clock {}"}, err: wire.ErrTruncated},
		{name: "whole, cut", body: `{"candidates":[`, err: wire.ErrTruncated},

		{name: "no JSON", body: stream(says(clock), "{]"), want: []string{"call r-1 clock {}"}, err: wire.ErrMalformed},
		{name: "not an object", body: stream("[]"), err: wire.ErrMalformed},
		{name: "array, not valid", body: "[" + says(clock) + "}", want: []string{"call r-1 clock {}"}, err: wire.ErrMalformed},
		{name: "array of texts", body: `["a"]`, err: wire.ErrMalformed},
		{name: "whole, not valid", body: `{"candidates":]`, err: wire.ErrMalformed},
		{name: "of another API", body: `{"object":"response","error":null,"output":[]}`, err: wire.ErrMalformed},
		{name: "another response too early", body: stream(says(clock), strings.Replace(ends("STOP", clock), `"r"`, `"s"`, 1)), want: []string{"call r-1 clock {}"}, err: wire.ErrMalformed},
		{name: "part is text", body: stream(ends("STOP", `"a"`)), err: wire.ErrMalformed},
		{name: "part is null", body: stream(ends("STOP", `null`)), err: wire.ErrMalformed},
		{name: "part with a member twice", body: stream(ends("STOP", `{"text":"a","text":"b"}`)), err: wire.ErrMalformed},
		{name: "call with a member twice", body: stream(ends("STOP", `{"functionCall":{"name":"a","args":{},"args":{}}}`)), err: wire.ErrMalformed},
		{name: "call is text", body: stream(ends("STOP", `{"functionCall":"clock"}`)), err: wire.ErrMalformed},
		{name: "call without name", body: stream(ends("STOP", `{"functionCall":{"args":{}}}`)), err: wire.ErrMalformed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			events, m, err := read(strings.NewReader(tt.body))
			require.ErrorIs(t, err, tt.err)
			require.Equal(t, tt.want, events)
			requireTurn(t, m, only(new(gemini.Codec).Results(m, nil)))

			again, _, err := read(iotest.OneByteReader(strings.NewReader(tt.body)))
			require.ErrorIs(t, err, tt.err)
			require.Equal(t, events, again, "one byte at a time")
		})
	}
}

// TestReadMakesIDs makes sure that calls without an id have one that differs from
// those of other turns, also where responses have none.
func TestReadMakesIDs(t *testing.T) {
	t.Parallel()
	response := `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"clock"}},{"functionCall":{"name":"clock"}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":%d}}`
	seen := map[string]bool{}
	for tokens := range 3 {
		body := fmt.Sprintf(response, tokens)
		_, m, err := read(strings.NewReader(stream(body)))
		require.NoError(t, err)
		_, again, err := read(strings.NewReader(array(body)))
		require.NoError(t, err)
		require.Equal(t, m.Calls, again.Calls)
		for i, c := range m.Calls {
			require.Regexp(t, fmt.Sprintf(`^gemini-[0-9a-f]{12}-%d$`, i+1), c.ID)
			require.False(t, seen[c.ID])
			seen[c.ID] = true
		}
		require.NotContains(t, string(only(m.History))+string(only(new(gemini.Codec).Results(m, nil))), `"id"`)
	}
}

func TestReadBlocked(t *testing.T) {
	t.Parallel()
	_, m, err := read(strings.NewReader(`{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT","blockReasonMessage":"No."},"usageMetadata":{"promptTokenCount":4}}`))
	require.NoError(t, err)
	require.True(t, m.Blocked)
	require.Equal(t, "PROHIBITED_CONTENT", m.StopReason)
	require.Equal(t, "No.", m.StopMessage)
	require.Equal(t, pegboard.FinishFilter, m.Finish)
	require.Equal(t, 4, m.Usage.Input)
	require.Nil(t, only(m.History))
	require.Nil(t, only(new(gemini.Codec).Results(m, nil)))
}

func TestReadAPIError(t *testing.T) {
	t.Parallel()
	const envelope = `{"error":{"code":429,"message":"Too many","status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"3s"}]}}`
	exhausted := wire.APIError{HTTPStatus: 429, Type: "RESOURCE_EXHAUSTED", Message: "Too many", Details: []byte(`[{"retryDelay":"3s"}]`)}
	tests := []struct {
		name string
		body string
		want wire.APIError
		text string
	}{
		{name: "instead of a reply", body: envelope, want: exhausted, text: "RESOURCE_EXHAUSTED: Too many (429)"},
		{name: "instead of an array", body: "[" + envelope + "\n]", want: exhausted, text: "RESOURCE_EXHAUSTED: Too many (429)"},
		{name: "within a stream", body: stream(says(), envelope), want: exhausted, text: "RESOURCE_EXHAUSTED: Too many (429)"},
		{name: "within an array", body: array(says(), envelope), want: exhausted, text: "RESOURCE_EXHAUSTED: Too many (429)"},
		{name: "without status", body: `{"error":{"message":"no"}}`, want: wire.APIError{Message: "no"}, text: "no"},
		{name: "a text", body: `{"error":"no"}`, want: wire.APIError{Message: "no"}, text: "no"},
		{name: "of another kind", body: `{"error":{"code":"x"}}`, want: wire.APIError{Message: `{"code":"x"}`}, text: `{"code":"x"}`},
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

// TestReadHandsOutCallsAtOnce makes sure that a call is there as soon as its part is,
// while the model still writes.
func TestReadHandsOutCallsAtOnce(t *testing.T) {
	t.Parallel()
	one, two := says(calls("clock", "{}")), ends("STOP", calls("clock", "{}"))
	for _, body := range [][2]string{{stream(one), stream(two)}, {"[" + one, "," + two + "]"}} {
		r, w := io.Pipe()
		go func() { _, _ = io.WriteString(w, body[0]) }()
		var wire gemini.Codec
		reply := wire.Read(r)
		for e := range reply.Events() {
			require.Equal(t, "r-1", e.Call.ID)
			break // nothing more was written
		}
		go func() {
			_, _ = io.WriteString(w, body[1])
			_ = w.Close()
		}()
		for e := range reply.Events() {
			require.Equal(t, "r-2", e.Call.ID)
		}
		m, err := reply.Message()
		require.NoError(t, err)
		require.Len(t, m.Calls, 2)
	}
}

// TestReadTakesACopy makes sure that what is done to the input of an event does not
// reach the message.
func TestReadTakesACopy(t *testing.T) {
	t.Parallel()
	for _, part := range []string{calls("clock", `{"a":1}`), `{"functionCall":{"name":"clock","partialArgs":[{"jsonPath":"$.a","numberValue":1}]}}`} {
		var w gemini.Codec
		r := w.Read(strings.NewReader(stream(ends("STOP", part))))
		for e := range r.Events() {
			if e.Call != nil {
				clear(e.Call.Input)
			}
		}
		m, err := r.Message()
		require.NoError(t, err)
		require.Equal(t, `{"a":1}`, string(m.Calls[0].Input))
		clear(m.Calls[0].Input)
		require.Contains(t, string(only(m.History)), `"args":{"a":1}`)
	}
}

func TestReadKeepsTheErrorOfTheBody(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection reset")
	for _, body := range []string{"", stream(says(`{"text":"half"}`)), `{"candi`, "[", "[" + says(`{"text":"half"}`) + ","} {
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
		{name: "stream", body: &repeated{text: stream(says(`{"text":"` + mega + `"}`))}},
		{name: "array", body: io.MultiReader(strings.NewReader("["), &repeated{text: says(`{"text":"`+mega+`"}`) + ","})},
		{name: "whole", body: io.MultiReader(strings.NewReader(`{"candidates":"`), &repeated{text: mega})},
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
	f.Add([]byte(stream(says(`{"text":"t","thought":true}`), ends("STOP", calls("clock", "{}")))), 7)
	f.Add([]byte(array(says(callsWithID("a", "clock", "[]")), ends("STOP"))), 3)
	f.Add([]byte(stream(says(`{"functionCall":{"name":"clock","willContinue":true},"thoughtSignature":"s"}`),
		says(`{"functionCall":{"partialArgs":[{"jsonPath":"$.a[0]['b c']","stringValue":"x","willContinue":true}],"willContinue":true}}`),
		says(`{"functionCall":{"partialArgs":[{"jsonPath":"$.a[0][\"b c\"]","stringValue":"y"},{"jsonPath":"$.n","numberValue":1e3}],"willContinue":true}}`),
		ends("STOP", `{"functionCall":{}}`))), 100)
	f.Add([]byte(ends("MAX_TOKENS", calls("clock", `"x"`))), 1)
	f.Add([]byte(`{"error":{"message":"no"}}`), 0)
	f.Add([]byte(`{"promptFeedback":{"blockReason":"SAFETY"}}`), 2)
	f.Fuzz(func(t *testing.T, body []byte, at int) {
		whole, m, err := read(strings.NewReader(string(body)))
		split := max(0, min(at, len(body)))
		for _, pieces := range []io.Reader{
			iotest.OneByteReader(strings.NewReader(string(body))),
			io.MultiReader(strings.NewReader(string(body[:split])), strings.NewReader(string(body[split:]))),
		} {
			again, n, errAgain := read(pieces)
			require.Equal(t, whole, again)
			require.Equal(t, m, n)
			require.Equal(t, fmt.Sprint(err), fmt.Sprint(errAgain))
		}
		requireTurn(t, m, only(new(gemini.Codec).Results(m, nil)))
	})
}

func TestTooManyParts(t *testing.T) {
	t.Parallel()
	body := `{"candidates":[{"content":{"parts":[` + strings.Repeat("{},", 1<<18) + `{}]},"finishReason":"STOP"}]}`
	_, m, err := read(strings.NewReader(body))
	require.ErrorIs(t, err, wire.ErrMalformed)
	require.ErrorContains(t, err, "more than 262144 parts")
	require.Equal(t, pegboard.FinishError, m.Finish)
}

// TestEmptyTextBesideMore reads parts whose text is empty, but which say something.
func TestEmptyTextBesideMore(t *testing.T) {
	t.Parallel()
	file := `{"text":"","inlineData":{"mimeType":"image/png","data":"AAAA"}}`
	_, m, err := read(strings.NewReader(ends("STOP", `{"text":""}`, `{"text":"","thought":true}`, file)))
	require.NoError(t, err)
	require.Equal(t, `{"role":"model","parts":[`+file+`]}`, string(only(m.History)))
}

func TestFinish(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]pegboard.FinishReason{
		"STOP": pegboard.FinishStop, "MAX_TOKENS": pegboard.FinishLength,
		"SAFETY": pegboard.FinishFilter, "RECITATION": pegboard.FinishFilter, "BLOCKLIST": pegboard.FinishFilter,
		"PROHIBITED_CONTENT": pegboard.FinishFilter, "SPII": pegboard.FinishFilter, "LANGUAGE": pegboard.FinishFilter,
		"IMAGE_SAFETY": pegboard.FinishFilter, "MODEL_ARMOR": pegboard.FinishFilter,
		"MALFORMED_FUNCTION_CALL": pegboard.FinishBadCall, "UNEXPECTED_TOOL_CALL": pegboard.FinishBadCall, "TOO_MANY_TOOL_CALLS": pegboard.FinishBadCall,
		"OTHER": pegboard.FinishError, "": pegboard.FinishError, "A_REASON_OF_NEXT_YEAR": pegboard.FinishError,
	} {
		require.Equal(t, want, finishOf(ends(reason)), reason)
	}
	require.Equal(t, pegboard.FinishToolCalls, finishOf(ends("STOP", calls("clock", "{}"))))
	require.Equal(t, pegboard.FinishLength, finishOf(ends("MAX_TOKENS", calls("clock", "{}"))))
	require.Equal(t, pegboard.FinishFilter, finishOf(`{"promptFeedback":{"blockReason":"OTHER"}}`))
}

// finishOf reads a reply, which may be cut.
func finishOf(reply string) pegboard.FinishReason {
	_, m, _ := read(strings.NewReader(reply))
	return m.Finish
}

// TestFinishOfBrokenReply reads replies that say how they ended, and are not whole:
// nothing that writes may run on them.
func TestFinishOfBrokenReply(t *testing.T) {
	t.Parallel()
	clock := calls("clock", "{}")
	tests := []struct {
		name string
		body string
		err  error
	}{
		{name: "a call is open", body: stream(ends("STOP", clock, begins("f"))), err: wire.ErrTruncated},
		{name: "no JSON follows", body: stream(ends("STOP", clock), "x"), err: wire.ErrMalformed},
		{name: "the array is cut", body: "[" + ends("STOP", clock) + ",", err: wire.ErrTruncated},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, m, err := read(strings.NewReader(tt.body))
			require.ErrorIs(t, err, tt.err)
			require.Len(t, m.Calls, 1)
			require.Empty(t, m.StopReason)
			require.Equal(t, pegboard.FinishError, m.Finish)
		})
	}
	_, m, err := read(strings.NewReader(stream(ends("MAX_TOKENS", clock), ends("STOP"))))
	require.NoError(t, err)
	require.Equal(t, pegboard.FinishLength, m.Finish, "a later STOP does not take it back")
}

// TestMadeIDs makes ids beside ids that the API gave, which look like those.
func TestMadeIDs(t *testing.T) {
	t.Parallel()
	clock := calls("clock", "{}")
	tests := []struct {
		name  string
		parts []string
		want  []string
	}{
		{name: "none given", parts: []string{clock, clock}, want: []string{"r-1", "r-2"}},
		{name: "given between", parts: []string{clock, callsWithID("x", "clock", "{}"), clock}, want: []string{"r-1", "x", "r-3"}},
		{name: "given before", parts: []string{callsWithID("r-2", "clock", "{}"), callsWithID("r-3", "clock", "{}"), clock, clock}, want: []string{"r-2", "r-3", "r-4", "r-5"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, m, err := read(strings.NewReader(ends("STOP", tt.parts...)))
			require.NoError(t, err)
			var got []string
			for _, c := range m.Calls {
				got = append(got, c.ID)
			}
			require.Equal(t, tt.want, got)
		})
	}
}

// TestManyCalls reads a reply that is made to take long: no call costs a look at the
// whole response, or at all ids before it.
func TestManyCalls(t *testing.T) {
	t.Parallel()
	const n = 5_000
	var parts []string
	for i := range n {
		parts = append(parts, callsWithID(fmt.Sprintf("r-%d", n+i+1), "f", "{}"))
	}
	for range n {
		parts = append(parts, calls("f", "{}"))
	}
	body := ends("STOP", parts...)
	_, m, err := read(strings.NewReader(body))
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf("r-%d", 3*n), m.Calls[2*n-1].ID)

	_, m, err = read(strings.NewReader(strings.Replace(body, `,"responseId":"r"`, "", 1)))
	require.NoError(t, err)
	require.Len(t, m.Calls, 2*n)
}
