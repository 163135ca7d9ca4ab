package otel

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/logname"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A callSpan is the span of a call that has no outcome yet. Only [Tracing.Record] writes to it,
// one event of a batch at a time.
type callSpan struct {
	tracing *Tracing
	span    trace.Span
	tool    attribute.KeyValue // gen_ai.tool.name

	admitted, started time.Time
	asked             map[string]time.Time // when each question came up, by its id
}

func (t *Tracing) newCallSpan(ctx context.Context, c *pegboard.Call, begun time.Time) *callSpan {
	name := unknownTool
	if c.NamesTool() {
		name = logname.Of(c.ToolName())
	}
	s := &callSpan{tracing: t, admitted: begun, tool: attribute.String(attrToolName, name)}
	attrs := append([]attribute.KeyValue{attribute.String(attrOperation, operationExecuteTool), s.tool, attribute.String(attrToolType, toolTypeFunction)}, sessionAttributes(c.Session())...)
	if c.ID != "" {
		attrs = append(attrs, attribute.String(attrToolCallID, logname.Of(c.ID)))
	}
	if c.NamesTool() && c.Name != c.ToolName() {
		attrs = append(attrs, attribute.String(attrAlias, logname.Of(c.Name)))
	}
	if info, ok := infoOf(c); ok && info.Origin.External() {
		attrs = append(attrs, attribute.String(attrToolSource, logname.Of(info.Origin.Source)))
	}
	if t.contents {
		attrs = append(attrs, attribute.String(attrArguments, string(c.Input)))
	}
	options := []trace.SpanStartOption{trace.WithTimestamp(begun), trace.WithSpanKind(trace.SpanKindInternal), trace.WithAttributes(attrs...)}
	if c.Parent() == nil { // a call of a script is below its call anyway
		options = append(options, startLinks(ctx, c.Session())...)
	}
	_, s.span = t.tracer.Start(ctx, operationExecuteTool+" "+name, options...)
	return s
}

// infoOf returns the facts about the tool of a call.
func infoOf(c *pegboard.Call) (pegboard.Info, bool) {
	if c.Pool() == nil {
		return pegboard.Info{}, false
	}
	tool, ok := c.Pool().Lookup(c.Name)
	if !ok {
		return pegboard.Info{}, false
	}
	return tool.Info(), true
}

// record adds an event to the span and the metrics.
func (s *callSpan) record(ctx context.Context, e *pegboard.Event) {
	switch e.Kind {
	case pegboard.EventAdmitted:
		s.span.SetAttributes(attribute.String(attrBatch, logname.Of(e.TraceID)))
	case pegboard.EventAsked:
		if e.Question != nil {
			if s.asked == nil {
				s.asked = map[string]time.Time{}
			}
			s.asked[e.Question.ID] = e.Time
		}
	case pegboard.EventSettled:
		s.settled(ctx, e)
	case pegboard.EventDecided:
		s.decided(ctx, e)
	case pegboard.EventWaiting:
		var attrs []attribute.KeyValue
		if e.WaitsFor != nil {
			attrs = append(attrs, attribute.String(attrWaitsFor, logname.Of(e.WaitsFor.ID)))
		}
		s.event(e, eventWaiting, attrs...)
	case pegboard.EventStarted:
		s.started = e.Time
		s.event(e, eventStarted)
		s.tracing.metrics.time(ctx, s.tracing.metrics.queue, e.Time.Sub(s.admitted), s.tool)
	case pegboard.EventRepaired:
		s.span.SetAttributes(attribute.Bool(attrRepaired, true))
		s.event(e, eventRepaired)
	case pegboard.EventDetached:
		s.span.SetAttributes(attribute.Bool(attrDetached, true))
		s.event(e, eventDetached)
	case pegboard.EventRetried:
		s.event(e, eventRetried)
	case pegboard.EventExternal:
		s.event(e, eventAwaited)
	case pegboard.EventReleased:
		s.event(e, eventReleased)
	case pegboard.EventFinished:
		s.finished(ctx, e)
	}
}

// event adds an event to the span, with its text if contents are recorded.
func (s *callSpan) event(e *pegboard.Event, name string, attrs ...attribute.KeyValue) {
	if s.tracing.contents && e.Text != "" {
		attrs = append(attrs, attribute.String(attrText, e.Text))
	}
	s.span.AddEvent(name, trace.WithTimestamp(e.Time), trace.WithAttributes(attrs...))
}

// settled records how long a question was open.
func (s *callSpan) settled(ctx context.Context, e *pegboard.Event) {
	if e.Question == nil {
		return
	}
	asked, ok := s.asked[e.Question.ID]
	if !ok {
		return
	}
	delete(s.asked, e.Question.ID)
	open := max(e.Time.Sub(asked), 0)
	s.event(e, eventQuestion, attribute.Float64(attrDuration, open.Seconds()))
	s.tracing.metrics.time(ctx, s.tracing.metrics.question, open, s.tool)
}

