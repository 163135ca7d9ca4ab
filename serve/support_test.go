package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/serve"
)

// The protocols that clients of the tests speak: the newest one, and the last one in which a
// server asks by a request of its own.
const (
	modern = "2026-07-28"
	older  = "2025-11-25"
)

// A stand is a server with the sessions that it has opened.
type stand struct {
	*serve.Server

	mu       sync.Mutex
	clients  []serve.Client
	sessions []*pegboard.Session
	closed   int
}

// served returns a server of tools. Configure, if it is not nil, changes the session of a
// client.
func served(t testing.TB, o serve.Options, configure func(c serve.Client, cfg *pegboard.SessionConfig), tools ...pegboard.Tool) *stand {
	t.Helper()
	var registry pegboard.Registry
	require.NoError(t, registry.Add(tools...))
	s := new(stand)
	if o.Open == nil {
		o.Open = func(_ context.Context, c serve.Client) (*pegboard.Session, func() *pegboard.Pool, error) {
			cfg := pegboard.SessionConfig{
				Dir: t.TempDir(), Ask: s.Ask, Elicit: s.Elicit, Breaker: pegboard.BreakerLimits{Repeats: -1, Denials: -1},
			}
			if configure != nil {
				configure(c, &cfg)
			}
			session, err := pegboard.NewSession(cfg)
			if err != nil {
				return nil, nil, err
			}
			s.opened(c, session)
			return session, func() *pegboard.Pool { return registry.AssemblePool(session, pegboard.PoolConfig{}) }, nil
		}
	}
	if o.Executor == nil {
		o.Executor = &pegboard.Executor{Logger: slog.New(slog.DiscardHandler)}
	}
	server, err := serve.New(o)
	require.NoError(t, err)
	s.Server = server
	t.Cleanup(func() { require.NoError(t, server.Close(context.Background())) })
	return s
}

func (s *stand) opened(c serve.Client, session *pegboard.Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clients, s.sessions = append(s.clients, c), append(s.sessions, session)
	session.OnClose("count", func(context.Context) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.closed++
		return nil
	})
}

// counts returns how many sessions were opened and closed.
func (s *stand) counts() (opened, closed int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sessions), s.closed
}

// A person answers what a client is asked.
type person func(*mcp.ElicitParams) (*mcp.ElicitResult, error)

// answering answers every question with one of the texts that it offers.
func answering(text string) person {
	return func(*mcp.ElicitParams) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": text}}, nil
	}
}

// client returns a client program. A nil person cannot be asked.
func client(name string, asked person) *mcp.Client {
	var o mcp.ClientOptions
	if asked != nil {
		o.ElicitationHandler = func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) { return asked(r.Params) }
		o.Capabilities = &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}}}
	}
	return mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, &o)
}

// byHand returns a client program that hands out questions instead of answering them.
func byHand(name string) *mcp.Client {
	return mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, &mcp.ClientOptions{
		Capabilities:   &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}}},
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	})
}

func accepted(answer string) *mcp.ElicitResult {
	return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": answer}}
}

// comesBack makes the request that brings the answer to a question.
func comesBack(asked *mcp.CallToolResult, answer string) *mcp.CallToolParams {
	return &mcp.CallToolParams{Name: "Put", RequestState: asked.RequestState, InputResponses: mcp.InputResponseMap{"permission": accepted(answer)}}
}

// over returns the transport of a client on a connection.
func over(c net.Conn) mcp.Transport { return &mcp.IOTransport{Reader: c, Writer: c} }

// connect connects a client in this process.
func connect(t testing.TB, s *serve.Server, c *mcp.Client, protocol string) *mcp.ClientSession {
	t.Helper()
	near, far := net.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Connect(ctx, far) }()
	session, err := c.Connect(ctx, over(near), &mcp.ClientSessionOptions{ProtocolVersion: protocol})
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = session.Close()
		cancel()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, io.ErrClosedPipe) {
			t.Error(err)
		}
	})
	return session
}

