package pegboard_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

func ExampleJoinHooks() {
	noBob := pegboard.Hooks{Pre: func(_ context.Context, h *pegboard.HookCall) (pegboard.Decision, error) {
		if string(h.Call.Input) == `{"name":"Bob"}` {
			return pegboard.Decision{Behavior: pegboard.Deny, Reason: "Bob is asleep"}, nil
		}
		return pegboard.Decision{}, nil
	}}
	loud := pegboard.Hooks{Pre: func(context.Context, *pegboard.HookCall) (pegboard.Decision, error) {
		return pegboard.Decision{Input: json.RawMessage(`{"name":"Ada","loud":true}`)}, nil
	}}
	var ex pegboard.Executor
	out := ex.Run(context.Background(), pool(pegboard.SessionConfig{Hooks: pegboard.JoinHooks(noBob, loud)}, greet),
		pegboard.Call{ID: "1", Name: "Greet", Input: json.RawMessage(`{"name":"Bob"}`)},
		pegboard.Call{ID: "2", Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)})
	fmt.Println(out[0].Result.Text())
	fmt.Println(out[1].Result.Text())
	// Output:
	// Greet was denied: Bob is asleep. Do not try the same by other means; do something else or tell the user.
	// HELLO Ada
}
