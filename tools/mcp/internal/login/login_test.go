package login_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/login"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
)

// TestLoginLastsOverARestart logs in, starts anew from the store alone, and renews tokens
// that have expired, with refresh tokens that are good for one use.
func TestLoginLastsOverARestart(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/mcp", "/sse"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			s, store := newService(t), &memory{}
			l := s.newLogin(store, path, nil)
			require.ErrorIs(t, s.connect(l, path), errLogIn)
			require.Empty(t, s.requests(), "nothing is asked of the authorization server before the user is")
			require.NoError(t, l.LogIn(t.Context(), s.user()))
			require.NoError(t, s.connect(l, path))
			require.Equal(t, []string{"register", "authorize notes.read", "authorization_code"}, s.requests())

			l = s.newLogin(store, path, nil)
			require.NoError(t, s.connect(l, path))
			require.Empty(t, s.requests(), "the stored token is used")

			// The server forgets the token, as one does that has restarted.
			for range 3 {
				s.set(func() { clear(s.access) })
				l = s.newLogin(store, path, nil)
				require.NoError(t, s.connect(l, path))
				require.Equal(t, []string{"refresh_token"}, s.requests())
			}

			s.set(func() { clear(s.access); clear(s.refresh) })
			l = s.newLogin(store, path, nil)
			require.ErrorIs(t, s.connect(l, path), errLogIn)
			require.NotContains(t, store.text(), "refreshToken", "what is worth nothing is forgotten")
			require.NoError(t, l.LogIn(t.Context(), s.user()))
			require.NoError(t, s.connect(l, path))
		})
	}
}

func TestExpiredTokenIsRenewedBeforeItIsSent(t *testing.T) {
	t.Parallel()
	s, store := newService(t), &memory{}
	s.set(func() { s.life = 5 * time.Second }) // counts as expired ten seconds before
	l := s.newLogin(store, "/mcp", nil)
	require.NoError(t, l.LogIn(t.Context(), s.user()), "no request was refused before")
	s.set(func() { s.life = time.Hour })
	require.NoError(t, s.connect(l, "/mcp"))
	require.Equal(t, []string{"register", "authorize notes.read", "authorization_code", "refresh_token"}, s.requests())

	// Another process has the tokens, too, and uses its refresh token second.
	s.set(func() { s.life = 5 * time.Second })
	one, two := s.newLogin(store, "/mcp", nil), s.newLogin(store, "/mcp", nil)
	for _, l := range []*login.Login{one, two} {
		source, err := l.TokenSource(t.Context())
		require.NoError(t, err)
		require.NotNil(t, source)
	}
	s.set(func() { clear(s.access); s.life = time.Hour })
	require.NoError(t, s.connect(one, "/mcp"))
	require.NoError(t, s.connect(two, "/mcp"))
	require.Equal(t, []string{"refresh_token"}, s.requests(), "the second takes what the first was granted")
}

// TestClients logs in as clients of each kind.
func TestClients(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		server func(*service)
		oauth  mcpjson.OAuth
		want   []string
		err    string
	}{
		{name: "registers itself", want: []string{"register", "authorize notes.read", "authorization_code"}},
		{name: "registered by hand", oauth: mcpjson.OAuth{ClientID: "by hand", ClientSecret: "s3cret"}, want: []string{"authorize notes.read", "authorization_code"}},
		{name: "a wrong secret", oauth: mcpjson.OAuth{ClientID: "by hand", ClientSecret: "wrong"}, want: []string{"authorize notes.read", "authorization_code"}, err: "invalid_client"},
		{
			name: "a document", server: func(s *service) { s.document = true }, oauth: mcpjson.OAuth{ClientMetadataURL: "https://example.com/client.json"},
			want: []string{"authorize notes.read", "authorization_code", "authorization_code"}, // the SDK tries a header first
		},
		{
			name: "a document that the server does not take", oauth: mcpjson.OAuth{ClientMetadataURL: "https://example.com/client.json"},
			want: []string{"register", "authorize notes.read", "authorization_code"},
		},
		{name: "no way", server: func(s *service) { s.noClient = true }, err: "no configured client registration methods"},
		{name: "scopes of the configuration", oauth: mcpjson.OAuth{Scopes: []string{"notes.read", "mail"}}, want: []string{"register", "authorize mail notes.read", "authorization_code"}},
		{name: "refused", server: func(s *service) { s.refuse = "access_denied" }, want: []string{"register", "authorize notes.read"}, err: "access_denied (not today)"},
		{
			name: "a web page in place of a token", server: func(s *service) { s.page = true }, want: []string{"register", "authorize notes.read", "authorization_code"},
			err: "answers with a web page (HTTP status 200)",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, store := newService(t), &memory{}
			if tt.server != nil {
				tt.server(s)
			}
			l := s.newLogin(store, "/mcp", func(c *login.Config) { c.OAuth = tt.oauth })
			require.ErrorIs(t, s.connect(l, "/mcp"), errLogIn)
			err := l.LogIn(t.Context(), s.user())
			require.Equal(t, tt.want, s.requests())
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err)
				require.NotContains(t, err.Error(), "s3cret")
				require.Less(t, len(err.Error()), 500)
				require.Empty(t, store.text())
				require.ErrorIs(t, s.connect(l, "/mcp"), errLogIn, "the next login can be tried")
				return
			}
			require.NoError(t, err)
			require.NoError(t, s.connect(l, "/mcp"))
			require.NotContains(t, store.text(), "s3cret", "what the configuration holds is not stored")
			s.requests()
			s.set(func() { clear(s.access) })
			l = s.newLogin(store, "/mcp", func(c *login.Config) { c.OAuth = tt.oauth })
			require.NoError(t, s.connect(l, "/mcp"))
			require.Equal(t, []string{"refresh_token"}, s.requests())
		})
	}
}

