package workflow

import (
	"context"
	"sync"
	"time"
)

// A census counts the goroutines of a run.
type census struct {
	mu    sync.Mutex
	count int
	none  chan struct{} // closed while count is 0
}

func newCensus() *census {
	c := &census{none: make(chan struct{})}
	close(c.none)
	return c
}

func (c *census) add() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.count++; c.count == 1 {
		c.none = make(chan struct{})
	}
}

func (c *census) remove() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.count--; c.count == 0 {
		close(c.none)
	}
}

func (c *census) empty() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.none
}

// wait waits until no goroutine is left, or until the limit.
func (c *census) wait(limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return c.waitUntil(ctx)
}

// waitUntil waits until no goroutine is left, or until ctx ends.
func (c *census) waitUntil(ctx context.Context) bool {
	select {
	case <-c.empty():
		return true
	case <-ctx.Done():
		return false
	}
}
