package netguard_test

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/netguard"
)

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
