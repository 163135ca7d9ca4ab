package agents_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// The host gives one function, its loop. Here the model is left out: the agent makes one call
// and answers.
func Example() {
	var registry pegboard.Registry
	lines := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "CountLines"}, Description: "Counts the lines of the project.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "120 lines", nil },
	})
	group, err := agents.New(agents.Options{
		Registry: &registry,
		Definitions: func(*pegboard.Session) []agents.Definition {
			return []agents.Definition{{Name: "counter", Description: "Counts.", Prompt: "You count.", Tools: []string{"CountLines"}}}
		},
		Loop: func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
			task, err := a.Next(ctx, agents.Usage{})
			if err != nil {
				return agents.Reply{}, err
			}
			fmt.Println("the agent reads:", task[0].Text)
			pool, err := a.Pool()
			if err != nil {
				return agents.Reply{}, err
			}
			var executor pegboard.Executor
			outcomes := executor.Run(ctx, pool, pegboard.Call{ID: "1", Name: "CountLines"})
			return agents.Reply{Text: "The project has " + outcomes[0].Result.Text() + "."}, nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := registry.Add(append(group.Tools(), lines)...); err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = session.Close(context.Background()) }()
	input := json.RawMessage(`{"description": "count lines", "prompt": "How long is the project?", "subagent_type": "counter"}`)
	var executor pegboard.Executor
	out := executor.Run(context.Background(), registry.AssemblePool(session, pegboard.PoolConfig{}), pegboard.Call{ID: "1", Name: "Agent", Input: input})
	result, ok := out[0].Result.Data.(agents.Result)
	if !ok {
		log.Fatal(out[0].Err)
	}
	fmt.Println("its report:", result.Text())
	fmt.Println("calls:", result.TotalToolUses)
	// Output:
	// the agent reads: How long is the project?
	// its report: The project has 120 lines.
	// calls: 1
}
