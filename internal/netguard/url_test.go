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

func TestParseURL(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, raw, want string
	}{
		{name: "a page", raw: "https://example.com/a/b?x=1#y", want: "https://example.com/a/b?x=1"},
		{name: "no path", raw: "http://example.com", want: "http://example.com/"},
		{name: "case", raw: "HTTPS://Example.COM/Path", want: "https://example.com/Path"},
		{name: "final dot", raw: "https://example.com./", want: "https://example.com/"},
		{name: "port of the scheme", raw: "https://example.com:443/", want: "https://example.com/"},
		{name: "port of the other scheme", raw: "http://example.com:443/", want: "http://example.com:443/"},
		{name: "zeros before a port", raw: "http://example.com:00080/", want: "http://example.com/"},
		{name: "port left out after the colon", raw: "https://example.com:/@evil.com/", want: "https://example.com/@evil.com/"},
		{name: "umlaut", raw: "https://Bücher.example/", want: "https://xn--bcher-kva.example/"},
		{name: "sharp s is no ss", raw: "https://straße.example/", want: "https://xn--strae-oqa.example/"},
		{name: "punycode", raw: "https://XN--bcher-kva.example/", want: "https://xn--bcher-kva.example/"},
		{name: "soft hyphen", raw: "https://ev\u00adil.com/", want: "https://evil.com/"},
		{name: "ideographic full stop", raw: "https://evil\u3002com/", want: "https://evil.com/"},
		{name: "fullwidth", raw: "https://ｅｖｉｌ.com/", want: "https://evil.com/"},
		{name: "escaped fullwidth", raw: "https://%EF%BD%85vil.com/", want: "https://evil.com/"},
		{name: "underscore", raw: "https://my_bucket.example.com/", want: "https://my_bucket.example.com/"},
		{name: "hyphens", raw: "https://r3---sn-abc.example.com/", want: "https://r3---sn-abc.example.com/"},
		{name: "path with an at sign", raw: "https://example.com/a@b", want: "https://example.com/a@b"},
		{name: "path that is not ASCII", raw: "https://example.com/é", want: "https://example.com/%C3%A9"},
		{name: "slash escaped in the path", raw: "https://example.com/a%2Fb", want: "https://example.com/a%2Fb"},
		{name: "two slashes in the path", raw: "https://example.com//evil.com", want: "https://example.com//evil.com"},
		{name: "blank in the query", raw: "https://example.com/?q=a b&r=é", want: "https://example.com/?q=a%20b&r=%C3%A9"},
		{name: "IPv4", raw: "http://8.8.8.8/", want: "http://8.8.8.8/"},
		{name: "IPv4 as one number", raw: "http://134744072/", want: "http://8.8.8.8/"},
		{name: "IPv4 in octal", raw: "http://010.010.010.010/", want: "http://8.8.8.8/"},
		{name: "IPv4 in hexadecimal", raw: "http://0X08.0x80808/", want: "http://8.8.8.8/"},
		{name: "IPv4 with a final dot", raw: "http://8.8.8.8./", want: "http://8.8.8.8/"},
		{name: "IPv4 in circled digits", raw: "http://⑧.⑧.⑧.⑧/", want: "http://8.8.8.8/"},
		{name: "IPv6", raw: "http://[2606:4700:4700:0:0::1111]:81/", want: "http://[2606:4700:4700::1111]:81/"},
		{name: "IPv6 with the port of the scheme", raw: "http://[2606:4700::1111]:80/", want: "http://[2606:4700::1111]/"},
		{name: "IPv4 mapped", raw: "http://[::ffff:8.8.8.8]/", want: "http://8.8.8.8/"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			u, err := netguard.ParseURL(tt.raw)
			require.NoError(t, err)
			require.Equal(t, tt.want, u.String())
			again, err := netguard.ParseURL(u.String())
			require.NoError(t, err)
			require.Equal(t, u, again)
		})
	}
}

// manyLetters returns n bytes of letters that are all different as far as that is possible.
func manyLetters(n int) string {
	var b strings.Builder
	for c := rune(0x4e00); b.Len() < n; c++ {
		b.WriteRune(c)
	}
	return b.String()
}

func TestParseURLRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, raw string
		kind      error
		says      string
	}{
		{name: "nothing", raw: "", kind: netguard.ErrURL, says: "https://"},
		{name: "no scheme", raw: "example.com/x", kind: netguard.ErrURL, says: "https://"},
		{name: "scheme of files", raw: "file:///etc/passwd", kind: netguard.ErrScheme, says: "read with a tool for files, by its path"},
		{name: "scheme of sockets", raw: "ws://example.com/", kind: netguard.ErrScheme, says: "ws"},
		{name: "blanks in front", raw: "  file:///etc/passwd", kind: netguard.ErrURL},
		{name: "control character", raw: "\x00https://example.com/", kind: netguard.ErrURL, says: "control"},
		{name: "newline in the host", raw: "https://evil.com\n.example.com/", kind: netguard.ErrURL},
		{name: "no slashes", raw: "https:evil.com", kind: netguard.ErrURL, says: "no host"},
		{name: "three slashes", raw: "https:///evil.com/", kind: netguard.ErrURL, says: "no host"},
		{name: "user", raw: "https://example.com@evil.com/", kind: netguard.ErrURL, says: "user"},
		{name: "empty user", raw: "https://@evil.com/", kind: netguard.ErrURL, says: "user"},
		{name: "password", raw: "https://u:p@evil.com/", kind: netguard.ErrURL, says: "user"},
		{name: "backslash", raw: "https://evil.com\\@example.com/", kind: netguard.ErrURL},
		{name: "comma in the host", raw: "https://example.com,evil.com/", kind: netguard.ErrURL, says: "domain name"},
		{name: "escaped NUL", raw: "https://example.com%00.evil.com/", kind: netguard.ErrURL},
		{name: "slash that is mapped", raw: "https://example.com／.evil.com/", kind: netguard.ErrURL, says: "domain name"},
		{name: "letter that maps to a slash", raw: "https://example.c℀.evil.com/", kind: netguard.ErrURL},
		{name: "empty label", raw: "https://.example.com/", kind: netguard.ErrURL, says: "domain name"},
		{name: "two final dots", raw: "https://example.com../", kind: netguard.ErrURL, says: "domain name"},
		{name: "long label", raw: "https://" + strings.Repeat("a", 64) + ".com/", kind: netguard.ErrURL, says: "domain name"},
		{name: "long name", raw: "https://" + strings.Repeat("a.", 126) + "com/", kind: netguard.ErrURL, says: "253"},
		{name: "64 KiB of a name", raw: "https://" + strings.Repeat("a.", 32<<10) + "com/", kind: netguard.ErrURL, says: "253"},
		{name: "64 KiB of a name that is mapped", raw: "https://" + manyLetters(64<<10) + ".com/", kind: netguard.ErrURL, says: "253"},
		{name: "64 KiB of an address", raw: "http://[" + strings.Repeat("0:", 32<<10) + "1]/", kind: netguard.ErrURL},
		{name: "64 KiB of digits", raw: "http://" + strings.Repeat("0", 64<<10) + "1/", kind: netguard.ErrURL},
		{name: "punycode of nothing", raw: "https://xn--.example/", kind: netguard.ErrURL, says: "domain name"},
		{name: "punycode that is cut", raw: "https://xn--g8.example/", kind: netguard.ErrURL, says: "domain name"},
		{name: "punycode of ASCII", raw: "https://xn--evil-.example/", kind: netguard.ErrURL, says: "domain name"},
		{name: "much text", raw: "https://u@evil.com/" + strings.Repeat("a", 1000), kind: netguard.ErrURL, says: "..."},
		{name: "much text in the port", raw: "https://evil.com:" + strings.Repeat("a", 1000), kind: netguard.ErrURL, says: "..."},
		{name: "much text in the host", raw: "https://a b" + strings.Repeat("a", 1000), kind: netguard.ErrURL, says: "..."},
		{name: "port 0", raw: "https://example.com:0/", kind: netguard.ErrURL, says: "65535"},
		{name: "port too high", raw: "https://example.com:65536/", kind: netguard.ErrURL, says: "65535"},
		{name: "port that is a word", raw: "https://example.com:https/", kind: netguard.ErrURL},
		{name: "five numbers", raw: "http://1.2.3.4.5/", kind: netguard.ErrURL, says: "IPv4"},
		{name: "number too high", raw: "http://1.2.3.256/", kind: netguard.ErrURL, says: "IPv4"},
		{name: "digit that is not octal", raw: "http://8.8.8.08/", kind: netguard.ErrURL, says: "IPv4"},
		{name: "digits left out", raw: "http://8.8.8.0x/", kind: netguard.ErrURL, says: "IPv4"},
		{name: "number after a name", raw: "http://example.1/", kind: netguard.ErrURL, says: "IPv4"},
		{name: "escaped digits", raw: "http://%31%32%37.0.0.1/", kind: netguard.ErrURL},

		{name: "loopback", raw: "http://127.0.0.1/", kind: netguard.ErrNotPublic, says: "loopback (127.0.0.0/8)"},
		{name: "loopback as one number", raw: "http://2130706433/", kind: netguard.ErrNotPublic, says: "loopback"},
		{name: "loopback in octal", raw: "http://0177.0.0.1/", kind: netguard.ErrNotPublic, says: "loopback"},
		{name: "loopback in hexadecimal", raw: "http://0x7f.0x0.0x0.0x1/", kind: netguard.ErrNotPublic, says: "loopback"},
		{name: "loopback in short", raw: "http://127.1/", kind: netguard.ErrNotPublic, says: "loopback"},
		{name: "loopback in fullwidth", raw: "http://１２７。０。０。１/", kind: netguard.ErrNotPublic, says: "loopback"},
		{name: "loopback in IPv6", raw: "http://[0:0:0:0:0:0:0:1]/", kind: netguard.ErrNotPublic, says: "loopback"},
		{name: "loopback mapped", raw: "http://[::ffff:7f00:1]/", kind: netguard.ErrNotPublic, says: "loopback"},
		{name: "zero", raw: "http://0/", kind: netguard.ErrNotPublic, says: "this network"},
		{name: "zone", raw: "http://[fe80::1%25eth0]/", kind: netguard.ErrNotPublic},
		{name: "zone on a public address", raw: "http://[2606:4700::1%25eth0]/", kind: netguard.ErrNotPublic},
		{name: "localhost", raw: "http://LocalHost./", kind: netguard.ErrNotPublic, says: "localhost"},
		{name: "below localhost", raw: "http://a.localhost/", kind: netguard.ErrNotPublic, says: "localhost"},
		{name: "local", raw: "http://printer.local/", kind: netguard.ErrNotPublic, says: "local"},
		{name: "internal", raw: "http://metadata.google.internal/", kind: netguard.ErrNotPublic, says: "internal"},
		{name: "home network by itself", raw: "http://home.arpa/", kind: netguard.ErrNotPublic, says: "home.arpa"},
		{name: "home network", raw: "http://nas.home.arpa/", kind: netguard.ErrNotPublic, says: "home.arpa"},
		{name: "no dot", raw: "http://intranet/", kind: netguard.ErrNotPublic, says: "without a dot"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			u, err := netguard.ParseURL(tt.raw)
			require.Nil(t, u)
			require.ErrorIs(t, err, tt.kind)
			require.ErrorContains(t, err, tt.says)
			var refusal *netguard.RefusalError
			require.ErrorAs(t, err, &refusal)
			require.Less(t, len(err.Error()), 600)
		})
	}
}

