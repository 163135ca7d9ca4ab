package security_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/internal/webseam"
	"github.com/seed49eaa51d/pegboard/tools/web"
)

// fetchOnce calls WebFetch in a session that may fetch everything.
func fetchOnce(t *testing.T, seams webseam.Seams, addresses ...string) (outs []pegboard.Outcome) {
	t.Helper()
	s := newSession(t, pegboard.SessionConfig{Dir: t.TempDir(), Permissions: permissions(t, policy.ModeBypass, policy.RuleSet{})})
	webseam.Set(s, seams)
	p := pool(t, s, web.Fetch(web.FetchOptions{CacheFor: -1}))
	for _, address := range addresses {
		c := call(t, "WebFetch", map[string]string{"url": address, "prompt": "What is there?"})
		outs = append(outs, new(pegboard.Executor).Run(t.Context(), p, c)...)
	}
	return outs
}

// TestWebAddressesThatAreBad: nothing is connected to, and the model reads why.
func TestWebAddressesThatAreBad(t *testing.T) {
	t.Parallel()
	hundred := make([]string, 100)
	for i := range hundred {
		hundred[i] = fmt.Sprintf("8.8.8.%d", i)
	}
	hundred[73] = "192.168.0.7"
	for _, tt := range []struct{ name, url, says string }{
		{name: "64 KiB of a path", url: "https://example.com/" + strings.Repeat("a", 64<<10), says: "65556 bytes"},
		{name: "64 KiB of a host", url: "https://" + strings.Repeat("a.", 32<<10) + "com/", says: "bytes"},
		{name: "user", url: "https://me@example.com/", says: "user"},
		{name: "user and password", url: "https://me:hunter2@example.com/", says: "user"},
		{name: "file", url: "file:///etc/passwd", says: "http or https"},
		{name: "FTP", url: "ftp://example.com/", says: "http or https"},
		{name: "data", url: "data:text/plain,x", says: "http or https"},
		{name: "script", url: "javascript:alert(1)", says: "http or https"},
		{name: "no scheme", url: "example.com", says: "https://"},
		{name: "nothing", url: "", says: "url"},
		{name: "NUL", url: "https://example.com\x00.evil.com/", says: "control"},
		{name: "one private address among a hundred", url: "https://example.com/", says: "192.168.0.7"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			servers := newInternet(t, webRow{DNS: map[string][][]string{"*": {hundred}}})
			out := fetchOnce(t, servers.seams(), tt.url)[0]
			require.Error(t, out.Err)
			require.True(t, out.Result.IsError)
			require.Contains(t, out.Result.Text(), tt.says)
			require.Less(t, len(out.Result.Text()), 2000)
			require.Empty(t, servers.dialled)
		})
	}
}

// TestWebNameThatChanges: what was judged the first time is judged again for the next
// connection.
func TestWebNameThatChanges(t *testing.T) {
	t.Parallel()
	servers := newInternet(t, webRow{DNS: map[string][][]string{"*": {{"8.8.8.8"}, {"127.0.0.1"}}}})
	outs := fetchOnce(t, servers.seams(), "https://example.com/", "https://example.com:8443/")
	require.NoError(t, outs[0].Err)
	require.Error(t, outs[1].Err)
	require.Contains(t, outs[1].Result.Text(), "127.0.0.1")
	require.Equal(t, []string{"8.8.8.8:443"}, servers.dialled)
	require.Equal(t, []string{"https://example.com/"}, servers.pages)
}

// silentDNS never answers.
type silentDNS struct{}

func (silentDNS) LookupNetIP(ctx context.Context, _, _ string) ([]netip.Addr, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestWebNameThatNeverAnswers: a call ends long before its own time.
func TestWebNameThatNeverAnswers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: dir, Permissions: permissions(t, policy.ModeBypass, policy.RuleSet{})})
		require.NoError(t, err)
		webseam.Set(s, webseam.Seams{Resolver: silentDNS{}})
		begun := time.Now()
		c := call(t, "WebFetch", map[string]string{"url": "https://example.com/", "prompt": "What is there?"})
		out := new(pegboard.Executor).Run(t.Context(), pool(t, s, web.Fetch(web.FetchOptions{})), c)[0]
		require.Error(t, out.Err)
		require.Equal(t, 10*time.Second, time.Since(begun))
		require.NoError(t, s.Close(t.Context()))
	})
}

// hostOf returns the host that net/http by itself would dial for a URL, or "".
func hostOf(t *testing.T, raw string) (host string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, raw, nil)
	if err != nil {
		return ""
	}
	transport := &http.Transport{DialContext: func(_ context.Context, _, to string) (net.Conn, error) {
		host, _, _ = net.SplitHostPort(to)
		return nil, errors.New("dialled")
	}}
	_, err = transport.RoundTrip(req) //nolint:bodyclose // there is no response
	require.Error(t, err)
	return strings.TrimSuffix(strings.ToLower(host), ".")
}

// FuzzWebHost: WebFetch may fetch a URL only if net/http would take it to a host that a
// rule allows and none denies.
func FuzzWebHost(f *testing.F) {
	for _, line := range corpus.Lines(f, "testdata/web.jsonl") {
		var r webRow
		require.NoError(f, json.Unmarshal(line, &r))
		f.Add(r.URL)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		s := newSession(t, pegboard.SessionConfig{Dir: t.TempDir(), Permissions: permissions(t, policy.ModeDefault, policy.RuleSet{
			Allow: []string{"WebFetch(domain:example.com)", "WebFetch(domain:*.example.com)"},
			Deny:  []string{"WebFetch(domain:evil.com)", "WebFetch(domain:evil.example.com)"},
		})})
		p := pool(t, s, web.Fetch(web.FetchOptions{Preapproved: []string{}}))
		got := p.ExplainDecision(t.Context(), call(t, "WebFetch", map[string]string{"url": raw, "prompt": "What is there?"})).Decision.Behavior
		if got != policy.Allow {
			return
		}
		host := hostOf(t, raw)
		require.NotEqual(t, "evil.example.com", host)
		require.True(t, host == "example.com" || strings.HasSuffix(host, ".example.com"), "%q leads to %q", raw, host)
	})
}
