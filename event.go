package pegboard

import (
	"time"
)

// An Event is one thing that happened to a call.
type Event struct {
	Time    time.Time
	Kind    EventKind
	Call    *Call    // a copy, not to be written to: other events may have the same
	Text    string   // what was said, asked, mended; why it was detached
	Targets []Target // of EventAsked and EventDecided: what it is about
	// Decision is set for EventDecided, Outcome for EventFinished.
	Decision *Decision
	Outcome  *Outcome
	Question *Question // of EventAsked and EventSettled
	TraceID  string    // the same for all events of a batch, see Executor.TraceID
}

// EventKind says what happened.
type EventKind int

// The kinds of event.
const (
	EventAdmitted EventKind = iota // the call has its place in line; in request order
	EventAsked                     // a person is asked about it: the question is in line
	EventSettled                   // that question has left the line: answered, settled otherwise, or given up
	EventDecided                   // it may run, or not
	EventStarted                   // the tool is called
	EventProgress                  // the tool says how it gets on
	EventHook                      // a hook says how it gets on
	EventRepaired                  // its input was mended before it was decoded
	EventDetached                  // it was answered and goes on
	EventFinished                  // there is an outcome
)

// String returns the kind in lower case.
func (k EventKind) String() string {
	return nameOf(int(k), "admitted", "asked", "settled", "decided", "started", "progress", "hook", "repaired", "detached", "finished")
}
