// Package tracecontext carries the context of a trace through calls, as version 2026-07-28 of
// MCP does in the _meta of a request: package tools/mcp sends it to servers, and package
// serve takes it from clients. The values are those of W3C Trace Context and Baggage; nothing
// here reads them.
package tracecontext

import "context"

// A Context is the context of a trace. The zero value is no trace.
type Context struct {
	Parent  string // traceparent
	State   string // tracestate
	Baggage string // baggage
}

// Meta returns the members of _meta, without the empty ones.
func (c Context) Meta() map[string]any {
	meta := map[string]any{}
	for name, value := range map[string]string{"traceparent": c.Parent, "tracestate": c.State, "baggage": c.Baggage} {
		if value != "" {
			meta[name] = value
		}
	}
	return meta
}

// Of returns the context in the _meta of a request. It ignores values that are no strings.
func Of(meta map[string]any) (c Context) {
	c.Parent, _ = meta["traceparent"].(string)
	c.State, _ = meta["tracestate"].(string)
	c.Baggage, _ = meta["baggage"].(string)
	return c
}

type key struct{}

// With returns a context that carries c.
func With(ctx context.Context, c Context) context.Context { return context.WithValue(ctx, key{}, c) }

// From returns the trace context that ctx carries, or the zero value.
func From(ctx context.Context) Context {
	c, _ := ctx.Value(key{}).(Context)
	return c
}
