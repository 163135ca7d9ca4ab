package wire_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/wire"
)

const gatewayPage = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n</html>\r\n"

// answering returns a server that answers each request in the same way.
func answering(t *testing.T, status int, header map[string]string, body string) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for name, value := range header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return s
}

// ask returns the message and the error of the server's answer.
func ask(t *testing.T, codec wire.Codec, s *httptest.Server) (*wire.Message, error) {
	t.Helper()
	response, err := s.Client().Post(s.URL, "application/json", strings.NewReader("{}"))
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	reply := wire.ReadResponse(codec, response)
	for e := range reply.Events() { // which the host reads first
		require.NotEqual(t, wire.Event{}, e)
	}
	m, err := reply.Message()
	again, same := reply.Message()
	require.Same(t, m, again)
	require.Equal(t, err, same)
	return m, err
}

// TestAnswersThatAreNoReplyAreNotCutOff has a server for each answer; once they all read
// "reply is cut off".
func TestAnswersThatAreNoReplyAreNotCutOff(t *testing.T) {
	t.Parallel()
	html := map[string]string{"Content-Type": "text/html"}
	tests := []struct {
		name   string
		status int
		header map[string]string
		body   string
		want   wire.APIError
		text   string
		cause  error
		retry  bool
	}{
		{
			name: "page of a gateway", status: 502, header: html, body: gatewayPage,
			want: wire.APIError{HTTPStatus: 502, Message: "Bad Gateway", Body: strings.TrimSpace(gatewayPage)},
			text: `Bad Gateway (502): "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n</html>"`, cause: wire.ErrTruncated, retry: true,
		},
		{
			name: "empty rate limit", status: 429, header: map[string]string{"Retry-After": "30", "Request-Id": "req_1"},
			want: wire.APIError{HTTPStatus: 429, Message: "Too Many Requests", RetryAfter: 30 * time.Second, RequestID: "req_1"},
			text: "Too Many Requests (429) (req_1); retry after 30s", cause: wire.ErrTruncated, retry: true,
		},
		{
			name: "empty success", status: 200,
			want: wire.APIError{HTTPStatus: 200, Message: "the answer is empty"},
			text: "the answer is empty (200)", cause: wire.ErrTruncated, retry: true,
		},
		{
			name: "blank success", status: 200, body: "\ufeff \r\n\n",
			want: wire.APIError{HTTPStatus: 200, Message: "the answer is empty"},
			text: "the answer is empty (200)", cause: wire.ErrTruncated, retry: true,
		},
		{
			name: "no content", status: 204,
			want: wire.APIError{HTTPStatus: 204, Message: "the answer is empty"},
			text: "the answer is empty (204)", cause: wire.ErrTruncated, retry: true,
		},
		{
			name: "page with success", status: 200, header: html, body: "<html>Log in</html>",
			want: wire.APIError{HTTPStatus: 200, Message: "the answer is no reply, but text/html", Body: "<html>Log in</html>"},
			text: `the answer is no reply, but text/html (200): "<html>Log in</html>"`, cause: wire.ErrMalformed,
		},
		{
			name: "text of a proxy", status: 503, body: "upstream connect error", header: map[string]string{"Retry-After": "0"},
			want: wire.APIError{HTTPStatus: 503, Message: "Service Unavailable", Body: "upstream connect error"},
			text: `Service Unavailable (503): "upstream connect error"`, cause: wire.ErrTruncated, retry: true,
		},
		{
			name: "status without a name", status: 529,
			want: wire.APIError{HTTPStatus: 529, Message: "the answer is no reply"},
			text: "the answer is no reply (529)", cause: wire.ErrTruncated, retry: true,
		},
		{
			name: "page that was not found", status: 404, body: "404 page not found\n",
			want: wire.APIError{HTTPStatus: 404, Message: "Not Found", Body: "404 page not found"},
			text: `Not Found (404): "404 page not found"`, cause: wire.ErrTruncated,
		},
		{
			name: "no UTF-8", status: 400, body: "\xff\xfe",
			want: wire.APIError{HTTPStatus: 400, Message: "Bad Request", Body: "\ufffd"},
			text: "Bad Request (400): \"\ufffd\"", cause: wire.ErrTruncated,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := answering(t, tt.status, tt.header, tt.body)
			for i, codec := range codecs(tidePool(t)) {
				m, err := ask(t, codec, s)
				require.NotNil(t, m)
				require.Empty(t, m.Calls)
				var got *wire.APIError
				require.ErrorAs(t, err, &got, wire.Provider(i))
				require.ErrorIs(t, err, tt.cause, wire.Provider(i))
				require.Equal(t, tt.text, err.Error())
				after, retry := wire.Retryable(err)
				require.Equal(t, tt.retry, retry)
				require.Equal(t, tt.want.RetryAfter, after)
				require.Equal(t, tt.want, wire.APIError{
					HTTPStatus: got.HTTPStatus, Message: got.Message, RequestID: got.RequestID, RetryAfter: got.RetryAfter, Body: got.Body,
				})
			}
		})
	}
}

