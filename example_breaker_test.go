package pegboard_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// A model that makes the same call with the same result again and again goes round in
// circles. Here the second such call is asked about, whatever the rules allow.
func ExampleBreakerLimits() {
	p := pool(pegboard.SessionConfig{
		Breaker: pegboard.BreakerLimits{Repeats: 2}, // Denials: 3, the default
		Ask: func(_ context.Context, q *pegboard.Question) (pegboard.Decision, error) {
			fmt.Println("asked:", q.Reason)
			return pegboard.Decision{Behavior: pegboard.Deny, Reason: "you have greeted her"}, nil
		},
	}, greet)
	var ex pegboard.Executor
	for range 2 {
		out := ex.Run(context.Background(), p, pegboard.Call{Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)})
		fmt.Println(out[0].Decision.Behavior)
	}
	p.Session().NewTurn() // the user has spoken: the count begins anew
	out := ex.Run(context.Background(), p, pegboard.Call{Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)})
	fmt.Println(out[0].Decision.Behavior)
	// Output:
	// allow
	// asked: "Greet" is called 2 times in a row with the same input
	// deny
	// allow
}
