package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/netguard"
)

// Bounds of the answer of a service. A longer answer, in bytes, is refused. What it says about a
// failure is cut, in characters.
const (
	maxAnswer = 8 << 20
	maxReason = 300
)

// A service is the HTTP interface of a search service. It reaches the host of its address and
// no other, follows no redirect, and lets its key into no error and no answer.
type service struct {
	name    string
	address string // an absolute URL, below which the interface is
	own     bool   // the program has named the address, which need not be public; without a proxy
	key     string // empty if the service needs none
	proxy   *url.URL
}

// A connection reaches a service. The zero connection is opened by its first request.
type connection struct {
	once   sync.Once
	client *http.Client
	base   *url.URL
	err    error
}

// open prepares the connection to s, which must be the same each time.
func (c *connection) open(s *service) error {
	c.once.Do(func() { c.err = c.prepare(s) })
	return c.err
}

func (c *connection) prepare(s *service) error {
	u, err := url.Parse(s.address)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Scheme != "http" && u.Scheme != "https" {
		return s.failure("its address is not an http or https URL of a host and a path", nil)
	}
	if s.key != "" && u.Scheme == "http" && !isLoopback(u.Hostname()) {
		return s.failure("a key is not sent over http; use an https address", nil)
	}
	guard := &netguard.Guard{MaxHops: -1, Proxy: s.proxy}
	if s.own {
		port := u.Port()
		if port == "" {
			port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
		}
		guard.Reach = []string{net.JoinHostPort(u.Hostname(), port)}
	}
	if err := guard.Validate(); err != nil {
		return s.failure("its address or its proxy cannot be used: "+err.Error(), nil)
	}
	mapped, err := guard.ParseURL(u.String())
	if err != nil {
		return s.failure("its address cannot be used: "+err.Error(), nil)
	}
	guard.Check = func(_ context.Context, host string) error {
		if host != mapped.Host {
			return fmt.Errorf("%s is not the host of the service", host)
		}
		return nil
	}
	c.client, c.base = guard.Client(), u
	return nil
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// ask sends a request for path with a query, or with body as JSON if that is not nil, and
// decodes the JSON of the answer into out.
func (c *connection) ask(ctx context.Context, s *service, path string, query url.Values, header http.Header, body, out any) error {
	if err := c.open(s); err != nil {
		return err
	}
	to := *c.base
	to.Path, to.RawPath, to.RawQuery = strings.TrimSuffix(to.Path, "/")+path, "", query.Encode()
	method, content := http.MethodGet, io.Reader(http.NoBody)
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return s.failure("encode the query: "+err.Error(), nil)
		}
		method, content = http.MethodPost, bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, to.String(), content)
	if err != nil {
		return s.failure("make the request: "+err.Error(), nil)
	}
	for name, values := range header {
		req.Header[name] = values
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "pegboard")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return c.exchange(ctx, s, req, out)
}

func (c *connection) exchange(ctx context.Context, s *service, req *http.Request, out any) error {
	resp, err := c.client.Do(req)
	if err != nil {
		return s.unreached(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }() // what matters was read
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return s.unreached(ctx, err)
	}
	if resp.StatusCode != http.StatusOK {
		return s.refused(resp, data)
	}
	if len(data) > maxAnswer {
		return s.failure(fmt.Sprintf("the answer is longer than %d MiB", maxAnswer>>20), nil)
	}
	if err := json.Unmarshal(data, out); err != nil {
		return s.failure("the answer is not the JSON that its documentation shows: "+err.Error(), nil)
	}
	return nil
}

// failure returns an error that repeating the request does not mend.
func (s *service) failure(reason string, cause error) *BackendError {
	return &BackendError{Backend: s.name, Reason: s.redact(reason), cause: cause}
}

// unreached words a request without a whole answer.
func (s *service) unreached(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return s.failure("no answer in time", ctx.Err())
	}
	if refusal, ok := errors.AsType[*netguard.RefusalError](err); ok {
		return s.failure(refusal.Error(), nil)
	}
	// The text of a *url.Error contains the query.
	if inner, ok := errors.AsType[*url.Error](err); ok {
		err = inner.Err
	}
	failed := s.failure("no answer: "+err.Error(), nil)
	failed.Temporary = true
	return failed
}

// refused words an answer with a status other than 200.
func (s *service) refused(resp *http.Response, body []byte) error {
	// The key goes before anything is cut, so that no part of it is left.
	problem := s.redact(plainText(s.redact(problemOf(body))))
	failed := s.failure(hitText(problem, maxReason), nil)
	failed.Status = resp.StatusCode
	failed.Temporary = resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= 500
	failed.After = retryAfter(resp.Header.Get("Retry-After"), time.Now())
	return failed
}

// problemOf returns the text of an error's body: the strings of a JSON object, or else all of
// it.
func problemOf(body []byte) string {
	var decoded any
	if json.Unmarshal(body, &decoded) != nil {
		return string(body)
	}
	return strings.Join(problemStrings(decoded, nil), ": ")
}

// problemStrings appends the texts that services put into errors.
func problemStrings(v any, texts []string) []string {
	switch v := v.(type) {
	case string:
		return append(texts, v)
	case map[string]any:
		for _, name := range []string{"error", "code", "message", "detail", "msg"} {
			texts = problemStrings(v[name], texts)
		}
	}
	return texts
}

// retryAfter reads the header of that name: seconds or a date. It returns 0 for anything else.
func retryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// redact returns text without the key.
func (s *service) redact(text string) string {
	if s.key == "" {
		return text
	}
	return strings.NewReplacer(s.key, "[key]", url.QueryEscape(s.key), "[key]").Replace(text)
}

// hit returns a hit without the key. A service knows no file of this machine.
func (s *service) hit(title, address, snippet string) Hit {
	if scheme, _, _ := strings.Cut(strings.TrimSpace(address), ":"); strings.EqualFold(scheme, "file") {
		address = ""
	}
	return Hit{Title: s.redact(title), URL: s.redact(address), Snippet: s.redact(snippet)}
}
