package login_test

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/authserver"
	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/login"
)

// memory is a store.
type memory struct {
	mu   sync.Mutex
	data map[string][]byte
	err  error
}

func (m *memory) Load(_ context.Context, address string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.data[address], m.err
}

func (m *memory) Save(_ context.Context, address string, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.data == nil {
		m.data = map[string][]byte{}
	}
	if m.data[address] = data; data == nil {
		delete(m.data, address)
	}
	return m.err
}

// text returns all that is stored.
func (m *memory) text() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []byte
	for _, address := range slices.Sorted(maps.Keys(m.data)) {
		all = append(all, m.data[address]...)
	}
	return string(all)
}

// errLogIn is what a request is refused with before the user has logged in.
var errLogIn = errors.New("the user must log in")

// newLogin returns the authorization at a path of the server.
func newLogin(s *authserver.Server, store login.Store, path string, change func(*login.Config)) *login.Login {
	c := login.Config{Name: "notes", URL: s.URL + path, Store: store, Logger: slog.New(slog.DiscardHandler), Required: errLogIn}
	if change != nil {
		change(&c)
	}
	return login.New(c)
}

// connect connects a client of the SDK and lists the tools.
func connect(t *testing.T, s *authserver.Server, l *login.Login, path string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var transport mcp.Transport = &mcp.StreamableClientTransport{Endpoint: s.URL + path, OAuthHandler: l.Handler(), DisableStandaloneSSE: true}
	if path == "/sse" {
		transport = &mcp.SSEClientTransport{Endpoint: s.URL + path, HTTPClient: &http.Client{Transport: l.RoundTripper(http.DefaultTransport)}}
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, transport, nil)
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	_, err = session.ListTools(ctx, nil)
	return err
}

// user opens every address.
func user() login.User { return login.User{Show: authserver.Open} }
