// Package reply reads the replies of all providers: the loop over the events of a
// reply, and the body of a response piece by piece.
package reply

import (
	"fmt"
	"iter"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
)

// A Source takes the pieces of one reply into its [Draft].
type Source interface {
	// Read takes the next piece. It sets Draft.Ended when nothing more belongs to the
	// message. An error ends the message, too.
	Read() error
	// Complete sets the fields of Draft.Message that depend on the whole reply. It runs
	// once, after the last Read. An error counts only if no Read returned one.
	Complete() error
	// Finish returns the message's StopReason as [pegboard.Stream.Finish] takes it.
	Finish() pegboard.FinishReason
}

// A Draft is a message that is being read.
type Draft struct {
	Message wire.Message
	Ended   bool // nothing more belongs to the message

	text   strings.Builder
	events []wire.Event // not yielded yet
}

// AddText adds a piece of the answer.
func (d *Draft) AddText(text string) {
	if text != "" {
		d.text.WriteString(text)
		d.events = append(d.events, wire.Event{Text: text})
	}
}

// AddThinking adds a piece of the thinking.
func (d *Draft) AddThinking(text string) {
	if text != "" {
		d.events = append(d.events, wire.Event{Thinking: text})
	}
}

// AddCall adds a call that is complete. Complete must add it to the message.
func (d *Draft) AddCall(c pegboard.Call) {
	d.events = append(d.events, wire.Event{Call: &c})
}

// AddPartial adds the state of a call that is not complete.
func (d *Draft) AddPartial(p wire.PartialCall) {
	d.events = append(d.events, wire.Event{Partial: &p})
}

// A Reply is the [wire.Reply] of all providers.
type Reply struct {
	source Source
	draft  *Draft
	over   bool
	err    error
}

// New returns the reply that s reads into d.
func New(s Source, d *Draft) *Reply { return &Reply{source: s, draft: d} }

// Events implements [wire.Reply].
func (r *Reply) Events() iter.Seq[wire.Event] {
	return func(yield func(wire.Event) bool) {
		for {
			e, ok := r.next()
			if !ok || !yield(e) {
				return
			}
		}
	}
}

// Message implements [wire.Reply].
func (r *Reply) Message() (*wire.Message, error) {
	for {
		if _, ok := r.next(); !ok {
			return &r.draft.Message, r.err
		}
	}
}

func (r *Reply) next() (wire.Event, bool) {
	d := r.draft
	for len(d.events) == 0 {
		if r.over {
			return wire.Event{}, false
		}
		if err := r.source.Read(); err != nil || d.Ended {
			r.end(err)
		}
	}
	e := d.events[0]
	d.events = d.events[1:]
	return e, true
}

// end completes the message after its last piece. With an error the message is not
// whole, whatever it said of its end.
func (r *Reply) end(err error) {
	m := &r.draft.Message
	m.Text = r.draft.text.String()
	incomplete := r.source.Complete()
	if err == nil {
		err = incomplete
	}
	if err != nil {
		m.StopReason, m.StopMessage = "", ""
	}
	m.Finish = r.source.Finish()
	r.over, r.err = true, err
}

// Malformed returns an error that wraps [wire.ErrMalformed].
func Malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %w", wire.ErrMalformed, fmt.Errorf(format, args...))
}

// Truncated returns an error that wraps [wire.ErrTruncated].
func Truncated(format string, args ...any) error {
	return fmt.Errorf("%w: %w", wire.ErrTruncated, fmt.Errorf(format, args...))
}
