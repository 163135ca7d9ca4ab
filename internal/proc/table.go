package proc

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// killWait is how long [Table.Close] waits for killed processes to be gone when
// its context has ended.
const killWait = time.Second

// A Table runs commands and knows those that live. The zero Table is ready and
// is safe for concurrent use. It must not be copied.
type Table struct {
	mu     sync.Mutex
	closed bool
	live   map[*process]struct{}
}

// Run runs a command to its end. The error says why it could not be started;
// everything later is in Exit. After [Table.Close] it is ErrClosed.
//
// When ctx ends, the child's process group is asked to end and after
// Command.Grace killed. What is left of the group when Run returns is killed
// too: a command can leave nothing behind in the background, except a
// descendant that made a session or group of its own. Such a descendant
// cannot hold up Run for longer than Command.Drain.
func (t *Table) Run(ctx context.Context, c Command) (Exit, error) {
	c, err := c.check()
	if err != nil {
		return Exit{}, err
	}
	p := newProcess(c)
	if err := t.add(p); err != nil {
		return Exit{}, err
	}
	defer t.remove(p)
	return p.run(ctx)
}

// Live returns how many calls of Run have not returned.
func (t *Table) Live() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.live)
}

// Close refuses new commands, ends those that run as if their contexts had
// ended, and waits for them. When ctx ends first, Close kills the rest, waits
// for at most another second, and names in its error what still runs.
// It may be called more than once.
func (t *Table) Close(ctx context.Context) error {
	t.mu.Lock()
	t.closed = true
	left := slices.Collect(maps.Keys(t.live))
	t.mu.Unlock()

	for _, p := range left {
		p.end(ErrClosed)
	}
	if left = await(ctx, left); len(left) == 0 {
		return nil
	}
	for _, p := range left {
		p.abandon()
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), killWait)
	defer cancel()
	if left = await(last, left); len(left) == 0 {
		return nil
	}
	slices.SortFunc(left, func(a, b *process) int { return cmp.Compare(a.pid(), b.pid()) })
	names := make([]string, len(left))
	for i, p := range left {
		names[i] = p.String()
	}
	return fmt.Errorf("still running after being killed: %s: %w", strings.Join(names, ", "), context.Cause(ctx))
}

func (t *Table) add(p *process) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return ErrClosed
	}
	if t.live == nil {
		t.live = map[*process]struct{}{}
	}
	t.live[p] = struct{}{}
	return nil
}

func (t *Table) remove(p *process) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.live, p)
	close(p.gone)
}

// await waits until all are gone or ctx ends, and returns those that are not gone.
func await(ctx context.Context, all []*process) []*process {
	for _, p := range all {
		select {
		case <-p.gone:
		case <-ctx.Done():
		}
	}
	return slices.DeleteFunc(all, func(p *process) bool {
		select {
		case <-p.gone:
			return true
		default:
			return false
		}
	})
}
