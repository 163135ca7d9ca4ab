package tooltest

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// DefaultTimeout is how long a [Barrier] waits and how long a [Checker] gives a
// tool, if nothing else is said.
const DefaultTimeout = 5 * time.Second

// A Barrier holds calls back until N of them are there, which proves that they
// run at the same time: one after the other they would never meet. The first N
// go on together, then the next N, and so on.
//
// Share one Barrier between the replies that should meet. It may be used
// concurrently, and must not be changed or copied once it is in use.
type Barrier struct {
	N       int           // calls that meet; less than 2 holds nothing back
	Timeout time.Duration // 0 means DefaultTimeout

	mu      sync.Mutex
	waiting int
	open    chan struct{} // of the present group, closed when it is complete
}

// Wait returns nil once N callers are in it. It returns an error that says how
// many came if they are not complete in time, and the context's cause if ctx
// ends first.
func (b *Barrier) Wait(ctx context.Context) error {
	open := b.arrive()
	limit := b.Timeout
	if limit <= 0 {
		limit = DefaultTimeout
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-open:
		return nil
	case <-ctx.Done():
		return b.leave(open, fmt.Errorf("barrier of %d calls: %w", b.N, context.Cause(ctx)))
	case <-timer.C:
		return b.leave(open, nil)
	}
}

// arrive joins the present group and completes it with the last caller.
func (b *Barrier) arrive() (open <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open == nil {
		b.open = make(chan struct{})
	}
	b.waiting++
	group := b.open
	if b.waiting >= b.N {
		close(group)
		b.open, b.waiting = nil, 0
	}
	return group
}

// leave takes a caller out of its group, unless that was completed just now. A
// nil cause stands for the timeout.
func (b *Barrier) leave(open <-chan struct{}, cause error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-open:
		return nil
	default:
	}
	if cause == nil {
		cause = fmt.Errorf("barrier of %d calls: only %d ran at the same time", b.N, b.waiting)
	}
	b.waiting--
	return cause
}
