package web

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/netguard"
	"github.com/seed49eaa51d/pegboard/tools/internal/webseam"
	"github.com/seed49eaa51d/pegboard/tools/internal/webtext"
)

// headerTimeout is how long a server may take to begin its answer.
const headerTimeout = 20 * time.Second

// convertTime is how long the conversion of a page may take that was read when the time of its call
// was over.
const convertTime = 15 * time.Second

// libraryAgent ends the User-Agent of each request.
const libraryAgent = "pegboard (+https://github.com/seed49eaa51d/pegboard)"

// accept names the forms that the model can read, the best first.
const accept = "text/markdown, text/html, application/xhtml+xml;q=0.9, text/plain;q=0.9, */*;q=0.5"

// browser is the client of one conversation, with its cache.
type browser struct {
	guard   *netguard.Guard
	client  *http.Client
	agent   string
	maxBody int64
	cache   *cache
}

func (f *fetch) newBrowser(s *pegboard.Session) *browser {
	o := f.options
	b := &browser{
		guard: &netguard.Guard{
			Check:  checkHost,
			Follow: func(from, to *netguard.URL) bool { return from.Host == to.Host },
			Reach:  o.Reach, Proxy: o.Proxy, HeaderTimeout: headerTimeout,
		},
		agent: strings.TrimSpace(pegboard.OneLine(o.UserAgent) + " " + libraryAgent), maxBody: o.MaxBody, cache: newCache(o.CacheFor, o.CacheBytes),
	}
	webseam.Apply(s, b.guard)
	b.client = b.guard.Client()
	b.client.CheckRedirect = f.checkRedirect(b.client.CheckRedirect)
	return b
}

// get returns the server's answer at an address, or a cached one. The decision
// on the host and on the address is made in either case. Limited is the part of ctx that ends with
// the time of the call.
func (b *browser) get(ctx, limited context.Context, u *netguard.URL, v *visit) (*document, error) {
	if err := b.guard.Validate(); err != nil {
		return nil, fmt.Errorf("WebFetch is set up wrongly: %w", err)
	}
	if err := checkFirst(limited, u, v); err != nil {
		return nil, err
	}
	cached, fresh := b.cache.get(u.String())
	if cached != nil {
		if ok, err := b.allowsCached(cached, v); err != nil {
			return nil, err
		} else if !ok {
			cached = nil
		}
	}
	if cached != nil && fresh {
		return cached, nil
	}
	d, err := b.request(ctx, limited, u, v, cached)
	if err != nil {
		return nil, err
	}
	if d.lasting {
		b.cache.put(u.String(), d)
	} else {
		b.cache.drop(u.String())
	}
	return d, nil
}

// checkFirst decides the address of the call itself.
func checkFirst(ctx context.Context, u *netguard.URL, v *visit) error {
	if _, err := v.allows(u); err != nil {
		return err
	}
	return checkHost(context.WithValue(ctx, visitKey{}, v), u.Host)
}

// allowsCached decides the address that a cached document came from in the end.
func (b *browser) allowsCached(d *document, v *visit) (bool, error) {
	u, err := b.guard.ParseURL(d.url)
	if err != nil {
		return false, err
	}
	return v.allows(u)
}

// request asks the server. If it has known an older document to be still right, that one is
// returned with a new time.
func (b *browser) request(ctx, limited context.Context, u *netguard.URL, v *visit, old *document) (*document, error) {
	req, err := http.NewRequestWithContext(context.WithValue(limited, visitKey{}, v), http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", b.agent)
	req.Header.Set("Accept", accept)
	if old != nil && old.url == u.String() {
		setUnless(req.Header, "If-None-Match", old.etag)
		setUnless(req.Header, "If-Modified-Since", old.modified)
	}
	resp, err := b.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if ctx.Err() != nil { // a server that sees the connection end may still answer
		return nil, context.Cause(ctx)
	}
	if resp.StatusCode == http.StatusNotModified && old != nil && resp.Request.URL.String() == old.url {
		renewed := *old
		renewed.received, renewed.lasting = time.Now(), !forbidsStore(resp.Header)
		return &renewed, nil
	}
	d := b.describe(resp)
	if d.redirect = v.redirect; d.redirect != "" {
		return d, nil
	}
	return d, b.read(ctx, limited, resp, d)
}

// setUnless sets a header unless value is empty.
func setUnless(h http.Header, name, value string) {
	if value != "" {
		h.Set(name, value)
	}
}

// describe returns a document with the data of a response's header.
func (b *browser) describe(resp *http.Response) *document {
	_, codeText, _ := strings.Cut(resp.Status, " ")
	codeText = pegboard.OneLine(codeText)
	if standard := http.StatusText(resp.StatusCode); standard != "" {
		codeText = standard
	}
	return &document{
		url: resp.Request.URL.String(), code: resp.StatusCode, codeText: shortened(codeText),
		etag: resp.Header.Get("Etag"), modified: resp.Header.Get("Last-Modified"),
		lasting: resp.StatusCode == http.StatusOK && !forbidsStore(resp.Header), received: time.Now(),
	}
}

// forbidsStore reports whether a response must not be cached.
func forbidsStore(h http.Header) bool {
	for _, line := range h.Values("Cache-Control") {
		for directive := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(directive), "no-store") {
				return true
			}
		}
	}
	return false
}

// read reads and converts the body of a response.
func (b *browser) read(ctx, limited context.Context, resp *http.Response, d *document) error {
	if coding := resp.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return fmt.Errorf("the server has packed its answer as %q, which it was not asked for", shortened(coding))
	}
	body, err := readAll(io.LimitReader(resp.Body, b.maxBody+1), resp.ContentLength)
	if err == nil && limited.Err() != nil { // the server may have ended its answer because the time was over
		err = context.Cause(limited)
	}
	if err != nil {
		if len(body) == 0 || ctx.Err() != nil {
			return err
		}
		d.problem, d.lasting = "The answer broke off: the server had not sent all of it when the time or the connection ended.", false
	}
	if int64(len(body)) > b.maxBody {
		body = body[:b.maxBody]
		d.problem = fmt.Sprintf("Only the first %d bytes of the answer were read.", b.maxBody)
	}
	d.bytes = int64(len(body))
	if limited.Err() == nil {
		return convert(limited, resp.Header.Get("Content-Type"), body, d)
	}
	longer, cancel := context.WithTimeoutCause(ctx, convertTime, errLate) // the part that was read in time is shown
	defer cancel()
	return convert(longer, resp.Header.Get("Content-Type"), body, d)
}

// maxAhead is how many bytes are reserved for a body because its header announces them.
const maxAhead = 1 << 20

// readAll is [io.ReadAll] with room for an announced length, which may be wrong or unknown (-1).
func readAll(r io.Reader, announced int64) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(int(min(max(announced, 0), maxAhead)) + bytes.MinRead)
	_, err := b.ReadFrom(r)
	return b.Bytes(), err
}

// convert sets what d is, and its text or its bytes.
func convert(ctx context.Context, contentType string, body []byte, d *document) error {
	found := webtext.Decode(contentType, body)
	d.kind, d.mediaType, d.title = found.Kind, found.Type, found.Title(ctx)
	if d.kind != webtext.HTML && d.kind != webtext.Text {
		d.body = body
		return nil
	}
	base, err := url.Parse(d.url)
	if err != nil {
		return err
	}
	text, err := found.Markdown(ctx, base)
	if err != nil {
		return fmt.Errorf("its text could not be made: %w", err)
	}
	d.setText(text)
	return nil
}
