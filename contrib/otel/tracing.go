package otel

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/logname"
	"github.com/seed49eaa51d/pegboard/tools/mcp/tracecontext"
)

// Options name the tracer, the meter and the contents of spans. The zero value records
// nothing.
type Options struct {
	Tracer trace.Tracer // nil: no spans
	Meter  metric.Meter // nil: no metrics
	// Contents adds inputs, results, reasons and the values of targets to the spans. They may
	// hold secrets and words of the user.
	Contents bool
}

// Tracing records calls. Its methods may be called concurrently, also for several executors.
type Tracing struct {
	tracer   trace.Tracer
	metrics  *metrics
	contents bool

	mu    sync.Mutex
	calls map[any]*callSpan // of calls without an outcome, by Call.Identity
}

// New returns a Tracing. The error is that of the meter.
func New(o Options) (*Tracing, error) {
	if o.Tracer == nil {
		o.Tracer = noop.Tracer{}
	}
	m, err := newMetrics(o.Meter)
	if err != nil {
		return nil, err
	}
	return &Tracing{tracer: o.Tracer, metrics: m, contents: o.Contents, calls: map[any]*callSpan{}}, nil
}

// Events returns a function for [pegboard.Executor].OnEvent that records without contents. It
// is [Tracing.Record] of a Tracing of its own: spans that tools make are not below those of
// their calls, for which [Tracing.Invoke] is needed. An error of the meter goes to the error
// handler of OpenTelemetry; there are no metrics then.
func Events(tracer trace.Tracer, meter metric.Meter) func(pegboard.Event) {
	t, err := New(Options{Tracer: tracer, Meter: meter})
	if err != nil {
		otel.Handle(err)
		t, _ = New(Options{Tracer: tracer}) // no meter, no error
	}
	return t.Record
}

// Record records an event. It is for [pegboard.Executor].OnEvent, by itself or called by
// the listener of the host.
func (t *Tracing) Record(e pegboard.Event) {
	if e.Call == nil || e.Call.Identity() == nil {
		return // of no executor
	}
	ctx := e.Context
	if ctx == nil {
		ctx = context.Background()
	}
	s := t.spanOf(ctx, e.Call, e.Time)
	s.record(ctx, &e)
	if e.Kind == pegboard.EventFinished {
		t.mu.Lock()
		delete(t.calls, e.Call.Identity())
		t.mu.Unlock()
	}
}

// Invoke returns an Invoke for an executor whose events are recorded by t. It puts the span of
// the call into the context of the tool, also as a [tracecontext.Context] for MCP servers, and
// calls next; nil means the tool's Call in this process.
func (t *Tracing) Invoke(next pegboard.Invoke) pegboard.Invoke {
	if next == nil {
		next = func(ctx context.Context, tool pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
			return tool.Call(ctx, c)
		}
	}
	return func(ctx context.Context, tool pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
		if c.Identity() != nil {
			ctx = propagated(trace.ContextWithSpan(ctx, t.spanOf(ctx, c, time.Now()).span))
		}
		return next(ctx, tool, c)
	}
}

// propagated returns ctx with the context of its span and its baggage for MCP servers.
func propagated(ctx context.Context) context.Context {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return ctx // a value of tracecontext.With that the host has set stays
	}
	carrier := propagation.MapCarrier{}
	propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{}).Inject(ctx, carrier)
	return tracecontext.With(ctx, tracecontext.Context{Parent: carrier["traceparent"], State: carrier["tracestate"], Baggage: carrier["baggage"]})
}

// batchKey is the key of the span of [Tracing.Batch] in a context.
type batchKey struct{}

// Batch begins a span around the calls of one message of the session's agent, and returns a
// context with it for Executor.Run or Executor.Stream. Call end when their outcomes are there.
// Without it the spans of calls are children of the span in ctx itself.
func (t *Tracing) Batch(ctx context.Context, s *pegboard.Session) (batch context.Context, end func()) {
	options := []trace.SpanStartOption{trace.WithAttributes(sessionAttributes(s)...)}
	options = append(options, startLinks(ctx, s)...)
	batch, span := t.tracer.Start(ctx, spanBatch, options...)
	return context.WithValue(batch, batchKey{}, span.SpanContext().SpanID()), func() { span.End() }
}

// spanOf returns the span of a call, and starts it the first time. The tool may be called
// before the listener gets the event that the call was admitted.
func (t *Tracing) spanOf(ctx context.Context, c *pegboard.Call, begun time.Time) *callSpan {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.calls[c.Identity()]
	if s == nil {
		s = t.newCallSpan(ctx, c, begun)
		t.calls[c.Identity()] = s
	}
	return s
}

// sessionAttributes say for whom calls are made.
func sessionAttributes(s *pegboard.Session) []attribute.KeyValue {
	if s == nil {
		return nil
	}
	var attrs []attribute.KeyValue
	add := func(key, value string) {
		if value != "" {
			attrs = append(attrs, attribute.String(key, logname.Of(value)))
		}
	}
	model, _ := pegboard.KeyModel.Get(s)
	add(attrConversationID, s.ID())
	add(attrAgentID, s.AgentID())
	add(attrAgentName, s.AgentType())
	add(attrModel, model)
	return attrs
}

// startLinks returns the link of a span of an agent to the call that has started the agent,
// whose span is in ctx, unless the batch that the span is in has it.
func startLinks(ctx context.Context, s *pegboard.Session) []trace.SpanStartOption {
	starter := trace.SpanContextFromContext(ctx)
	if s == nil || s.AgentID() == "" || !starter.IsValid() || ctx.Value(batchKey{}) == starter.SpanID() {
		return nil
	}
	return []trace.SpanStartOption{trace.WithLinks(trace.Link{SpanContext: starter, Attributes: []attribute.KeyValue{attribute.String(attrLink, linkStartedBy)}})}
}
