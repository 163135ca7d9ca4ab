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

// Limits of the idle connections and handshakes of a client.
const (
	handshakeTimeout = 10 * time.Second
	idleTimeout      = 90 * time.Second
	maxIdle          = 16
)

// Client returns an HTTP client. For every request, the first and each redirect, it parses
// the URL with [ParseURL], calls Check with the host, and connects with DialContext. The
// mapped URL is sent and dialled. It uses no proxy, keeps no cookies, and sends no Referer
// after a redirect.
//
// [errors.As] finds an error of Check and a [*RefusalError] in the client's error. The
// client limits neither the time of a request nor the size of its response.
func (g *Guard) Client() *http.Client {
	return &http.Client{
		Transport: &checkedTransport{guard: g, next: &http.Transport{
			DialContext:         g.DialContext,
			TLSClientConfig:     g.TLS.Clone(),
			TLSHandshakeTimeout: handshakeTimeout,
			ForceAttemptHTTP2:   true,
			MaxIdleConns:        maxIdle,
			IdleConnTimeout:     idleTimeout,
		}},
		CheckRedirect: g.checkRedirect,
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
	from, err := ParseURL(via[len(via)-1].URL.String())
	if err != nil {
		return err
	}
	if _, err := from.Redirect(req.URL.String()); err != nil {
		return err
	}
	req.Header.Del("Referer") // a URL may contain secrets
	return nil
}

// A checkedTransport sends a request after its host was checked.
type checkedTransport struct {
	guard *Guard
	next  *http.Transport
}

func (t *checkedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	to, err := t.check(req)
	if err != nil {
		if req.Body != nil {
			err = errors.Join(err, req.Body.Close())
		}
		return nil, err
	}
	mapped := *req // the contract of RoundTripper forbids changing req
	mapped.URL, mapped.Host = to, ""
	return t.next.RoundTrip(&mapped)
}

// CloseIdleConnections is called by the method of [http.Client] of that name.
func (t *checkedTransport) CloseIdleConnections() { t.next.CloseIdleConnections() }

// check returns the URL to which req may be sent.
func (t *checkedTransport) check(req *http.Request) (*url.URL, error) {
	u, err := ParseURL(req.URL.String())
	if err != nil {
		return nil, err
	}
	if t.guard.Check == nil {
		return nil, fmt.Errorf("nothing permits the host %s", u.Host)
	}
	if err := t.guard.Check(req.Context(), u.Host); err != nil {
		return nil, err
	}
	return url.Parse(u.String())
}
