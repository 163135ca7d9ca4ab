package serve_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/serve"
)

// TestHandlerRefuses sends requests that a page of another site could make, or another
// machine.
func TestHandlerRefuses(t *testing.T) {
	t.Parallel()
	const loopback, lan = "127.0.0.1:80", "192.0.2.7:80"
	tests := []struct {
		name   string
		host   string
		origin string // none if it is empty
		local  string // the address that the request has reached; unknown if it is empty
		hosts  []string
		want   int
	}{
		{name: "localhost", host: "localhost", want: http.StatusOK},
		{name: "localhost with a port", host: "LocalHost:8080", local: loopback, want: http.StatusOK},
		{name: "IPv4", host: "127.0.0.1:8080", local: loopback, want: http.StatusOK},
		{name: "another loopback address", host: "127.9.9.9", local: loopback, want: http.StatusOK},
		{name: "IPv6", host: "[::1]:8080", local: "[::1]:80", want: http.StatusOK},
		{name: "IPv6 without a port", host: "[::1]", want: http.StatusOK},
		{name: "origin of this machine", host: "localhost:8080", origin: "http://localhost:5173", want: http.StatusOK},
		{name: "another host", host: "evil.example", local: loopback, want: http.StatusForbidden},
		{name: "another host with a port", host: "evil.example:80", want: http.StatusForbidden},
		{name: "looks like it", host: "localhost.evil.example", want: http.StatusForbidden},
		{name: "address of the network", host: "192.0.2.7", want: http.StatusForbidden},
		{name: "zero address", host: "0.0.0.0", want: http.StatusForbidden},
		{name: "no host", host: "", want: http.StatusForbidden},
		{name: "another origin", host: "localhost", origin: "https://evil.example", want: http.StatusForbidden},
		{name: "origin null", host: "localhost", origin: "null", want: http.StatusForbidden},
		{name: "origin of a file", host: "localhost", origin: "file://localhost", want: http.StatusForbidden},
		{name: "origin that is no address", host: "localhost", origin: "http://[", want: http.StatusForbidden},
		{name: "from the network", host: "localhost", local: lan, want: http.StatusForbidden},
		{name: "allowed host", host: "Tools.Example.com:443", local: lan, hosts: []string{"tools.example.com"}, want: http.StatusOK},
		{name: "allowed host and origin", host: "tools.example.com", origin: "https://tools.example.com", hosts: []string{"tools.example.com"}, want: http.StatusOK},
		{name: "not the allowed host", host: "evil.example", hosts: []string{"tools.example.com"}, want: http.StatusForbidden},
		{name: "not the allowed origin", host: "tools.example.com", origin: "https://evil.example", hosts: []string{"tools.example.com"}, want: http.StatusForbidden},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := served(t, serve.Options{Hosts: tt.hosts}, nil, constant("Put"))
			r := modernCall(t, "Put")
			r.Host = tt.host
			if tt.origin != "" {
				r.Header.Set("Origin", tt.origin)
			}
			if tt.local != "" {
				addr, err := net.ResolveTCPAddr("tcp", tt.local)
				require.NoError(t, err)
				r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, addr))
			}
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, r)
			require.Equal(t, tt.want, w.Code, w.Body.String())
			opened, _ := s.counts()
			require.Equal(t, tt.want == http.StatusOK, opened == 1)
		})
	}
}

