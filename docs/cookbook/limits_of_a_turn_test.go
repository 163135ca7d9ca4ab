package cookbook_test

import (
	"context"
	"fmt"
	"log"
	"slices"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// converseOnce answers one message of the user. Model returns the next calls.
func converseOnce(ctx context.Context, pool *pegboard.Pool, model func([]pegboard.Outcome) []pegboard.Call) string {
	pool.Session().NewTurn() // counts and budgets of a turn begin anew
	var executor pegboard.Executor
	for calls := model(nil); len(calls) > 0; {
		outcomes := executor.Run(ctx, pool, calls...)
		if slices.ContainsFunc(outcomes, func(o pegboard.Outcome) bool { return o.StopTurn }) {
			return "stopped" // keep the results, ask the model again when the user has spoken
		}
		calls = model(outcomes)
	}
	return "answered"
}

func Example_limitsOfATurn() {
	session, err := pegboard.NewSession(pegboard.SessionConfig{
		Budgets: []pegboard.CallBudget{{Tools: []string{"CountWords"}, Per: pegboard.PerTurn, Calls: 20}},
		// Breaker: the zero value is on
	})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close(context.Background())
	var registry pegboard.Registry
	if err := registry.Add(countWords); err != nil {
		log.Fatal(err)
	}
	pool := registry.AssemblePool(session, pegboard.PoolConfig{})
	stubborn := func(results []pegboard.Outcome) []pegboard.Call { // makes the same call for ever
		for _, r := range results {
			fmt.Println(r.Result.Text())
		}
		return []pegboard.Call{tooltest.Call("CountWords", `{"text": "to be"}`)}
	}
	fmt.Println(converseOnce(context.Background(), pool, stubborn))
	// Output:
	// 2 words
	// 2 words
	// CountWords was denied: "CountWords" is called 3 times in a row with the same input, and nobody can be asked. No person refused it; do something else or tell the user what is needed.
	// CountWords was denied: "CountWords" is called 4 times in a row with the same input, and nobody can be asked. No person refused it; do something else or tell the user what is needed.
	// stopped
}
