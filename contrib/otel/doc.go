// Package otel turns the events of tool calls into spans and metrics of OpenTelemetry.
//
//	tracing, err := otel.New(otel.Options{Tracer: tracer, Meter: meter})
//	...
//	executor := pegboard.Executor{OnEvent: tracing.Record, Invoke: tracing.Invoke(nil)}
//	ctx, end := tracing.Batch(ctx, session) // around the calls of one message
//	outcomes := executor.Run(ctx, pool, calls...)
//	end()
//
// It is a module of its own, so that only programs that want it depend on OpenTelemetry. It
// needs the API of OpenTelemetry and no SDK: the program chooses the exporter of the spans.
//
// # Spans
//
// Each call is a span "execute_tool NAME" from its admission to its outcome, named and
// attributed as the conventions for generative AI say (Convention is the version that was
// read; their status is Development). Its parent is the span in the context of
// Executor.Run, Executor.Stream or Call.Run. With [Tracing.Invoke] the tool finds the span
// in its context: spans that it makes are children, calls of a script are below their call,
// agents that it starts below theirs, and MCP servers are told traceparent, tracestate and
// baggage in _meta.
//
// A span of an agent that another one started has a link to the call that started it, since
// an agent in the background outlives that call.
//
// Attributes and events of the span tell the stages of the call: the decider and its rule,
// the question with the time until it was answered, the call that held it back, failed
// attempts, a call that was detached. The status is an error if the model gets one, and
// error.type names its kind.
//
// # Metrics
//
// Histograms, in seconds: how long tools run (gen_ai.execute_tool.duration), how long calls
// wait before that (pegboard.call.queue.duration) and how long questions are open
// (pegboard.question.duration). A counter counts decisions by behavior and decider
// (pegboard.decisions).
//
// # What is not told
//
// Inputs, results, reasons and paths are left out unless Options.Contents is set. Without
// it a target is told as its class, such as "path:write", the pattern of a rule that an
// answer has made as "…", the name of a tool that does not exist as "unknown", and an id
// that is longer than 128 bytes or has odd characters as its digest.
package otel
