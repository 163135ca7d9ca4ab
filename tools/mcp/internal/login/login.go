package login

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
)

const (
	loginTime = 10 * time.Minute // how long the user may take
	maxBody   = 1 << 20          // bytes of an answer that are read

	// freshTime is how old a token must be to be renewed when the server refuses it. A
	// server that refuses a new one would refuse the next as well.
	freshTime = 30 * time.Second
)

// ErrDeclined is the error of a login that the user refused or left.
var ErrDeclined = errors.New("the user did not log in")

// Config describes a server.
type Config struct {
	Name   string // for texts
	URL    string
	OAuth  mcpjson.OAuth
	Store  Store
	Logger *slog.Logger
	// Required is wrapped by the error of a request that the server refuses until the user
	// has logged in.
	Required error
}

// A Login is the authorization of the user at one server.
type Login struct {
	config  Config
	address string        // the key in the store
	turn    chan struct{} // held while the user is led through a login

	mu      sync.Mutex
	loaded  bool     // the store was asked
	source  *source  // nil without a grant
	refused *refusal // the newest
	logins  int      // that succeeded
}

// refusal is an answer that says that the user must log in.
type refusal struct {
	method, url string
	status      int
	header      http.Header
}

// New returns the authorization at a server. It asks neither the store nor the server.
func New(c Config) *Login {
	l := &Login{config: c, address: c.URL, turn: make(chan struct{}, 1)}
	if u, err := url.Parse(c.URL); err == nil {
		u.Scheme, u.Host, u.Fragment = strings.ToLower(u.Scheme), strings.ToLower(u.Host), ""
		l.address = u.String()
	}
	return l
}

// TokenSource returns the source of the tokens for requests, nil if nothing was granted.
func (l *Login) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	if s := l.current(ctx); s != nil {
		return s, nil
	}
	return nil, nil
}

// current returns the source, nil if nothing was granted.
func (l *Login) current(ctx context.Context) *source {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.loaded {
		return l.source
	}
	grants := l.load(ctx)
	if l.loaded = true; len(grants.Grants) > 0 {
		l.source = &source{login: l, grant: grants.Grants[0]}
	}
	return l.source
}

// Authorize is called with an answer that refuses a request. It returns nil if the request
// should be sent again: there is another token. Otherwise the error wraps Config.Required,
// and [Login.LogIn] is what helps.
func (l *Login) Authorize(ctx context.Context, r *http.Request, resp *http.Response) error {
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxBody))
	_ = resp.Body.Close()
	if resp.StatusCode == http.StatusForbidden && !wantsMoreScope(resp.Header) {
		return nil // the SDK reports the second refusal
	}
	sent, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if s := l.current(ctx); s != nil && sent != "" && resp.StatusCode == http.StatusUnauthorized {
		if s.replace(ctx, sent) {
			return nil
		}
	}
	l.mu.Lock()
	l.refused = &refusal{method: r.Method, url: resource(r.URL), status: resp.StatusCode, header: resp.Header.Clone()}
	l.mu.Unlock()
	return fmt.Errorf("%w (HTTP status %d)", l.config.Required, resp.StatusCode)
}

// resource returns the address that stands for a server at its authorization server. A query
// is no part of it: it may hold a secret, and the SDK would keep it in the addresses that it
// makes of this one.
func resource(u *url.URL) string {
	plain := *u
	plain.RawQuery, plain.Fragment = "", ""
	return plain.String()
}

// wantsMoreScope reports whether an answer says that the token is for less than the request.
func wantsMoreScope(h http.Header) bool {
	challenges, err := oauthex.ParseWWWAuthenticate(h.Values("WWW-Authenticate"))
	if err != nil {
		return false
	}
	for _, c := range challenges {
		if strings.EqualFold(c.Scheme, "bearer") && c.Params["error"] == "insufficient_scope" {
			return true
		}
	}
	return false
}

// LogIn leads the user through a login. It returns at once if another call has done so
// meanwhile. The error wraps ErrDeclined or the cause of ctx, or says what went wrong.
func (l *Login) LogIn(ctx context.Context, u User) error {
	before := l.count()
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if l.count() != before {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, loginTime, fmt.Errorf("%w within %v", ErrDeclined, loginTime))
	defer cancel()
	g, err := l.attempt(ctx, u)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return fmt.Errorf("logging in at the MCP server %q: %w", l.config.Name, explain(err))
	}
	l.install(ctx, g)
	return nil
}

func (l *Login) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.logins
}

// attempt runs the SDK's flow for the newest refusal.
func (l *Login) attempt(ctx context.Context, u User) (grant, error) {
	a, err := newAttempt(ctx, l, u)
	if err != nil {
		return grant{}, err
	}
	defer a.end()
	handler, err := auth.NewAuthorizationCodeHandler(a.config(ctx))
	if err != nil {
		return grant{}, err
	}
	request, err := http.NewRequestWithContext(ctx, a.refused.method, a.refused.url, http.NoBody)
	if err != nil {
		return grant{}, err
	}
	response := &http.Response{StatusCode: a.refused.status, Header: a.refused.header.Clone(), Body: http.NoBody, Request: request}
	if err := handler.Authorize(ctx, request, response); err != nil {
		return grant{}, err
	}
	if a.granted.AccessToken == "" {
		return grant{}, errors.New("the server does not say how to log in")
	}
	return a.granted, nil
}

// lastRefusal returns the newest refusal, or one that says nothing.
func (l *Login) lastRefusal() refusal {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refused != nil {
		return *l.refused
	}
	address := l.config.URL
	if u, err := url.Parse(address); err == nil {
		address = resource(u)
	}
	return refusal{method: http.MethodPost, url: address, status: http.StatusUnauthorized, header: http.Header{}}
}

// install puts a grant in use and keeps it.
func (l *Login) install(ctx context.Context, g grant) {
	l.mu.Lock()
	l.source, l.loaded, l.refused = &source{login: l, grant: g, since: time.Now()}, true, nil
	l.logins++
	l.mu.Unlock()
	l.save(ctx, g)
}

// forget drops a grant that is worth nothing any more.
func (l *Login) forget(ctx context.Context, s *source, g grant) {
	l.mu.Lock()
	if l.source == s {
		l.source = nil
	}
	l.mu.Unlock()
	l.change(ctx, func(all *grants) { all.remove(g) })
}

// Handler returns the authorization for one connection of the SDK.
func (l *Login) Handler() auth.OAuthHandler { return &handler{Login: l} }

// RoundTripper returns a transport that sends the tokens with the requests of next, for a
// connection of the SDK that has no place for an OAuth handler.
func (l *Login) RoundTripper(next http.RoundTripper) http.RoundTripper {
	return &roundTripper{login: l, next: next}
}

// handler is the authorization of one connection. After the server has refused a request for
// want of a login, no more are sent: the SDK would take the refusal of its first request for
// a sign of an older server, and the error of the next for the reason.
type handler struct {
	*Login
	refused atomic.Pointer[error]
}

// TokenSource is that of the Login, until the server has refused a request.
func (h *handler) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	if refused := h.refused.Load(); refused != nil {
		return nil, *refused
	}
	return h.Login.TokenSource(ctx)
}

// Authorize is that of the Login.
func (h *handler) Authorize(ctx context.Context, r *http.Request, resp *http.Response) error {
	err := h.Login.Authorize(ctx, r, resp)
	if err != nil && resp.StatusCode == http.StatusUnauthorized {
		h.refused.Store(&err)
	}
	return err
}
