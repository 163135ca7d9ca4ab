package pattern_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

func TestURL(t *testing.T) {
	tests := []struct {
		name, pattern, address string
		want                   bool
	}{
		{name: "every address", pattern: "*", address: "ftp://h/x", want: true},
		{name: "no scheme in the pattern", pattern: "h/x", address: "https://h/x"},
		{name: "the same", pattern: "https://h/x", address: "https://h/x", want: true},
		{name: "another scheme", pattern: "https://h/x", address: "http://h/x"},
		{name: "a star for the scheme", pattern: "*://h/x", address: "http://h/x", want: true},
		{name: "capitals", pattern: "HTTPS://H/x", address: "https://h/x", want: true},
		{name: "capitals in the path", pattern: "https://h/X", address: "https://h/x"},
		{name: "a subdomain", pattern: "https://*.h.example/*", address: "https://a.h.example/x", want: true},
		{name: "a name that only ends so", pattern: "https://*.h.example/*", address: "https://ah.example/x"},
		{name: "a star in the host holds no slash", pattern: "https://*.example/x", address: "https://evil/a.example/x"},
		{name: "the default port", pattern: "https://h/x", address: "https://h:443/x", want: true},
		{name: "the default port in the pattern", pattern: "http://h:80/x", address: "http://h/x", want: true},
		{name: "another port", pattern: "https://h/x", address: "https://h:8443/x"},
		{name: "the port of another scheme", pattern: "https://h/x", address: "https://h:80/x"},
		{name: "a dot at the end of the host", pattern: "https://h.example/x", address: "https://h.example.:443/x", want: true},
		{name: "no path", pattern: "https://h", address: "https://h/", want: true},
		{name: "no path in the pattern", pattern: "https://h", address: "https://h/x"},
		{name: "no path after a star", pattern: "https://*", address: "https://h/x?y", want: true},
		{name: "no path after a star, elsewhere", pattern: "https://h", address: "https://h/x/"},
		{name: "an escape that is needed", pattern: "https://h/a%2Fb", address: "https://h/a%2Fb", want: true},
		{name: "an escape that is not needed, in both", pattern: "https://h/%68", address: "https://h/%68", want: true},
		{name: "an escape that is not needed, and dots", pattern: "https://h/%68/../x", address: "https://h/%68/../x"},
		{name: "a directory", pattern: "https://h/x/", address: "https://h/y/../x/", want: true},
		{name: "dots lead elsewhere", pattern: "https://h/hooks/*", address: "https://h/hooks/../admin"},
		{name: "dots lead back", pattern: "https://h/hooks/*", address: "https://h/x/../hooks/a", want: true},
		{name: "escaped dots", pattern: "https://h/hooks/*", address: "https://h/hooks/%2e%2e/admin"},
		{name: "a needless escape", pattern: "https://h/hooks", address: "https://h/%68ooks", want: true},
		{name: "a query", pattern: "https://h/x", address: "https://h/x?y=1"},
		{name: "a star for the query", pattern: "https://h/x*", address: "https://h/x?y=1", want: true},
		{name: "a fragment", pattern: "https://h/x", address: "https://h/x#y", want: true},
		{name: "an empty pattern", pattern: "", address: "https://h/x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u, err := url.Parse(tt.address)
			require.NoError(t, err)
			require.Equal(t, tt.want, pattern.URL(tt.pattern, u))
		})
	}
}
