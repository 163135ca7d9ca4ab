package pattern_test

import (
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/idna"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

// TestHosts goes through the sentences on WebFetch in Claude Code's documentation of
// permission rules. An allow and a deny rule
// mean the same hosts.
func TestHosts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, pattern, host string
		want                bool
	}{
		{name: "exact", pattern: "example.com", host: "example.com", want: true},
		{name: "letter case", pattern: "EXAMPLE.com", host: "example.COM", want: true},
		{name: "a dot at the end of the rule", pattern: "example.com.", host: "example.com", want: true},
		{name: "a dot at the end of the host", pattern: "*.example.com", host: "a.example.com.", want: true},
		{name: "below", pattern: "*.example.com", host: "a.example.com", want: true},
		{name: "far below", pattern: "*.example.com", host: "a.b.c.example.com", want: true},
		{name: "not the apex", pattern: "*.example.com", host: "example.com"},
		{name: "not what ends alike", pattern: "*.example.com", host: "notexample.com"},
		{name: "not what begins alike", pattern: "*.example.com", host: "a.example.com.evil.org"},
		{name: "every host", pattern: "*", host: "a.b.c", want: true},
		{name: "every host, without a dot", pattern: "*", host: "localhost", want: true},
		{name: "every host, an address", pattern: "*", host: "10.0.0.1", want: true},
		{name: "a star at the end", pattern: "example.*", host: "example.org", want: true},
		{name: "a star at the end is one label", pattern: "example.*", host: "example.co.uk"},
		{name: "a star at the end is a label", pattern: "example.*", host: "example"},
		{name: "a star in the middle", pattern: "api.*.example.com", host: "api.eu.example.com", want: true},
		{name: "a star in the middle is one label", pattern: "api.*.example.com", host: "api.eu.west.example.com"},
		{name: "a star in a label", pattern: "api-*.example.com", host: "api-eu.example.com", want: true},
		{name: "a star in a label crosses no dot", pattern: "api-*.example.com", host: "api-a.b.example.com"},
		{name: "a star at the start of a label", pattern: "*example.com", host: "notexample.com", want: true},
		{name: "a star at the start of a label crosses no dot", pattern: "*example.com", host: "a.example.com"},
		{name: "below, with a star further on", pattern: "*.api.*.com", host: "a.b.api.x.com", want: true},
		{name: "below any of two labels", pattern: "*.*.com", host: "a.b.com", want: true},
		{name: "below any of two labels, one", pattern: "*.*.com", host: "b.com"},
		{name: "nothing is below an address", pattern: "*.0.0.1", host: "10.0.0.1"},
		{name: "nothing is below an address, in IPv6", pattern: "*.1", host: "::ffff:10.0.0.1"},
		{name: "a network, said so", pattern: "10.0.0.*", host: "10.0.0.1", want: true},
		{name: "an address", pattern: "10.0.0.1", host: "10.0.0.1", want: true},
		{name: "an address of IPv6", pattern: "[::1]", host: "0:0:0:0:0:0:0:1", want: true},
		{name: "an address in an address", pattern: "10.0.0.1", host: "[::ffff:10.0.0.1]", want: true},
		{name: "letters beyond ASCII", pattern: "bücher.example", host: "xn--bcher-kva.example", want: true},
		{name: "letters beyond ASCII in upper case", pattern: "BÜCHER.example", host: "xn--bcher-kva.example", want: true},
		{name: "only letters beyond ASCII", pattern: "*.пример", host: "a.xn--e1afmkfd", want: true},
		{name: "letters that have no case", pattern: "例え.jp", host: "xn--r8jz45g.jp", want: true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s, err := pattern.Parse("WebFetch", "domain:"+tc.pattern)
			require.NoError(t, err)
			require.Equal(t, tc.want, s.Covers(reaches(tc.host), base), "covers")
			require.Equal(t, tc.want, s.Touches(reaches(tc.host), base), "touches")
		})
	}
}

// TestHostsAgreeWithIDNA: a rule that is taken means the host that a call with the
// same letters goes to. Rules with letters that IDNA maps onto others are refused.
func TestHostsAgreeWithIDNA(t *testing.T) {
	t.Parallel()
	taken := 0
	for r := rune(0x80); r < 0x30000; r++ {
		host := "例" + string(r) + "ab" + string(r) + ".example"
		if unicode.In(r, unicode.Hebrew, unicode.Arabic) {
			host = string(r) + string(r) + ".example" // nothing else is written with them
		}
		mapped, err := idna.Lookup.ToASCII(host)
		s, refused := pattern.Parse("WebFetch", "domain:"+host)
		if err != nil || refused != nil {
			continue // there is no such host, or no such rule
		}
		taken++
		require.True(t, s.Covers(reaches(mapped), base), "%q is %s", host, mapped)
	}
	require.Greater(t, taken, 30000)
}

// TestLettersOfHosts: a letter that IDNA might map to another is refused, and those of the most
// common scripts are not, up to the ends of each.
func TestLettersOfHosts(t *testing.T) {
	t.Parallel()
	for _, r := range "àɏαώаԯאתؠيぁゖァヺ一鿿가힣" {
		_, err := pattern.Parse("WebFetch", "domain:"+string(r)+".example")
		require.NoError(t, err, "%c", r)
	}
	for _, r := range "ßςĳŀŉſǆǌǳɐϐ\u0530\u05cf\u0301\u064b\u3040\u3097\u30a0\u30fb\u4dff\ua000\uabff\ud7a4" {
		_, err := pattern.Parse("WebFetch", "domain:"+string(r)+".example")
		require.Error(t, err, "%c", r)
	}
}
