package netguard_test

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/netguard"
)

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
