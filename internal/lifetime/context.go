package lifetime

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/lock"
)

// A Context behaves as the result of [context.WithCancelCause], with Cancel as a method.
// Most calls end before anything waits for their context, so a Context allocates the
// standard library's context only when it is needed: by Done, by deriving another
// context, or by Err and Value after the end. Until then it costs a pointer and two
// words.
//
// The parent's cause is read when the cause is asked for, and no earlier.
//
// Call Init before anything else. A Context must not be copied. All methods may be
// called concurrently.
type Context struct {
	parent context.Context //nolint:containedctx // it is a context

	mu    lock.Mutex // held to change the fields below
	ended atomic.Bool
	cause error
	made  atomic.Pointer[stdContext]
}

// stdContext is the standard library's context that a Context behaves as.
type stdContext struct {
	context.Context //nolint:containedctx // it is a context
	cancel          context.CancelCauseFunc
}

// Init makes c a child of parent and returns it. It is called once.
func (c *Context) Init(parent context.Context) context.Context {
	c.parent = parent
	return c
}

// Cancel cancels c. Only the first end has an effect, whether it is this one or the
// parent's. A nil cause means [context.Canceled].
func (c *Context) Cancel(cause error) {
	c.mu.Lock()
	if !c.ended.Load() {
		if c.made.Load() == nil && c.parent.Err() != nil { // the parent ended first
			c.build()
		}
		c.cause = cause
		c.ended.Store(true)
	}
	std, cause := c.made.Load(), c.cause
	c.mu.Unlock()
	if std != nil {
		std.cancel(cause)
	}
}

// Deadline returns the parent's deadline.
func (c *Context) Deadline() (at time.Time, ok bool) { return c.parent.Deadline() }

// Done returns a channel that is closed when c ends.
func (c *Context) Done() <-chan struct{} { return c.std().Done() }

// Err returns nil, [context.Canceled] or [context.DeadlineExceeded].
func (c *Context) Err() error {
	if std := c.made.Load(); std != nil {
		return std.Err()
	}
	if c.ended.Load() {
		return context.Canceled
	}
	if c.parent.Err() == nil {
		return nil
	}
	return c.std().Err() // fixes the cause: a later Cancel has no effect
}

// Value returns the parent's value for key.
func (c *Context) Value(key any) any {
	if c.ended.Load() { // the caller may be context.Cause, which needs the standard context
		return c.std().Value(key)
	}
	if std := c.made.Load(); std != nil {
		return std.Value(key)
	}
	return c.parent.Value(key)
}

// String is for printing a context. It reads no field, so it cannot race.
func (c *Context) String() string { return "lifetime.Context" }

// std returns the standard context, and makes it if necessary.
func (c *Context) std() *stdContext {
	if std := c.made.Load(); std != nil {
		return std
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if std := c.made.Load(); std != nil {
		return std
	}
	return c.build()
}

// build makes the standard context. The caller holds mu. If c was cancelled before its
// parent ended, the parent's end must not replace the cause.
func (c *Context) build() *stdContext {
	parent := c.parent
	if c.ended.Load() {
		parent = context.WithoutCancel(parent)
	}
	std := new(stdContext)
	std.Context, std.cancel = context.WithCancelCause(parent)
	if c.ended.Load() {
		std.cancel(c.cause)
	}
	c.made.Store(std)
	return std
}
