package netguard_test

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/netguard"
)

func TestResolve(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, url string
		answers   []string
		want      []string
		says      string // of a refusal
	}{
		{name: "public", url: "https://example.com/", answers: []string{"93.184.216.34", "2606:4700::1"},
			want: []string{"93.184.216.34", "2606:4700::1"}},
		{name: "one address twice", url: "https://example.com/", answers: []string{"8.8.8.8", "::ffff:8.8.8.8"}, want: []string{"8.8.8.8"}},
		{name: "address", url: "https://8.8.8.8/", want: []string{"8.8.8.8"}},
		{name: "private", url: "https://example.com/", answers: []string{"10.0.0.7"}, says: "example.com"},
		{name: "private among public", url: "https://example.com/", answers: []string{"8.8.8.8", "::1", "8.8.4.4"}, says: "loopback"},
		{name: "with a zone", url: "https://example.com/", answers: []string{"fe80::1%eth0"}, says: "eth0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			u, err := netguard.ParseURL(tt.url)
			require.NoError(t, err)
			g := &netguard.Guard{Resolver: &zone{answers: map[string][][]string{"example.com": {tt.answers}}}}
			addrs, err := g.Resolve(t.Context(), u)
			if tt.says != "" {
				require.ErrorIs(t, err, netguard.ErrNotPublic)
				require.ErrorContains(t, err, tt.says)
				return
			}
			require.NoError(t, err)
			var got []string
			for _, addr := range addrs {
				got = append(got, addr.String())
			}
			require.Equal(t, tt.want, got)
		})
	}
}

func TestResolveChecksURLsMadeByHand(t *testing.T) {
	t.Parallel()
	g := &netguard.Guard{Resolver: &zone{answers: map[string][][]string{"*": {{publicAddr}}}}}
	for _, host := range []string{"127.0.0.1", "0x7f.1", "localhost", "intranet", "::1"} {
		_, err := g.Resolve(t.Context(), &netguard.URL{Scheme: "http", Host: host, Port: 80, Path: "/"})
		require.ErrorIs(t, err, netguard.ErrNotPublic, host)
	}
	_, err := g.Resolve(t.Context(), &netguard.URL{Host: "a b"})
	require.ErrorIs(t, err, netguard.ErrURL)
}

func TestResolveWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	u, err := netguard.ParseURL("https://example.com/")
	require.NoError(t, err)
	g := &netguard.Guard{Resolver: &zone{}}
	_, err = g.Resolve(t.Context(), u)
	var missing *net.DNSError
	require.ErrorAs(t, err, &missing)

	g.Resolver = &zone{answers: map[string][][]string{"*": {{}}}}
	_, err = g.Resolve(t.Context(), u)
	require.ErrorContains(t, err, "no address")
}

// dialling runs DialContext against a zone and says what was dialled.
func dialling(ctx context.Context, answers map[string][][]string, network, address string) (dialled []string, err error) {
	g := &netguard.Guard{
		Resolver: &zone{answers: answers},
		Dial: func(_ context.Context, network, address string) (net.Conn, error) {
			dialled = append(dialled, network+" "+address)
			return nil, errors.New("nobody there")
		},
	}
	_, err = g.DialContext(ctx, network, address)
	return dialled, err
}

