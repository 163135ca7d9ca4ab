package web_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/web"
)

// TestClientOfACallChecksEveryHop: a redirect passes no deny rule.
func TestClientOfACallChecksEveryHop(t *testing.T) { //nolint:tparallel // the rows count what is reached, one after the other
	t.Parallel()
	var reached atomic.Int32
	inside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reached.Add(1)
		_, _ = io.WriteString(w, "inside")
	}))
	t.Cleanup(inside.Close)
	behind := "http://localhost:" + portOf(t, inside.URL)
	front := httptest.NewServer(http.RedirectHandler(behind, http.StatusFound))
	t.Cleanup(front.Close)
	tests := []struct {
		name    string
		set     policy.RuleSet
		method  string
		text    string
		reached int32
		is      error
	}{
		{name: "both allowed", set: policy.RuleSet{Allow: []string{"Get"}}, text: "inside", reached: 1},
		{name: "the second denied", set: policy.RuleSet{Allow: []string{"Get"}, Deny: []string{"WebFetch(domain:localhost)"}}, is: pegboard.ErrDenied},
		{name: "the second not allowed", set: policy.RuleSet{Allow: []string{"WebFetch(domain:127.0.0.1)"}}, is: pegboard.ErrDenied},
		{name: "a body", set: policy.RuleSet{Allow: []string{"Get"}, Deny: []string{"WebFetch(domain:127.0.0.1)"}}, method: http.MethodPost, is: pegboard.ErrDenied},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { //nolint:paralleltest // they count what is reached
			reached.Store(0)
			get := pegboard.Build(pegboard.Definition[struct{}, string]{
				Info: pegboard.Info{Name: "Get"}, Description: "Asks a service.",
				Inspect: func(struct{}, *pegboard.Call) pegboard.Traits {
					host := "127.0.0.1"
					if tt.method != "" {
						host = "example.com" // not the host that is asked
					}
					return pegboard.Traits{ReadOnly: tt.method == "", OpenWorld: true, Targets: []policy.Target{{Kind: policy.Host, Access: policy.Read, Value: host}}}
				},
				Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
					req, err := http.NewRequestWithContext(ctx, tt.method, front.URL, strings.NewReader("body"))
					if err != nil {
						return "", err
					}
					resp, err := web.Client(c, nil).Do(req)
					if err != nil {
						return "", err
					}
					defer func() { _ = resp.Body.Close() }()
					body, err := io.ReadAll(resp.Body)
					return string(body), err
				},
			})
			perms, err := policy.New("", tt.set)
			require.NoError(t, err)
			s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir(), Permissions: perms})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
			var registry pegboard.Registry
			require.NoError(t, registry.Add(get))
			var ex pegboard.Executor
			out := ex.Run(t.Context(), registry.AssemblePool(s, pegboard.PoolConfig{}), pegboard.Call{ID: "1", Name: "Get"})[0]
			require.Equal(t, tt.reached, reached.Load())
			if tt.is != nil {
				require.ErrorIs(t, out.Err, tt.is)
				return
			}
			require.NoError(t, out.Err)
			require.Equal(t, tt.text, out.Result.Text())
		})
	}
}

func portOf(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	return u.Port()
}
