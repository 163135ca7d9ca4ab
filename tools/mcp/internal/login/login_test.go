package login_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/authserver"
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
			s, store := authserver.New(t), &memory{}
			l := newLogin(s, store, path, nil)
			require.ErrorIs(t, connect(t, s, l, path), errLogIn)
			require.Empty(t, s.Requests(), "nothing is asked of the authorization server before the user is")
			require.NoError(t, l.LogIn(t.Context(), user()))
			require.NoError(t, connect(t, s, l, path))
			require.Equal(t, []string{"register", "authorize notes.read", "authorization_code"}, s.Requests())

			l = newLogin(s, store, path, nil)
			require.NoError(t, connect(t, s, l, path))
			require.Empty(t, s.Requests(), "the stored token is used")

			// The server forgets the token, as one does that has restarted.
			for range 3 {
				s.Forget()
				l = newLogin(s, store, path, nil)
				require.NoError(t, connect(t, s, l, path))
				require.Equal(t, []string{"refresh_token"}, s.Requests())
			}

			s.ForgetAll()
			l = newLogin(s, store, path, nil)
			require.ErrorIs(t, connect(t, s, l, path), errLogIn)
			require.NotContains(t, store.text(), "refreshToken", "what is worth nothing is forgotten")
			require.NoError(t, l.LogIn(t.Context(), user()))
			require.NoError(t, connect(t, s, l, path))
		})
	}
}

func TestExpiredTokenIsRenewedBeforeItIsSent(t *testing.T) {
	t.Parallel()
	s, store := authserver.New(t), &memory{}
	s.Set(authserver.Settings{Life: 5 * time.Second}) // counts as expired ten seconds before
	l := newLogin(s, store, "/mcp", nil)
	require.NoError(t, l.LogIn(t.Context(), user()), "no request was refused before")
	s.Set(authserver.Settings{Life: time.Hour})
	require.NoError(t, connect(t, s, l, "/mcp"))
	require.Equal(t, []string{"register", "authorize notes.read", "authorization_code", "refresh_token"}, s.Requests())

	// Another process has the tokens, too, and uses its refresh token second.
	s.Set(authserver.Settings{Life: 5 * time.Second})
	one, two := newLogin(s, store, "/mcp", nil), newLogin(s, store, "/mcp", nil)
	for _, l := range []*login.Login{one, two} {
		source, err := l.TokenSource(t.Context())
		require.NoError(t, err)
		require.NotNil(t, source)
	}
	s.Forget()
	s.Set(authserver.Settings{Life: time.Hour})
	require.NoError(t, connect(t, s, one, "/mcp"))
	require.NoError(t, connect(t, s, two, "/mcp"))
	require.Equal(t, []string{"refresh_token"}, s.Requests(), "the second takes what the first was granted")
}

