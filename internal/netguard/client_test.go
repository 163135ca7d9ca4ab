package netguard_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/netguard"
)

// The environment names a proxy and every hop is one more way to be led astray.
func TestClient(t *testing.T) {
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
		t.Setenv(name, "http://proxy.example:3128")
	}
	for _, tt := range []struct {
		name, url string
		redirects map[string]redirect
		answers   map[string][][]string
		requests  []string
		checked   []string
		dialled   []string
		kind      error
	}{
		{
			name: "a page", url: "https://Example.COM./a?b=c#d",
			requests: []string{"https://example.com/a?b=c"},
			checked:  []string{"example.com"},
			dialled:  []string{publicAddr + ":443"},
		},
		{
			name: "host that net/http would map", url: "http://ｅｖｉｌ。com/",
			requests: []string{"http://evil.com/"},
			checked:  []string{"evil.com"},
			dialled:  []string{publicAddr + ":80"},
		},
		{
			name: "address spelled as a number", url: "http://134744072:8080/",
			requests: []string{"http://8.8.8.8:8080/"},
			checked:  []string{"8.8.8.8"},
			dialled:  []string{"8.8.8.8:8080"},
		},
		{
			name: "redirect to another host", url: "http://a.example/",
			redirects: map[string]redirect{"http://a.example/": {302, "//B.example/x"}},
			requests:  []string{"http://a.example/", "http://b.example/x"},
			checked:   []string{"a.example", "b.example"},
			dialled:   []string{publicAddr + ":80", publicAddr + ":80"},
		},
		{
			name: "redirect within a host", url: "http://a.example/",
			redirects: map[string]redirect{"http://a.example/": {308, "/x"}},
			requests:  []string{"http://a.example/", "http://a.example/x"},
			checked:   []string{"a.example", "a.example"},
			dialled:   []string{publicAddr + ":80"},
		},
		{
			name: "redirect to a name with a private address", url: "http://a.example/",
			redirects: map[string]redirect{"http://a.example/": {302, "http://b.example/"}},
			answers:   map[string][][]string{"a.example": {{"8.8.8.8"}}, "b.example": {{"10.0.0.1"}}},
			requests:  []string{"http://a.example/"},
			checked:   []string{"a.example", "b.example"},
			dialled:   []string{"8.8.8.8:80"},
			kind:      netguard.ErrNotPublic,
		},
		{
			name: "redirect to a private address", url: "http://a.example/",
			redirects: map[string]redirect{"http://a.example/": {302, "http://0x7f.1/"}},
			requests:  []string{"http://a.example/"},
			checked:   []string{"a.example"},
			dialled:   []string{publicAddr + ":80"},
			kind:      netguard.ErrNotPublic,
		},
		{
			name: "redirect to a file", url: "http://a.example/",
			redirects: map[string]redirect{"http://a.example/": {302, "file:///etc/passwd"}},
			requests:  []string{"http://a.example/"},
			checked:   []string{"a.example"},
			dialled:   []string{publicAddr + ":80"},
			kind:      netguard.ErrScheme,
		},
		{
			name: "redirect down to http", url: "https://a.example/",
			redirects: map[string]redirect{"https://a.example/": {302, "http://a.example/"}},
			requests:  []string{"https://a.example/"},
			checked:   []string{"a.example"},
			dialled:   []string{publicAddr + ":443"},
			kind:      netguard.ErrRedirect,
		},
		{name: "scheme", url: "ftp://a.example/", kind: netguard.ErrScheme},
		{name: "private address", url: "http://192.168.1.1/", kind: netguard.ErrNotPublic},
		{
			name: "name with a private address", url: "http://a.example/",
			answers: map[string][][]string{"*": {{"8.8.8.8", "fd00::1"}}},
			checked: []string{"a.example"},
			kind:    netguard.ErrNotPublic,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWeb(t, tt.redirects)
			g := w.guard(tt.answers)
			var checked []string
			g.Check = func(_ context.Context, host string) error {
				checked = append(checked, host)
				return nil
			}
			err := get(t, g, tt.url)
			require.Equal(t, tt.kind == nil, err == nil, "%v", err)
			require.ErrorIs(t, err, tt.kind)
			require.Equal(t, tt.requests, w.requests)
			require.Equal(t, tt.checked, checked)
			require.Equal(t, tt.dialled, w.dialled)
			require.Empty(t, w.referers)
		})
	}
}

