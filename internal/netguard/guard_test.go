package netguard_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

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
