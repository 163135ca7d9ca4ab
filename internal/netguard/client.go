package netguard

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// HopLimit is how many redirects are followed for one request.
const HopLimit = 10

// Limits of the connections that a client keeps.
const (
	handshakeTimeout = 10 * time.Second
	idleTimeout      = 90 * time.Second
	maxIdle          = 16
)

// Client returns a client whose every request, the first and each redirect, has
// its URL read by [ParseURL], its host decided by Check, and its connection made
// by DialContext. What is sent and dialled is the mapped URL. It uses no proxy,
// keeps no cookies, and tells no site which one redirected to it.
//
// An error of Check and a [*RefusalError] are found in the client's error by
// [errors.As]. The client limits neither the time of a request nor the size of
// its answer.
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
	req.Header.Del("Referer") // an address may be a secret
	return nil
}

// A checkedTransport makes one request after its host was decided.
type checkedTransport struct {
	guard *Guard
	next  *http.Transport
}

func (t *checkedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	to, err := t.admit(req)
	if err != nil {
		if req.Body != nil {
			err = errors.Join(err, req.Body.Close())
		}
		return nil, err
	}
	mapped := *req // the contract forbids to change req itself
	mapped.URL, mapped.Host = to, ""
	return t.next.RoundTrip(&mapped)
}

// CloseIdleConnections serves the method of [http.Client] of that name.
func (t *checkedTransport) CloseIdleConnections() { t.next.CloseIdleConnections() }

// admit returns the URL to which req may be sent.
func (t *checkedTransport) admit(req *http.Request) (*url.URL, error) {
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