// TestHandlerBadRequests sends what is no request of the protocol. No session stays open.
func TestHandlerBadRequests(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		method string
		body   string
		header map[string]string
		want   int
	}{
		{name: "empty", method: http.MethodPost, want: http.StatusBadRequest},
		{name: "no JSON", method: http.MethodPost, body: "hello", want: http.StatusBadRequest},
		{name: "too long", method: http.MethodPost, body: `"` + strings.Repeat("x", 5<<20), want: http.StatusRequestEntityTooLarge},
		{name: "unknown session", method: http.MethodPost, body: `{}`, header: map[string]string{"Mcp-Session-Id": "x"}, want: http.StatusNotFound},
		{name: "delete nothing", method: http.MethodDelete, want: http.StatusBadRequest},
		{name: "stream without a session", method: http.MethodGet, want: http.StatusBadRequest},
		{name: "another method", method: http.MethodPut, want: http.StatusMethodNotAllowed},
		{name: "another type", method: http.MethodPost, body: `{}`, header: map[string]string{"Content-Type": "text/plain"}, want: http.StatusUnsupportedMediaType},
		{name: "unknown version", method: http.MethodPost, body: `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, header: map[string]string{"Mcp-Protocol-Version": "1999-01-01"}, want: http.StatusBadRequest},
		{name: "batch", method: http.MethodPost, body: `[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]`, header: map[string]string{"Mcp-Protocol-Version": modern, "Mcp-Method": "tools/list"}, want: http.StatusBadRequest},
		{name: "before initialize", method: http.MethodPost, body: `{"jsonrpc":"2.0","id":1,"method":"no/such/method"}`, want: http.StatusBadRequest},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := served(t, serve.Options{}, nil, constant("Put"))
			r := httptest.NewRequestWithContext(t.Context(), tt.method, "http://localhost/", strings.NewReader(tt.body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			for name, value := range tt.header {
				r.Header.Set(name, value)
			}
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, r)
			require.Equal(t, tt.want, w.Code, w.Body.String())
			require.Eventually(t, func() bool { clients, _, _ := s.Kept(); return clients == 0 }, time.Minute, time.Millisecond)
			opened, closed := s.counts()
			require.Equal(t, opened, closed)
		})
	}
}

// TestBearerToken puts the SDK's check of tokens in front. A session belongs to the user of
// its token.
func TestBearerToken(t *testing.T) {
	t.Parallel()
	s := served(t, serve.Options{}, func(_ serve.Client, cfg *pegboard.SessionConfig) { cfg.Permissions = allowing(t, "Put") },
		writer("Put", func(context.Context, *pegboard.Call) (string, error) { return "written", nil }))
	verify := func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		if user, ok := strings.CutPrefix(token, "token-of-"); ok {
			return &auth.TokenInfo{UserID: user, Expiration: time.Now().Add(time.Hour)}, nil
		}
		return nil, auth.ErrInvalidToken
	}
	web := httptest.NewServer(auth.RequireBearerToken(verify, nil)(s.Handler()))
	t.Cleanup(web.Close)
	for _, protocol := range []string{modern, older} {
		session := connectTo(t, web.URL, client("c", nil), protocol, &http.Client{Transport: withHeader{"Authorization", "Bearer token-of-ann"}})
		require.Equal(t, "written", text(t, callTool(t, session, "Put", `{}`)))
		require.Equal(t, "ann", s.clients[len(s.clients)-1].User)
		if id := session.ID(); id != "" { // another user takes the session over
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, web.URL, strings.NewReader(`{"jsonrpc":"2.0","id":9,"method":"tools/list"}`))
			r.RequestURI = ""
			for name, value := range map[string]string{"Authorization": "Bearer token-of-bob", "Mcp-Session-Id": id, "Content-Type": "application/json", "Accept": "application/json, text/event-stream"} {
				r.Header.Set(name, value)
			}
			response, err := http.DefaultClient.Do(r)
			require.NoError(t, err)
			_, _ = io.Copy(io.Discard, response.Body)
			require.NoError(t, response.Body.Close())
			require.Equal(t, http.StatusForbidden, response.StatusCode)
		}
	}
	_, err := client("c", nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: web.URL, HTTPClient: &http.Client{Transport: withHeader{"Authorization", "Bearer x"}}}, nil)
	require.Error(t, err)
}

// TestRequestBreaksOff closes the connection of a request of the newest protocol. Its call
// ends.
func TestRequestBreaksOff(t *testing.T) {
	t.Parallel()
	var runs atomic.Int64
	running, stopped := make(chan struct{}), make(chan struct{})
	s := served(t, serve.Options{}, func(_ serve.Client, cfg *pegboard.SessionConfig) { cfg.Permissions = allowing(t, "Put") },
		writer("Put", func(ctx context.Context, _ *pegboard.Call) (string, error) {
			runs.Add(1)
			close(running)
			<-ctx.Done()
			close(stopped)
			return "", ctx.Err()
		}))
	web := httptest.NewServer(s.Handler())
	t.Cleanup(web.Close)
	ctx, cancel := context.WithCancel(t.Context())
	r := modernCall(t, "Put").Clone(ctx)
	address := strings.TrimPrefix(web.URL, "http://")
	r.RequestURI, r.URL.Host, r.Host = "", address, address
	go func() { <-running; cancel() }()
	response, err := http.DefaultClient.Do(r)
	if err == nil {
		_, err = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
	}
	require.ErrorIs(t, err, context.Canceled)
	<-stopped
	require.Eventually(t, func() bool { opened, closed := s.counts(); return opened == 1 && closed == 1 }, time.Minute, time.Millisecond)
}
