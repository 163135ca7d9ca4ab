package web_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/netguard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/internal/webseam"
	"github.com/seed49eaa51d/pegboard/tools/web"
)

// proxy is a proxy on this machine that connects every host to one server.
type proxy struct {
	behind string // address of the server

	mu    sync.Mutex
	asked []string
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.asked = append(p.asked, r.Method+" "+r.Host)
	p.mu.Unlock()
	far, err := net.Dial("tcp", p.behind)
	if err != nil || r.Method != http.MethodConnect {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	near, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		_ = far.Close()
		return
	}
	_, _ = io.WriteString(near, "HTTP/1.1 200 OK\r\n\r\n")
	done := goroutine.Go(func() {
		_, _ = io.Copy(far, near)
		_ = far.Close()
	})
	_, _ = io.Copy(near, far)
	_ = near.Close()
	<-done
}

// The proxy is asked for what was decided and judged, and for nothing else.
func TestFetchThroughProxy(t *testing.T) {
	t.Parallel()
	s := newSession(t, policy.ModeBypass, policy.RuleSet{Deny: []string{"WebFetch(domain:denied.example.com)"}})
	var addresses []string
	seams := serve(t, s, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/start" {
			http.Redirect(w, r, "/end", http.StatusFound)
			return
		}
		_, _ = fmt.Fprint(w, "behind the proxy")
	})
	server := &proxy{}
	conn, err := seams.Dial(t.Context(), "tcp", public.String()+":443")
	require.NoError(t, err)
	server.behind = conn.RemoteAddr().String()
	require.NoError(t, conn.Close())
	here := httptest.NewServer(server)
	t.Cleanup(here.Close)
	seams.Resolver = loopbackOnly{}
	seams.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		addresses = append(addresses, address)
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	webseam.Set(s, seams)
	o := web.FetchOptions{Proxy: &url.URL{Scheme: "http", Host: here.Listener.Addr().String()}}
	require.Contains(t, text(t, fetch(t, s, o, "http://example.com/start")), "https://example.com/end (text/plain), all 16 characters:\n<web-page>\nbehind the proxy")
	for address, want := range map[string]error{
		"https://denied.example.com/": pegboard.ErrDenied, "https://127.0.0.1/": netguard.ErrNotPublic,
		"https://0x7f.1/": netguard.ErrNotPublic, "https://[::ffff:10.0.0.1]/": netguard.ErrNotPublic, "https://printer/": netguard.ErrNotPublic,
	} {
		require.ErrorIs(t, fetch(t, s, o, address).Err, want, address)
	}
	require.Equal(t, []string{"CONNECT example.com:443"}, server.asked)
	require.Equal(t, []string{here.Listener.Addr().String()}, addresses)
}

// loopbackOnly resolves every name to this machine.
type loopbackOnly struct{}

func (loopbackOnly) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
}

// An address of IPv6 is decided in its usual spelling, and dialled as it was judged.
func TestFetchIPv6(t *testing.T) {
	t.Parallel()
	s := newSession(t, policy.ModeDefault, policy.RuleSet{Allow: []string{"WebFetch(domain:2606:2800:21f::1)", "WebFetch(domain:[2606:2800:21f::1])"}})
	var dialled []string
	seams := serve(t, s, answer("text/plain", "over IPv6"))
	dial := seams.Dial
	seams.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		dialled = append(dialled, address)
		return dial(ctx, network, public.String()+":443")
	}
	seams.TLS = seams.TLS.Clone()
	seams.TLS.ServerName = "example.com"
	webseam.Set(s, seams)
	out := text(t, fetch(t, s, web.FetchOptions{}, "http://[2606:2800:021f:0::0001]/a"))
	require.Contains(t, out, "https://[2606:2800:21f::1]/a (text/plain), all 9 characters:\n<web-page>\nover IPv6")
	require.Equal(t, []string{"[2606:2800:21f::1]:443"}, dialled)
	for _, address := range []string{"https://[::1]/", "https://[fe80::1]/", "https://[fc00::1]/", "https://[::ffff:127.0.0.1]/", "https://[64:ff9b::7f00:1]/", "https://[2002:7f00:1::]/"} {
		require.ErrorIs(t, fetch(t, s, web.FetchOptions{}, address).Err, netguard.ErrNotPublic, address)
	}
	require.ErrorIs(t, fetch(t, s, web.FetchOptions{}, "https://[2606:2800:21f::2]/").Err, pegboard.ErrNoApprover)
	require.Len(t, dialled, 1)
}
