package login_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/login"
)

// service is an MCP server of the SDK behind an authorization server.
type service struct {
	t    *testing.T
	http *httptest.Server

	mu       sync.Mutex
	life     time.Duration     // of an access token; 0: it is not told
	rotate   bool              // a refresh token is good for one use
	page     bool              // the token endpoint answers with a web page
	noClient bool              // clients cannot register themselves
	document bool              // client id metadata documents are taken
	moved    string            // where the token endpoint redirects to
	refuse   string            // the code of an error in place of a login
	clients  map[string]string // secrets by the id
	codes    map[string]url.Values
	access   map[string][]string // scopes by the token
	refresh  map[string][]string
	log      []string // requests to the authorization server
}

func newService(t *testing.T) *service {
	t.Helper()
	s := &service{
		t: t, rotate: true, clients: map[string]string{"by hand": "s3cret"},
		codes: map[string]url.Values{}, access: map[string][]string{}, refresh: map[string][]string{},
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "notes", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "read"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "a note"}}}, nil, nil
	})
	mux := http.NewServeMux()
	s.http = httptest.NewServer(mux)
	t.Cleanup(s.http.Close)
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	mux.Handle("/mcp", s.protected("notes.read", handler))
	mux.Handle("/write", s.protected("notes.write", handler))
	sse := mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return server }, nil)
	mux.Handle("/sse", s.protected("notes.read", sse))
	for _, path := range []string{"/mcp", "/write", "/sse"} {
		mux.HandleFunc("/.well-known/oauth-protected-resource"+path, func(w http.ResponseWriter, _ *http.Request) {
			s.answer(w, http.StatusOK, map[string]any{
				"resource": s.http.URL + path, "authorization_servers": []string{s.http.URL}, "scopes_supported": []string{"notes.read"},
			})
		})
	}
	mux.HandleFunc("/.well-known/oauth-authorization-server", s.metadata)
	mux.HandleFunc("/register", s.register)
	mux.HandleFunc("/authorize", s.authorize)
	mux.HandleFunc("/token", s.token)
	return s
}

// protected asks for a token with a scope.
func (s *service) protected(scope string, next http.Handler) http.Handler {
	verify := func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		scopes, ok := s.access[token]
		if !ok {
			return nil, auth.ErrInvalidToken
		}
		return &auth.TokenInfo{Scopes: scopes, Expiration: time.Now().Add(time.Hour)}, nil
	}
	guarded := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		auth.RequireBearerToken(verify, &auth.RequireBearerTokenOptions{
			ResourceMetadataURL: s.http.URL + "/.well-known/oauth-protected-resource" + r.URL.Path,
		})(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if info := auth.TokenInfoFromContext(r.Context()); !slices.Contains(info.Scopes, scope) {
				w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+scope+`", resource_metadata="`+s.http.URL+"/.well-known/oauth-protected-resource"+r.URL.Path+`"`)
				w.WriteHeader(http.StatusForbidden)
				return
			}
			next.ServeHTTP(w, r)
		})).ServeHTTP(w, r)
	})
	return guarded
}

func (s *service) answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

func (s *service) metadata(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := map[string]any{
		"issuer": s.http.URL, "authorization_endpoint": s.http.URL + "/authorize", "token_endpoint": s.http.URL + "/token",
		"code_challenge_methods_supported": []string{"S256"}, "response_types_supported": []string{"code"},
		"client_id_metadata_document_supported": s.document, "token_endpoint_auth_methods_supported": []string{"client_secret_post", "none"},
	}
	if !s.noClient {
		m["registration_endpoint"] = s.http.URL + "/register"
	}
	s.answer(w, http.StatusOK, m)
}

func (s *service) register(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var m map[string]any
	_ = json.NewDecoder(r.Body).Decode(&m)
	id := rand.Text()
	s.clients[id] = ""
	s.log = append(s.log, "register")
	m["client_id"] = id
	s.answer(w, http.StatusCreated, m)
}