// TestStepUp asks for what was granted and what is wanted in addition.
func TestStepUp(t *testing.T) {
	t.Parallel()
	s, store := newService(t), &memory{}
	l := s.newLogin(store, "/write", nil)
	require.ErrorIs(t, s.connect(l, "/write"), errLogIn)
	require.NoError(t, l.LogIn(t.Context(), s.user()))
	require.ErrorIs(t, s.connect(l, "/write"), errLogIn, "the token is for reading")
	s.requests()
	l2 := s.newLogin(store, "/write", nil)
	require.ErrorIs(t, s.connect(l2, "/write"), errLogIn, "after a restart, too")
	require.NoError(t, l2.LogIn(t.Context(), s.user()))
	require.Equal(t, []string{"register", "authorize notes.read notes.write", "authorization_code"}, s.requests())
	require.NoError(t, s.connect(l2, "/write"))
}

// TestUsers plays what users and hosts do.
func TestUsers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		user func(s *service) login.User
		err  string // a part; empty if the user logs in
		is   error
	}{
		{name: "declines", user: func(*service) login.User {
			return login.User{Show: func(context.Context, string) error { return login.ErrDeclined }}
		}, is: login.ErrDeclined},
		{name: "panics", user: func(*service) login.User {
			return login.User{Show: func(context.Context, string) error { panic("host") }}
		}, err: "host"},
		{name: "opens it later", user: func(s *service) login.User {
			return login.User{Show: func(ctx context.Context, address string) error {
				time.AfterFunc(50*time.Millisecond, func() { _ = s.browser(context.WithoutCancel(ctx), address) })
				return nil
			}}
		}},
		{name: "never says that it was opened", user: func(s *service) login.User {
			return login.User{Show: func(ctx context.Context, address string) error {
				_ = s.browser(context.WithoutCancel(ctx), address)
				<-ctx.Done()
				return context.Cause(ctx)
			}}
		}},
		{name: "is sent other pages first", user: func(s *service) login.User {
			return login.User{Show: func(ctx context.Context, address string) error {
				u, err := url.Parse(address)
				require.NoError(s.t, err)
				back := u.Query().Get("redirect_uri")
				for _, other := range []string{"?code=1&state=guess", "?error=access_denied", "", "/else?state=" + u.Query().Get("state")} {
					require.NoError(s.t, s.browser(ctx, back+other))
				}
				return s.browser(ctx, address)
			}}
		}},
		{name: "is led by the host", user: leading(nil)},
		{name: "is led by a host that panics", user: leading(func(string) (string, error) { panic("host") }), err: "host"},
		{name: "is led nowhere", user: leading(func(string) (string, error) { return "", nil }), err: "state mismatch"},
		{name: "is led by a host that fails", user: leading(func(string) (string, error) { return "", errors.New("no display") }), err: "no display"},
		{name: "is led to another login", user: leading(func(back string) (string, error) { return back + "x", nil }), err: "state mismatch"},
		{name: "is led by a host that hangs", user: func(*service) login.User {
			return login.User{Lead: func(context.Context, string) (string, error) { select {} }}
		}, is: context.DeadlineExceeded},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			l := s.newLogin(&memory{}, "/mcp", nil)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			if tt.is == context.DeadlineExceeded {
				ctx, cancel = context.WithTimeout(t.Context(), time.Second)
				defer cancel()
			}
			err := l.LogIn(ctx, tt.user(s))
			if tt.err == "" && tt.is == nil {
				require.NoError(t, err)
				require.NoError(t, s.connect(l, "/mcp"))
				return
			}
			require.ErrorContains(t, err, tt.err)
			if tt.is != nil {
				require.ErrorIs(t, err, tt.is)
			}
			require.ErrorContains(t, err, `"notes"`)
		})
	}
}

// leading returns a user whom the host leads. End may change the address at the end.
func leading(end func(back string) (string, error)) func(s *service) login.User {
	return func(s *service) login.User {
		return login.User{Lead: func(ctx context.Context, address string) (string, error) {
			client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
			require.NoError(s.t, err)
			resp, err := client.Do(r)
			require.NoError(s.t, err)
			require.NoError(s.t, resp.Body.Close())
			back := resp.Header.Get("Location")
			require.True(s.t, strings.HasPrefix(back, "http://127.0.0.1:"), back)
			if end == nil {
				return back, nil
			}
			return end(back)
		}}
	}
}

