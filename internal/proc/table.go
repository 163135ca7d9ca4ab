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

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// killWait is how long [Table.Close] waits for killed processes to be gone when
// its context has ended.
const killWait = time.Second

// A Table runs commands and knows those that live. The zero Table is ready and
// is safe for concurrent use. It must not be copied.
type Table struct {
	mu     sync.Mutex
	closed bool
	known  map[*Process]struct{} // until they have come to their end
}

// Start starts a command. The error says why that could not be done; everything
// later is in [Process.Exit]. After [Table.Close] it is ErrClosed.
//
// When ctx ends, the child's process group is asked to end and after
// Command.Grace killed. What is left of the group when the child has ended and
// its output is closed is killed too: a command can leave nothing behind, except
// a descendant that made a session or group of its own. Such a descendant cannot
// keep the command from its end for longer than Command.Drain.
func (t *Table) Start(ctx context.Context, c Command) (*Process, error) {
	p, err := t.add(c)
	if err != nil {
		return nil, err
	}
	started := make(chan error, 1)
	goroutine.Go(func() { t.live(ctx, p, started) })
	if err := <-started; err != nil {
		<-p.done
		return nil, err
	}
	return p, nil
}

// Run starts a command as Start does and waits for its end.
func (t *Table) Run(ctx context.Context, c Command) (Exit, error) {
	p, err := t.add(c)
	if err != nil {
		return Exit{}, err
	}
	started := make(chan error, 1)
	t.live(ctx, p, started) // not by Start: another goroutine would take time
	return p.exit, <-started
}

func (t *Table) live(ctx context.Context, p *Process, started chan<- error) {
	defer t.remove(p)
	p.live(ctx, started)
}

// Live returns how many commands have not come to their end.
func (t *Table) Live() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.known)
}

// Close refuses new commands, ends those that run as if their contexts had
// ended, and waits for them. When ctx ends first, Close kills the rest, waits
// for at most another second, and names in its error what still runs.
// It may be called more than once.
func (t *Table) Close(ctx context.Context) error {
	t.mu.Lock()
	t.closed = true
	left := slices.Collect(maps.Keys(t.known))
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
	slices.SortFunc(left, func(a, b *Process) int { return cmp.Compare(a.Pid(), b.Pid()) })
	names := make([]string, len(left))
	for i, p := range left {
		names[i] = p.String()
	}
	return fmt.Errorf("still running after being killed: %s: %w", strings.Join(names, ", "), context.Cause(ctx))
}

// add returns a process that the table knows before it exists.
func (t *Table) add(c Command) (*Process, error) {
	c, err := c.check()
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil, ErrClosed
	}
	if t.known == nil {
		t.known = map[*Process]struct{}{}
	}
	p := newProcess(c)
	t.known[p] = struct{}{}
	return p, nil
}

func (t *Table) remove(p *Process) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.known, p)
	close(p.done)
}

// await waits until all are gone or ctx ends, and returns those that are not gone.
func await(ctx context.Context, all []*Process) []*Process {
	for _, p := range all {
		select {
		case <-p.done:
		case <-ctx.Done():
		}
	}
	return slices.DeleteFunc(all, func(p *Process) bool {
		select {
		case <-p.done:
			return true
		default:
			return false
		}
	})
}