func (s *service) authorize(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := r.URL.Query()
	s.log = append(s.log, "authorize "+strings.Join(slices.Sorted(slices.Values(strings.Fields(q.Get("scope")))), " ")) // the SDK's order varies
	back, _ := url.Parse(q.Get("redirect_uri"))
	code := rand.Text()
	values := url.Values{"state": {q.Get("state")}, "code": {code}}
	if _, known := s.clients[q.Get("client_id")]; !known && !strings.HasPrefix(q.Get("client_id"), "https://") {
		http.Error(w, "unknown client", http.StatusBadRequest)
		return
	}
	if s.refuse != "" {
		values = url.Values{"state": {q.Get("state")}, "error": {s.refuse}, "error_description": {"not today"}}
	}
	s.codes[code] = q
	back.RawQuery = values.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

func (s *service) token(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = r.ParseForm()
	s.log = append(s.log, r.Form.Get("grant_type"))
	refused := func(code string) { s.answer(w, http.StatusBadRequest, map[string]string{"error": code}) }
	if s.moved != "" {
		http.Redirect(w, r, s.moved, http.StatusTemporaryRedirect)
		return
	}
	if s.page {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<html><b>gateway s3cret</b></html>"))
		return
	}
	secret, known := s.clients[r.Form.Get("client_id")]
	if known && secret != r.Form.Get("client_secret") || !known && !strings.HasPrefix(r.Form.Get("client_id"), "https://") {
		refused("invalid_client")
		return
	}
	var scopes []string
	switch r.Form.Get("grant_type") {
	case "authorization_code":
		q, ok := s.codes[r.Form.Get("code")]
		delete(s.codes, r.Form.Get("code"))
		sum := sha256.Sum256([]byte(r.Form.Get("code_verifier")))
		if !ok || base64.RawURLEncoding.EncodeToString(sum[:]) != q.Get("code_challenge") || q.Get("redirect_uri") != r.Form.Get("redirect_uri") {
			refused("invalid_grant")
			return
		}
		scopes = strings.Fields(q.Get("scope"))
	case "refresh_token":
		old := r.Form.Get("refresh_token")
		var ok bool
		if scopes, ok = s.refresh[old]; !ok {
			refused("invalid_grant")
			return
		}
		if s.rotate {
			delete(s.refresh, old)
		}
	}
	access, refresh := rand.Text(), rand.Text()
	s.access[access], s.refresh[refresh] = scopes, scopes
	granted := map[string]any{"access_token": access, "token_type": "Bearer", "refresh_token": refresh, "scope": strings.Join(scopes, " ")}
	if s.life > 0 {
		granted["expires_in"] = int(s.life.Seconds())
	}
	s.answer(w, http.StatusOK, granted)
}

// set changes how the service behaves.
func (s *service) set(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// requests returns the requests since the last time.
func (s *service) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	log := s.log
	s.log = nil
	return log
}

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

// newLogin returns the authorization at a path of the service.
func (s *service) newLogin(store login.Store, path string, change func(*login.Config)) *login.Login {
	c := login.Config{Name: "notes", URL: s.http.URL + path, Store: store, Logger: slog.New(slog.DiscardHandler), Required: errLogIn}
	if change != nil {
		change(&c)
	}
	return login.New(c)
}

// connect connects a client of the SDK and lists the tools.
func (s *service) connect(l *login.Login, path string) error {
	ctx, cancel := context.WithTimeout(s.t.Context(), 30*time.Second)
	defer cancel()
	var transport mcp.Transport = &mcp.StreamableClientTransport{Endpoint: s.http.URL + path, OAuthHandler: l.Handler(), DisableStandaloneSSE: true}
	if path == "/sse" {
		transport = &mcp.SSEClientTransport{Endpoint: s.http.URL + path, HTTPClient: &http.Client{Transport: l.RoundTripper(http.DefaultTransport)}}
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, transport, nil)
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	_, err = session.ListTools(ctx, nil)
	return err
}

// browser opens an address as a browser does, and follows it back.
func (s *service) browser(ctx context.Context, address string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	require.NoError(s.t, err)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// user opens every address.
func (s *service) user() login.User { return login.User{Show: s.browser} }