func TestDialContext(t *testing.T) {
	t.Parallel()
	answers := map[string][][]string{
		"example.com":     {{"8.8.8.8", "2606:4700::1", "8.8.4.4"}},
		"mixed.example":   {{"8.8.8.8", "10.0.0.1"}},
		"xn--bcher-kva.x": {{"9.9.9.9"}},
	}
	for _, tt := range []struct {
		name, network, address string
		want                   []string
		kind                   error
		says                   string
	}{
		{name: "each address in turn", network: "tcp", address: "example.com:443",
			want: []string{"tcp 8.8.8.8:443", "tcp [2606:4700::1]:443", "tcp 8.8.4.4:443"}, says: "nobody"},
		{name: "IPv4", network: "tcp4", address: "example.com:80", want: []string{"tcp4 8.8.8.8:80", "tcp4 8.8.4.4:80"}, says: "nobody"},
		{name: "IPv6", network: "tcp6", address: "example.com:80", want: []string{"tcp6 [2606:4700::1]:80"}, says: "nobody"},
		{name: "address", network: "tcp", address: "9.9.9.9:80", want: []string{"tcp 9.9.9.9:80"}, says: "nobody"},
		{name: "address of no family", network: "tcp6", address: "9.9.9.9:80", says: "tcp6"},
		{name: "name that is not mapped", network: "tcp", address: "BÜCHER.x.:80", want: []string{"tcp 9.9.9.9:80"}, says: "nobody"},
		{name: "one private answer", network: "tcp", address: "mixed.example:80", kind: netguard.ErrNotPublic},
		{name: "loopback", network: "tcp", address: "127.0.0.1:80", kind: netguard.ErrNotPublic},
		{name: "loopback in circled digits", network: "tcp", address: "①②⑦.0.0.1:80", kind: netguard.ErrNotPublic},
		{name: "localhost", network: "tcp", address: "localhost:80", kind: netguard.ErrNotPublic},
		{name: "zone", network: "tcp", address: "[2606:4700::1%eth0]:80", kind: netguard.ErrNotPublic},
		{name: "other network", network: "udp", address: "8.8.8.8:53", says: "udp"},
		{name: "port 0", network: "tcp", address: "8.8.8.8:0", says: "65535"},
		{name: "port that is a word", network: "tcp", address: "8.8.8.8:http", says: "65535"},
		{name: "no port", network: "tcp", address: "8.8.8.8", says: "port"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dialled, err := dialling(t.Context(), answers, tt.network, tt.address)
			require.Equal(t, tt.want, dialled)
			require.ErrorContains(t, err, tt.says)
			if tt.kind != nil {
				require.ErrorIs(t, err, tt.kind)
			}
		})
	}
}

// A name that answers differently the second time is what DNS rebinding is.
func TestDialContextLooksUpOnce(t *testing.T) {
	t.Parallel()
	names := &zone{answers: map[string][][]string{"example.com": {{"8.8.8.8"}, {"127.0.0.1"}}}}
	var dialled []string
	g := &netguard.Guard{Resolver: names, Dial: func(_ context.Context, _, address string) (net.Conn, error) {
		dialled = append(dialled, address)
		return nil, errors.New("nobody there")
	}}
	_, err := g.DialContext(t.Context(), "tcp", "example.com:443")
	require.ErrorContains(t, err, "nobody there")
	require.Equal(t, []string{"example.com."}, names.lookups)

	_, err = g.DialContext(t.Context(), "tcp", "example.com:443")
	require.ErrorIs(t, err, netguard.ErrNotPublic)
	require.Equal(t, []string{"8.8.8.8:443"}, dialled)
}

func TestDialContextLeavesASilentAddress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer func() { require.NoError(t, errors.Join(near.Close(), far.Close())) }()
		g := &netguard.Guard{
			Resolver: &zone{answers: map[string][][]string{"example.com": {{"2606:4700::1", "8.8.8.8"}}}},
			Dial: func(ctx context.Context, _, address string) (net.Conn, error) {
				if netip.MustParseAddrPort(address).Addr().Is4() {
					return near, nil
				}
				<-ctx.Done()
				return nil, ctx.Err()
			},
		}
		start := time.Now()
		conn, err := g.DialContext(t.Context(), "tcp", "example.com:443")
		require.NoError(t, err)
		require.Equal(t, near, conn)
		require.Equal(t, 10*time.Second, time.Since(start))
	})
}

// forever is a resolver that never answers.
type forever struct{}

func (forever) LookupNetIP(ctx context.Context, _, _ string) ([]netip.Addr, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestDialContextIsBounded: a client goes on connecting when its request was cancelled, so
// connecting ends by itself.
func TestDialContextIsBounded(t *testing.T) {
	t.Parallel()
	many := make([]string, 100)
	for i := range many {
		many[i] = fmt.Sprintf("8.8.8.%d", i)
	}
	for _, tt := range []struct {
		name     string
		resolver netguard.Resolver
		dials    int
		takes    time.Duration
	}{
		{name: "name that never answers", resolver: forever{}, takes: 10 * time.Second},
		{name: "a hundred silent addresses", resolver: &zone{answers: map[string][][]string{"*": {many}}}, dials: 3, takes: 25 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				dials := 0
				g := &netguard.Guard{Resolver: tt.resolver, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
					dials++
					<-ctx.Done()
					return nil, ctx.Err()
				}}
				start := time.Now()
				_, err := g.DialContext(t.Context(), "tcp", "example.com:443")
				require.ErrorIs(t, err, context.DeadlineExceeded)
				require.Equal(t, tt.dials, dials)
				require.Equal(t, tt.takes, time.Since(start))
			})
		})
	}
}

