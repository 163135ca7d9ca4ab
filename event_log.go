package pegboard

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

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
	e.Time, e.Call, e.TraceID = time.Now(), l.copyOf(e.Call), l.trace
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
	if err := <-goroutine.Go(func() { l.listen(e) }); err != nil && l.logger != nil {
		_ = goroutine.Try(func() error {
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
