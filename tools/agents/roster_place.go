package agents

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard"
)

// takePlace takes a place among the agents that run at once. If all are taken it waits behind
// those that wait already, until ctx ends or closing is closed; if closing is nil it fails.
func (r *roster) takePlace(ctx context.Context, closing <-chan struct{}, limit int) error {
	r.mu.Lock()
	if r.running < limit { // then nothing waits
		r.running++
		r.mu.Unlock()
		return nil
	}
	if closing == nil {
		defer r.mu.Unlock()
		return fmt.Errorf("%w: %d, which is the most. Do not try again now: wait until one of them has reported. Running: %s", ErrTooMany, r.running, r.listRunning())
	}
	place := make(chan struct{})
	r.waiting = append(r.waiting, place)
	r.mu.Unlock()
	var cause error
	select {
	case <-place:
		return nil
	case <-ctx.Done():
		cause = context.Cause(ctx)
	case <-closing:
		cause = pegboard.ErrClosed
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.Index(r.waiting, place); i >= 0 {
		r.waiting = slices.Delete(r.waiting, i, i+1)
	} else { // it was handed over meanwhile
		r.freePlace()
	}
	return cause
}

// freePlace gives a place back: to the one that has waited longest, if any waits. The caller
// holds the lock.
func (r *roster) freePlace() {
	if len(r.waiting) == 0 {
		if r.running--; r.running == 0 && r.idle != nil {
			close(r.idle)
			r.idle = nil
		}
		return
	}
	close(r.waiting[0])
	r.waiting = r.waiting[1:]
}

// whenIdle returns a channel that is closed when no agent is running or about to.
func (r *roster) whenIdle() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.idle != nil {
		return r.idle
	}
	idle := make(chan struct{})
	if r.running == 0 {
		close(idle)
	} else {
		r.idle = idle
	}
	return idle
}

// returnPlace gives back a place that was not used.
func (r *roster) returnPlace() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.freePlace()
}
