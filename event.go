package pegboard

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/enum"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lock"
	"github.com/seed49eaa51d/pegboard/policy"
)

// An Event is one thing that happened to a call.
type Event struct {
	Time time.Time
	Kind EventKind
	// Context is the one that Run or Stream was called with, for the values in it, such as the
	// span of a trace. It may have ended. Of a call that a tool makes with [Call.Run] it is
	// the context that the tool passed. It is never nil in an event of an Executor.
	Context context.Context //nolint:containedctx // of the batch, which a listener gets no other way
	Call    *Call           // a copy, shared with other events: do not write to it
	Data    any             // of EventProgress, see Call.EmitData
	Text    string          // progress, the reason of a question, the repairs, or why it waits, is attempted again or was detached
	Targets []policy.Target // of EventAsked and EventDecided
	// Decision is set for EventDecided, Outcome for EventFinished.
	Decision *policy.Decision
	Outcome  *Outcome
	Question *Question     // of EventAsked and EventSettled
	External *ExternalCall // of EventExternal and EventReleased
	WaitsFor *Call         // of EventWaiting: the call that holds it back, as it was admitted; nil if it waits for a group
	TraceID  string        // equal for all events of a batch, see Executor.TraceID
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
	EventExternal                  // the host is to execute the call, see [Session.SubmitResult]
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
	return enum.Name(k, "admitted", "asked", "settled", "decided", "waiting", "started", "awaited", "released", "retried", "progress", "hook", "repaired", "detached", "finished")
}

// An eventLog delivers the events of one batch to the listener: in order, one at a time.
// The goroutine that flushes while none is delivering becomes the deliverer, and drains
// the queue. Events that the listener causes are delivered after it returns. A nil log
// has no listener.
type eventLog struct {
	batch *batch
	ctx   context.Context //nolint:containedctx // of Run or Stream, for its events
	trace string

	mu         lock.Mutex
	progress   sync.Cond // of mu; signalled after every delivery
	queued     []Event
	copies     map[*Call]*Call // the copies in events, by their originals
	queuedAll  int             // number of events queued so far
	delivered  int             // number of events delivered so far
	delivering bool
	closed     bool

	listener *listener // nil before the first event, and after the last
}

// A listener calls OnEvent for one batch, on one goroutine. A new goroutine for each event would grow
// its stack each time.
type listener struct {
	onEvent func(Event)
	events  chan Event
	heard   chan error // of each event
}

// newEventLog returns the log of a batch whose context can be stopped.
func newEventLog(ctx context.Context, b *batch) *eventLog {
	if b.exec.OnEvent == nil {
		return nil
	}
	l := &eventLog{batch: b, ctx: ctx, trace: b.traceID(ctx)}
	l.progress.L = &l.mu
	return l
}

// emit queues an event and flushes.
func (l *eventLog) emit(e Event) {
	l.queue(e, nil)
	l.flush()
}

// queue adds an event to the queue. It drops the event if over is set. It does not call
// the listener.
func (l *eventLog) queue(e Event, over *atomic.Bool) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || over != nil && over.Load() {
		return
	}
	e.Time, e.Context, e.Call, e.TraceID = time.Now(), l.ctx, l.copyOf(e.Call), l.trace
	if e.WaitsFor != nil {
		e.WaitsFor = l.copyOf(e.WaitsFor)
	}
	if e.Outcome != nil {
		e.Outcome.Call = e.Call
	}
	l.queued = append(l.queued, e)
	l.queuedAll++
}

// copyOf returns the copy of c that is in events. There is one for all events, since an
// input may be large.
func (l *eventLog) copyOf(c *Call) *Call {
	if l.copies == nil {
		l.copies = map[*Call]*Call{}
	}
	if l.copies[c] == nil {
		l.copies[c] = c.copied()
	}
	return l.copies[c]
}

// flush delivers the queued events, unless another goroutine is delivering. The caller
// must not hold a lock that a listener may acquire.
func (l *eventLog) flush() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.delivering {
		l.deliverAll()
	}
}

// waitDelivered waits until all events queued so far are delivered. It must not be called
// by the listener.
func (l *eventLog) waitDelivered() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for n := l.queuedAll; l.delivered < n; {
		l.progress.Wait()
	}
}

// deliverAll delivers the queued events. The caller holds mu.
func (l *eventLog) deliverAll() {
	l.delivering = true
	defer func() {
		l.delivering = false
		l.progress.Broadcast()
	}()
	for len(l.queued) > 0 {
		next := l.queued[0]
		l.queued = l.queued[1:]
		l.deliver(next)
		l.delivered++
		l.progress.Broadcast()
	}
}

