package pegboard

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lock"
)

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

// deliver calls the listener without the lock, on a goroutine of its own, so that a panic
// or Goexit in the listener does not end the call.
func (l *eventLog) deliver(e Event) {
	l.mu.Unlock()
	defer l.mu.Lock()
	err := l.batch.await("OnEvent", goroutine.Go(func() { l.batch.exec.OnEvent(e) }))
	if err == nil {
		return
	}
	l.batch.exec.logError("event listener failed", err, "event", e.Kind.String())
	if late := (*notReturnedError)(nil); errors.As(err, &late) {
		l.drop()
	}
}

// drop ends the log: the listener still has an event, and gets no other.
func (l *eventLog) drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed, l.queued, l.delivered = true, nil, l.queuedAll-1 // the caller counts its own
}

// close drops later events, and waits until all others are delivered.
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
	l.copies = nil
}
