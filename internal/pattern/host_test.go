package pattern_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

func TestCanonicalHost(t *testing.T) {
	t.Parallel()
	tests := []struct{ value, want string }{
		{value: "evil.com", want: "evil.com"},
		{value: "EVIL.com.", want: "evil.com"},
		{value: " evil.com\n", want: "evil.com"},
		{value: "evil.com:443", want: "evil.com"},
		{value: "user@evil.com", want: "evil.com"},
		{value: "good.com:80@evil.com", want: "evil.com"},
		{value: "evil.com/@good.com", want: "evil.com"},
		{value: "evil.com?u=https://good.com", want: "evil.com"},
		{value: "evil.com/?u=https://good.com", want: "evil.com"},
		{value: "https://evil.com/x", want: "evil.com"},
		{value: "HTTPS://u:p@Evil.Com:8443/x?y#z", want: "evil.com"},
		{value: "//evil.com/x", want: "evil.com"},
		{value: "https://EVIL.com.", want: "evil.com"},
		{value: "bücher.example", want: "xn--bcher-kva.example"},
		{value: "https://bücher.example/", want: "xn--bcher-kva.example"},
		{value: "\u212Aevil.com", want: "kevil.com"}, // the Kelvin sign
		{value: "127.0.0.1:80", want: "127.0.0.1"},
		{value: "0x7f.1", want: "127.0.0.1"},
		{value: "2130706433", want: "127.0.0.1"},
		{value: "http://0177.0.0.1/", want: "127.0.0.1"},
		{value: "::1", want: "::1"},
		{value: "[::1]:80", want: "::1"},
		{value: "http://[0:0::1]/", want: "::1"},
		{value: "::ffff:10.0.0.1", want: "10.0.0.1"},
		{value: "localhost", want: "localhost"},
		{value: "a_b.example", want: "a_b.example"},

		{value: ""}, {value: " "}, {value: "."}, {value: "evil.com.."}, {value: "evil..com"},
		{value: "ev il.com"}, {value: "evil.com\x00"}, {value: "*.evil.com"}, {value: "evil.com\\@good.com"},
		{value: "https:///evil.com"}, {value: "https:evil.com"}, {value: "localhost://good.com"}, {value: "evil.com:1:2"},
		{value: "a@evil.com@good.com"}, {value: "evil.com%00.good.com"}, {value: "evil%2ecom"},
		{value: "1.2.3.4.5"}, {value: "256.0.0.1"}, {value: "fe80::1%eth0"}, {value: "evil\u3002com"},
		{value: "straße.example"}, {value: "İ.example"}, {value: "e\u0301vil.com"}, {value: strings.Repeat("a", 64) + ".com"},
		{value: strings.Repeat("a.", 127) + "com"}, {value: "\xff.com"},
	}
	for _, tt := range tests {
		t.Run(tt.value, func(t *testing.T) {
			t.Parallel()
			host, doubtful := pattern.CanonicalHost(tt.value)
			if tt.want == "" {
				require.NotEmpty(t, doubtful, host)
				require.Equal(t, tt.value, host)
				return
			}
			require.Empty(t, doubtful)
			require.Equal(t, tt.want, host)
		})
	}
}

// FuzzCanonicalHost: a canonical host stays as it is, and a rule that names it matches.
func FuzzCanonicalHost(f *testing.F) {
	for _, seed := range []string{"evil.com", "https://Evil.com:1/x", "u@evil.com", "bücher.de", "0x7f.1", "[::1]:80", "a@b@c", "\u212A.com"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		host, doubtful := pattern.CanonicalHost(value)
		x := pattern.Subject{Kind: pattern.Host, Names: []string{host}, Doubtful: doubtful != ""}
		every, err := pattern.Parse("WebFetch", "domain:*")
		require.NoError(t, err)
		require.True(t, every.Touches(x), "%q", host)
		require.Equal(t, doubtful == "", every.Covers(x))
		if doubtful != "" {
			return
		}
		again, doubtful := pattern.CanonicalHost(host)
		require.Empty(t, doubtful, "%q", host)
		require.Equal(t, host, again)
		named, err := pattern.Parse("WebFetch", "domain:"+host)
		require.NoError(t, err, "%q", host)
		require.True(t, named.Touches(x), "%q", host)
	})
}
