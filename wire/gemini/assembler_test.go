package gemini_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/gemini"
	"github.com/seed49eaa51d/pegboard/wire/internal/wiretest"
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
	clock := calls("clock", "{}")
	wiretest.RunEvents(t, api, []wiretest.EventsCase{
		{Name: "whole", Body: ends("STOP", `{"text":"a"}`, clock), Want: []string{"text a", "call r-1 clock {}"}},
		{Name: "whole, then more", Body: ends("STOP", clock) + ends("STOP", clock), Want: []string{"call r-1 clock {}"}},
		{Name: "whole, then garbage", Body: ends("STOP", clock) + "]", Want: []string{"call r-1 clock {}"}},
		{Name: "array, then more", Body: array(ends("STOP", clock)) + array(ends("STOP", clock)), Want: []string{"call r-1 clock {}"}},
		{Name: "array with spaces", Body: "\ufeff \r\n[ " + says(clock) + "\r\n,\r\n" + ends("STOP") + "\n] ", Want: []string{"call r-1 clock {}"}},
		{Name: "ids of the API", Body: stream(ends("STOP", callsWithID("x", "clock", "{}"), clock)), Want: []string{"call x clock {}", "call r-2 clock {}"}},
		{Name: "an id that would be made", Body: stream(ends("STOP", callsWithID("r-2", "clock", "{}"), clock)), Want: []string{"call r-2 clock {}", "call r-3 clock {}"}},
		{Name: "the same id twice", Body: stream(ends("STOP", callsWithID("x", "clock", "{}"), callsWithID("x", "clock", "{}"))),
			Want: []string{"call x clock {}", "call x clock {}"}},
		{Name: "args is null", Body: stream(ends("STOP", calls("clock", "null"))), Want: []string{"call r-1 clock "}},
		{Name: "args is no object", Body: stream(ends("STOP", calls("clock", `"{}"`))), Want: []string{`call r-1 clock "{}"`}},
		{Name: "a finishReason in every response", Body: stream(ends("STOP", `{"text":"a"}`), ends("STOP", clock)), Want: []string{"text a", "call r-1 clock {}"}},
		{Name: "token counts after the end", Body: stream(ends("STOP", clock), `{"usageMetadata":{"totalTokenCount":3}}`), Want: []string{"call r-1 clock {}"}},
		{Name: "another response after the end", Body: stream(ends("STOP", clock), strings.Replace(ends("STOP", clock), `"r"`, `"s"`, 1)), Want: []string{"call r-1 clock {}"}},
		{Name: "the end of another API", Body: stream(ends("STOP", clock), "[DONE]", "garbage"), Want: []string{"call r-1 clock {}"}},
		{Name: "no blank line at the end", Body: strings.TrimSpace(stream(ends("STOP", clock))), Want: []string{"call r-1 clock {}"}},
		{Name: "comments and empty events", Body: ": ping\n\ndata:\n\nevent: x\n\n" + stream(ends("STOP", clock)), Want: []string{"call r-1 clock {}"}},
		{Name: "what is not known", Body: stream(says(clock), `{"vendor":1}`, ends("STOP", `{"vendor":{}}`)), Want: []string{"call r-1 clock {}"}},
		{Name: "other candidates", Body: stream(`{"candidates":[{"index":1,"content":{"parts":[{"text":"b"}]},"finishReason":"SAFETY"},{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]}`),
			Want: []string{"text a"}},
		{Name: "no content", Body: stream(`{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL"}]}`)},
		{Name: "content is null", Body: stream(`{"candidates":[{"content":null,"finishReason":"STOP"}]}`)},
		{Name: "blocked", Body: `{"promptFeedback":{"blockReason":"SAFETY"}}`},
		{Name: "token counts of another kind", Body: ends("STOP")[:1] + `"usageMetadata":{"totalTokenCount":"many"},` + ends("STOP")[1:]},

		{Name: "empty array", Body: "[]", Err: wire.ErrTruncated},
		{Name: "stream without finishReason", Body: stream(says(clock)), Want: []string{"call r-1 clock {}"}, Err: wire.ErrTruncated},
		{Name: "unspecified finishReason", Body: stream(ends("FINISH_REASON_UNSPECIFIED", clock)), Want: []string{"call r-1 clock {}"}, Err: wire.ErrTruncated},
		{Name: "array without finishReason", Body: array(says(clock)), Want: []string{"call r-1 clock {}"}, Err: wire.ErrTruncated},
		{Name: "whole without finishReason", Body: says(clock), Want: []string{"call r-1 clock {}"}, Err: wire.ErrTruncated},
		{Name: "the end of another API, too early", Body: stream(says(clock), "[DONE]"), Want: []string{"call r-1 clock {}"}, Err: wire.ErrTruncated},
		{Name: "cut within an event", Body: stream(says(clock)) + `data: {"candida`, Want: []string{"call r-1 clock {}"}, Err: wire.ErrTruncated},
		{Name: "cut within an element", Body: "[" + says(clock) + ", {", Want: []string{"call r-1 clock {}"}, Err: wire.ErrTruncated},
		{Name: "cut between elements", Body: "[" + ends("STOP", clock) + ",", Want: []string{"call r-1 clock {}"}, Err: wire.ErrTruncated},
		{Name: "cut before the bracket", Body: "[" + ends("STOP", clock), Want: []string{"call r-1 clock {}"}, Err: wire.ErrTruncated},
		{Name: "whole, cut", Body: `{"candidates":[`, Err: wire.ErrTruncated},

		{Name: "no JSON", Body: stream(says(clock), "{]"), Want: []string{"call r-1 clock {}"}, Err: wire.ErrMalformed},
		{Name: "not an object", Body: stream("[]"), Err: wire.ErrMalformed},
		{Name: "array, not valid", Body: "[" + says(clock) + "}", Want: []string{"call r-1 clock {}"}, Err: wire.ErrMalformed},
		{Name: "array of texts", Body: `["a"]`, Err: wire.ErrMalformed},
		{Name: "whole, not valid", Body: `{"candidates":]`, Err: wire.ErrMalformed},
		{Name: "of another API", Body: `{"object":"response","error":null,"output":[]}`, Err: wire.ErrMalformed},
		{Name: "another response too early", Body: stream(says(clock), strings.Replace(ends("STOP", clock), `"r"`, `"s"`, 1)), Want: []string{"call r-1 clock {}"}, Err: wire.ErrMalformed},
		{Name: "part is text", Body: stream(ends("STOP", `"a"`)), Err: wire.ErrMalformed},
		{Name: "part is null", Body: stream(ends("STOP", `null`)), Err: wire.ErrMalformed},
		{Name: "part with a member twice", Body: stream(ends("STOP", `{"text":"a","text":"b"}`)), Err: wire.ErrMalformed},
		{Name: "call with a member twice", Body: stream(ends("STOP", `{"functionCall":{"name":"a","args":{},"args":{}}}`)), Err: wire.ErrMalformed},
		{Name: "call is text", Body: stream(ends("STOP", `{"functionCall":"clock"}`)), Err: wire.ErrMalformed},
		{Name: "call without name", Body: stream(ends("STOP", `{"functionCall":{"args":{}}}`)), Err: wire.ErrMalformed},
	})
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
	const envelope = `{"error":{"code":429,"message":"Too many","status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"3s"}]}}`
	exhausted := wire.APIError{HTTPStatus: 429, Type: "RESOURCE_EXHAUSTED", Message: "Too many", Details: []byte(`[{"retryDelay":"3s"}]`)}
	wiretest.RunRefused(t, api, []wiretest.RefusedCase{
		{Name: "instead of a reply", Body: envelope, Want: exhausted, Text: "RESOURCE_EXHAUSTED: Too many (429)"},
		{Name: "instead of an array", Body: "[" + envelope + "\n]", Want: exhausted, Text: "RESOURCE_EXHAUSTED: Too many (429)"},
		{Name: "within a stream", Body: stream(says(), envelope), Want: exhausted, Text: "RESOURCE_EXHAUSTED: Too many (429)"},
		{Name: "within an array", Body: array(says(), envelope), Want: exhausted, Text: "RESOURCE_EXHAUSTED: Too many (429)"},
		{Name: "without status", Body: `{"error":{"message":"no"}}`, Want: wire.APIError{Message: "no"}, Text: "no"},
		{Name: "a text", Body: `{"error":"no"}`, Want: wire.APIError{Message: "no"}, Text: "no"},
		{Name: "of another kind", Body: `{"error":{"code":"x"}}`, Want: wire.APIError{Message: `{"code":"x"}`}, Text: `{"code":"x"}`},
	})
}

