// Package authserver is an MCP server of the SDK for tests whose users must log in.
package authserver

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
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
)

// Settings say how a server behaves.
type Settings struct {
	Life     time.Duration // of an access token; 0: it is not told
	Page     bool          // the token endpoint answers with a web page
	NoClient bool          // clients cannot register themselves
	Document bool          // client id metadata documents are taken
	Moved    string        // where the token endpoint redirects to
	Refuse   string        // the code of an error in place of a login
}

// Server is an MCP server with the tool read, behind its own authorization server. At the
// paths /mcp and /sse it wants the scope notes.read, at /write notes.write. The client "by
// hand" with the secret "s3cret" is registered.
type Server struct {
	URL string

	mu       sync.Mutex
	settings Settings
	clients  map[string]string // secrets by the id
	codes    map[string]url.Values
	access   map[string][]string // scopes by the token
	refresh  map[string][]string
	log      []string // requests to the authorization server
}

// New starts a server that ends with the test.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{
		clients: map[string]string{"by hand": "s3cret"},
		codes:   map[string]url.Values{}, access: map[string][]string{}, refresh: map[string][]string{},
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "notes", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "read"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "a note"}}}, nil, nil
	})
	mux := http.NewServeMux()
	web := httptest.NewServer(mux)
	t.Cleanup(func() {
		for session := range server.Sessions() { // whose clients could not end them without a token
			_ = session.Close()
		}
		web.Close()
	})
	s.URL = web.URL
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	mux.Handle("/mcp", s.protected("notes.read", handler))
	mux.Handle("/write", s.protected("notes.write", handler))
	sse := mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return server }, nil)
	mux.Handle("/sse", s.protected("notes.read", sse))
	for _, path := range []string{"/mcp", "/write", "/sse"} {
		mux.HandleFunc("/.well-known/oauth-protected-resource"+path, func(w http.ResponseWriter, _ *http.Request) {
			s.answer(w, http.StatusOK, map[string]any{
				"resource": s.URL + path, "authorization_servers": []string{s.URL}, "scopes_supported": []string{"notes.read"},
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
func (s *Server) protected(scope string, next http.Handler) http.Handler {
	verify := func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		scopes, ok := s.access[token]
		if !ok {
			return nil, auth.ErrInvalidToken
		}
		return &auth.TokenInfo{Scopes: scopes, Expiration: time.Now().Add(time.Hour)}, nil
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		auth.RequireBearerToken(verify, &auth.RequireBearerTokenOptions{
			ResourceMetadataURL: s.URL + "/.well-known/oauth-protected-resource" + r.URL.Path,
		})(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if info := auth.TokenInfoFromContext(r.Context()); !slices.Contains(info.Scopes, scope) {
				w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+scope+`", resource_metadata="`+s.URL+"/.well-known/oauth-protected-resource"+r.URL.Path+`"`)
				w.WriteHeader(http.StatusForbidden)
				return
			}
			next.ServeHTTP(w, r)
		})).ServeHTTP(w, r)
	})
}

func (s *Server) answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

func (s *Server) metadata(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := map[string]any{
		"issuer": s.URL, "authorization_endpoint": s.URL + "/authorize", "token_endpoint": s.URL + "/token",
		"code_challenge_methods_supported": []string{"S256"}, "response_types_supported": []string{"code"},
		"client_id_metadata_document_supported": s.settings.Document, "token_endpoint_auth_methods_supported": []string{"client_secret_post", "none"},
	}
	if !s.settings.NoClient {
		m["registration_endpoint"] = s.URL + "/register"
	}
	s.answer(w, http.StatusOK, m)
}

func (s *Server) register(w http.ResponseWriter, r *http.Request) {
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

func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
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
	if s.settings.Refuse != "" {
		values = url.Values{"state": {q.Get("state")}, "error": {s.settings.Refuse}, "error_description": {"not today"}}
	}
	s.codes[code] = q
	back.RawQuery = values.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = r.ParseForm()
	s.log = append(s.log, r.Form.Get("grant_type"))
	refused := func(code string) { s.answer(w, http.StatusBadRequest, map[string]string{"error": code}) }
	if s.settings.Moved != "" {
		http.Redirect(w, r, s.settings.Moved, http.StatusTemporaryRedirect)
		return
	}
	if s.settings.Page {
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
		delete(s.refresh, old) // it is good for one use
	}
	access, refresh := rand.Text(), rand.Text()
	s.access[access], s.refresh[refresh] = scopes, scopes
	granted := map[string]any{"access_token": access, "token_type": "Bearer", "refresh_token": refresh, "scope": strings.Join(scopes, " ")}
	if s.settings.Life > 0 {
		granted["expires_in"] = int(s.settings.Life.Seconds())
	}
	s.answer(w, http.StatusOK, granted)
}

// Set changes how the server behaves.
func (s *Server) Set(settings Settings) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settings = settings
}

// Forget makes all access tokens worth nothing, as after a restart of the server.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.access)
}

// ForgetAll does so with all tokens.
func (s *Server) ForgetAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.access)
	clear(s.refresh)
}

// Tokens returns all tokens that are worth something.
func (s *Server) Tokens() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append(slices.Collect(maps.Keys(s.access)), slices.Collect(maps.Keys(s.refresh))...)
}

// Requests returns the requests to the authorization server since the last time: "register",
// "authorize" with the scopes, and the types of grants.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	log := s.log
	s.log = nil
	return log
}

// Open opens an address as a browser does, and follows it back.
func Open(ctx context.Context, address string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
