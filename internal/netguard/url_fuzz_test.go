package netguard_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/netguard"
)

// dialledFor returns what net/http by itself would dial for a URL.
func dialledFor(t *testing.T, raw string) (host, port string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, raw, nil)
	require.NoError(t, err)
	address := ""
	stop := errors.New("dialled")
	transport := &http.Transport{DialContext: func(_ context.Context, _, to string) (net.Conn, error) {
		address = to
		return nil, stop
	}}
	_, err = transport.RoundTrip(req) //nolint:bodyclose // there is no response
	require.ErrorIs(t, err, stop)
	host, port, err = net.SplitHostPort(address)
	require.NoError(t, err)
	return host, port
}

// FuzzParseURL checks that a URL has one spelling, that its host is public as far
// as its text tells, and that the host is the one that net/http makes of it.
func FuzzParseURL(f *testing.F) {
	for _, raw := range []string{
		"https://example.com/a?b#c", "http://BÜCHER.example:81", "http://ｅｖｉｌ。com", "http://①②⑦.0.0.1/",
		"http://0x8.010.2056/", "http://[2606:4700::1]:443/", "http://[::ffff:8.8.8.8]/", "http://[fe80::1%25a]/",
		"https://u:p@evil.com/", "https:evil.com", "https://example.com:/@evil.com/", "http://xn--bcher-kva.x./",
		"http://a_b.r3---x.com", "http://%E3%80%82a.b/", "https://a.b/%zz", "https://a.b/?q= \u00e9", "http://ß.x/", "http://a.b%25/",
	} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := netguard.ParseURL(raw)
		if err != nil {
			var refusal *netguard.RefusalError
			require.ErrorAs(t, err, &refusal)
			require.Nil(t, u)
			return
		}
		again, err := netguard.ParseURL(u.String())
		require.NoError(t, err)
		require.Equal(t, u, again)
		pattern, err := netguard.MapPattern(u.Host)
		require.NoError(t, err)
		require.Equal(t, u.Host, pattern)

		host, port := dialledFor(t, u.String())
		require.Equal(t, u.Host, host)
		require.Equal(t, strconv.Itoa(int(u.Port)), port)

		host, _ = dialledFor(t, raw)
		host = strings.TrimSuffix(strings.ToLower(host), ".")
		ours, err := netip.ParseAddr(u.Host)
		if err != nil {
			require.Equal(t, u.Host, host)
			return
		}
		require.NoError(t, netguard.CheckAddress(ours))
		if theirs, err := netip.ParseAddr(host); err == nil { // else a spelling that net/http leaves to the resolver
			require.Equal(t, ours, theirs.Unmap())
		}
	})
}
