package netguard_test

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/netguard"
)

// proxy is an HTTP proxy on the loopback interface, behind which every host is the web.
type proxy struct {
	server *httptest.Server
	web    *web

	mu     sync.Mutex
	asked  []string // methods and hosts
	logins []string
}

func newProxy(t *testing.T, w *web) *proxy {
	t.Helper()
	p := &proxy{web: w}
	p.server = httptest.NewServer(p)
	t.Cleanup(p.server.Close)
	return p
}

func (p *proxy) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.asked = append(p.asked, r.Method+" "+r.Host)
	p.logins = append(p.logins, r.Header.Get("Proxy-Authorization"))
	p.mu.Unlock()
	if r.Method == http.MethodConnect {
		p.connect(rw)
		return
	}
	r.Header.Del("Proxy-Authorization")
	p.web.ServeHTTP(rw, r)
}

// connect joins a client with the secure server of the web.
func (p *proxy) connect(rw http.ResponseWriter) {
	far, err := net.Dial("tcp", p.web.secure.Listener.Addr().String())
	if err != nil {
		rw.WriteHeader(http.StatusBadGateway)
		return
	}
	near, _, err := http.NewResponseController(rw).Hijack()
	if err != nil {
		_ = far.Close()
		return
	}
	_, _ = io.WriteString(near, "HTTP/1.1 200 OK\r\n\r\n")
	join(near, far)
}

// join copies between two connections until both have ended.
func join(near, far net.Conn) {
	done := goroutine.Go(func() {
		_, _ = io.Copy(far, near)
		_ = far.Close()
	})
	_, _ = io.Copy(near, far)
	_ = near.Close()
	<-done
}

// TestProxy: hosts are decided and their text is judged before the proxy learns of them.
func TestProxy(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, url string
		redirects map[string]redirect
		denied    string // a host
		asked     []string
		requests  []string
		dialled   []string // besides the proxy
		kind      error
	}{
		{name: "plain", url: "http://Example.com./a", asked: []string{"GET example.com"}, requests: []string{"http://example.com/a"}},
		{name: "secure", url: "https://example.com/a", asked: []string{"CONNECT example.com:443"}, requests: []string{"https://example.com/a"}},
		{name: "name with a private address is the proxy's affair", url: "http://inside.example/",
			asked: []string{"GET inside.example"}, requests: []string{"http://inside.example/"}},
		{name: "private address", url: "http://0x7f.1/", kind: netguard.ErrNotPublic},
		{name: "localhost", url: "http://localhost/", kind: netguard.ErrNotPublic},
		{name: "name without a dot", url: "https://intranet/", kind: netguard.ErrNotPublic},
		{name: "the proxy itself", url: "http://127.0.0.1:3128/", kind: netguard.ErrNotPublic},
		{name: "denied", url: "https://denied.example/", denied: "denied.example", kind: errDenied},
		{name: "redirect to a private address", url: "http://a.example/",
			redirects: map[string]redirect{"http://a.example/": {302, "http://169.254.169.254/"}},
			asked:     []string{"GET a.example"}, requests: []string{"http://a.example/"}, kind: netguard.ErrNotPublic},
		{name: "redirect to a denied host", url: "http://a.example/", denied: "denied.example",
			redirects: map[string]redirect{"http://a.example/": {302, "//denied.example/"}},
			asked:     []string{"GET a.example"}, requests: []string{"http://a.example/"}, kind: errDenied},
		{name: "pair of Reach goes past the proxy", url: "http://127.0.0.1:8080/",
			requests: []string{"http://127.0.0.1:8080/"}, dialled: []string{"127.0.0.1:8080"}},
		{name: "other port of a pair", url: "http://127.0.0.1:8081/", kind: netguard.ErrNotPublic},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWeb(t, tt.redirects)
			p := newProxy(t, w)
			g := w.guard(map[string][][]string{"inside.example": {{"10.0.0.1"}}})
			g.Check = func(_ context.Context, host string) error {
				if host == tt.denied {
					return errDenied
				}
				return nil
			}
			g.Reach = []string{"127.0.0.1:8080"}
			g.Dial = p.dial
			g.Proxy = p.url(t)
			require.NoError(t, g.Validate())
			err := get(t, g, tt.url)
			require.Equal(t, tt.kind == nil, err == nil, "%v", err)
			require.ErrorIs(t, err, tt.kind)
			require.Equal(t, tt.asked, p.asked)
			require.Equal(t, tt.requests, w.requests)
			require.Equal(t, tt.dialled, w.dialled)
		})
	}
}

var errDenied = errors.New("denied")