// TestReadResponse reads replies and errors in the form of each API.
func TestReadResponse(t *testing.T) {
	t.Parallel()
	for i, codec := range codecs(tidePool(t)) {
		t.Run(wire.Provider(i).String(), func(t *testing.T) {
			t.Parallel()
			m, err := ask(t, codec, answering(t, 200, nil, script[i].answer))
			require.NoError(t, err)
			require.Equal(t, "At 13:04.", m.Text)

			m, err = ask(t, codec, answering(t, 500, nil, script[i].answer))
			require.NoError(t, err, "a whole reply")
			require.Equal(t, "At 13:04.", m.Text)

			header := map[string]string{"X-Request-Id": "req_2", "Retry-After-Ms": "1500", "Retry-After": "2"}
			_, err = ask(t, codec, answering(t, 503, header, script[i].refusal))
			var refused *wire.APIError
			require.ErrorAs(t, err, &refused)
			require.Equal(t, "overloaded_error: Try again. (503) (req_2); retry after 1.5s", err.Error())
			require.Empty(t, refused.Body)
			require.NotErrorIs(t, err, wire.ErrTruncated)
			require.NotErrorIs(t, err, wire.ErrMalformed)

			_, err = ask(t, codec, answering(t, 200, nil, script[i].call[:40]))
			require.ErrorIs(t, err, wire.ErrTruncated)
			require.NotErrorAs(t, err, &refused)

			_, err = ask(t, codec, answering(t, 200, nil, ": keep-alive\n\n"))
			require.ErrorIs(t, err, wire.ErrTruncated)
			require.NotErrorAs(t, err, &refused)

			_, err = ask(t, codec, answering(t, 200, nil, `{"type":7,"choices":7,"object":7,"candidates":7}`))
			require.ErrorIs(t, err, wire.ErrMalformed)
			require.ErrorAs(t, err, &refused)
			require.Equal(t, `{"type":7,"choices":7,"object":7,"candidates":7}`, refused.Body)

			_, err = ask(t, codec, answering(t, 500, nil, `{"message":"Internal server error"`))
			require.ErrorAs(t, err, &refused)
			require.Equal(t, 500, refused.HTTPStatus)
		})
	}
}

func TestReadResponseOfABrokenBody(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection reset")
	for _, codec := range codecs(tidePool(t)) {
		r := &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(iotest.ErrReader(broken))}
		_, err := wire.ReadResponse(codec, r).Message()
		require.ErrorIs(t, err, broken)
		var refused *wire.APIError
		require.NotErrorAs(t, err, &refused)

		r = &http.Response{StatusCode: http.StatusBadGateway, Body: io.NopCloser(iotest.ErrReader(broken))}
		_, err = wire.ReadResponse(codec, r).Message()
		require.ErrorIs(t, err, broken)
		require.ErrorAs(t, err, &refused)

		_, err = wire.ReadResponse(codec, &http.Response{}).Message()
		require.EqualError(t, err, "the answer is empty")
	}
}

// TestReadResponseOfALongBody: of an endless body that is no reply little is read and
// less is kept.
func TestReadResponseOfALongBody(t *testing.T) {
	t.Parallel()
	for _, codec := range codecs(tidePool(t)) {
		r := &http.Response{StatusCode: http.StatusBadGateway, Body: io.NopCloser(endless{})}
		_, err := wire.ReadResponse(codec, r).Message()
		var refused *wire.APIError
		require.ErrorAs(t, err, &refused)
		require.Equal(t, strings.Repeat("x", 1024), refused.Body)
		require.Less(t, len(err.Error()), 300)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, strings.Repeat("x", len(p))), nil }

func TestReadResponseRetryAfter(t *testing.T) {
	t.Parallel()
	codec := codecs(tidePool(t))[wire.Anthropic]
	const date = "Sun, 06 Nov 1994 08:49:37 GMT"
	tests := []struct {
		name   string
		header http.Header
		want   time.Duration
	}{
		{name: "nothing"},
		{name: "seconds", header: http.Header{"Retry-After": {"7"}}, want: 7 * time.Second},
		{name: "part of a second", header: http.Header{"Retry-After": {"0.5"}}, want: time.Second / 2},
		{name: "milliseconds first", header: http.Header{"Retry-After": {"7"}, "Retry-After-Ms": {"20"}}, want: 20 * time.Millisecond},
		{name: "milliseconds that cannot be read", header: http.Header{"Retry-After": {"7"}, "Retry-After-Ms": {"soon"}}, want: 7 * time.Second},
		{name: "date", header: http.Header{"Retry-After": {"Sun, 06 Nov 1994 08:50:37 GMT"}, "Date": {date}}, want: time.Minute},
		{name: "date that has passed", header: http.Header{"Retry-After": {date}}},
		{name: "negative", header: http.Header{"Retry-After": {"-3"}}},
		{name: "no number", header: http.Header{"Retry-After": {"NaN"}}},
		{name: "for ever", header: http.Header{"Retry-After": {"Inf"}}, want: 1<<63 - 1},
		{name: "too long", header: http.Header{"Retry-After": {"1e300"}}, want: 1<<63 - 1},
		{name: "words", header: http.Header{"Retry-After": {"later"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := wire.ReadResponse(codec, &http.Response{StatusCode: 429, Header: tt.header}).Message()
			var refused *wire.APIError
			require.ErrorAs(t, err, &refused)
			require.Equal(t, tt.want, refused.RetryAfter)
		})
	}
}

func TestReadResponseOfNilPanicsWithOneSentence(t *testing.T) {
	t.Parallel()
	require.PanicsWithValue(t, "wire.ReadResponse with a nil Codec; make one with New of the provider's package",
		func() { wire.ReadResponse(nil, &http.Response{}) })
	require.PanicsWithValue(t, "wire.ReadResponse with a nil Response; without one the request has failed, and its error says why",
		func() { wire.ReadResponse(codecs(tidePool(t))[0], nil) })
}
