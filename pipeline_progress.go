package pegboard

import (
	"time"

	"github.com/seed49eaa51d/pegboard/internal/lock"
)

// maxProgress is how many events of progress a call may emit in a second. A person reads
// no more, and a host may redraw its screen for each.
const maxProgress = 10

// A progress is what one call of [Call.EmitData] reports.
type progress struct {
	text string
	data any
}

// A progressLimit holds back the progress that a call reports too often. Only the
// last one held back is emitted: when the second is over, or when the call ends.
type progressLimit struct {
	mu     lock.Mutex // guards the fields below, also while an event is queued
	begun  time.Time  // of the present second
	count  int        // events in it
	call   *Call      // of the progress that is held back, or nil
	held   progress
	timer  *time.Timer // emits it; nil if there is none
	closed bool
}

// emitProgress implements [Call.EmitData].
func (j *job) emitProgress(c *Call, p progress) {
	if j.progress == nil {
		return
	}
	j.queueProgress(c, p)
	j.batch.events.flush()
}

func (j *job) queueProgress(c *Call, p progress) {
	l := j.progress
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	switch left := l.begun.Add(time.Second).Sub(now); {
	case l.closed:
	case left <= 0:
		l.dropHeld()
		l.begun, l.count = now, 1
		j.queueUnlessOver(p.event(c))
	case l.count < maxProgress:
		l.count++
		j.queueUnlessOver(p.event(c))
	default:
		l.call, l.held = c, p
		if l.timer == nil {
			l.timer = time.AfterFunc(left, func() { j.emitHeldProgress(false) })
		}
	}
}

func (p progress) event(c *Call) Event {
	return Event{Kind: EventProgress, Call: c, Text: p.text, Data: p.data}
}

// dropHeld forgets the progress that is held back. The caller holds mu.
func (l *progressLimit) dropHeld() {
	if l.timer != nil {
		l.timer.Stop()
	}
	l.call, l.held, l.timer = nil, progress{}, nil
}

// emitHeldProgress emits the progress that is held back, if there is one. After the last one
// of a call nothing is emitted any more.
func (j *job) emitHeldProgress(last bool) {
	if j.progress == nil {
		return
	}
	j.queueHeldProgress(last)
	j.batch.events.flush()
}

func (j *job) queueHeldProgress(last bool) {
	l := j.progress
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.call != nil {
		j.queueUnlessOver(l.held.event(l.call))
		l.begun, l.count = time.Now(), 1
	}
	l.dropHeld()
	l.closed = l.closed || last
}