// chain redirects http://a.example/0 to /1 and so on, n times.
func chain(n int) map[string]redirect {
	redirects := map[string]redirect{}
	for i := range n {
		redirects[fmt.Sprintf("http://a.example/%d", i)] = redirect{302, fmt.Sprintf("/%d", i+1)}
	}
	return redirects
}

func TestClientHopLimit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name           string
		limit          int
		hops, requests int
		refused        bool
	}{
		{name: "as many as are followed", hops: netguard.HopLimit, requests: 11},
		{name: "one more", hops: netguard.HopLimit + 1, requests: 11, refused: true},
		{name: "own limit", limit: 2, hops: 2, requests: 3},
		{name: "beyond the own limit", limit: 2, hops: 3, requests: 3, refused: true},
		{name: "none followed", limit: -1, hops: 1, requests: 1, refused: true},
		{name: "none needed", limit: -1, hops: 0, requests: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWeb(t, chain(tt.hops))
			g := w.guard(nil)
			g.MaxHops = tt.limit
			err := get(t, g, "http://a.example/0")
			require.Equal(t, tt.refused, errors.Is(err, netguard.ErrRedirect), "%v", err)
			require.Equal(t, tt.refused, err != nil)
			require.Len(t, w.requests, tt.requests)
		})
	}
}

// TestFollow: a redirect that is not followed names its whole address.
func TestFollow(t *testing.T) {
	t.Parallel()
	long := "/" + strings.Repeat("x", 1000)
	sameHost := func(from, to *netguard.URL) bool { return from.Host == to.Host }
	for _, tt := range []struct {
		name      string
		redirects map[string]redirect
		follow    func(from, to *netguard.URL) bool
		requests  []string
		asked     []string // from and to
		target    string   // of the refusal
		kind      error
	}{
		{name: "every host", redirects: map[string]redirect{"http://a.example/": {302, "http://b.example/"}},
			requests: []string{"http://a.example/", "http://b.example/"}},
		{name: "no redirect", follow: sameHost, requests: []string{"http://a.example/"}},
		{name: "within a host", redirects: map[string]redirect{"http://a.example/": {302, "/x"}}, follow: sameHost,
			requests: []string{"http://a.example/", "http://a.example/x"},
			asked:    []string{"http://a.example/ http://a.example/x"}},
		{name: "same host in another spelling", redirects: map[string]redirect{"http://a.example/": {302, "//Ａ.EXAMPLE./x"}}, follow: sameHost,
			requests: []string{"http://a.example/", "http://a.example/x"},
			asked:    []string{"http://a.example/ http://a.example/x"}},
		{name: "another host", redirects: map[string]redirect{"http://a.example/": {302, "//B.example" + long}}, follow: sameHost,
			requests: []string{"http://a.example/"},
			asked:    []string{"http://a.example/ http://b.example" + long},
			target:   "http://b.example" + long, kind: netguard.ErrRedirect},
		{name: "another host after one hop", follow: sameHost,
			redirects: map[string]redirect{"http://a.example/": {302, "/x"}, "http://a.example/x": {302, "https://b.example/"}},
			requests:  []string{"http://a.example/", "http://a.example/x"},
			asked:     []string{"http://a.example/ http://a.example/x", "http://a.example/x https://b.example/"},
			target:    "https://b.example/", kind: netguard.ErrRedirect},
		{name: "refused without being asked about", redirects: map[string]redirect{"http://a.example/": {302, "http://127.0.0.1/"}}, follow: sameHost,
			requests: []string{"http://a.example/"}, target: "127.0.0.1", kind: netguard.ErrNotPublic},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWeb(t, tt.redirects)
			g := w.guard(nil)
			var asked []string
			if tt.follow != nil {
				g.Follow = func(from, to *netguard.URL) bool {
					asked = append(asked, from.String()+" "+to.String())
					return tt.follow(from, to)
				}
			}
			err := get(t, g, "http://a.example/")
			require.Equal(t, tt.requests, w.requests)
			require.Equal(t, tt.asked, asked)
			if tt.kind == nil {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, tt.kind)
			var refusal *netguard.RefusalError
			require.ErrorAs(t, err, &refusal)
			require.Equal(t, tt.target, refusal.Target)
		})
	}
}

