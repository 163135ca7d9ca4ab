package pegboard

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/lane"
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
	Trace    string    // the same for all events of a batch, see Executor.TraceID
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

// LogEvents returns a function for [Executor].OnEvent that writes events to l,
// denials and failures at level Warn, all else at Debug. Nothing of an input or
// a result is written: of a denial the rule, of a failure its stage and class.
func LogEvents(l *slog.Logger) func(Event) {
	return func(e Event) {
		level, attrs := slog.LevelDebug, []slog.Attr{slog.String("tool", e.Call.Name), slog.String("call", e.Call.ID)}
		if s := e.Call.Session(); s != nil && s.AgentID() != "" {
			attrs = append(attrs, slog.String("agent", s.AgentID()))
		}
		if d := e.Decision; d != nil {
			attrs = append(attrs, slog.String("behavior", d.Behavior.String()))
			if d.Rule != nil {
				attrs = append(attrs, slog.String("rule", d.Rule.describe()))
			}
			if d.Behavior != Allow {
				level = slog.LevelWarn
			}
		}
		if o := e.Outcome; o != nil {
			attrs = append(attrs, slog.Duration("elapsed", o.Elapsed), slog.Bool("failed", o.Result.IsError))
			if o.Err != nil {
				level = slog.LevelWarn
				attrs = append(attrs, slog.String("error", class(o.Err)))
			}
		}
		l.LogAttrs(context.Background(), level, "tool call "+e.Kind.String(), attrs...)
	}
}

// eventLog delivers the events of one batch: in order, one at a time. Whoever finds
// nobody at it sees to the delivery, of what others add meanwhile as well. A
// listener may cause further events; they follow. The nil log has no listener.
type eventLog struct {
	listen func(Event)
	logger *slog.Logger // nil discards
	trace  string

	mu      sync.Mutex
	idle    sync.Cond // of mu
	queued  []Event
	copies  map[*Call]*Call // that were shown, by what they are copies of
	sent    int             // events queued so far
	told    int             // events delivered so far
	pumping bool
	closed  bool
}

func newEventLog(listen func(Event), logger *slog.Logger, trace func() string) *eventLog {
	if listen == nil {
		return nil
	}
	l := &eventLog{listen: listen, logger: logger, trace: trace()}
	l.idle.L = &l.mu
	return l
}

// traceID is the host's id for what is under way in ctx, or a random one.
func (e *Executor) traceID(ctx context.Context) (id string) {
	if e.TraceID != nil {
		_ = lane.Try(func() error { id = e.TraceID(ctx); return nil }) // without one, it is random
	}
	if id == "" {
		var random [16]byte
		_, _ = rand.Read(random[:]) // which never fails
		id = hex.EncodeToString(random[:])
	}
	return id
}

// emit queues an event and delivers what is queued, unless somebody does.
func (l *eventLog) emit(e Event) {
	l.queue(e, nil)
	l.flush()
}

// queue gives an event its place, unless what it is about is over. It calls nobody.
func (l *eventLog) queue(e Event, over *atomic.Bool) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || over != nil && over.Load() {
		return
	}
	e.Time, e.Call, e.Trace = time.Now(), l.copyOf(e.Call), l.trace
	if e.Outcome != nil {
		e.Outcome.Call = e.Call
	}
	l.queued = append(l.queued, e)
	l.sent++
}

// copyOf returns the copy of c that listeners are shown. There is one, however many
// events there are: an input may be large.
func (l *eventLog) copyOf(c *Call) *Call {
	if l.copies == nil {
		l.copies = map[*Call]*Call{}
	}
	if l.copies[c] == nil {
		l.copies[c] = c.copied()
	}
	return l.copies[c]
}

// flush delivers what is queued, unless somebody does. The caller holds no lock that a
// listener may want.
func (l *eventLog) flush() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.pumping {
		l.pump()
	}
}

// reach waits until everything that was emitted so far is delivered. A listener
// must not cause it.
func (l *eventLog) reach() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for sent := l.sent; l.told < sent; {
		l.idle.Wait()
	}
}

// pump delivers what is queued. The lock is held on entry and on return.
func (l *eventLog) pump() {
	l.pumping = true
	defer func() {
		l.pumping = false
		l.idle.Broadcast()
	}()
	for len(l.queued) > 0 {
		next := l.queued[0]
		l.queued = l.queued[1:]
		l.deliver(next)
		l.told++
		l.idle.Broadcast()
	}
}

// deliver calls the listener without the lock, on a goroutine of its own: one that
// panics or ends its goroutine loses its event, not the call.
func (l *eventLog) deliver(e Event) {
	l.mu.Unlock()
	defer l.mu.Lock()
	if err := <-lane.Go(func() { l.listen(e) }); err != nil && l.logger != nil {
		_ = lane.Try(func() error {
			l.logger.Error("event listener failed", "event", e.Kind.String(), "error", err)
			return nil
		})
	}
}

// close waits until every event was delivered, and drops those that come later.
func (l *eventLog) close() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for l.pumping {
		l.idle.Wait()
	}
	l.copies = nil
}
