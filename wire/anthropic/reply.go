package anthropic

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"unicode"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/internal/sse"
)

// maxReply is how much of a reply is read, in bytes: of a stream, the data of
// its events. One event is limited to [sse.MaxSize].
const maxReply = 32 << 20

// maxBlocks is how many content blocks a reply may have: a small one takes a hundred
// times its size in memory.
const maxBlocks = 1 << 17

// An Event is one step of a reply. Exactly one of its fields is set.
type Event struct {
	Text     string         // the next piece of the answer
	Thinking string         // the next piece of the thinking
	Call     *pegboard.Call // a call that is complete
}

// A Reply is a reply that is being read. Its methods must not be called
// concurrently.
type Reply struct {
	body   *bufio.Reader
	stream *sse.Reader // nil until the form of the reply is known
	size   int
	built  assembler
	over   bool
	err    error
}

func newReply(w *Wire, body io.Reader) *Reply {
	return &Reply{body: bufio.NewReader(body), built: assembler{message: Message{wire: w}}}
}

// Events yields the reply as it comes: text in pieces, each call as soon as its
// block has stopped. A loop that is left early may be taken up by another. When
// the events end, [Reply.Message] tells whether the reply was whole.
//
// Only a call whose input is empty or no JSON object waits for the event after
// its block: a model that runs out of tokens leaves such a call behind, and it
// must not run.
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

// Message reads what is left of the reply and returns its message. The message
// is never nil: with an error it holds what came before, and what was handed out
// as an Event is in it.
//
// The error is an [*APIError], or it wraps [ErrTruncated] or [ErrMalformed].
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
				r.built.message.StopReason = ""
			}
		}
	}
	e := r.built.ready[0]
	r.built.ready = r.built.ready[1:]
	return e, true
}

// read takes the next event of a stream, or all of a whole reply.
func (r *Reply) read() error {
	if r.stream == nil {
		whole, err := r.isWhole()
		if err != nil {
			return r.cut(err)
		}
		if whole {
			return r.readWhole()
		}
		r.stream = sse.NewReader(r.body)
	}
	e, err := r.stream.Next()
	if err != nil {
		return r.cut(err)
	}
	if r.size += len(e.Data); r.size > maxReply {
		return malformed("it is larger than %d bytes", maxReply)
	}
	return r.built.take(e)
}

// isWhole looks at the first character, which no line of a stream begins with.
func (r *Reply) isWhole() (bool, error) {
	for {
		c, _, err := r.body.ReadRune()
		if err != nil {
			return false, err
		}
		if c != '\ufeff' && !unicode.IsSpace(c) {
			return c == '{', r.body.UnreadRune()
		}
	}
}

func (r *Reply) readWhole() error {
	limited := &io.LimitedReader{R: r.body, N: maxReply}
	var raw json.RawMessage
	err := json.NewDecoder(limited).Decode(&raw)
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return r.built.takeWhole(raw)
	case errors.As(err, &syntax):
		return malformed("it is not valid JSON: %w", err)
	case limited.N <= 0:
		return malformed("it is larger than %d bytes", maxReply)
	}
	return r.cut(err)
}

// cut words the end of the body before the end of the message.
func (r *Reply) cut(err error) error {
	switch {
	case errors.Is(err, sse.ErrTooLong):
		return malformed("%w", err)
	case !errors.Is(err, io.EOF):
		return truncated("%w", err)
	case !r.built.started:
		return truncated("the body ended before a message began")
	}
	return truncated("the body ended before message_stop")
}
