package tooltest_test

import (
	"context"
	"errors"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/workflow"
)

// workflowTool returns the Workflow tool with agents that answer with their task, fail or
// wait, as the task says.
func workflowTool() pegboard.Tool {
	registry := new(pegboard.Registry)
	look := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Look"}, Description: "Looks.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "a view", nil },
	})
	err := registry.Add(look)
	if err != nil {
		panic(err)
	}
	group, err := agents.New(agents.Options{
		Registry: registry,
		Definitions: func(*pegboard.Session) []agents.Definition {
			return []agents.Definition{{Name: agents.GeneralPurpose, Description: "For anything."}}
		},
		Loop: func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
			task, err := a.Next(ctx, agents.Usage{})
			switch {
			case err != nil:
				return agents.Reply{}, err
			case strings.HasPrefix(task[0].Text, "fail"):
				return agents.Reply{}, errors.New("it found nothing")
			case strings.HasPrefix(task[0].Text, "wait"):
				<-ctx.Done()
				return agents.Reply{}, context.Cause(ctx)
			}
			return agents.Reply{Text: "done: " + task[0].Text}, nil
		},
	})
	if err != nil {
		panic(err)
	}
	workflows, err := workflow.New(workflow.Options{Agents: group})
	if err != nil {
		panic(err)
	}
	return workflows.Tool()
}
