package login

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/netguard"
)

const (
	formType     = "application/x-www-form-urlencoded"
	requestTime  = 30 * time.Second // of one request to an authorization server
	maxRedirects = 5
)

// client returns the client for metadata, registration and tokens, whose answers m reads
// along. A public server can lead to public hosts only. One of this machine or network can
// lead anywhere.
func (l *Login) client(ctx context.Context, m *metadata) *http.Client {
	client := &http.Client{Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, TLSHandshakeTimeout: requestTime,
	}, CheckRedirect: checkRedirect}
	if isPublic(ctx, l.config.URL) {
		guard := &netguard.Guard{Check: func(context.Context, string) error { return nil }, MaxHops: maxRedirects}
		client = guard.Client()
		guarded := client.CheckRedirect
		client.CheckRedirect = func(r *http.Request, via []*http.Request) error {
			if err := checkRedirect(r, via); err != nil {
				return err
			}
			return guarded(r, via)
		}
	}
	client.Timeout = requestTime
	client.Transport = &reader{next: client.Transport, metadata: m}
	return client
}

// isPublic reports whether a server is not known to be one of this machine or network.
func isPublic(ctx context.Context, address string) bool {
	u, err := netguard.ParseURL(address)
	if err == nil {
		_, err = new(netguard.Guard).Resolve(ctx, u)
	}
	return !errors.Is(err, netguard.ErrNotPublic)
}

// checkRedirect refuses to send a code or token to another address than the one that was
// meant for it.
func checkRedirect(r *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case first.Method != http.MethodGet:
		return fmt.Errorf("the authorization server redirects a %s, which is not followed", first.Method)
	case len(via) > maxRedirects:
		return fmt.Errorf("the authorization server redirects more than %d times", maxRedirects)
	case first.URL.Scheme == "https" && r.URL.Scheme != "https":
		return errors.New("the authorization server redirects from https to http, which is not followed")
	}
	return nil
}

// metadata holds the issuers that the answers of authorization servers named.
type metadata struct {
	mu      sync.Mutex
	issuers map[string]string // by the token endpoint
}

// issuer returns who answers at a token endpoint.
func (m *metadata) issuer(tokenURL string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if issuer, ok := m.issuers[tokenURL]; ok {
		return issuer
	}
	return strings.TrimSuffix(tokenURL, "/token") // a server without metadata is its own issuer
}

// learn reads the body of an answer.
func (m *metadata) learn(body []byte) {
	var said struct {
		Issuer   string `json:"issuer"`
		TokenURL string `json:"token_endpoint"`
	}
	if json.Unmarshal(body, &said) != nil || said.Issuer == "" || said.TokenURL == "" {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.issuers == nil {
		m.issuers = map[string]string{}
	}
	m.issuers[said.TokenURL] = said.Issuer
}

// reader is a transport that reads answers before the SDK does.
type reader struct {
	next     http.RoundTripper
	metadata *metadata
}

// RoundTrip refuses a web page where a token or a client is expected: the SDK would show its
// text. Some servers answer a request for a token with a form, as the oldest drafts had it.
func (t *reader) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	_ = resp.Body.Close()
	if err != nil {
		return nil, err
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch form := r.Header.Get("Content-Type") == formType && (kind == formType || kind == "text/plain"); {
	case r.Method != http.MethodPost, resp.StatusCode >= 300 && resp.StatusCode < 400, form, json.Valid(body):
	case kind == "text/html":
		return nil, fmt.Errorf("the authorization server answers with a web page (HTTP status %d) where JSON is expected", resp.StatusCode)
	default:
		return nil, fmt.Errorf("the authorization server answers with a text that is no JSON (HTTP status %d)", resp.StatusCode)
	}
	if r.Method == http.MethodGet && resp.StatusCode == http.StatusOK {
		t.metadata.learn(body)
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// CloseIdleConnections is called by the method of [http.Client] of that name.
func (t *reader) CloseIdleConnections() {
	if next, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		next.CloseIdleConnections()
	}
}
