package wire

import (
	"errors"
	"io"
	"iter"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
)

const (
	maxHead    = 1 << 10 // bytes of a body that are kept
	maxRefused = 1 << 20 // bytes that are read of a body whose status is no success
)

// ReadResponse returns the reply in the response to a request. Where the host has the
// response and not its body alone, it calls ReadResponse instead of [Codec.Read]: an answer
// that is no reply, such as the page of a gateway or an empty body, then gives an error
// that says so.
//
// Such an answer, and each error of the provider, makes [Reply].Message return an
// [*APIError] with the status, Retry-After and the id of the request. If the body is no
// error in the form of the API either, the APIError holds its beginning. A reply that was
// cut, and a stream that is malformed, gives the error of [Codec.Read]. A whole reply is no
// error, whatever its status.
//
// ReadResponse itself reads nothing, and the caller closes the body. It panics if c or
// response is nil.
func ReadResponse(c Codec, response *http.Response) Reply {
	switch {
	case c == nil:
		panic("wire.ReadResponse with a nil Codec; make one with New of the provider's package")
	case response == nil:
		panic("wire.ReadResponse with a nil Response; without one the request has failed, and its error says why")
	}
	a := &httpAnswer{status: response.StatusCode, header: response.Header}
	a.body.src = http.NoBody
	if response.Body != nil {
		a.body.src = response.Body
	}
	if !a.succeeded() {
		a.body.src = io.LimitReader(a.body.src, maxRefused)
	}
	a.Reply = c.Read(&a.body)
	return a
}

// An httpAnswer is the Reply in an HTTP response. It replaces the error of the Codec's
// Reply where the response says more.
type httpAnswer struct {
	Reply
	status int
	header http.Header
	body   bodyHead

	err  error // of Message
	read bool  // Message has set err
}

// Message implements [Reply].
func (a *httpAnswer) Message() (*Message, error) {
	m, err := a.Reply.Message()
	if !a.read {
		a.read, a.err = true, a.explain(err)
	}
	return m, a.err
}

// succeeded reports whether the status is a success, or unknown, as in a response that was
// made by hand.
func (a *httpAnswer) succeeded() bool { return a.status == 0 || a.status >= 200 && a.status < 300 }

// explain returns the error of a reply whose Codec returned err.
func (a *httpAnswer) explain(err error) error {
	if err == nil {
		return nil
	}
	var sent *APIError
	if errors.As(err, &sent) {
		e := *sent
		return a.complete(&e)
	}
	text := strings.TrimSpace(strings.TrimPrefix(string(a.body.kept), "\ufeff"))
	e := &APIError{HTTPStatus: a.status, Body: strings.ToValidUTF8(text, "\ufffd"), cause: err}
	switch {
	case !a.succeeded():
		if e.Message = http.StatusText(a.status); e.Message == "" {
			e.Message = "the answer is no reply"
		}
	case text == "" && a.body.ended:
		e.Message = "the answer is empty"
	case text == "" || isStream(text):
		return err
	case strings.HasPrefix(text, "{") || strings.HasPrefix(text, "["):
		if !errors.Is(err, ErrMalformed) {
			return err
		}
		e.Message = err.Error()
	default:
		e.Message, e.cause = "the answer is no reply, but "+a.contentType(), ErrMalformed
	}
	return a.complete(e)
}

// complete adds the facts from the status and the header to e, and returns e.
func (a *httpAnswer) complete(e *APIError) *APIError {
	if !a.succeeded() {
		e.HTTPStatus = a.status
	}
	if e.RequestID == "" {
		if e.RequestID = a.header.Get("Request-Id"); e.RequestID == "" { // Anthropic
			e.RequestID = a.header.Get("X-Request-Id") // OpenAI
		}
	}
	if d := retryAfter(a.header); d > 0 {
		e.RetryAfter = d
	}
	e.shouldRetry = a.header.Get("X-Should-Retry")
	return e
}

func (a *httpAnswer) contentType() string {
	if kind := a.header.Get("Content-Type"); kind != "" {
		return kind
	}
	return "a body without a content type"
}

// isStream reports whether a body begins as a stream of events does, or may have been cut
// within such a beginning.
func isStream(text string) bool {
	for _, field := range []string{"data:", "event:", "id:", "retry:", ":"} {
		if strings.HasPrefix(text, field) || strings.HasPrefix(field, text) {
			return true
		}
	}
	return false
}

// retryAfter returns the time that a response asks to wait: in the milliseconds of
// Retry-After-Ms, which only some providers send, or the seconds or date of Retry-After. It
// is 0 if the header says nothing that can be read, or a date that has passed.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return duration(ms, time.Millisecond)
	}
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil {
		return duration(s, time.Second)
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date")) // by the clock of the provider
	if err != nil {
		now = time.Now()
	}
	return max(0, until.Sub(now))
}

// duration returns n units, at most the longest Duration, and 0 for less than none.
func duration(n float64, unit time.Duration) time.Duration {
	switch d := n * float64(unit); {
	case !(d > 0): // also NaN
		return 0
	case d >= math.MaxInt64:
		return math.MaxInt64
	default:
		return time.Duration(d)
	}
}

// A bodyHead reads a body and keeps its beginning.
type bodyHead struct {
	src   io.Reader
	kept  []byte
	ended bool // the body ended without an error
}

// Read implements [io.Reader].
func (b *bodyHead) Read(p []byte) (int, error) {
	n, err := b.src.Read(p)
	b.kept = append(b.kept, p[:min(n, maxHead-len(b.kept))]...)
	b.ended = b.ended || errors.Is(err, io.EOF)
	return n, err
}

// A Reply is a reply of the model that is being read. Its methods must not be called
// concurrently.
type Reply interface {
	// Events yields the reply as it arrives: text in pieces, calls while they grow, and each
	// call as soon as it is known to be complete. A loop that is left early may be continued by another.
	// When the events end, Message tells whether the reply was whole.
	Events() iter.Seq[Event]
	// Message reads the rest of the reply and returns its message. The message is never
	// nil: with an error it holds the part that arrived before. All that Events has yielded
	// is in it.
	//
	// The error is an [*APIError], or it wraps [ErrTruncated] or [ErrMalformed]. [Retryable]
	// tells whether to send the request again.
	Message() (*Message, error)
}

// An Event is one step of a reply. Exactly one of its fields is set.
type Event struct {
	Text     string         // the next piece of the answer, or of a refusal
	Thinking string         // the next piece of the thinking, or of its summary
	Call     *pegboard.Call // a call that is complete
	// Partial is a call that has begun or grown, for user interfaces. A call that arrives at
	// once has no such event.
	Partial *PartialCall
}
