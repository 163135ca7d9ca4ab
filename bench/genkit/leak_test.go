package main

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/genkit"

	"github.com/seed49eaa51d/pegboard/bench/harness"
)

// TestLeak records how many goroutines stay behind when one of several tool
// calls of a turn fails before the others finish.
func TestLeak(t *testing.T) {
	g := genkit.Init(context.Background())
	m := &fakeModel{calls: append(
		toolCalls(1, "fail", func(int) string { return harness.Args }),
		toolCalls(4, "slow", func(int) string { return harness.Args })...,
	)}
	model := m.define(g)
	tools := []ai.ToolRef{
		define(g, "fail", func(context.Context, harness.Input) (string, error) { return "", errors.New("it failed") }),
		define(g, "slow", func(context.Context, harness.Input) (string, error) {
			time.Sleep(20 * time.Millisecond)
			return "ok", nil
		}),
	}
	before := runtime.NumGoroutine()
	for range 10 {
		_, _ = genkit.Generate(context.Background(), g, ai.WithModel(model), ai.WithPrompt("go"), ai.WithTools(tools...))
	}
	time.Sleep(500 * time.Millisecond)
	t.Logf("goroutines: %d before, %d half a second after 10 turns with one failing and four slow calls", before, runtime.NumGoroutine())
}
