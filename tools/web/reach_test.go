package web_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/internal/webseam"
	"github.com/seed49eaa51d/pegboard/tools/web"
)

// Only the pairs of Reach are asked over http, also by a redirect of theirs to another port.
func TestFetchReachDoesNotLeadToHTTP(t *testing.T) {
	t.Parallel()
	s := everything(t)
	server := httptest.NewServer(http.RedirectHandler("http://example.com/plain", http.StatusFound))
	t.Cleanup(server.Close)
	var dialled []string
	webseam.Set(s, webseam.Seams{Resolver: everyHost{}, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		dialled = append(dialled, address)
		return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
	}})
	got := text(t, fetch(t, s, web.FetchOptions{Reach: []string{"example.com:8080"}}, "http://example.com:8080/"))
	require.Contains(t, got, "http://example.com:8080/ redirects to http://example.com/plain; call again")
	require.Equal(t, []string{public.String() + ":8080"}, dialled)
}

// A person is shown the address that will be asked, not one that looks like another.
func TestFetchShowsTheMappedAddress(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"https://g\u043e\u043egle.com/a": "Fetch https://xn--ggle-55da.com/a",
		"HTTP://EXAMPLE.com.:80/x#y":     "Fetch https://example.com/x",
		"https://0x7f.1/":                "Fetch https://0x7f.1/",
		"no address":                     "Fetch no address",
	} {
		input, err := json.Marshal(map[string]any{"url": url, "prompt": "?"})
		require.NoError(t, err)
		call := pegboard.Call{Name: "WebFetch", Input: input}
		require.Equal(t, want, web.Fetch(web.FetchOptions{}).Summary(&call).Before)
	}
}
