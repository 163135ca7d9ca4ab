package wire_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/wire"
)

func TestRetryable(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		err   error
		want  bool
		after time.Duration
	}{
		{name: "no error"},
		{name: "unknown", err: errors.New("no such host")},
		{name: "cut", err: fmt.Errorf("%w: by the network", wire.ErrTruncated), want: true},
		{name: "cut by the caller", err: fmt.Errorf("%w: %w", wire.ErrTruncated, context.Canceled)},
		{name: "malformed", err: wire.ErrMalformed},
		{name: "rate limit", err: &wire.APIError{HTTPStatus: 429, RetryAfter: time.Second}, want: true, after: time.Second},
		{name: "wrapped", err: fmt.Errorf("the reply: %w", &wire.APIError{HTTPStatus: 503}), want: true},
		{name: "credit is spent", err: &wire.APIError{HTTPStatus: 429, Code: "insufficient_quota", RetryAfter: time.Second}},
		{name: "time-out", err: &wire.APIError{HTTPStatus: 408}, want: true},
		{name: "conflict", err: &wire.APIError{HTTPStatus: 409}, want: true},
		{name: "overloaded", err: &wire.APIError{HTTPStatus: 529}, want: true},
		{name: "never implemented", err: &wire.APIError{HTTPStatus: 501}},
		{name: "redirected", err: &wire.APIError{HTTPStatus: 302}},
		{name: "refused", err: &wire.APIError{HTTPStatus: 400, Type: "api_error"}},
		{name: "within a reply", err: &wire.APIError{Type: "overloaded_error"}, want: true},
		{name: "within a reply, by its code", err: &wire.APIError{Code: "rate_limit_exceeded"}, want: true},
		{name: "within a reply, by a status as code", err: &wire.APIError{Code: "502"}, want: true},
		{name: "within a reply, for good", err: &wire.APIError{Type: "invalid_request_error"}},
		{name: "nothing is known", err: &wire.APIError{Message: "no"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			after, ok := wire.Retryable(tt.err)
			require.Equal(t, tt.want, ok)
			require.Equal(t, tt.after, after)
		})
	}
}

func TestRetryableByTheHeader(t *testing.T) {
	t.Parallel()
	codec := codecs(tidePool(t))[wire.Anthropic]
	for advice, want := range map[string]bool{"true": true, "false": false, "perhaps": true} {
		for _, status := range []int{429, 400} {
			_, err := wire.ReadResponse(codec, &http.Response{StatusCode: status, Header: http.Header{"X-Should-Retry": {advice}}}).Message()
			_, ok := wire.Retryable(err)
			require.Equal(t, want && (status == 429 || advice == "true"), ok, "%d %s", status, advice)
		}
	}
}

// TestRetryableAsGeminiSays reads the delay from the body.
func TestRetryableAsGeminiSays(t *testing.T) {
	t.Parallel()
	codec := codecs(tidePool(t))[wire.Gemini]
	tests := []struct {
		details string
		want    time.Duration
	}{
		{details: `[{"@type":"type.googleapis.com/google.rpc.Help"},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"3.5s"}]`, want: 3500 * time.Millisecond},
		{details: `[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"-3s"}]`},
		{details: `[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":7}]`},
		{details: `{"@type":"type.googleapis.com/google.rpc.RetryInfo"}`},
	}
	for _, tt := range tests {
		body := `{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"Too many.","details":` + tt.details + `}}`
		_, err := codec.Read(strings.NewReader(body)).Message()
		after, ok := wire.Retryable(err)
		require.True(t, ok)
		require.Equal(t, tt.want, after)
	}
}
