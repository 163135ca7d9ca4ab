package cookbook_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func Example_coordinator() {
	var registry pegboard.Registry
	group, err := agents.New(agents.Options{
		Loop: agentLoop, Registry: &registry,
		Definitions: func(*pegboard.Session) []agents.Definition { return agents.ReadyMade() },
		Pool:        pegboard.PoolConfig{Roles: workers()},
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := registry.Add(append(group.Tools(), countWords)...); err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Role: pegboard.RoleCoordinator})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close(context.Background())
	pool := registry.AssemblePool(session, pegboard.PoolConfig{})
	for tool := range pool.All() {
		fmt.Println("coordinator has", tool.Info().Name)
	}
	var executor pegboard.Executor
	executor.Run(context.Background(), pool, tooltest.Call("Agent", `{"description": "count", "prompt": "How long is it?"}`))
	<-session.Notified() // the worker runs in the background; a loop asks for News before each request
	for _, part := range session.Notifications() {
		_, report, _ := strings.Cut(part.Text, "\n\n") // above it stand the host's own lines
		fmt.Println("the worker reports:", report)
	}
	// Output:
	// coordinator has Agent
	// coordinator has SendMessage
	// the worker reports: How long is it? 6 words
}

// workers are the role tables under which background agents have one tool more.
func workers() *pegboard.RoleTables {
	tables := pegboard.DefaultRoleTables()
	tables.Async = append(tables.Async, "CountWords")
	return &tables
}