// TestClients logs in as clients of each kind.
func TestClients(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		server authserver.Settings
		oauth  mcpjson.OAuth
		want   []string
		err    string
	}{
		{name: "registers itself", want: []string{"register", "authorize notes.read", "authorization_code"}},
		{name: "registered by hand", oauth: mcpjson.OAuth{ClientID: "by hand", ClientSecret: "s3cret"}, want: []string{"authorize notes.read", "authorization_code"}},
		{name: "a wrong secret", oauth: mcpjson.OAuth{ClientID: "by hand", ClientSecret: "wrong"}, want: []string{"authorize notes.read", "authorization_code"}, err: "invalid_client"},
		{
			name: "a document", server: authserver.Settings{Document: true}, oauth: mcpjson.OAuth{ClientMetadataURL: "https://example.com/client.json"},
			want: []string{"authorize notes.read", "authorization_code", "authorization_code"}, // the SDK tries a header first
		},
		{
			name: "a document that the server does not take", oauth: mcpjson.OAuth{ClientMetadataURL: "https://example.com/client.json"},
			want: []string{"register", "authorize notes.read", "authorization_code"},
		},
		{name: "no way", server: authserver.Settings{NoClient: true}, err: "no configured client registration methods"},
		{name: "scopes of the configuration", oauth: mcpjson.OAuth{Scopes: []string{"notes.read", "mail"}}, want: []string{"register", "authorize mail notes.read", "authorization_code"}},
		{name: "refused", server: authserver.Settings{Refuse: "access_denied"}, want: []string{"register", "authorize notes.read"}, err: "access_denied (not today)"},
		{
			name: "a web page in place of a token", server: authserver.Settings{Page: true}, want: []string{"register", "authorize notes.read", "authorization_code"},
			err: "answers with a web page (HTTP status 200)",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, store := authserver.New(t), &memory{}
			s.Set(tt.server)
			l := newLogin(s, store, "/mcp", func(c *login.Config) { c.OAuth = tt.oauth })
			require.ErrorIs(t, connect(t, s, l, "/mcp"), errLogIn)
			err := l.LogIn(t.Context(), user())
			require.Equal(t, tt.want, s.Requests())
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err)
				require.NotContains(t, err.Error(), "s3cret")
				require.Less(t, len(err.Error()), 500)
				require.Empty(t, store.text())
				require.ErrorIs(t, connect(t, s, l, "/mcp"), errLogIn, "the next login can be tried")
				return
			}
			require.NoError(t, err)
			require.NoError(t, connect(t, s, l, "/mcp"))
			require.NotContains(t, store.text(), "s3cret", "what the configuration holds is not stored")
			s.Requests()
			s.Forget()
			l = newLogin(s, store, "/mcp", func(c *login.Config) { c.OAuth = tt.oauth })
			require.NoError(t, connect(t, s, l, "/mcp"))
			require.Equal(t, []string{"refresh_token"}, s.Requests())
		})
	}
}

// TestStepUp asks for what was granted and what is wanted in addition.
func TestStepUp(t *testing.T) {
	t.Parallel()
	s, store := authserver.New(t), &memory{}
	l := newLogin(s, store, "/write", nil)
	require.ErrorIs(t, connect(t, s, l, "/write"), errLogIn)
	require.NoError(t, l.LogIn(t.Context(), user()))
	require.ErrorIs(t, connect(t, s, l, "/write"), errLogIn, "the token is for reading")
	s.Requests()
	l2 := newLogin(s, store, "/write", nil)
	require.ErrorIs(t, connect(t, s, l2, "/write"), errLogIn, "after a restart, too")
	require.NoError(t, l2.LogIn(t.Context(), user()))
	require.Equal(t, []string{"register", "authorize notes.read notes.write", "authorization_code"}, s.Requests())
	require.NoError(t, connect(t, s, l2, "/write"))
}