// TestClientRefusesAHugeHeader: a header has a limit though a body has none.
func TestClientRefusesAHugeHeader(t *testing.T) {
	t.Parallel()
	w := newWeb(t, map[string]redirect{"http://a.example/": {200, strings.Repeat("x", 1<<20)}, "https://a.example/": {200, strings.Repeat("x", 1<<20)}})
	require.ErrorContains(t, get(t, w.guard(nil), "http://a.example/"), "header")
	require.ErrorContains(t, get(t, w.guard(nil), "https://a.example/"), "header")
}

// TestClientLeavesASilentServer: the connection stands, and nothing comes over it.
func TestClientLeavesASilentServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer func() { require.NoError(t, far.Close()) }()
		g := &netguard.Guard{
			Check:         func(context.Context, string) error { return nil },
			Resolver:      &zone{answers: map[string][][]string{"*": {{publicAddr}}}},
			Dial:          func(context.Context, string, string) (net.Conn, error) { return near, nil },
			HeaderTimeout: 20 * time.Second,
		}
		goroutine.Go(func() { _, _ = io.Copy(io.Discard, far) })
		start := time.Now()
		err := get(t, g, "http://a.example/")
		var late net.Error
		require.ErrorAs(t, err, &late)
		require.True(t, late.Timeout())
		require.Equal(t, 20*time.Second, time.Since(start))
	})
}

func TestClientAsksBeforeItLooksUp(t *testing.T) {
	t.Parallel()
	denied := errors.New("denied")
	for _, tt := range []struct {
		name  string
		check func(context.Context, string) error
		says  string
	}{
		{name: "denied", check: func(context.Context, string) error { return denied }, says: "denied"},
		{name: "nobody to ask", check: nil, says: "nothing permits the host a.example"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			names := &zone{}
			g := &netguard.Guard{Check: tt.check, Resolver: names}
			err := get(t, g, "https://a.example/")
			require.ErrorContains(t, err, tt.says)
			require.Equal(t, tt.check != nil, errors.Is(err, denied))
			require.Empty(t, names.lookups)
		})
	}
}

func TestClientPassesTheContextToCheck(t *testing.T) {
	t.Parallel()
	type key struct{}
	w := newWeb(t, nil)
	g := w.guard(nil)
	g.Check = func(ctx context.Context, _ string) error {
		require.Equal(t, "mine", ctx.Value(key{}))
		return nil
	}
	ctx := context.WithValue(t.Context(), key{}, "mine")
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://a.example/", nil)
	require.NoError(t, err)
	client := g.Client()
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
}

// The host that is decided is the host that is named, whatever the request says.
func TestClientIgnoresTheHostOfTheRequest(t *testing.T) {
	t.Parallel()
	w := newWeb(t, nil)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://a.example/", nil)
	require.NoError(t, err)
	req.Host = "b.example"
	client := w.guard(nil).Client()
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, []string{"http://a.example/"}, w.requests)
	require.Equal(t, "b.example", req.Host)
}

// closing notes that it was closed.
type closing struct {
	strings.Reader
	closed bool
}

func (c *closing) Close() error {
	c.closed = true
	return nil
}