// TestOnePrivateAddressAmongAHundred: none of the others is dialled.
func TestOnePrivateAddressAmongAHundred(t *testing.T) {
	t.Parallel()
	for _, at := range []int{0, 50, 99} {
		answers := make([]string, 100)
		for i := range answers {
			answers[i] = fmt.Sprintf("8.8.8.%d", i)
		}
		answers[at] = "192.168.0.7"
		dialled, err := dialling(t.Context(), map[string][][]string{"*": {answers}}, "tcp", "example.com:443")
		require.ErrorIs(t, err, netguard.ErrNotPublic)
		require.ErrorContains(t, err, "192.168.0.7")
		require.Empty(t, dialled)
	}
}

func TestDialContextEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	dials := 0
	g := &netguard.Guard{
		Resolver: &zone{answers: map[string][][]string{"example.com": {{"8.8.8.8", "8.8.4.4"}}}},
		Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			dials++
			cancel()
			return nil, ctx.Err()
		},
	}
	_, err := g.DialContext(ctx, "tcp", "example.com:443")
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 1, dials)
}

// row is one line of web.jsonl, as far as it is used here.
type row struct {
	ID, Kind, Tier, Mode string
	URL                  string
	Rules                struct{ Allow, Ask, Deny []string }
	DNS                  map[string][][]string
	Redirects            map[string]redirect

	Expect, Not string
	MustNot     struct {
		Connect     string
		ConnectHost string `json:"connect_host"`
	} `json:"must_not"`
}

// decision is what the rules say about a host, as an error.
type decision string

func (d decision) Error() string { return "the rules say " + string(d) }

// TestCorpus fetches every URL of the corpus through a Guard whose Check knows as
// much of the rules as the rows need. What is denied without a deny rule must be
// a refusal of the guard itself, and no harmless row may be refused.
func TestCorpus(t *testing.T) {
	for _, folder := range corpus.Folders(t) {
		w := newWeb(t, nil)
		passed, core, refused := 0, 0, 0
		for line, text := range corpus.Lines(t, filepath.Join(folder, "security", "web.jsonl")) {
			var r row
			require.NoError(t, json.Unmarshal(text, &r), "line %d", line)
			err := w.fetch(t, r)
			if errors.As(err, new(*netguard.RefusalError)) {
				refused++
			}
			if r.Tier != "core" {
				continue
			}
			core++
			r.requireOutcome(t, err, w)
			passed++
		}
		corpus.Report(t, folder, "%d of %d core rows of web.jsonl, %d refused whatever the rules say", passed, core, refused)
	}
}

// fetch asks the web for the URL of a row.
func (w *web) fetch(t *testing.T, r row) error {
	t.Helper()
	w.mu.Lock()
	w.redirects, w.requests, w.dialled = r.Redirects, nil, nil
	w.mu.Unlock()
	u, err := netguard.ParseURL(r.URL)
	if err != nil {
		return err
	}
	g := w.guard(r.DNS)
	g.Check = r.check
	return get(t, g, u.String())
}

