package agents_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

// hall returns a session and the agents that a loop runs in it.
func hall(loop agents.Loop) (*pegboard.Session, *pegboard.Registry, *agents.Agents) {
	var registry pegboard.Registry
	group, err := agents.New(agents.Options{
		Registry:    &registry,
		Definitions: func(*pegboard.Session) []agents.Definition { return agents.ReadyMade() },
		Loop:        loop,
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
	return session, &registry, group
}

// untilStopped is a loop whose model never ends.
func untilStopped(ctx context.Context, _ *agents.Agent) (agents.Reply, error) {
	<-ctx.Done()
	return agents.Reply{}, context.Cause(ctx)
}

// The user looks at the agents of a conversation and stops one.
func ExampleAgents_Stop() {
	session, _, group := hall(untilStopped)
	ctx := context.Background()
	defer func() { _ = session.Close(ctx) }()
	if _, err := group.Start(ctx, session, agents.Request{Prompt: "Look for mistakes.", Name: "critic", Background: true}); err != nil {
		log.Fatal(err)
	}
	running := group.List(session)[0]
	fmt.Println(running.Name, running.State)
	fmt.Println(group.Stop(session, running.ID))
	if _, err := background.Of(session).Wait(ctx, running.TaskID); err != nil {
		log.Fatal(err)
	}
	fmt.Println(running.Name, group.List(session)[0].State)
	// Output:
	// critic running
	// <nil>
	// critic stopped
}

// The user writes while the model waits for an agent. The agent goes on in the background, and
// the model reads the message.
func ExampleAgents_ToBackground() {
	begun, finish := make(chan bool), make(chan bool)
	session, registry, group := hall(func(context.Context, *agents.Agent) (agents.Reply, error) {
		begun <- true
		<-finish
		return agents.Reply{Text: "There are no mistakes."}, nil
	})
	ctx := context.Background()
	defer func() { _ = session.Close(ctx) }()
	outcomes := make(chan []pegboard.Outcome)
	go func() {
		var executor pegboard.Executor
		outcomes <- executor.Run(ctx, registry.AssemblePool(session, pegboard.PoolConfig{}), pegboard.Call{ID: "1", Name: "Agent",
			Input: json.RawMessage(`{"description": "review", "prompt": "Look for mistakes.", "subagent_type": "general-purpose"}`)})
	}()
	<-begun
	fmt.Println(group.ToBackground(session), "moved")
	fmt.Println((<-outcomes)[0].Err)
	agent := group.List(session)[0]
	fmt.Println(agent.Description, agent.State)
	close(finish)
	if _, err := background.Of(session).Wait(ctx, agent.TaskID); err != nil {
		log.Fatal(err)
	}
	for _, part := range session.Notifications() {
		fmt.Println(strings.Contains(part.Text, "There are no mistakes."))
	}
	// Output:
	// 1 moved
	// <nil>
	// review running
	// true
}

// A loop passes each message to Append, so that its agent can go on later with the same
// conversation. Here the model is left out.
func ExampleAgent_History() {
	ended := make(chan bool, 2)
	var usage agents.Usage
	session, registry, group := hall(func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		defer func() { ended <- true }()
		fmt.Println("goes on from", len(a.History()), "messages")
		news, err := a.Next(ctx, agents.Usage{})
		if err != nil {
			return agents.Reply{}, err
		}
		usage = agents.Usage{Input: len(news[len(news)-1].Text), Output: 4} // as the provider says
		err = a.Append(
			json.RawMessage(fmt.Sprintf(`{"role":"user","content":%q}`, news[len(news)-1].Text)),
			json.RawMessage(`{"role":"assistant","content":"done"}`))
		return agents.Reply{Text: "done", Used: usage}, err
	})
	ctx := context.Background()
	defer func() { _ = session.Close(ctx) }()
	first, err := group.Start(ctx, session, agents.Request{Prompt: "Count.", Name: "counter"})
	if err != nil {
		log.Fatal(err)
	}
	<-ended
	fmt.Println(usage.Tokens(), "tokens")
	var executor pegboard.Executor
	out := executor.Run(ctx, registry.AssemblePool(session, pegboard.PoolConfig{}), pegboard.Call{ID: "1", Name: "SendMessage",
		Input: fmt.Appendf(nil, `{"to": %q, "message": "Count again."}`, first.AgentID)})
	<-ended // it runs in the background, so that the call does not wait for it
	fmt.Println(out[0].Err)
	// Output:
	// goes on from 0 messages
	// 10 tokens
	// goes on from 2 messages
	// <nil>
}
