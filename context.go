package pegboard

import (
	"context"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/lifetime"
)

// callContexts are the contexts of the calls of a batch, or of one call that was handed in by
// itself.
type callContexts struct {
	host        hostContext        // the caller's context with the session
	uncancelled uncancelledContext // host, without cancellation
	ctx         lifetime.Context   // under host; also cancelled with the batch
	grace       time.Duration
}

// init prepares zero contexts under that of the caller.
func (c *callContexts) init(ctx context.Context, e *Executor, s *Session) {
	if c.grace = e.Grace; c.grace <= 0 {
		c.grace = DefaultGrace
	}
	c.host = hostContext{Context: ctx, session: s}
	c.uncancelled.hostContext = &c.host
	c.ctx.Init(&c.host)
}

// outerJob returns the job of the call whose tool has made these contexts' calls with its own
// context, such as that of an agent, or nil.
func (c *callContexts) outerJob() *job {
	j, _ := c.host.Value(outerJobKey{}).(*job)
	return j
}

// afterContext returns the context for hooks after a call. If the calls were interrupted, they
// have the grace period.
func (c *callContexts) afterContext() (context.Context, context.CancelFunc) {
	if c.ctx.Err() == nil {
		return &c.ctx, func() {}
	}
	return context.WithTimeout(&c.uncancelled, c.grace)
}

// await waits for a foreign func on a goroutine of its own, whose channel it is given. If the
// calls were stopped, the func has the grace period.
func (c *callContexts) await(what string, ended <-chan error) error {
	return c.awaitFor(1, what, ended)
}

// awaitFor is await with so many grace periods.
func (c *callContexts) awaitFor(graces int, what string, ended <-chan error) error {
	select {
	case err := <-ended:
		return err
	case <-c.ctx.Done():
	}
	timer := time.NewTimer(time.Duration(graces) * c.grace)
	defer timer.Stop()
	select {
	case err := <-ended:
		return err
	case <-timer.C:
		return &notReturnedError{what}
	}
}

// A notReturnedError says that a func of the host has not returned, so that its results must not be
// read.
type notReturnedError struct{ what string }

func (e *notReturnedError) Error() string {
	return e.what + " has not returned, though the calls were stopped"
}

// hostContext is the context that Run, Stream or Gather was given, with the session as a value.
type hostContext struct {
	context.Context //nolint:containedctx // it is one
	session         *Session
	recorded        string // name of the turn in the record of a session that suspends
}

// turn returns the name of the message, or "".
func (c *hostContext) turn() string {
	if c.recorded != "" {
		return c.recorded
	}
	name, _ := c.Context.Value(turnKey{}).(string)
	return name
}

// Value returns the session for the key of [SessionFrom]. It hides the message of
// [WithMessage] and the name of [WithTurn]: an agent that a tool runs has messages of its own.
func (c *hostContext) Value(key any) any {
	switch key {
	case sessionKey{}:
		return c.session
	case messageKey{}, turnKey{}:
		return nil
	}
	return c.Context.Value(key)
}

// uncancelledContext has the values of a hostContext and never ends, as
// [context.WithoutCancel], but without an allocation.
type uncancelledContext struct{ *hostContext }

func (*uncancelledContext) Deadline() (at time.Time, ok bool) { return time.Time{}, false }
func (*uncancelledContext) Done() <-chan struct{}             { return nil }
func (*uncancelledContext) Err() error                        { return nil }

// outerJobKey is the key of the job whose tool a context was given to.
type outerJobKey struct{}
