package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/seed49eaa51d/pegboard"
)

// A tool that costs money compares its price with the rest of the budget before. A status line
// shows the sum.
func ExampleBudget() {
	budget := pegboard.NewBudget(0.50)
	for _, price := range []float64{0.25, 0.125, 0.25, 0.125} {
		if price > budget.Left() {
			fmt.Printf("$%.3f is too much\n", price)
			continue
		}
		budget.Spend(price)
	}
	fmt.Printf("$%.2f spent, $%.2f left\n", budget.Spent(), budget.Left())
	// Output:
	// $0.250 is too much
	// $0.50 spent, $0.00 left
}

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

// One browser for the whole conversation: of the tools in its group one call runs at once,
// whichever agents make them, and however many calls a message has.
func ExampleGroupLimit() {
	var using atomic.Int32
	inBrowser := func(name string) pegboard.Tool {
		return pegboard.Build(pegboard.Definition[struct{}, string]{
			Info:        pegboard.Info{Name: name, Group: "browser"},
			Description: "Does something in the browser.",
			Traits:      pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
			Call: func(context.Context, struct{}, *pegboard.Call) (string, error) {
				defer using.Add(-1)
				return fmt.Sprint(using.Add(1), " at once"), nil
			},
		})
	}
	p := pool(pegboard.SessionConfig{Groups: map[string]pegboard.GroupLimit{
		"browser":     {Parallel: 1},
		"mcp__github": {PerSecond: 5, Burst: 10}, // all tools of a source
	}}, inBrowser("Open"), inBrowser("Click"))
	var texts []string
	var ex pegboard.Executor
	for _, out := range ex.Run(context.Background(), p, pegboard.Call{Name: "Open"}, pegboard.Call{Name: "Click"}, pegboard.Call{Name: "Open"}) {
		texts = append(texts, out.Result.Text())
	}
	fmt.Println(strings.Join(texts, ", "))
	// Output: 1 at once, 1 at once, 1 at once
}
