package security_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/internal/webseam"
)

// internet is the names and servers of a row, on loopback: every address leads to the
// same two servers, which answer for all hosts.
type internet struct {
	row           webRow
	plain, secure *httptest.Server

	mu      sync.Mutex
	lookups map[string]int // by host
	dialled []string
	pages   []string // addresses that were answered by a page, not by a redirect
}

func newInternet(t *testing.T, r webRow) *internet {
	t.Helper()
	n := &internet{row: r, lookups: map[string]int{}}
	n.plain, n.secure = httptest.NewServer(n), httptest.NewTLSServer(n)
	t.Cleanup(n.plain.Close)
	t.Cleanup(n.secure.Close)
	return n
}

func (n *internet) seams() webseam.Seams {
	return webseam.Seams{Resolver: n, Dial: n.dial, TLS: &tls.Config{InsecureSkipVerify: true}} // one server stands for all hosts
}

// LookupNetIP answers the lookups of a host in turn. The last answer stays.
func (n *internet) LookupNetIP(_ context.Context, _, host string) (addrs []netip.Addr, err error) {
	host = strings.TrimSuffix(host, ".")
	answers, ok := n.row.DNS[host]
	if !ok {
		answers = n.row.DNS["*"]
	}
	if len(answers) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	n.mu.Lock()
	at := min(n.lookups[host], len(answers)-1)
	n.lookups[host]++
	n.mu.Unlock()
	for _, text := range answers[at] {
		addr, err := netip.ParseAddr(text)
		if err != nil {
			return nil, err
		}
		addrs = append(addrs, addr)
	}
	return addrs, nil
}

func (n *internet) dial(ctx context.Context, network, address string) (net.Conn, error) {
	n.mu.Lock()
	n.dialled = append(n.dialled, address)
	n.mu.Unlock()
	server := n.secure
	if strings.HasSuffix(address, ":80") {
		server = n.plain
	}
	return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
}

func (n *internet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	address := scheme + "://" + r.Host + r.URL.RequestURI()
	if to, ok := n.row.Redirects[address]; ok {
		w.Header()["Location"] = []string{to.To}
		w.WriteHeader(to.Status)
		return
	}
	n.mu.Lock()
	n.pages = append(n.pages, address)
	n.mu.Unlock()
	switch {
	case n.row.MustNot.Hang > 0:
		n.drip(w, r)
	case n.row.MustNot.RSS > 0:
		n.bomb(w)
	default:
		_, _ = io.WriteString(w, "<p>This is a page.</p>")
	}
}

// drip answers with a body that never ends.
func (n *internet) drip(w http.ResponseWriter, r *http.Request) {
	for r.Context().Err() == nil {
		if _, err := io.WriteString(w, "more "); err != nil {
			return
		}
		_ = http.NewResponseController(w).Flush()
		time.Sleep(10 * time.Millisecond)
	}
}

// bomb answers with 10 MiB that unpack to 10 GiB.
func (n *internet) bomb(w http.ResponseWriter) {
	w.Header().Set("Content-Encoding", "gzip")
	w.Header().Set("Content-Type", "text/plain")
	part := zeros()
	for range 10 << 10 {
		if _, err := w.Write(part); err != nil {
			return
		}
	}
}

// zeros returns 1 MiB of zeros, packed.
var zeros = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(make([]byte, 1<<20))
	_ = w.Close()
	return b.Bytes()
})

// TestBombUnpacks: the body that a row has is what it is meant to be.
func TestBombUnpacks(t *testing.T) {
	t.Parallel()
	r, err := gzip.NewReader(bytes.NewReader(bytes.Repeat(zeros(), 3)))
	require.NoError(t, err)
	size, err := io.Copy(io.Discard, r)
	require.NoError(t, err)
	require.EqualValues(t, 3<<20, size)
}
