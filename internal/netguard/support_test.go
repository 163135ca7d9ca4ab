package netguard_test

import (
	"context"
	"crypto/tls"
	"fmt"
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

// publicAddr is what every host of the fake web resolves to unless told otherwise.
const publicAddr = "93.184.216.34"

// zone is a fake DNS: the answers to each lookup of a host in order, the last of
// which stays. "*" stands for every other host.
type zone struct {
	answers map[string][][]string
	own     []string // names that the program named, which are looked up without a final dot

	mu      sync.Mutex
	lookups []string
}

func (z *zone) LookupNetIP(_ context.Context, network, host string) ([]netip.Addr, error) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.lookups = append(z.lookups, host)
	name, absolute := strings.CutSuffix(host, ".")
	if network != "ip" || absolute == slices.Contains(z.own, name) {
		return nil, fmt.Errorf("lookup of %s over %s", host, network)
	}
	key := name
	if _, ok := z.answers[key]; !ok {
		key = "*"
	}
	lists := z.answers[key]
	if len(lists) == 0 {
		return nil, &net.DNSError{Name: host, Err: "no such host", IsNotFound: true}
	}
	if len(lists) > 1 {
		z.answers[key] = lists[1:]
	}
	var addrs []netip.Addr
	for _, text := range lists[0] {
		addrs = append(addrs, netip.MustParseAddr(text))
	}
	return addrs, nil
}

// web is a fake web on the loopback interface: any address leads to it.
type web struct {
	plain, secure *httptest.Server

	mu        sync.Mutex
	redirects map[string]redirect // by absolute URL
	requests  []string            // absolute URLs
	referers  []string
	dialled   []string
}

// redirect is one answer of the web. Others are empty and 200.
type redirect struct {
	Status int
	To     string
}

func newWeb(t *testing.T, redirects map[string]redirect) *web {
	t.Helper()
	w := &web{redirects: redirects}
	w.plain = httptest.NewServer(w)
	t.Cleanup(w.plain.Close)
	w.secure = httptest.NewTLSServer(w)
	t.Cleanup(w.secure.Close)
	return w
}

func (w *web) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	address := scheme + "://" + r.Host + r.URL.RequestURI()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.requests = append(w.requests, address)
	if referer := r.Referer(); referer != "" {
		w.referers = append(w.referers, referer)
	}
	if to, ok := w.redirects[address]; ok {
		rw.Header()["Location"] = []string{to.To}
		rw.WriteHeader(to.Status)
	}
}

// dial connects to the web as if it had the given address.
func (w *web) dial(ctx context.Context, network, address string) (net.Conn, error) {
	w.mu.Lock()
	w.dialled = append(w.dialled, address)
	w.mu.Unlock()
	server := w.plain
	if strings.HasSuffix(address, ":443") {
		server = w.secure
	}
	return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
}

// guard returns a guard whose hosts lie in the web, all of them permitted.
func (w *web) guard(answers map[string][][]string) *netguard.Guard {
	if answers == nil {
		answers = map[string][][]string{"*": {{publicAddr}}}
	}
	return &netguard.Guard{
		Check:    func(context.Context, string) error { return nil },
		Resolver: &zone{answers: answers},
		Dial:     w.dial,
		TLS:      &tls.Config{InsecureSkipVerify: true}, // one server stands for all hosts
	}
}

// get asks for a URL and ends its connections.
func get(t *testing.T, g *netguard.Guard, address string) error {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	client := g.Client()
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	require.NoError(t, resp.Body.Close())
	return nil
}