func (r row) requireOutcome(t *testing.T, err error, w *web) {
	t.Helper()
	got := "allow"
	var said decision
	if errors.As(err, &said) {
		got = string(said)
	} else if err != nil {
		require.ErrorAs(t, err, new(*netguard.RefusalError), r.ID)
		got = "deny"
	}
	switch {
	case r.Not != "":
		require.NotEqual(t, r.Not, got, "%s: %v", r.ID, err)
	case r.Expect != "any":
		require.Equal(t, r.Expect, got, "%s: %v", r.ID, err)
	}
	if r.Expect == "deny" && len(r.Rules.Deny) == 0 {
		require.ErrorAs(t, err, new(*netguard.RefusalError), r.ID)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, address := range w.dialled {
		addr := netip.MustParseAddrPort(address).Addr()
		require.NoError(t, netguard.CheckAddress(addr), r.ID)
		require.NotEqual(t, r.MustNot.Connect, addr.String(), r.ID)
	}
	for _, request := range w.requests {
		u, err := netguard.ParseURL(request)
		require.NoError(t, err, r.ID)
		require.NotEqual(t, r.MustNot.ConnectHost, u.Host, r.ID)
	}
}

// check decides a host by the rules of a row.
func (r row) check(_ context.Context, host string) error {
	covers := func(rule string) bool { return covers(rule, host) }
	d := decision("ask")
	switch {
	case slices.ContainsFunc(r.Rules.Deny, covers):
		d = "deny"
	case slices.ContainsFunc(r.Rules.Ask, covers):
	case r.Mode == "bypassPermissions", slices.ContainsFunc(r.Rules.Allow, covers):
		return nil
	}
	if r.Mode == "dontAsk" {
		d = "deny"
	}
	return d
}

// covers reports whether a rule is about a mapped host.
func covers(rule, host string) bool {
	if rule == "WebFetch" {
		return true
	}
	text, ok := strings.CutPrefix(rule, "WebFetch(domain:")
	if !ok {
		return false
	}
	pattern, err := netguard.MapPattern(strings.TrimSuffix(text, ")"))
	if err != nil {
		return false
	}
	if pattern == "*" {
		return true
	}
	if domain, ok := strings.CutPrefix(pattern, "*."); ok {
		return strings.HasSuffix(host, "."+domain)
	}
	slashed := func(name string) string { return strings.ReplaceAll(name, ".", "/") }
	ok, err = path.Match(slashed(pattern), slashed(host))
	return ok && err == nil
}

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

// TestReach: a pair is exempt by its spelling alone, and still has to be permitted.
func TestReach(t *testing.T) {
	t.Parallel()
	answers := map[string][][]string{
		"index.example": {{"10.1.2.3"}},
		"index":         {{"10.1.2.4"}},
		"to.example":    {{"127.0.0.1"}},
		"*":             {{publicAddr}},
	}
	reach := []string{"127.0.0.1:8080", "[::1]:8081", "Index.EXAMPLE.:8888", "index:80", "not a host:1", "10.0.0.9"}
	for _, tt := range []struct {
		name, url string
		redirects map[string]redirect
		checked   []string
		dialled   []string
		kind      error
	}{
		{name: "pair", url: "http://127.0.0.1:8080/x", checked: []string{"127.0.0.1"}, dialled: []string{"127.0.0.1:8080"}},
		{name: "pair in another spelling", url: "http://0x7f.1:08080/", checked: []string{"127.0.0.1"}, dialled: []string{"127.0.0.1:8080"}},
		{name: "pair of IPv6", url: "http://[0:0::1]:8081/", checked: []string{"::1"}, dialled: []string{"[::1]:8081"}},
		{name: "pair of a name", url: "http://INDEX.example:8888/", checked: []string{"index.example"}, dialled: []string{"10.1.2.3:8888"}},
		{name: "pair of a name without a dot", url: "http://index/", checked: []string{"index"}, dialled: []string{"10.1.2.4:80"}},
		{name: "other port", url: "http://127.0.0.1:8081/", kind: netguard.ErrNotPublic},
		{name: "no port", url: "http://127.0.0.1/", kind: netguard.ErrNotPublic},
		{name: "other port of a name", url: "http://index.example/", checked: []string{"index.example"}, kind: netguard.ErrNotPublic},
		{name: "other address", url: "http://127.0.0.2:8080/", kind: netguard.ErrNotPublic},
		{name: "other family", url: "http://[::1]:8080/", kind: netguard.ErrNotPublic},
		{name: "pair mapped to IPv6", url: "http://[::ffff:127.0.0.1]:8080/", checked: []string{"127.0.0.1"}, dialled: []string{"127.0.0.1:8080"}},
		{name: "localhost", url: "http://localhost:8080/", kind: netguard.ErrNotPublic},
		{name: "below a pair", url: "http://a.index:80/", checked: []string{"a.index"}, dialled: []string{publicAddr + ":80"}},
		{name: "name that resolves to a pair", url: "http://to.example:8080/", checked: []string{"to.example"}, kind: netguard.ErrNotPublic},
		{name: "pair without a port", url: "http://10.0.0.9/", kind: netguard.ErrNotPublic},
		{name: "user", url: "http://u@127.0.0.1:8080/", kind: netguard.ErrURL},
		{name: "redirect to a pair", url: "http://a.example/",
			redirects: map[string]redirect{"http://a.example/": {302, "http://127.0.0.1:8080/"}},
			checked:   []string{"a.example", "127.0.0.1"}, dialled: []string{publicAddr + ":80", "127.0.0.1:8080"}},
		{name: "redirect from a pair to its neighbour", url: "http://127.0.0.1:8080/",
			redirects: map[string]redirect{"http://127.0.0.1:8080/": {302, "http://127.0.0.1:22/"}},
			checked:   []string{"127.0.0.1"}, dialled: []string{"127.0.0.1:8080"}, kind: netguard.ErrNotPublic},
		{name: "redirect to a name that resolves to a pair", url: "http://a.example/",
			redirects: map[string]redirect{"http://a.example/": {302, "http://to.example:8080/"}},
			checked:   []string{"a.example", "to.example"}, dialled: []string{publicAddr + ":80"}, kind: netguard.ErrNotPublic},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWeb(t, tt.redirects)
			g := w.guard(nil)
			g.Resolver = &zone{answers: answers, own: ownNames(tt.url)}
			g.Reach = reach
			var checked []string
			g.Check = func(_ context.Context, host string) error {
				checked = append(checked, host)
				return nil
			}
			err := get(t, g, tt.url)
			require.Equal(t, tt.kind == nil, err == nil, "%v", err)
			require.ErrorIs(t, err, tt.kind)
			require.Equal(t, tt.checked, checked)
			require.Equal(t, tt.dialled, w.dialled)
		})
	}
}

