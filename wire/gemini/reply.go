package gemini

import (
	"bufio"
	"errors"
	"io"
	"iter"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/internal/sse"
)

// An Event is one step of a reply. Exactly one of its fields is set.
type Event struct {
	Text     string         // the next piece of the answer
	Thinking string         // the next piece of the summary of the thinking
	Call     *pegboard.Call // a call that is complete
}

// A Reply is a reply that is being read. Its methods must not be called
// concurrently.
type Reply struct {
	source source
	built  assembler
	over   bool
	err    error
}

func newReply(w *Wire, body io.Reader) *Reply {
	return &Reply{source: source{body: bufio.NewReader(body)}, built: assembler{message: Message{wire: w}}}
}

// Events yields the reply as it comes: text in pieces, each call as soon as it is
// complete. A loop that is left early may be taken up by another. When the events
// end, [Reply.Message] tells whether the reply was whole.
func (r *Reply) Events() iter.Seq[Event] {
	return func(yield func(Event) bool) {
		for {
			e, ok := r.next()
			if !ok || !yield(e) {
				return
			}
		}
	}
}

// Message reads what is left of the reply and returns its message. The message is
// never nil: with an error it holds what came before, and what was handed out as an
// Event is in it.
//
// The error is an [*APIError], or it wraps [ErrTruncated] or [ErrMalformed]. A prompt
// that the API refused is no error: see [Message.Blocked].
func (r *Reply) Message() (*Message, error) {
	for {
		if _, ok := r.next(); !ok {
			return &r.built.message, r.err
		}
	}
}

func (r *Reply) next() (Event, bool) {
	for len(r.built.ready) == 0 {
		if r.over {
			return Event{}, false
		}
		err := r.read()
		if err != nil || r.built.stopped {
			r.over, r.err = true, err
			r.built.finish()
			if err != nil { // whatever it said of its end, it is not whole
				r.built.message.StopReason, r.built.message.StopMessage = "", ""
			}
		}
	}
	e := r.built.ready[0]
	r.built.ready = r.built.ready[1:]
	return e, true
}

// read takes the next response of the reply.
func (r *Reply) read() error {
	raw, torn, err := r.source.next()
	switch {
	case err == nil:
		return r.built.take(raw, torn)
	case errors.Is(err, errEnd), errors.Is(err, io.EOF) && r.source.stream != nil:
		return r.built.end()
	case errors.Is(err, ErrMalformed):
		return err
	case errors.Is(err, sse.ErrTooLong):
		return malformed("%w", err)
	case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return truncated("%w", err)
	case !r.built.started:
		return truncated("the body ended before a response began")
	}
	return truncated("the body ended within a response")
}
