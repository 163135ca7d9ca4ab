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

// killWait is how long [Table.Close] waits for the end of killed processes after its
// context has ended.
const killWait = time.Second

// A Table starts commands and tracks the running ones. The zero Table is ready. Its
// methods may be called from any goroutine. It must not be copied.
type Table struct {
	mu     sync.Mutex
	closed bool
	live   map[*Process]struct{} // processes that have not come to their end
}

// Start starts a command. It returns an error if the command could not be started; later
// errors are in [Process.Exit]. After [Table.Close] it returns ErrClosed.
//
// When ctx ends, the child's process group is asked to end, and killed after
// Command.Grace. When the child has ended and its output is closed, the rest of the group
// is killed too: a command leaves no process behind, except a descendant that made a
// session or group of its own. Such a descendant cannot delay the end of the command for
// longer than Command.Drain.
func (t *Table) Start(ctx context.Context, c Command) (*Process, error) {
	p, err := t.add(c)
	if err != nil {
		return nil, err
	}
	started := make(chan error, 1)
	goroutine.Go(func() {
		defer t.remove(p)
		p.run(ctx, started)
	})
	if err := <-started; err != nil {
		<-p.done
		return nil, err
	}
	return p, nil
}

// Close refuses new commands, ends the running ones as if their contexts had ended, and
// waits for them. If ctx ends first, Close kills the rest, waits for at most another
// second, and returns an error that names the processes that still run. It may be called
// more than once.
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
		p.killAndClose()
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

// add creates a process and tracks it before its child exists, so that Close finds it.
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
	if t.live == nil {
		t.live = map[*Process]struct{}{}
	}
	p := newProcess(c)
	t.live[p] = struct{}{}
	return p, nil
}

func (t *Table) remove(p *Process) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.live, p)
	close(p.done)
}

// await waits until all processes have ended or ctx ends, and returns those that have not
// ended.
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