// ownNames returns the name of a pair that a URL is expected to name.
func ownNames(url string) []string {
	switch {
	case strings.Contains(url, ":8888"):
		return []string{"index.example"}
	case url == "http://index/":
		return []string{"index"}
	}
	return nil
}

// TestReachIsStillDecided: the program lets a pair be reached, the rules say who may.
func TestReachIsStillDecided(t *testing.T) {
	t.Parallel()
	denied := errors.New("denied")
	w := newWeb(t, nil)
	g := w.guard(nil)
	g.Reach = []string{"127.0.0.1:8080"}
	g.Check = func(context.Context, string) error { return denied }
	require.ErrorIs(t, get(t, g, "http://127.0.0.1:8080/"), denied)
	require.Empty(t, w.dialled)
}

func TestReaches(t *testing.T) {
	t.Parallel()
	g := &netguard.Guard{Reach: []string{"127.0.0.1:443"}}
	u, err := g.ParseURL("https://127.1/a")
	require.NoError(t, err)
	require.True(t, g.Reaches(u))
	require.Equal(t, "https://127.0.0.1/a", u.String())
	addrs, err := g.Resolve(t.Context(), u)
	require.NoError(t, err)
	require.Equal(t, []netip.Addr{netip.MustParseAddr("127.0.0.1")}, addrs)
	require.False(t, new(netguard.Guard).Reaches(u))
	_, err = new(netguard.Guard).Resolve(t.Context(), u)
	require.ErrorIs(t, err, netguard.ErrNotPublic)
	_, err = netguard.ParseURL("https://127.1/a")
	require.ErrorIs(t, err, netguard.ErrNotPublic)
}

func TestValidateReach(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, pair, says string }{
		{name: "address", pair: "127.0.0.1:8080"},
		{name: "name", pair: "search.internal:443"},
		{name: "IPv6", pair: "[::1]:80"},
		{name: "nothing", pair: "", says: "host:port"},
		{name: "no port", pair: "127.0.0.1", says: "host:port"},
		{name: "no host", pair: ":8080", says: "domain name"},
		{name: "every host", pair: "*:8080", says: "domain name"},
		{name: "port 0", pair: "127.0.0.1:0", says: "host:port"},
		{name: "port that is a word", pair: "127.0.0.1:http", says: "host:port"},
		{name: "URL", pair: "http://127.0.0.1:8080", says: "host:port"},
		{name: "zone", pair: "[fe80::1%eth0]:80", says: "zone"},
		{name: "range", pair: "127.0.0.0/8:80", says: "domain name"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := (&netguard.Guard{Reach: []string{"127.0.0.1:1", tt.pair}}).Validate()
			if tt.says == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tt.says)
		})
	}
	require.NoError(t, new(netguard.Guard).Validate())
}
