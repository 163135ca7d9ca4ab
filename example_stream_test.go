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
	for out := range stream.Outcomes() {
		fmt.Println(out.Call.ID, out.Result.Text())
	}
	// Output:
	// 1 hello Ada
	// 2 hello Bob
}

// A hook ends the turn when all calls have ended, and all outcomes were yielded before.
func ExampleStream_StopTurn() {
	hooks := pegboard.Hooks{Batch: func(_ context.Context, outcomes []pegboard.Outcome) error {
		outcomes[0].StopTurn = true
		return nil
	}}
	var ex pegboard.Executor
	stream := ex.Stream(context.Background(), pool(pegboard.SessionConfig{Hooks: hooks}, greet))
	stream.Submit(pegboard.Call{ID: "1", Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)})
	for yielded := false; !yielded; {
		for out := range stream.Ready() {
			yielded = true
			fmt.Println(out.Result.Text(), out.StopTurn)
		}
	}
	stream.Finish(pegboard.FinishToolCalls)
	for range stream.Outcomes() {
	}
	fmt.Println(stream.StopTurn())
	// Output:
	// hello Ada false
	// true
}
