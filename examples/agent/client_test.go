package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/tooltest"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
)

// TestClientSendsAgain: a gateway fails before the service answers.
func TestClientSendsAgain(t *testing.T) {
	t.Parallel()
	reply := tooltest.Provider{Turns: []tooltest.Turn{{Text: "Here I am."}}}
	tests := []struct {
		name     string
		outages  int64
		status   int
		partly   string // of a reply that is cut
		text     string
		attempts int64
		err      string
	}{
		{name: "an outage", outages: 2, status: 502, text: "Here I am.", attempts: 3},
		{name: "a rate limit", outages: 1, status: 429, text: "Here I am.", attempts: 2},
		{name: "an outage that lasts", outages: 9, status: 502, attempts: maxAttempts, err: "Bad Gateway (502)"},
		{name: "a wrong address", outages: 9, status: 404, attempts: 1, err: "Not Found (404)"},
		{
			name: "text has been shown", outages: 9, status: 200, attempts: 1, text: "Here", err: "cut off",
			partly: "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\"}}\n\n" +
				"event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"Here\"}}\n\n",
		},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var attempts atomic.Int64
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if attempts.Add(1) > tc.outages {
					reply.ServeHTTP(w, r)
					return
				}
				w.Header().Set("Retry-After-Ms", "1")
				w.WriteHeader(tc.status)
				_, _ = io.WriteString(w, tc.partly)
			}))
			defer s.Close()
			var text strings.Builder
			codec := wire.Codec(new(anthropic.Codec))
			_, err := client{address: s.URL}.send(t.Context(), codec, "", nil, func(piece string) { text.WriteString(piece) })
			if tc.err == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, tc.err)
			}
			require.Equal(t, tc.text, text.String())
			require.Equal(t, tc.attempts, attempts.Load())
		})
	}
}