func TestClientClosesTheBodyItRefuses(t *testing.T) {
	t.Parallel()
	body := &closing{}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/", body)
	require.NoError(t, err)
	_, err = (&netguard.Guard{}).Client().Do(req) //nolint:bodyclose // there is no response
	require.ErrorIs(t, err, netguard.ErrNotPublic)
	require.True(t, body.closed)
}

// crossroads is a web whose first answer is a redirect, and a DNS that has the same
// addresses for every name.
type crossroads struct {
	plain, secure *httptest.Server

	mu       sync.Mutex
	location string // of the next answer; "" means none
	addrs    []netip.Addr
	dialled  []string
}

func newCrossroads(f *testing.F) *crossroads {
	f.Helper()
	c := &crossroads{}
	c.plain, c.secure = httptest.NewServer(c), httptest.NewTLSServer(c)
	f.Cleanup(c.plain.Close)
	f.Cleanup(c.secure.Close)
	return c
}

func (c *crossroads) ServeHTTP(rw http.ResponseWriter, _ *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.location != "" {
		rw.Header()["Location"] = []string{c.location}
		rw.WriteHeader(http.StatusFound)
	}
	c.location = ""
}

func (c *crossroads) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return c.addrs, nil
}

func (c *crossroads) dial(ctx context.Context, network, address string) (net.Conn, error) {
	c.mu.Lock()
	c.dialled = append(c.dialled, address)
	c.mu.Unlock()
	server := c.plain
	if strings.HasSuffix(address, ":443") {
		server = c.secure
	}
	return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
}

// FuzzClient asks for any URL, which redirects to any other, with any addresses of their
// hosts. Only public addresses and one pair of the program are dialled, after Check.
func FuzzClient(f *testing.F) {
	for _, s := range []struct{ raw, location, addr string }{
		{"http://a.example/", "http://b.example/", "8.8.8.8"},
		{"http://a.example/", "http://127.0.0.1:8080/", "8.8.8.8"},
		{"http://a.example/", "http://127.0.0.1:8081/", "2606:4700::1"},
		{"http://127.0.0.1:8080/", "//127.0.0.1:80/", "::1"},
		{"http://0x7f.1:8080/", "/x", "10.0.0.1"},
		{"http://a.example:8080/", "http://0177.1:8080", "127.0.0.1"},
		{"https://a.example/", "http://a.example/", "64:ff9b::7f00:1"},
		{"http://[::ffff:127.0.0.1]:8080/", "https:a", "::ffff:127.0.0.1"},
		{"http://134744072/", "\\\\127.0.0.1\\", "fe80::1"},
	} {
		f.Add(s.raw, s.location, netip.MustParseAddr(s.addr).AsSlice())
	}
	own := netip.MustParseAddrPort("127.0.0.1:8080")
	c := newCrossroads(f)
	f.Fuzz(func(t *testing.T, raw, location string, answer []byte) {
		c.location, c.addrs, c.dialled = location, nil, nil
		for len(answer) > 0 {
			n := min(16, len(answer))
			if n != 16 {
				n = min(4, n)
			}
			addr, ok := netip.AddrFromSlice(answer[:n])
			if ok {
				c.addrs = append(c.addrs, addr)
			}
			answer = answer[n:]
		}
		checked := map[string]bool{}
		g := &netguard.Guard{
			Check: func(_ context.Context, host string) error {
				checked[host] = true
				return nil
			},
			Reach: []string{own.String()}, Resolver: c, Dial: c.dial,
			TLS: &tls.Config{InsecureSkipVerify: true}, // one server stands for all hosts
		}
		_ = get(t, g, raw)
		for _, address := range c.dialled {
			to := netip.MustParseAddrPort(address)
			if to == own {
				require.True(t, checked[own.Addr().String()])
				continue
			}
			require.NoError(t, netguard.CheckAddress(to.Addr()))
			resolved := slices.ContainsFunc(c.addrs, func(a netip.Addr) bool { return a.Unmap() == to.Addr() })
			require.True(t, resolved || checked[to.Addr().String()], address)
			require.NotEmpty(t, checked)
		}
	})
}