// dial connects to the proxy, and as the web does to any other address.
func (p *proxy) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if address == p.server.Listener.Addr().String() {
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	return p.web.dial(ctx, network, address)
}

func (p *proxy) url(t *testing.T) *url.URL {
	t.Helper()
	u, err := url.Parse(p.server.URL)
	require.NoError(t, err)
	return u
}

// TestProxyByName: the name of a proxy may be one of the local network.
func TestProxyByName(t *testing.T) {
	t.Parallel()
	w := newWeb(t, nil)
	p := newProxy(t, w)
	g := w.guard(nil)
	g.Dial, g.Resolver = p.dial, &zone{answers: map[string][][]string{"gate": {{"127.0.0.1"}}}, own: []string{"gate"}}
	g.Proxy = p.url(t)
	g.Proxy.Host = "gate:" + g.Proxy.Port()
	g.Proxy.User = url.UserPassword("me", "hunter2")
	require.NoError(t, get(t, g, "https://example.com/"))
	require.NoError(t, get(t, g, "http://example.com/"))
	login := "Basic " + base64.StdEncoding.EncodeToString([]byte("me:hunter2"))
	require.Equal(t, []string{login, login}, p.logins)
	require.Equal(t, []string{"https://example.com/", "http://example.com/"}, w.requests)
}

// TestProxyKeepsItsPassword: errors that reach the model and the host do not contain it.
func TestProxyKeepsItsPassword(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(http.NotFoundHandler())
	address := closed.Listener.Addr().String()
	closed.Close()
	for _, tt := range []struct {
		name, proxy, says string
		invalid           bool
	}{
		{name: "does not answer", proxy: "http://me:hunter2@" + address, says: "refused"},
		{name: "socks does not answer", proxy: "socks5://me:hunter2@" + address, says: "refused"},
		{name: "has no address", proxy: "http://me:hunter2@gate.example:3128", says: "no such host"},
		{name: "other scheme", proxy: "ftp://me:hunter2@gate.example", says: "http, https or socks5", invalid: true},
		{name: "no host", proxy: "http://me:hunter2@", says: "domain name", invalid: true},
		{name: "no port", proxy: "http://me:hunter2@:3128", says: "domain name", invalid: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			u, err := url.Parse(tt.proxy)
			require.NoError(t, err)
			w := newWeb(t, nil)
			g := w.guard(nil)
			g.Resolver, g.Proxy = &zone{own: []string{"gate.example"}}, u
			g.Dial = nil
			for _, to := range []string{"http://example.com/", "https://example.com/"} {
				err = get(t, g, to)
				require.ErrorContains(t, err, tt.says)
				require.NotContains(t, err.Error(), "hunter2")
			}
			err = g.Validate()
			require.Equal(t, tt.invalid, err != nil, "%v", err)
			if err != nil {
				require.NotContains(t, err.Error(), "hunter2")
			}
			require.Empty(t, w.requests)
		})
	}
}

// TestProxyOfSOCKS: the proxy is given the name, and looks it up itself.
func TestProxyOfSOCKS(t *testing.T) {
	t.Parallel()
	w := newWeb(t, nil)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, listener.Close()) }()
	asked := make(chan string, 1)
	done := goroutine.Go(func() { serveSOCKS(listener, w.secure.Listener.Addr().String(), asked) })
	g := w.guard(nil)
	g.Dial, g.Resolver = nil, nil
	g.TLS = &tls.Config{InsecureSkipVerify: true} // one server stands for all hosts
	g.Proxy = &url.URL{Scheme: "socks5", Host: listener.Addr().String()}
	require.NoError(t, get(t, g, "https://inside.example/"))
	require.Equal(t, "inside.example", <-asked)
	require.NoError(t, <-done)
	require.ErrorIs(t, get(t, g, "https://127.0.0.1/"), netguard.ErrNotPublic)
}

// serveSOCKS joins the first connection with an address (RFC 1928), whatever name it asks
// for, and tells that name.
func serveSOCKS(listener net.Listener, to string, asked chan<- string) {
	near, err := listener.Accept()
	if err != nil {
		return
	}
	head := make([]byte, 2)
	_, _ = io.ReadFull(near, head)
	_, _ = io.CopyN(io.Discard, near, int64(head[1])) // ways to log in
	_, _ = near.Write([]byte{5, 0})
	head = make([]byte, 5)
	_, _ = io.ReadFull(near, head) // version, CONNECT, reserved, a name follows, its length
	name := make([]byte, int(head[4])+2)
	_, _ = io.ReadFull(near, name)
	asked <- string(name[:head[4]])
	far, err := net.Dial("tcp", to)
	if err != nil {
		_ = near.Close()
		return
	}
	_, _ = near.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	join(near, far)
}