// decided records a decision: as attributes of the span if it is the one before the tool
// runs, and as an event if the tool has asked for it.
func (s *callSpan) decided(ctx context.Context, e *pegboard.Event) {
	d := e.Decision
	if d == nil {
		return
	}
	behavior, by := attribute.String(attrBehavior, d.Behavior.String()), attribute.String(attrDecider, d.By.String())
	s.tracing.metrics.decisions.Add(ctx, 1, withAttributes(s.tool, behavior, by))
	attrs := append([]attribute.KeyValue{behavior, by}, s.targets(e.Targets)...)
	switch {
	case d.Rule != nil && s.tracing.contents:
		attrs = append(attrs, attribute.String(attrRule, d.Rule.String()), attribute.String(attrRuleSource, string(d.Rule.Source)))
	case d.Rule != nil:
		attrs = append(attrs, attribute.String(attrRule, d.Rule.Redacted()), attribute.String(attrRuleSource, string(d.Rule.Source)))
	}
	if s.tracing.contents && d.Reason != "" {
		attrs = append(attrs, attribute.String(attrReason, d.Reason))
	}
	if s.started.IsZero() {
		s.span.SetAttributes(attrs...)
		return
	}
	s.span.AddEvent(eventDecision, trace.WithTimestamp(e.Time), trace.WithAttributes(attrs...))
}

// targets returns the targets of a decision: their classes, each once, or their values.
func (s *callSpan) targets(list []policy.Target) []attribute.KeyValue {
	var texts []string
	for _, t := range list {
		text := t.Class()
		if s.tracing.contents {
			text += " " + t.Value
		}
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	if len(texts) == 0 {
		return nil
	}
	return []attribute.KeyValue{attribute.StringSlice(attrTargets, texts)}
}

// finished ends the span.
func (s *callSpan) finished(ctx context.Context, e *pegboard.Event) {
	o := e.Outcome
	if o == nil {
		s.span.End(trace.WithTimestamp(e.Time))
		return
	}
	attrs := []attribute.KeyValue{attribute.String(attrKind, e.Call.View().Kind.String())}
	if o.Attempts > 1 {
		attrs = append(attrs, attribute.Int(attrAttempts, o.Attempts))
	}
	if o.SameAs != nil {
		attrs = append(attrs, attribute.String(attrSameAs, logname.Of(o.SameAs.ID)))
	}
	if s.tracing.contents {
		attrs = append(attrs, attribute.String(attrResult, o.Result.Text()))
	}
	measured := []attribute.KeyValue{s.tool}
	if kind := errorType(o); kind != "" {
		measured = append(measured, attribute.String(attrErrorType, kind))
		attrs = append(attrs, measured[1])
		var failed *pegboard.CallError
		if errors.As(o.Err, &failed) {
			attrs = append(attrs, attribute.String(attrStage, string(failed.Stage)))
		}
		s.span.SetStatus(codes.Error, kind)
	}
	s.span.SetAttributes(attrs...)
	s.span.End(trace.WithTimestamp(e.Time))
	if !s.started.IsZero() {
		s.tracing.metrics.time(ctx, s.tracing.metrics.tool, e.Time.Sub(s.started), measured...)
	}
}

// errorTypes are the values of error.type, in the order in which they are looked for: an error
// may wrap several.
var errorTypes = []struct {
	err  error
	name string
}{
	{pegboard.ErrUnknownTool, "unknown_tool"},
	{pegboard.ErrInvalidInput, "invalid_input"},
	{pegboard.ErrNoApprover, "no_approver"},
	{pegboard.ErrExpired, "expired"},
	{pegboard.ErrDenied, "denied"},
	{pegboard.ErrClosed, "closed"},
	{pegboard.ErrTimeout, "timeout"},
	{pegboard.ErrDetached, "detached"},
	{pegboard.ErrBudget, "budget"},
	{pegboard.ErrCancelled, "cancelled"},
	{pegboard.ErrPanic, "panic"},
	{pegboard.ErrDuplicate, "duplicate"},
	{pegboard.ErrDeferred, "deferred"},
	{pegboard.ErrInvalidOutput, "invalid_output"},
	{pegboard.ErrTransient, "transient"},
	{pegboard.ErrToolFailed, "tool_failed"},
}

// errorType returns the kind of failure that an outcome is, or "". It says nothing of the
// input or the result.
func errorType(o *pegboard.Outcome) string {
	if o.Err == nil {
		if o.Result.IsError {
			return "tool_failed"
		}
		return ""
	}
	for _, t := range errorTypes {
		if errors.Is(o.Err, t.err) {
			return t.name
		}
	}
	return errorTypeOther
}
