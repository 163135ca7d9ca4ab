package pegboard

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/lock"
)

// runningBatches are the batches of calls that run in a session. The zero value is
// open and empty.
type runningBatches struct {
	mu     lock.Mutex
	list   []*runningBatch // in no order
	closed bool
}

// A runningBatch is a batch's entry in runningBatches.
type runningBatch struct {
	batch interface {
		stop(cause error)
		closeWithSession() // returns at once
	}
	ended chan struct{} // made by close, closed by unregister
	index int           // in the list; -1 if the session was closed before
}

// register adds a batch, so that close can stop it and wait for it. It returns false if
// the session is closed.
func (r *runningBatches) register(b *runningBatch) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		b.index = -1
		return false
	}
	b.index = len(r.list)
	r.list = append(r.list, b)
	return true
}

// unregister removes a batch that has ended.
func (r *runningBatches) unregister(b *runningBatch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if b.index >= 0 {
		last := r.list[len(r.list)-1]
		r.list[b.index], last.index = last, b.index
		r.list[len(r.list)-1] = nil
		r.list = r.list[:len(r.list)-1]
	}
	if b.ended != nil {
		close(b.ended)
	}
}

// close refuses further batches and stops the running ones. The caller waits for those
// it returns.
func (r *runningBatches) close() []*runningBatch {
	r.mu.Lock()
	r.closed = true
	running := slices.Clone(r.list)
	for _, b := range running {
		if b.ended == nil {
			b.ended = make(chan struct{})
		}
	}
	r.mu.Unlock()
	for _, b := range running {
		b.batch.stop(ErrClosed)
		b.batch.closeWithSession()
	}
	return running
}

// interrupt stops the running batches.
func (r *runningBatches) interrupt(cause error) {
	r.mu.Lock()
	running := slices.Clone(r.list)
	r.mu.Unlock()
	for _, b := range running {
		b.batch.stop(cause)
	}
}

// wait waits until the batch has ended. It returns an error if ctx ends first.
func (b *runningBatch) wait(ctx context.Context) error {
	select {
	case <-b.ended:
		return nil
	case <-ctx.Done():
		select { // both may have happened
		case <-b.ended:
			return nil
		default:
		}
		return fmt.Errorf("calls still running: %w", context.Cause(ctx))
	}
}
