package pegboard_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// Calls are submitted as their blocks complete. What only reads starts at once.
func ExampleExecutor_Stream() {
	var ex pegboard.Executor
	stream := ex.Stream(context.Background(), pool(pegboard.SessionConfig{}, greet))
	defer stream.Abandon(nil) // if the model's stream breaks off
	stream.Submit(pegboard.Call{ID: "1", Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)})
	stream.Submit(pegboard.Call{ID: "2", Name: "Greet", Input: json.RawMessage(`{"name":"Bob"}`)})
	stream.Finish(pegboard.FinishToolCalls)
	for out := range stream.Wait() {
		fmt.Println(out.Call.ID, out.Result.Text())
	}
	// Output:
	// 1 hello Ada
	// 2 hello Bob
}
