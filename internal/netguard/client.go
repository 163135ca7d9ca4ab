package netguard

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// HopLimit is the default limit of redirects for one request.
const HopLimit = 10

// Limits of the connections of a client.
const (
	handshakeTimeout = 10 * time.Second
	idleTimeout      = 90 * time.Second
	maxIdle          = 16
	maxHeader        = 256 << 10 // bytes of a response's header
)

// Client returns an HTTP client. For every request, the first and each redirect, it parses
// the URL with ParseURL, calls Check with the host, and connects with DialContext or
// through Proxy. The mapped URL is sent and dialled. It uses no proxy of the environment,
// keeps no cookies, and sends no Referer after a redirect.
//
// [errors.As] finds an error of Check and a [*RefusalError] in the client's error. The
// client limits neither the time of a request nor the size of a response's body. A header
// of a response may have 256 KiB.
func (g *Guard) Client() *http.Client {
	t := &checkedTransport{guard: g, direct: g.transport()}
	t.proxied = t.direct
	if g.Proxy != nil {
		t.proxied = g.transport()
		t.proxied.Proxy = http.ProxyURL(g.Proxy)
		t.proxied.DialContext = g.dialProxy
	}
	return &http.Client{Transport: t, CheckRedirect: g.checkRedirect}
}

func (g *Guard) transport() *http.Transport {
	return &http.Transport{
		DialContext:            g.DialContext,
		TLSClientConfig:        g.TLS.Clone(),
		TLSHandshakeTimeout:    handshakeTimeout,
		ResponseHeaderTimeout:  g.HeaderTimeout,
		MaxResponseHeaderBytes: maxHeader,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           maxIdle,
		IdleConnTimeout:        idleTimeout,
	}
}

// checkRedirect is called before each redirect, with the requests made so far.
func (g *Guard) checkRedirect(req *http.Request, via []*http.Request) error {
	limit := g.MaxHops
	if limit == 0 {
		limit = HopLimit
	}
	if len(via) > limit {
		return &RefusalError{Target: req.URL.Redacted(), Kind: ErrRedirect,
			Reason: fmt.Sprintf("it comes after %d redirects; ask for the final address directly", len(via)-1)}
	}
	from, err := g.ParseURL(via[len(via)-1].URL.String())
	if err != nil {
		return err
	}
	to, err := g.Redirect(from, req.URL.String())
	if err != nil {
		return err
	}
	if g.Follow != nil && !g.Follow(from, to) {
		return &RefusalError{Target: to.String(), Kind: ErrRedirect,
			Reason: from.Host + " redirects to it; ask for it directly if that is meant"}
	}
	req.Header.Del("Referer") // a URL may contain secrets
	return nil
}

// A checkedTransport sends a request after its host was checked.
type checkedTransport struct {
	guard   *Guard
	direct  *http.Transport
	proxied *http.Transport // direct if there is no proxy
}

func (t *checkedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	mapped := *req // the contract of RoundTripper forbids changing req
	mapped.Host = ""
	to, err := t.check(req)
	if err == nil {
		mapped.URL, err = url.Parse(to.String())
	}
	if err != nil {
		if req.Body != nil {
			err = errors.Join(err, req.Body.Close())
		}
		return nil, err
	}
	if t.guard.Reaches(to) {
		return t.direct.RoundTrip(&mapped)
	}
	return t.proxied.RoundTrip(&mapped)
}

// CloseIdleConnections is called by the method of [http.Client] of that name.
func (t *checkedTransport) CloseIdleConnections() {
	t.direct.CloseIdleConnections()
	t.proxied.CloseIdleConnections()
}

// check returns the URL to which req may be sent.
func (t *checkedTransport) check(req *http.Request) (*URL, error) {
	u, err := t.guard.ParseURL(req.URL.String())
	if err != nil {
		return nil, err
	}
	if t.guard.Check == nil {
		return nil, fmt.Errorf("nothing permits the host %s", u.Host)
	}
	if err := t.guard.Check(req.Context(), u.Host); err != nil {
		return nil, err
	}
	return u, checkProxy(t.guard.Proxy)
}
