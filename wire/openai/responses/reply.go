package responses

import (
	"io"
	"iter"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/openai/internal/body"
)

// An Event is one step of a reply. Exactly one of its fields is set.
type Event struct {
	Text     string         // the next piece of the answer
	Thinking string         // the next piece of the reasoning, or of its summary
	Call     *pegboard.Call // a call that is complete
}

// A Reply is a reply that is being read. Its methods must not be called
// concurrently.
type Reply struct {
	body  *body.Reader
	built assembler
	over  bool
	err   error
}

func newReply(w *Wire, src io.Reader) *Reply {
	return &Reply{body: body.NewReader(src), built: assembler{wire: w, message: Message{wire: w}}}
}

// Events yields the reply as it comes: text in pieces, each call as soon as its
// item is done. A loop that is left early may be taken up by another. When the
// events end, [Reply.Message] tells whether the reply was whole.
//
// Only a call whose arguments are no JSON object waits for what comes after its
// item: a model that runs out of tokens leaves such a call behind, and it must
// not run.
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
		piece, err := r.body.Next()
		if err == nil {
			err = r.built.take(piece)
		}
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
