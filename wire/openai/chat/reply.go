package chat

import (
	"bufio"
	"errors"
	"io"
	"iter"
	"unicode"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/openai/internal/body"
)

// An Event is one step of a reply. Exactly one of its fields is set.
type Event struct {
	Text     string         // the next piece of the answer, or of a refusal
	Thinking string         // the next piece of the thinking, from services that show it
	Call     *pegboard.Call // a call that is complete
}

// A Reply is a reply that is being read. Its methods must not be called
// concurrently.
type Reply struct {
	src   *bufio.Reader
	body  *body.Reader // nil until something is read
	built assembler
	over  bool
	err   error
}

func newReply(w *Wire, src io.Reader) *Reply {
	return &Reply{src: bufio.NewReader(src), built: assembler{message: Message{wire: w}}}
}

// Events yields the reply as it comes: text in pieces, each call as soon as it is
// known to be complete. A loop that is left early may be taken up by another. When
// the events end, [Reply.Message] tells whether the reply was whole.
//
// The protocol does not say when a call ends. It is complete when its arguments
// are a whole object and another call begins, or the model has finished. Calls
// come in the order in which they began; one whose arguments are empty or no
// object holds back those after it until the end of the reply.
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
// The error is an [*APIError], or it wraps [ErrTruncated] or [ErrMalformed]. A body
// that ends, for whatever reason, between two events after the model has said why
// it stopped is whole: some services leave out what should follow. Only if a call
// came after that is the rest waited for.
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
			r.over = true
			if settled := r.built.settle(); err == nil {
				err = settled
			}
			if r.err = err; err != nil { // whatever it said of its end, it is not whole
				r.built.message.StopReason = ""
			}
		}
	}
	e := r.built.ready[0]
	r.built.ready = r.built.ready[1:]
	return e, true
}

// read takes the next event of a stream, or all of a whole reply. A body that ends
// after the model has finished is no error.
func (r *Reply) read() error {
	if r.body == nil {
		r.skipBracket()
		r.body = body.NewReader(r.src)
	}
	piece, err := r.body.Next()
	switch {
	case err == nil:
		return r.built.take(piece)
	case r.built.message.StopReason != "" && !r.built.late && errors.Is(err, ErrTruncated):
		r.built.stopped = true
		return nil
	}
	return err
}

// skipBracket passes over what some services put before an error: they send an
// array of one. An error of the source comes again with the next read.
func (r *Reply) skipBracket() {
	for {
		c, _, err := r.src.ReadRune()
		switch {
		case err != nil || c == '[':
			return
		case c != '\ufeff' && !unicode.IsSpace(c):
			_ = r.src.UnreadRune() // it was just read
			return
		}
	}
}