func TestRead(t *testing.T) {
	wiretest.RunRead(t, api, array(ends("STOP", calls("clock", `{"a":1}`))),
		stream(says(begins("clock")), says(adds(value("$.a", `"stringValue":"x","willContinue":true`))), says(adds(value("$.a", `"stringValue":"ü"`))), ends("STOP", done)))
}

func FuzzRead(f *testing.F) {
	wiretest.FuzzRead(f, api, stream(says(`{"text":"t","thought":true}`), ends("STOP", calls("clock", "{}"))), array(says(callsWithID("a", "clock", "[]")), ends("STOP")),
		stream(says(`{"functionCall":{"name":"clock","willContinue":true},"thoughtSignature":"s"}`),
			says(`{"functionCall":{"partialArgs":[{"jsonPath":"$.a[0]['b c']","stringValue":"x","willContinue":true}],"willContinue":true}}`),
			says(`{"functionCall":{"partialArgs":[{"jsonPath":"$.a[0][\"b c\"]","stringValue":"y"},{"jsonPath":"$.n","numberValue":1e3}],"willContinue":true}}`),
			ends("STOP", `{"functionCall":{}}`)),
		ends("MAX_TOKENS", calls("clock", `"x"`)), `{"error":{"message":"no"}}`, `{"promptFeedback":{"blockReason":"SAFETY"}}`)
}