// deliver has the listener called without the lock, on a goroutine of its own, so that a panic
// or Goexit in the listener does not end the call.
func (l *eventLog) deliver(e Event) {
	l.mu.Unlock()
	defer l.mu.Lock()
	if l.listener == nil {
		l.listener = &listener{l.batch.exec.OnEvent, make(chan Event, 1), make(chan error, 1)}
		goroutine.Start(l.listener)
	}
	l.listener.events <- e
	err := l.batch.await("OnEvent", l.listener.heard)
	if err == nil {
		return
	}
	if err == goroutine.ErrGoexit { //nolint:errorlint // not one that the listener has panicked with
		l.listener = nil
	}
	l.batch.exec.logError("event listener failed", err, "event", e.Kind.String())
	if late := (*notReturnedError)(nil); errors.As(err, &late) {
		l.drop()
	}
}

// Work implements goroutine.Task.
func (l *listener) Work() {
	for e := range l.events {
		l.heard <- goroutine.Try(func() error { l.onEvent(e); return nil })
	}
}

// Leave implements goroutine.Task.
func (l *listener) Leave(crash error) {
	if crash != nil {
		l.heard <- crash
	}
}

// dismiss ends the listener's goroutine. The caller holds mu.
func (l *eventLog) dismiss() {
	if l.listener != nil {
		close(l.listener.events)
		l.listener = nil
	}
}

// drop ends the log: the listener still has an event, and gets no other.
func (l *eventLog) drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed, l.queued, l.delivered = true, nil, l.queuedAll-1 // the caller counts its own
	l.dismiss()
}

// close drops later events, and waits until all others are delivered. It delivers those itself
// that an abandoned tool has queued and not yet flushed.
func (l *eventLog) close() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for l.delivering {
		l.progress.Wait()
	}
	l.deliverAll()
	l.copies = nil
	l.dismiss()
}

// LogEvents returns a function for [Executor].OnEvent that logs events to l: denials and
// failures at level Warn, all others at Debug. It logs no input and no result: of a
// denial the rule, of a failure the stage and the sentinel error. The kind of a call is the
// one that its tool tells in Traits. Of a tool that was called by an alias it logs the name
// as "tool", and the alias as "as".
func LogEvents(l *slog.Logger) func(Event) {
	return func(e Event) {
		level, attrs := slog.LevelDebug, []slog.Attr{slog.String("tool", e.Call.ToolName())}
		if e.Call.Name != e.Call.ToolName() {
			attrs = append(attrs, slog.String("as", e.Call.Name))
		}
		attrs = append(attrs, slog.String("call", e.Call.ID))
		if s := e.Call.Session(); s != nil && s.AgentID() != "" {
			attrs = append(attrs, slog.String("agent", s.AgentID()))
		}
		if e.External != nil {
			attrs = append(attrs, slog.String("awaited", e.External.ID))
		}
		if e.WaitsFor != nil {
			attrs = append(attrs, slog.String("waits_for", e.WaitsFor.ID))
		}
		if d := e.Decision; d != nil {
			attrs = append(attrs, slog.String("behavior", d.Behavior.String()))
			if d.Rule != nil {
				attrs = append(attrs, slog.String("rule", d.Rule.Describe()))
			}
			if d.Behavior != policy.Allow {
				level = slog.LevelWarn
			}
		}
		if o := e.Outcome; o != nil {
			attrs = append(attrs, slog.Duration("elapsed", o.Elapsed), slog.Bool("failed", o.Result.IsError))
			if o.SameAs != nil {
				attrs = append(attrs, slog.String("same_as", o.SameAs.ID))
			}
			if o.Attempts > 1 {
				attrs = append(attrs, slog.Int("attempts", o.Attempts))
			}
			if o.Err != nil {
				level = slog.LevelWarn
				attrs = append(attrs, slog.String("error", errorClass(o.Err)))
			}
		}
		ctx := context.Background()
		if !l.Enabled(ctx, level) {
			return // the tool need not be asked for the kind
		}
		if _, traits, _ := e.Call.describe(); traits.Kind.known() != KindOther {
			attrs = append(attrs, slog.String("kind", traits.Kind.String()))
		}
		l.LogAttrs(ctx, level, "tool call "+e.Kind.String(), attrs...)
	}
}
