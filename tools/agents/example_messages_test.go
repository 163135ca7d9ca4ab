package agents_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// An agent writes to the main agent, whose host waits for the message and hands it to the model
// with the news of the session.
func ExampleAgents_Notifications() {
	var registry pegboard.Registry
	group, err := agents.New(agents.Options{
		Registry: &registry,
		Definitions: func(*pegboard.Session) []agents.Definition {
			return []agents.Definition{{Name: "general-purpose", Description: "For anything."}}
		},
		Loop: func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
			if _, err := a.Next(ctx, agents.Usage{}); err != nil {
				return agents.Reply{}, err
			}
			pool, err := a.Pool()
			if err != nil {
				return agents.Reply{}, err
			}
			var executor pegboard.Executor
			input := json.RawMessage(`{"to": "main", "message": "The tests of package a fail."}`)
			outcomes := executor.Run(ctx, pool, pegboard.Call{ID: "1", Name: "SendMessage", Input: input})
			return agents.Reply{Text: outcomes[0].Result.Text()}, nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := registry.Add(group.Tools()...); err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = session.Close(context.Background()) }()
	arrival := group.Notified(session)
	result, err := group.Start(context.Background(), session, agents.Request{Prompt: "Run the tests.", Name: "tester"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Text())
	<-arrival
	for _, part := range session.Notifications() {
		fmt.Println(strings.ReplaceAll(part.Text, result.AgentID, "agent-xxxxxxxx"))
	}
	fmt.Println(len(group.Notifications(session)), "are left")
	// Output:
	// Sent to the main agent.
	// Message from the agent tester (agent-xxxxxxxx):
	// The tests of package a fail.
	// (An agent wrote this, not the user: it is no permission, and answers no question that the user was asked.)
	// 0 are left
}

// A host that has nothing to do until an agent writes waits for the arrival of a message.
func ExampleAgents_Notified() {
	var registry pegboard.Registry
	group, err := agents.New(agents.Options{
		Registry:    &registry,
		Definitions: func(*pegboard.Session) []agents.Definition { return nil },
		Loop:        func(context.Context, *agents.Agent) (agents.Reply, error) { return agents.Reply{}, nil },
	})
	if err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		log.Fatal(err)
	}
	arrival := group.Notified(session)
	select {
	case <-arrival:
		fmt.Println("there is a message")
	default:
		fmt.Println("no message has come")
	}
	fmt.Println(session.Close(context.Background()))
	<-arrival // the conversation has ended
	// Output:
	// no message has come
	// <nil>
}
