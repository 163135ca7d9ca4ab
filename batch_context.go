package pegboard

import (
	"context"
	"time"
)

// hostContext is the context that a batch was given, with the session as a value.
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
