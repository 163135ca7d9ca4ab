package cookbook_test

import (
	"context"
	"fmt"
	"log"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard"
)

type traceKey struct{} // of the trace's id in the context of a turn

// A tracer makes a span of each call. Several batches may report to it at once.
type tracer struct {
	mu      sync.Mutex
	started map[any]time.Time // by the identity of the call, since ids come again
	end     func(span string, took, ran time.Duration)
}

func (t *tracer) event(e pegboard.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	call := e.Call.Identity()
	switch e.Kind {
	case pegboard.EventStarted: // the tool is called
		t.started[call] = e.Time
	case pegboard.EventFinished:
		var ran time.Duration
		if began, ok := t.started[call]; ok {
			ran = e.Time.Sub(began)
		}
		delete(t.started, call)
		t.end(e.TraceID+" "+e.Call.Name+": "+e.Outcome.View().After, e.Outcome.Elapsed, ran) // from admission to end
	}
}

func Example_tracing() {
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close(context.Background())
	var registry pegboard.Registry
	if err := registry.Add(countWords); err != nil {
		log.Fatal(err)
	}
	spans := &tracer{started: map[any]time.Time{}, end: func(span string, _, _ time.Duration) {
		fmt.Println(span) // a real one sends it, with its times
	}}
	executor := pegboard.Executor{
		TraceID: func(ctx context.Context) string { id, _ := ctx.Value(traceKey{}).(string); return id },
		OnEvent: spans.event,
	}
	ctx := context.WithValue(context.Background(), traceKey{}, "trace-7")
	pool := registry.AssemblePool(session, pegboard.PoolConfig{})
	executor.Run(ctx, pool, pegboard.Call{ID: "1", Name: "CountWords", Input: []byte(`{"text": "to be"}`)})
	executor.Run(ctx, pool, pegboard.Call{ID: "2", Name: "CountWords", Input: []byte(`{"txt": "to be"}`)})
	// Output:
	// trace-7 CountWords: 2 words
	// trace-7 CountWords: Wrong input: missing required property "text" (string) ⏎ unknown property "txt"; did you mean "text"?
}
