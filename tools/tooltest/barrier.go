package tooltest

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// DefaultTimeout is how long a [Barrier] waits, and how long a [Checker] and its like give what
// they check, if they do not say: far more than anything takes on a busy machine.
const DefaultTimeout = time.Minute

// A Barrier blocks calls until N of them have arrived. That proves that they run at
// the same time: calls that run one after the other would time out. The first N calls
// continue together, then the next N, and so on.
//
// Share one Barrier between the replies of the calls. It may be used concurrently,
// and must not be changed or copied after its first use.
type Barrier struct {
	N       int           // calls in a group; less than 2 blocks nothing
	Timeout time.Duration // 0 means DefaultTimeout

	mu      sync.Mutex
	waiting int
	open    chan struct{} // of the present group; closed when the group is complete
}

// Wait returns nil when N callers are waiting. If they do not arrive in time, it
// returns an error with the number of callers; if ctx ends first, an error with the
// context's cause.
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

// arrive adds a caller to the present group. The last caller completes the group.
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

// leave removes a caller from its group, unless the group was completed meanwhile. A
// nil cause means the timeout.
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
