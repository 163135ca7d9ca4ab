package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// Greet may be called twice for each message of the user. The model reads what is left,
// and then that nothing is.
func ExampleCallBudget() {
	p := pool(pegboard.SessionConfig{Budgets: []pegboard.CallBudget{
		{Tools: []string{"Greet"}, Per: pegboard.PerTurn, Calls: 2},
	}}, greet)
	var ex pegboard.Executor
	greetAda := func() {
		out := ex.Run(context.Background(), p, pegboard.Call{Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)})[0]
		fmt.Println(out.Result.Text())
		for _, m := range out.Result.Messages {
			fmt.Println(m.Text)
		}
		var over *pegboard.BudgetError
		if errors.As(out.Err, &over) {
			fmt.Println("the host sees:", over.Limit, over.Use.Calls, "of", over.Use.Budget.Calls)
		}
	}
	greetAda()
	greetAda()
	greetAda()
	p.Session().NewTurn() // the user has sent a message
	greetAda()
	// Output:
	// hello Ada
	// Budget: 1 of 2 calls of Greet left in this turn.
	// hello Ada
	// Greet was not run: the limit of 2 calls of Greet in this turn is used up. Use other tools, or answer with what you have and say what is missing.
	// the host sees: calls 2 of 2
	// hello Ada
	// Budget: 1 of 2 calls of Greet left in this turn.
}

// A budget of tokens also counts what the host says the model has used. When nothing is
// left, the outcome of the next call tells the loop to stop.
func ExampleSession_SpendTokens() {
	p := pool(pegboard.SessionConfig{Budgets: []pegboard.CallBudget{{Tokens: 1000}}}, greet)
	p.Session().SpendTokens(1200) // as the provider's reply said
	var ex pegboard.Executor
	out := ex.Run(context.Background(), p, pegboard.Call{Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)})[0]
	fmt.Println(out.StopTurn, errors.Is(out.Err, pegboard.ErrBudget))
	fmt.Println(out.Result.Text())
	// Output:
	// true true
	// Greet was not run: the limit of 1000 tokens in this session is used up. No tool runs any more in this session: answer with what you have and say what is missing.
}

// An agent has the budgets of the session that it was forked from, and its own.
func ExampleSession_Spent() {
	p := pool(pegboard.SessionConfig{Budgets: []pegboard.CallBudget{{Calls: 100}}}, greet)
	agent, err := p.Session().Fork(pegboard.SessionConfig{AgentID: "reviewer", Budgets: []pegboard.CallBudget{{Calls: 5}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	var reg pegboard.Registry
	if err := reg.Add(greet); err != nil {
		fmt.Println(err)
		return
	}
	var ex pegboard.Executor
	ex.Run(context.Background(), reg.AssemblePool(agent, pegboard.PoolConfig{}), pegboard.Call{Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)})
	for _, use := range agent.Spent() {
		fmt.Printf("%q: %d of %d\n", use.AgentID, use.Calls, use.Budget.Calls)
	}
	// Output:
	// "": 1 of 100
	// "reviewer": 1 of 5
}

func ExampleEstimateTokens() {
	fmt.Println(pegboard.EstimateTokens(pegboard.TextResult("twenty bytes of text")))
	// Output: 5
}