func TestFinish(t *testing.T) {
	clock := calls("clock", "{}")
	wiretest.RunFinish(t, api, func(reason string) string { return ends(reason) }, map[string]pegboard.FinishReason{
		"STOP": pegboard.FinishStop, "MAX_TOKENS": pegboard.FinishLength,
		"SAFETY": pegboard.FinishFilter, "RECITATION": pegboard.FinishFilter, "BLOCKLIST": pegboard.FinishFilter,
		"PROHIBITED_CONTENT": pegboard.FinishFilter, "SPII": pegboard.FinishFilter, "LANGUAGE": pegboard.FinishFilter,
		"IMAGE_SAFETY": pegboard.FinishFilter, "MODEL_ARMOR": pegboard.FinishFilter,
		"MALFORMED_FUNCTION_CALL": pegboard.FinishBadCall, "UNEXPECTED_TOOL_CALL": pegboard.FinishBadCall, "TOO_MANY_TOOL_CALLS": pegboard.FinishBadCall,
		"OTHER": pegboard.FinishError, "": pegboard.FinishError, "A_REASON_OF_NEXT_YEAR": pegboard.FinishError,
	},
		wiretest.BrokenCase{Name: "a call is open", Body: stream(ends("STOP", clock, begins("f"))), Err: wire.ErrTruncated},
		wiretest.BrokenCase{Name: "no JSON follows", Body: stream(ends("STOP", clock), "x"), Err: wire.ErrMalformed},
		wiretest.BrokenCase{Name: "the array is cut", Body: "[" + ends("STOP", clock) + ",", Err: wire.ErrTruncated})
	for body, want := range map[string]pegboard.FinishReason{
		ends("STOP", clock):                             pegboard.FinishToolCalls,
		ends("MAX_TOKENS", clock):                       pegboard.FinishLength,
		stream(ends("MAX_TOKENS", clock), ends("STOP")): pegboard.FinishLength, // a later STOP does not take it back
		`{"promptFeedback":{"blockReason":"OTHER"}}`:    pegboard.FinishFilter,
	} {
		_, m, err := read(strings.NewReader(body))
		require.NoError(t, err)
		require.Equal(t, want, m.Finish, body)
	}
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
