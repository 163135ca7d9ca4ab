package otel_test

import (
	"context"
	"encoding/json"
	"fmt"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/otel"
)

var greet = pegboard.Build(pegboard.Definition[struct {
	Name string `json:"name"`
}, string]{
	Info: pegboard.Info{Name: "Greet"}, Description: "Greets.", Traits: pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
	Call: func(context.Context, struct {
		Name string `json:"name"`
	}, *pegboard.Call) (string, error) {
		return "hello", nil
	},
})

// run runs one call with an executor, in a session that closes.
func run(ctx context.Context, executor *pegboard.Executor, around func(context.Context, *pegboard.Session) (context.Context, func())) {
	session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: "/"})
	if err != nil {
		panic(err)
	}
	defer session.Close(ctx)
	var registry pegboard.Registry
	if err := registry.Add(greet); err != nil {
		panic(err)
	}
	ctx, end := around(ctx, session)
	defer end()
	executor.Run(ctx, registry.AssemblePool(session, pegboard.PoolConfig{}), pegboard.Call{ID: "1", Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)})
}

// plain is for hosts that make no span of their own around the calls of a message.
func plain(ctx context.Context, _ *pegboard.Session) (context.Context, func()) { return ctx, func() {} }

// A program exports its spans with a processor of the SDK. This one prints their names.
func ExampleNew() {
	recorder := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder))
	tracing, err := otel.New(otel.Options{Tracer: provider.Tracer("host")})
	if err != nil {
		panic(err)
	}
	run(context.Background(), &pegboard.Executor{OnEvent: tracing.Record, Invoke: tracing.Invoke(nil)}, tracing.Batch)
	for _, s := range recorder.Ended() {
		fmt.Println(s.Name())
	}
	// Output:
	// execute_tool Greet
	// tool_calls
}

// A host that needs no spans below those of calls sets a listener and nothing else.
func ExampleEvents() {
	recorder := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder))
	run(context.Background(), &pegboard.Executor{OnEvent: otel.Events(provider.Tracer("host"), nil)}, plain)
	fmt.Println(len(recorder.Ended()), "span")
	// Output: 1 span
}

// Record stands beside what a host does with events itself.
func ExampleTracing_Record() {
	recorder := tracetest.NewSpanRecorder()
	tracing, err := otel.New(otel.Options{Tracer: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)).Tracer("host")})
	if err != nil {
		panic(err)
	}
	run(context.Background(), &pegboard.Executor{OnEvent: func(e pegboard.Event) {
		tracing.Record(e)
		if e.Kind == pegboard.EventFinished {
			fmt.Println(e.Call.View().Before)
		}
	}}, plain)
	fmt.Println(recorder.Ended()[0].Name())
	// Output:
	// Greet
	// execute_tool Greet
}

// Invoke goes around an Invoke of the host, here one that logs.
func ExampleTracing_Invoke() {
	recorder := tracetest.NewSpanRecorder()
	tracing, err := otel.New(otel.Options{Tracer: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)).Tracer("host")})
	if err != nil {
		panic(err)
	}
	logged := func(ctx context.Context, t pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
		fmt.Println("runs", c.Name)
		return t.Call(ctx, c)
	}
	run(context.Background(), &pegboard.Executor{OnEvent: tracing.Record, Invoke: tracing.Invoke(logged)}, plain)
	// Output: runs Greet
}

// Batch makes one span around the calls of a message.
func ExampleTracing_Batch() {
	recorder := tracetest.NewSpanRecorder()
	tracing, err := otel.New(otel.Options{Tracer: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)).Tracer("host")})
	if err != nil {
		panic(err)
	}
	run(context.Background(), &pegboard.Executor{OnEvent: tracing.Record}, tracing.Batch)
	call, batch := recorder.Ended()[0], recorder.Ended()[1]
	fmt.Println(call.Parent().SpanID() == batch.SpanContext().SpanID())
	// Output: true
}
