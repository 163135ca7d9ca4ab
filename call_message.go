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
