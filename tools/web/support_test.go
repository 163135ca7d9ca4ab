package web_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/internal/webseam"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
	"github.com/seed49eaa51d/pegboard/tools/web"
)

// public is the address of every host of a test.
var public = netip.MustParseAddr("93.184.216.34")

// everyHost resolves all names to the public address.
type everyHost struct{}

func (everyHost) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{public}, nil
}

// serve starts a server that answers for every host of the internet in the conversation of s.
// Its certificate is for example.com and the names below it. It returns the
// seams, of which a test may change a copy.
func serve(t *testing.T, s *pegboard.Session, h http.HandlerFunc) webseam.Seams {
	t.Helper()
	server := httptest.NewTLSServer(h)
	t.Cleanup(server.Close)
	trusted := x509.NewCertPool()
	trusted.AddCert(server.Certificate())
	seams := webseam.Seams{
		Resolver: everyHost{},
		TLS:      &tls.Config{RootCAs: trusted},
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			require.True(t, strings.HasPrefix(address, public.String()), "it dials %s", address)
			return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
		},
	}
	webseam.Set(s, seams)
	return seams
}

// newSession returns a session that allows everything, or what is left of it.
func newSession(t *testing.T, mode policy.Mode, rules policy.RuleSet) *pegboard.Session {
	t.Helper()
	perms, err := policy.New(mode, rules)
	require.NoError(t, err)
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir(), Permissions: perms})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	return s
}

// everything is a session without questions.
func everything(t *testing.T) *pegboard.Session {
	t.Helper()
	return newSession(t, policy.ModeBypass, policy.RuleSet{})
}

// fetch makes one call of WebFetch.
func fetch(t *testing.T, s *pegboard.Session, o web.FetchOptions, url string) pegboard.Outcome {
	t.Helper()
	return call(t, s, web.Fetch(o), map[string]any{"url": url, "prompt": "What is it?"})
}

func call(t *testing.T, s *pegboard.Session, tool pegboard.Tool, input map[string]any) pegboard.Outcome {
	t.Helper()
	text, err := json.Marshal(input)
	require.NoError(t, err)
	return tooltest.Run(t.Context(), tool, s, string(text))
}

// text returns the result of a call that did not fail.
func text(t *testing.T, out pegboard.Outcome) string {
	t.Helper()
	require.NoError(t, out.Err)
	require.False(t, out.Result.IsError, out.Result.Text())
	return out.Result.Text()
}

// serveHere starts a server on this machine and returns its host and port.
func serveHere(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}
