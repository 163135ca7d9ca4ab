package pegboard

import "context"

type messageKey struct{}

// WithMessage returns a context for [Executor.Run] and [Executor.Stream] that carries the
// model's message, whose calls they run. Tools get it from [Call.Message]. The message is
// whatever the host has: package wire's, or that of an SDK. Tools must not change it.
func WithMessage(ctx context.Context, message any) context.Context {
	return context.WithValue(ctx, messageKey{}, message)
}

// Message returns the message that c belongs to, or for a call that another call makes the
// message of that one. It is nil if the host gave none, see [WithMessage], and for a Call
// that no Executor admitted or that [Pool.Rebuild] has made.
func (c *Call) Message() any {
	if c.state == nil || c.state.host == nil {
		return nil
	}
	if m := c.state.host.Context.Value(messageKey{}); m != nil {
		return m
	}
	if c.state.parent == nil {
		return nil
	}
	return c.state.parent.Message()
}

type turnKey struct{}

// WithTurn returns a context for [Executor.Run] and [Executor.Stream] that names the message
// whose calls they run, in a session that suspends calls. The name is unique in the session,
// such as the id under which the host keeps the message. If the program is killed while the
// calls run, the same calls under the same name go on in another process: those that have
// finished keep their outcome, see [Journal]. Without a name, later processes
// know only the content of a [Suspension].
func WithTurn(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, turnKey{}, name)
}

// Turn returns the name of the message that c belongs to: that of [WithTurn], or in a session
// that suspends the one that was made in its place. It is "" if the message has no name, and
// for a call inside another one.
func (c *Call) Turn() string {
	if c.state == nil || c.state.host == nil || c.state.parent != nil {
		return ""
	}
	return c.state.host.turn()
}