func TestRedirect(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, from, location, want string
		kind                       error
	}{
		{name: "path", location: "/b", want: "https://example.com/b"},
		{name: "sibling", location: "c?x", want: "https://example.com/a/c?x"},
		{name: "other host", location: "https://Evil.com", want: "https://evil.com/"},
		{name: "host without a scheme", location: "//evil.com/x", want: "https://evil.com/x"},
		{name: "backslash in the path", location: "/\\evil.com/x", want: "https://example.com/%5Cevil.com/x"},
		{name: "up to https", from: "http://example.com/", location: "https://example.com/", want: "https://example.com/"},
		{name: "down to http", location: "http://example.com/x", kind: netguard.ErrRedirect},
		{name: "other scheme", location: "file:///etc/passwd", kind: netguard.ErrScheme},
		{name: "user", location: "https://u@example.com/", kind: netguard.ErrURL},
		{name: "private address", location: "https://10.0.0.7/", kind: netguard.ErrNotPublic},
		{name: "no URL", location: "https://evil.com\\@example.com/", kind: netguard.ErrURL},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			from := "https://example.com/a/b"
			if tt.from != "" {
				from = tt.from
			}
			u, err := netguard.ParseURL(from)
			require.NoError(t, err)
			next, err := new(netguard.Guard).Redirect(u, tt.location)
			if tt.kind != nil {
				require.ErrorIs(t, err, tt.kind)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.want, next.String())
		})
	}
}

func TestMapPattern(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, pattern, want string
		fails               bool
	}{
		{name: "host", pattern: "EXAMPLE.com.", want: "example.com"},
		{name: "umlaut", pattern: "bücher.example", want: "xn--bcher-kva.example"},
		{name: "address", pattern: "0x8.8.8.8", want: "8.8.8.8"},
		{name: "IPv6 address", pattern: "2606:4700:0::1", want: "2606:4700::1"},
		{name: "every host", pattern: "*", want: "*"},
		{name: "below an umlaut", pattern: "*.Bücher.example.", want: "*.xn--bcher-kva.example"},
		{name: "star in a label", pattern: "API-*.example.*", want: "api-*.example.*"},
		{name: "number beside a star", pattern: "10.*", want: "10.*"},
		{name: "nothing", pattern: "", fails: true},
		{name: "blank", pattern: "exa mple.com", fails: true},
		{name: "empty label beside a star", pattern: "*..com", fails: true},
		{name: "star in a label that is not ASCII", pattern: "ü*.com", fails: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := netguard.MapPattern(tt.pattern)
			require.Equal(t, tt.fails, err != nil, "%v", err)
			require.Equal(t, tt.want, got)
		})
	}
}

// TestRefusalCutsNoCharacter: the text of a long target ends after a whole character.
func TestRefusalCutsNoCharacter(t *testing.T) {
	t.Parallel()
	err := &netguard.RefusalError{Target: "a" + strings.Repeat("ü", 200), Kind: netguard.ErrURL, Reason: "no"}
	require.Contains(t, err.Error(), strings.Repeat("ü", 99)+"...")
	require.NotContains(t, err.Error(), `\x`)
}

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
