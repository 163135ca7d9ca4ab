package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/exchange"
)

// firstByte is how long a server may take to begin an answer.
const firstByte = 60 * time.Second

// endSession is how long a request that ends a session may take after the transport was shut.
const endSession = time.Second

// maxFault is how many bytes are read of an answer that says that a request failed.
const maxFault = 1 << 20

// ErrOtherHost is the error of a request to another host than the server's, such as one
// that the server redirects to.
var ErrOtherHost = errors.New("the server leads to another host, which is not followed")

// Server is the server to reach.
type Server struct {
	URL        *url.URL
	Headers    http.Header // added to each request
	MaxMessage int         // bytes of a message
	OldSSE     bool        // the server speaks the older transport with server-sent events
}

// Transport is the transport of an HTTP client for one server.
type Transport struct {
	server   Server
	exchange *exchange.Exchange
	base     *http.Transport
	ctx      context.Context //nolint:containedctx // of all requests
	cancel   context.CancelFunc
}

// NewTransport returns a transport whose messages pass through x. Its requests end with ctx,
// but for those that end a session.
func NewTransport(ctx context.Context, s Server, x *exchange.Exchange) *Transport {
	base := new(http.Transport)
	if standard, ok := http.DefaultTransport.(*http.Transport); ok { // a host may have replaced it
		base = standard.Clone()
	}
	base.ResponseHeaderTimeout = firstByte
	base.MaxIdleConnsPerHost = 16
	t := &Transport{server: s, exchange: x, base: base}
	t.ctx, t.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return t
}

// Client returns an HTTP client that uses t.
func (t *Transport) Client() *http.Client { return &http.Client{Transport: t} }

// Shut ends all requests but those that end a session, which have a second. It does not
// wait for them.
func (t *Transport) Shut() {
	t.cancel()
	t.base.CloseIdleConnections()
}

// RoundTrip sends a request of the SDK.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != t.server.URL.Scheme || !strings.EqualFold(r.URL.Host, t.server.URL.Host) {
		return nil, fmt.Errorf("%w: %s://%s", ErrOtherHost, r.URL.Scheme, r.URL.Host)
	}
	id, err := t.sent(r)
	if err != nil {
		return nil, err
	}
	ctx, cancel := t.requestContext(r)
	r = r.Clone(ctx)
	for name, values := range t.server.Headers {
		if r.Header.Get(name) == "" {
			r.Header[name] = values
		}
	}
	r.Close = r.Close || t.ctx.Err() != nil // nothing would close its connection later
	resp, err := t.base.RoundTrip(r)
	if err != nil {
		cancel()
		return nil, err
	}
	t.filter(resp, id)
	resp.Body = limited{resp.Body, closer{resp.Body, cancel}}
	return resp, nil
}

// requestContext returns the context of a request, which ends with the transport. A request
// that ends a session outlives the transport by a second.
func (t *Transport) requestContext(r *http.Request) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(r.Context())
	stop := context.AfterFunc(t.ctx, func() {
		if r.Method == http.MethodDelete {
			time.AfterFunc(endSession, cancel)
			return
		}
		cancel()
	})
	return ctx, func() {
		stop()
		cancel()
		if t.ctx.Err() != nil {
			t.base.CloseIdleConnections()
		}
	}
}

// sent shows the message of a request to the exchange, and returns the id that an answer
// will have.
func (t *Transport) sent(r *http.Request) (id []byte, err error) {
	if r.Method != http.MethodPost || r.GetBody == nil {
		return nil, nil
	}
	body, err := r.GetBody()
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(body)
	if err != nil {
		return nil, err
	}
	t.exchange.Sent(raw)
	return exchange.RequestID(raw), nil
}

// filter makes the body of an answer one that the SDK can read.
func (t *Transport) filter(resp *http.Response, id []byte) {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		resp.Body = limited{io.LimitReader(resp.Body, maxFault), resp.Body}
	case kind == "text/event-stream":
		resp.Body = &eventStream{lines: newLines(resp.Body, t.server.MaxMessage), body: resp.Body, exchange: t.exchange, onlyData: t.server.OldSSE}
		resp.ContentLength = -1
	case kind == "application/json":
		resp.Body = &jsonBody{body: resp.Body, id: id, limit: t.server.MaxMessage, exchange: t.exchange}
		resp.ContentLength = -1
	case id != nil && !t.server.OldSSE: // whose answers come as events of another request
		t.wrongType(resp, id, kind)
	}
}

// wrongType answers a request in the server's place: the SDK would end the connection.
func (t *Transport) wrongType(resp *http.Response, id []byte, kind string) {
	beginning, _ := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
	_ = resp.Body.Close()
	resp.StatusCode = http.StatusOK
	resp.Header.Set("Content-Type", "application/json")
	answer := exchange.Encode(t.exchange.Unanswered(id, fmt.Appendf(nil, "%s: %s", kind, beginning)))
	resp.Body = io.NopCloser(bytes.NewReader(answer))
	resp.ContentLength = int64(len(answer))
}

// closer closes a body and ends the context of its request.
type closer struct {
	body   io.Closer
	cancel context.CancelFunc
}

func (c closer) Close() error {
	c.cancel()
	return c.body.Close()
}

// limited is a body of which only the beginning is read.
type limited struct {
	io.Reader
	io.Closer
}

// jsonBody is the body of an answer that is one message. It is read when it is first asked
// for.
type jsonBody struct {
	body     io.ReadCloser
	id       []byte // of the request; nil for a notification
	limit    int
	exchange *exchange.Exchange
	answer   *bytes.Reader // nil before the body was read
}

func (b *jsonBody) Read(p []byte) (int, error) {
	if b.answer == nil {
		answer, err := b.read()
		if err != nil {
			return 0, err
		}
		b.answer = bytes.NewReader(answer)
	}
	return b.answer.Read(p)
}

func (b *jsonBody) read() ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(b.body, int64(b.limit)+1))
	if err != nil && b.id != nil { // an error would end the connection
		return exchange.Encode(b.exchange.Unanswered(b.id, fmt.Appendf(nil, "an answer that cannot be read: %v", err))), nil
	}
	if err != nil {
		return nil, err
	}
	if len(raw) > b.limit {
		return exchange.Encode(b.exchange.TooLong(b.id, b.limit)), nil
	}
	if b.id == nil { // an answer to a notification
		return b.exchange.ReceivedText(raw), nil
	}
	return exchange.Encode(b.exchange.Answered(b.id, raw)), nil
}

func (b *jsonBody) Close() error { return b.body.Close() }