// connectHTTP connects a client over HTTP. The connections are pipes, which a bubble of
// synctest can wait for.
func connectHTTP(t testing.TB, s *serve.Server, c *mcp.Client, protocol string) *mcp.ClientSession {
	t.Helper()
	conns := pipes{make(chan net.Conn), make(chan struct{})}
	web := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(conns) }()
	transport := &http.Transport{DialContext: conns.dial}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		require.NoError(t, web.Close())
		require.ErrorIs(t, <-ended, http.ErrServerClosed)
	})
	return connectTo(t, "http://localhost/", c, protocol, &http.Client{Transport: transport})
}

// pipes is a listener whose connections stay in this process.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.conns <- far:
		return near, nil
	case <-p.closed: // a client may dial once more while it closes
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements [net.Listener].
func (p pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener].
func (p pipes) Close() error { close(p.closed); return nil }

// Addr implements [net.Listener].
func (p pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

func connectTo(t testing.TB, address string, c *mcp.Client, protocol string, web *http.Client) *mcp.ClientSession {
	t.Helper()
	session, err := c.Connect(context.Background(), &mcp.StreamableClientTransport{Endpoint: address, HTTPClient: web}, &mcp.ClientSessionOptions{ProtocolVersion: protocol})
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// ways are the ways on which a client reaches a server.
var ways = []struct {
	name     string
	protocol string
	connect  func(testing.TB, *serve.Server, *mcp.Client, string) *mcp.ClientSession
}{
	{name: "memory, newest", protocol: modern, connect: connect},
	{name: "memory, older", protocol: older, connect: connect},
	{name: "HTTP, newest", protocol: modern, connect: connectHTTP},
	{name: "HTTP, older", protocol: older, connect: connectHTTP},
	{name: "HTTP, first", protocol: "2025-03-26", connect: connectHTTP},
}

// callTool calls a tool.
func callTool(t testing.TB, session *mcp.ClientSession, name, input string) *mcp.CallToolResult {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(input)})
	require.NoError(t, err)
	return r
}

// text returns the texts of a result.
func text(t testing.TB, r *mcp.CallToolResult) (all string) {
	t.Helper()
	for _, c := range r.Content {
		part, ok := c.(*mcp.TextContent)
		require.True(t, ok, "%T", c)
		all += part.Text
	}
	return all
}

// writer returns a tool that says nothing of what it does, so that it is asked about.
func writer(name string, call func(ctx context.Context, c *pegboard.Call) (string, error)) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct {
		Value string `json:"value,omitempty"`
	}, string]{
		Info: pegboard.Info{Name: name}, Description: "Writes something.",
		Call: func(ctx context.Context, _ struct {
			Value string `json:"value,omitempty"`
		}, c *pegboard.Call,
		) (string, error) {
			return call(ctx, c)
		},
	})
}

// allowing allows all calls of tools.
func allowing(t testing.TB, tools ...string) policy.Permissions {
	t.Helper()
	p, err := policy.New(policy.ModeDefault, policy.RuleSet{Source: policy.SourceSession, Allow: tools})
	require.NoError(t, err)
	return p
}

// A recorder keeps the last message that a server has sent.
type recorder struct {
	mcp.Connection
	mu   sync.Mutex
	last []byte
}

func (r *recorder) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := r.Connection.Read(ctx)
	if response, ok := m.(*jsonrpc.Response); ok {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.last = response.Result
	}
	return m, err
}

// structured returns the structured content of the last result.
func (r *recorder) structured(t testing.TB) string {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	var result struct {
		Content json.RawMessage `json:"structuredContent"`
	}
	require.NoError(t, json.Unmarshal(r.last, &result))
	return string(result.Content)
}

// Connect implements [mcp.Transport] for a connection that is there.
func (r *recorder) Connect(context.Context) (mcp.Connection, error) { return r, nil }

func connectRecorded(t testing.TB, s *serve.Server, r *recorder) *mcp.ClientSession {
	t.Helper()
	near, far := net.Pipe()
	conn, err := over(near).Connect(t.Context())
	require.NoError(t, err)
	r.Connection = conn
	ended := make(chan error, 1)
	go func() { ended <- s.Connect(context.Background(), far) }()
	session, err := client("recorded", nil).Connect(context.Background(), r, &mcp.ClientSessionOptions{ProtocolVersion: older})
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close(); <-ended })
	return session
}
