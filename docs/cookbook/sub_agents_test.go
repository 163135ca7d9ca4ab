package cookbook_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// agentLoop is the loop of the host, with Next and Pool of the agent. The model is left out:
// it makes one call and reports.
func agentLoop(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
	task, err := a.Next(ctx, agents.Usage{}) // before each request, with what the last one cost
	if err != nil {
		return agents.Reply{}, err
	}
	pool, err := a.Pool() // the tools of this agent
	if err != nil {
		return agents.Reply{}, err
	}
	var executor pegboard.Executor
	out := executor.Run(ctx, pool, tooltest.Call("CountWords", `{"text": "to be or not to be"}`))
	return agents.Reply{Text: task[0].Text + " " + out[0].Result.Text()}, nil
}

// addAgents lets the model start agents of one type.
func addAgents(registry *pegboard.Registry) error {
	group, err := agents.New(agents.Options{
		Loop: agentLoop, Registry: registry,
		Definitions: func(*pegboard.Session) []agents.Definition {
			return []agents.Definition{{Name: "counter", Description: "Counts things.", Prompt: "You count.", Tools: []string{"CountWords"}}}
		},
	})
	if err != nil {
		return err
	}
	return registry.Add(append(group.Tools(), countWords)...)
}

func Example_subAgents() {
	var registry pegboard.Registry
	if err := addAgents(&registry); err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close(context.Background())
	var executor pegboard.Executor
	pool := registry.AssemblePool(session, pegboard.PoolConfig{})
	out := executor.Run(context.Background(), pool, tooltest.Call("Agent", `{"description": "count", "prompt": "How long is it?", "subagent_type": "counter"}`))
	if result, ok := out[0].Result.Data.(agents.Result); ok {
		fmt.Println(result.Text(), result.TotalToolUses)
	}
	// Output:
	// How long is it? 6 words 1
}