// TestUsers plays what users and hosts do.
func TestUsers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		user func(t testing.TB) login.User
		err  string // a part; empty if the user logs in
		is   error
	}{
		{name: "declines", user: func(testing.TB) login.User {
			return login.User{Show: func(context.Context, string) error { return login.ErrDeclined }}
		}, is: login.ErrDeclined},
		{name: "panics", user: func(testing.TB) login.User {
			return login.User{Show: func(context.Context, string) error { panic("host") }}
		}, err: "host"},
		{name: "opens it later", user: func(t testing.TB) login.User {
			return login.User{Show: func(ctx context.Context, address string) error {
				time.AfterFunc(50*time.Millisecond, func() { _ = authserver.Open(context.WithoutCancel(ctx), address) })
				return nil
			}}
		}},
		{name: "never says that it was opened", user: func(t testing.TB) login.User {
			return login.User{Show: func(ctx context.Context, address string) error {
				_ = authserver.Open(context.WithoutCancel(ctx), address)
				<-ctx.Done()
				return context.Cause(ctx)
			}}
		}},
		{name: "is sent other pages first", user: func(t testing.TB) login.User {
			return login.User{Show: func(ctx context.Context, address string) error {
				u, err := url.Parse(address)
				require.NoError(t, err)
				back := u.Query().Get("redirect_uri")
				for _, other := range []string{"?code=1&state=guess", "?error=access_denied", "", "/else?state=" + u.Query().Get("state")} {
					require.NoError(t, authserver.Open(ctx, back+other))
				}
				return authserver.Open(ctx, address)
			}}
		}},
		{name: "is led by the host", user: leading(nil)},
		{name: "is led by a host that panics", user: leading(func(string) (string, error) { panic("host") }), err: "host"},
		{name: "is led nowhere", user: leading(func(string) (string, error) { return "", nil }), err: "state mismatch"},
		{name: "is led by a host that fails", user: leading(func(string) (string, error) { return "", errors.New("no display") }), err: "no display"},
		{name: "is led to another login", user: leading(func(back string) (string, error) { return back + "x", nil }), err: "state mismatch"},
		{name: "is led by a host that hangs", user: func(testing.TB) login.User {
			return login.User{Lead: func(context.Context, string) (string, error) { select {} }}
		}, is: context.DeadlineExceeded},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := authserver.New(t)
			l := newLogin(s, &memory{}, "/mcp", nil)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if errors.Is(tt.is, context.DeadlineExceeded) {
				ctx, cancel = context.WithTimeout(t.Context(), time.Second)
				defer cancel()
			}
			err := l.LogIn(ctx, tt.user(t))
			if tt.err == "" && tt.is == nil {
				require.NoError(t, err)
				require.NoError(t, connect(t, s, l, "/mcp"))
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
func leading(end func(back string) (string, error)) func(t testing.TB) login.User {
	return func(t testing.TB) login.User {
		return login.User{Lead: func(ctx context.Context, address string) (string, error) {
			client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
			require.NoError(t, err)
			resp, err := client.Do(r)
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
			back := resp.Header.Get("Location")
			require.True(t, strings.HasPrefix(back, "http://127.0.0.1:"), back)
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
	s := authserver.New(t)
	l := newLogin(s, &memory{}, "/mcp", nil)
	errs := make(chan error)
	const calls = 5
	for range calls {
		go func() { errs <- l.LogIn(t.Context(), user()) }()
	}
	for range calls {
		require.NoError(t, <-errs)
	}
	require.NoError(t, connect(t, s, l, "/mcp"))
	require.LessOrEqual(t, len(s.Requests()), 3*calls)
}

// TestStores expects that nothing depends on the store.
func TestStores(t *testing.T) {
	t.Parallel()
	s := authserver.New(t)
	for name, store := range map[string]login.Store{
		"fails":   &memory{err: errors.New("disk full")},
		"panics":  brokenStore{},
		"damaged": &memory{data: map[string][]byte{s.URL + "/mcp": []byte(`{"address": "` + s.URL + `/mcp", "grants": [{"accessToken": 1}]`)}},
		"another": &memory{data: map[string][]byte{s.URL + "/mcp": []byte(`{"address": "https://other/", "grants": [{"accessToken": "a", "tokenUrl": "https://other/token"}]}`)}},
	} {
		l := newLogin(s, store, "/mcp", nil)
		require.ErrorIs(t, connect(t, s, l, "/mcp"), errLogIn, name)
		require.NoError(t, l.LogIn(t.Context(), user()), name)
		require.NoError(t, connect(t, s, l, "/mcp"), name)
	}
}

// TestPublicServerLeadsToNoPrivateHost has a server that is not known to be private name an
// authorization server of this machine.
func TestPublicServerLeadsToNoPrivateHost(t *testing.T) {
	t.Parallel()
	s := authserver.New(t)
	var asked atomic.Int32
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(inside.Close)
	l := newLogin(s, &memory{}, "", func(c *login.Config) { c.URL = "https://notes.invalid/mcp" })
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://notes.invalid/mcp", http.NoBody)
	require.NoError(t, err)
	answer := &http.Response{StatusCode: http.StatusUnauthorized, Body: http.NoBody, Header: http.Header{
		"Www-Authenticate": {`Bearer resource_metadata="` + inside.URL + `/.well-known/oauth-protected-resource"`},
	}}
	require.ErrorIs(t, l.Authorize(t.Context(), request, answer), errLogIn)
	require.Error(t, l.LogIn(t.Context(), user()))
	require.Zero(t, asked.Load())
}

// TestPublicServerNeedsHTTPS expects that no token is fetched which would be sent unencrypted.
func TestPublicServerNeedsHTTPS(t *testing.T) {
	t.Parallel()
	s := authserver.New(t)
	l := newLogin(s, &memory{}, "", func(c *login.Config) { c.URL = "HTTP://notes.invalid/mcp" })
	require.ErrorContains(t, l.LogIn(t.Context(), user()), "must have an https address")
	require.Empty(t, s.Requests())
}

// TestCallbackPort has the browser come back to a port of the configuration.
func TestCallbackPort(t *testing.T) {
	t.Parallel()
	s := authserver.New(t)
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address, ok := taken.Addr().(*net.TCPAddr)
	require.True(t, ok)
	l := newLogin(s, &memory{}, "/mcp", func(c *login.Config) { c.OAuth.CallbackPort = address.Port })
	require.ErrorContains(t, l.LogIn(t.Context(), user()), "waiting for the browser")
	require.Empty(t, s.Requests())
	require.NoError(t, taken.Close())
	shown := ""
	require.NoError(t, l.LogIn(t.Context(), login.User{Show: func(ctx context.Context, address string) error {
		shown = address
		return authserver.Open(ctx, address)
	}}))
	require.Contains(t, shown, url.QueryEscape("http://localhost:"+fmt.Sprint(address.Port)+"/callback"))
	require.NoError(t, connect(t, s, l, "/mcp"))
}

// TestTokenRequestIsNotRedirected expects that a code goes nowhere else.
func TestTokenRequestIsNotRedirected(t *testing.T) {
	t.Parallel()
	s := authserver.New(t)
	var asked atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(other.Close)
	s.Set(authserver.Settings{Moved: other.URL})
	l := newLogin(s, &memory{}, "/mcp", nil)
	require.ErrorContains(t, l.LogIn(t.Context(), user()), "redirects a POST")
	require.Zero(t, asked.Load())
}

// TestFreshTokenIsNotRenewed expects that a server which refuses every token is not asked for
// ever.
func TestFreshTokenIsNotRenewed(t *testing.T) {
	t.Parallel()
	s, store := authserver.New(t), &memory{}
	l := newLogin(s, store, "/mcp", nil)
	require.NoError(t, l.LogIn(t.Context(), user()))
	s.Forget()
	s.Requests()
	for range 3 {
		require.ErrorIs(t, connect(t, s, l, "/mcp"), errLogIn)
	}
	require.Empty(t, s.Requests())
}

// TestTokensAreNotLogged looks for tokens in what is logged and in errors.
func TestTokensAreNotLogged(t *testing.T) {
	t.Parallel()
	s, store := authserver.New(t), &memory{}
	var log bytes.Buffer
	logging := func(c *login.Config) {
		c.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	l := newLogin(s, store, "/mcp", logging)
	require.NoError(t, l.LogIn(t.Context(), user()))
	store.mu.Lock()
	store.err = errors.New("disk full")
	store.mu.Unlock()
	require.NoError(t, l.LogIn(t.Context(), user()))
	s.Set(authserver.Settings{Page: true})
	s.Forget()
	store.mu.Lock()
	store.err = nil
	store.mu.Unlock()
	l = newLogin(s, store, "/mcp", logging)
	texts := []string{fmt.Sprint(connect(t, s, l, "/mcp"), l.LogIn(t.Context(), user())), log.String()}
	require.Contains(t, texts[1], "disk full")
	require.NotEmpty(t, s.Tokens())
	for _, token := range s.Tokens() {
		require.NotContains(t, strings.Join(texts, ""), token)
	}
	require.NotContains(t, texts[0], "gateway")
}

type brokenStore struct{}

func (brokenStore) Load(context.Context, string) ([]byte, error) { panic("load") }
func (brokenStore) Save(context.Context, string, []byte) error   { panic("save") }
