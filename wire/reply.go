package wire

import (
	"iter"

	"github.com/seed49eaa51d/pegboard"
)

// A Reply is a reply of the model that is being read. Its methods must not be called
// concurrently.
type Reply interface {
	// Events yields the reply as it arrives: text in pieces, calls while they grow, and each
	// call as soon as it is known to be complete. A loop that is left early may be continued by another.
	// When the events end, Message tells whether the reply was whole.
	Events() iter.Seq[Event]
	// Message reads the rest of the reply and returns its message. The message is never
	// nil: with an error it holds what arrived before, and all that Events has yielded is
	// in it.
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
