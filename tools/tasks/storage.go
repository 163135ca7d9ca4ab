package tasks

import (
	"context"

	"github.com/seed49eaa51d/pegboard/internal/lock"
)

// A storage keeps the graph of a list.
type storage interface {
	// read returns the graph, which the caller must not write to.
	read(ctx context.Context) (*graph, error)
	// change calls do with a copy of the graph, and keeps the copy if do returns true. No other
	// change comes in between. It may call do several times.
	change(ctx context.Context, do func(g *graph) (keep bool, err error)) error
}

// memory keeps a graph in memory.
type memory struct {
	mu    lock.Mutex // guards graph
	graph *graph
}

func (m *memory) read(ctx context.Context) (*graph, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.graph, context.Cause(ctx)
}

// change tries again if another change was faster, so that do runs without a lock.
func (m *memory) change(ctx context.Context, do func(g *graph) (keep bool, err error)) error {
	for {
		old, err := m.read(ctx)
		if err != nil {
			return err
		}
		next := old.clone()
		if keep, err := do(next); err != nil || !keep {
			return err
		}
		if _, err := next.encode(); err != nil { // it has too many bytes
			return err
		}
		m.mu.Lock()
		kept := m.graph == old
		if kept {
			m.graph = next
		}
		m.mu.Unlock()
		if kept {
			return nil
		}
	}
}
