package pegboard

import (
	"context"
	"time"
)

// An Event is one thing that happened to a call.
type Event struct {
	Time time.Time
	Kind EventKind
	// Context is the one that Run or Stream was called with, for what it carries, such as the
	// span of a trace. It may have ended. Of a call that a tool makes with [Call.Run] it is
	// the context that the tool passed. It is never nil in an event of an Executor.
	Context context.Context //nolint:containedctx // of the batch, which a listener gets no other way
	Call    *Call           // a copy, shared with other events: do not write to it
	Data    any             // of EventProgress, see Call.EmitData
	Text    string          // progress, the reason of a question, the repairs, or why it waits, is attempted again or was detached
	Targets []Target        // of EventAsked and EventDecided
	// Decision is set for EventDecided, Outcome for EventFinished.
	Decision *Decision
	Outcome  *Outcome
	Question *Question    // of EventAsked and EventSettled
	Awaited  *AwaitedCall // of EventAwaited and EventReleased
	WaitsFor *Call        // of EventWaiting: the call that holds it back, as it was admitted; nil if it waits for a group
	TraceID  string       // equal for all events of a batch, see Executor.TraceID
}

// EventKind says what happened.
type EventKind int

// The kinds of event.
const (
	EventAdmitted EventKind = iota // the call has its place in the order; emitted in request order
	EventAsked                     // a question about the call is in line for the user
	EventSettled                   // that question has left the line: answered, decided otherwise, or withdrawn
	EventDecided                   // it was decided whether the call may run
	EventWaiting                   // it waits for another call or for a group; Text says why, see [Pool.Conflict]
	EventStarted                   // the tool is called
	EventAwaited                   // the host is to execute the call, see [Session.Supply]
	EventReleased                  // it need not any more: the outcome was supplied, or, as Text says, the call was stopped
	EventRetried                   // an attempt has failed and another will follow; Text says why and when
	EventProgress                  // the tool reports progress, at most ten times a second, see Call.Emit
	EventHook                      // a hook reports progress
	EventRepaired                  // the input was repaired before it was decoded
	EventDetached                  // the call was answered while its tool still runs
	EventFinished                  // there is an outcome
)

// String returns the kind in lower case.
func (k EventKind) String() string {
	return nameOf(int(k), "admitted", "asked", "settled", "decided", "waiting", "started", "awaited", "released", "retried", "progress", "hook", "repaired", "detached", "finished")
}
