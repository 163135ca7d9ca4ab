package pegboard

import (
	"slices"
	"sync/atomic"
)

// A questionOrder is the state of a call that the questions of later calls wait for.
// Questions enter the line in the order of the message. A question is held back while an
// earlier call may still ask: its hooks, its tool or an approver decide. An earlier call
// that waits for other calls, or for the end of the message, holds back no question,
// since that may take as long as those run.
type questionOrder struct {
	decided   atomic.Bool // the call has asked, was decided, or has ended
	inMessage atomic.Bool // the call waits for the message, or was just woken by its end
	forSame   atomic.Bool // the call waits for the outcome of the same call before it

	watched atomic.Bool   // changed is not nil
	changed chan struct{} // closed when a field above changes, or the call begins to wait; guarded by batch.mu
}

// endDeciding says that the call no longer holds back questions.
func (j *job) endDeciding() {
	j.order.decided.Store(true)
	j.notifyHeld()
}

// mayAskSoon reports whether the call holds back the questions of later calls.
func (j *job) mayAskSoon() bool {
	if j.order.decided.Load() || j.order.forSame.Load() || j.schedule.ticket.Waits() {
		return false
	}
	if j.order.inMessage.Load() {
		select {
		case <-j.batch.message:
		default:
			return false
		}
	}
	return true
}

// holdQuestion returns nil if the question about the call may enter the line, or a
// channel that is closed when it should be called again. Of many calls each waits for the
// one before it, so that an end wakes one of them.
func (j *job) holdQuestion() <-chan struct{} {
	b := j.batch
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, earlier := range slices.Backward(b.jobs[:j.place]) {
		o := &earlier.order
		if o.decided.Load() {
			continue
		}
		changed := o.watch() // before the check, so that no change after it is missed
		if earlier.mayAskSoon() {
			return changed
		}
	}
	return nil
}

// watch returns the channel that is closed at the next change. The caller holds batch.mu.
func (o *questionOrder) watch() <-chan struct{} {
	if o.changed == nil {
		o.changed = make(chan struct{})
		o.watched.Store(true)
	}
	return o.changed
}

// notifyHeld has the questions and calls that the call holds back looked at again. Without
// any it costs one atomic load.
func (j *job) notifyHeld() {
	if !j.order.watched.Load() {
		return
	}
	j.batch.mu.Lock()
	defer j.batch.mu.Unlock()
	if j.order.changed != nil {
		close(j.order.changed)
		j.order.changed = nil
		j.order.watched.Store(false)
	}
}