// TestOneLoginForAll leads the user through one login, however many calls want it.
func TestOneLoginForAll(t *testing.T) {
	t.Parallel()
	s := newService(t)
	l := s.newLogin(&memory{}, "/mcp", nil)
	errs := make(chan error)
	const calls = 5
	for range calls {
		go func() { errs <- l.LogIn(t.Context(), s.user()) }()
	}
	for range calls {
		require.NoError(t, <-errs)
	}
	require.NoError(t, s.connect(l, "/mcp"))
	require.LessOrEqual(t, len(s.requests()), 3*calls)
}

// TestStores expects that nothing depends on the store.
func TestStores(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for name, store := range map[string]login.Store{
		"fails":   &memory{err: errors.New("disk full")},
		"panics":  brokenStore{},
		"damaged": &memory{data: map[string][]byte{s.http.URL + "/mcp": []byte(`{"address": "` + s.http.URL + `/mcp", "grants": [{"accessToken": 1}]`)}},
		"another": &memory{data: map[string][]byte{s.http.URL + "/mcp": []byte(`{"address": "https://other/", "grants": [{"accessToken": "a", "tokenUrl": "https://other/token"}]}`)}},
	} {
		l := s.newLogin(store, "/mcp", nil)
		require.ErrorIs(t, s.connect(l, "/mcp"), errLogIn, name)
		require.NoError(t, l.LogIn(t.Context(), s.user()), name)
		require.NoError(t, s.connect(l, "/mcp"), name)
	}
}

// TestPublicServerLeadsToNoPrivateHost has a server that is not known to be private name an
// authorization server of this machine.
func TestPublicServerLeadsToNoPrivateHost(t *testing.T) {
	t.Parallel()
	s := newService(t)
	var asked atomic.Int32
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(inside.Close)
	l := s.newLogin(&memory{}, "", func(c *login.Config) { c.URL = "https://notes.invalid/mcp" })
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://notes.invalid/mcp", http.NoBody)
	require.NoError(t, err)
	answer := &http.Response{StatusCode: http.StatusUnauthorized, Body: http.NoBody, Header: http.Header{
		"Www-Authenticate": {`Bearer resource_metadata="` + inside.URL + `/.well-known/oauth-protected-resource"`},
	}}
	require.ErrorIs(t, l.Authorize(t.Context(), request, answer), errLogIn)
	require.Error(t, l.LogIn(t.Context(), s.user()))
	require.Zero(t, asked.Load())
}

// TestTokenRequestIsNotRedirected expects that a code goes nowhere else.
func TestTokenRequestIsNotRedirected(t *testing.T) {
	t.Parallel()
	s := newService(t)
	var asked atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(other.Close)
	s.set(func() { s.moved = other.URL })
	l := s.newLogin(&memory{}, "/mcp", nil)
	require.ErrorContains(t, l.LogIn(t.Context(), s.user()), "redirects a POST")
	require.Zero(t, asked.Load())
}

// TestFreshTokenIsNotRenewed expects that a server which refuses every token is not asked for
// ever.
func TestFreshTokenIsNotRenewed(t *testing.T) {
	t.Parallel()
	s, store := newService(t), &memory{}
	l := s.newLogin(store, "/mcp", nil)
	require.NoError(t, l.LogIn(t.Context(), s.user()))
	s.set(func() { clear(s.access) })
	s.requests()
	for range 3 {
		require.ErrorIs(t, s.connect(l, "/mcp"), errLogIn)
	}
	require.Empty(t, s.requests())
}

// TestTokensAreNotLogged looks for tokens in what is logged and in errors.
func TestTokensAreNotLogged(t *testing.T) {
	t.Parallel()
	s, store := newService(t), &memory{}
	var log bytes.Buffer
	logging := func(c *login.Config) {
		c.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	l := s.newLogin(store, "/mcp", logging)
	require.NoError(t, l.LogIn(t.Context(), s.user()))
	store.mu.Lock()
	store.err = errors.New("disk full")
	store.mu.Unlock()
	require.NoError(t, l.LogIn(t.Context(), s.user()))
	s.set(func() { s.page = true; clear(s.access) })
	store.mu.Lock()
	store.err = nil
	store.mu.Unlock()
	l = s.newLogin(store, "/mcp", logging)
	texts := []string{fmt.Sprint(s.connect(l, "/mcp"), l.LogIn(t.Context(), s.user())), log.String()}
	require.Contains(t, texts[1], "disk full")
	s.set(func() {
		require.NotEmpty(t, s.refresh)
		for token := range s.refresh {
			require.NotContains(t, strings.Join(texts, ""), token)
		}
	})
	require.NotContains(t, texts[0], "gateway")
}

type brokenStore struct{}

func (brokenStore) Load(context.Context, string) ([]byte, error) { panic("load") }
func (brokenStore) Save(context.Context, string, []byte) error   { panic("save") }
