package agents_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// A coordinator has few tools of its own, so its prompt says what its workers can do.
func ExampleAgents_WorkerTools() {
	var registry pegboard.Registry
	for _, name := range []string{"Read", "Edit", "AskUserQuestion"} {
		if err := registry.Add(named(name)); err != nil {
			log.Fatal(err)
		}
	}
	group, err := agents.New(agents.Options{
		Loop:        func(context.Context, *agents.Agent) (agents.Reply, error) { return agents.Reply{Text: "done"}, nil },
		Registry:    &registry,
		Definitions: func(*pegboard.Session) []agents.Definition { return agents.ReadyMade() },
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := registry.Add(group.Tools()...); err != nil {
		log.Fatal(err)
	}
	if _, err := registry.Attach("tickets", named("open"), named("close")); err != nil {
		log.Fatal(err)
	}
	coordinator, err := pegboard.NewSession(pegboard.SessionConfig{Role: pegboard.RoleCoordinator})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = coordinator.Close(context.Background()) }()
	text, err := group.WorkerTools(coordinator)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(text)
	// Output:
	// Workers have these tools, unless the description of their type lists fewer.
	// - Edit, Read
	// - from the server tickets: mcp__tickets__close, mcp__tickets__open
}
