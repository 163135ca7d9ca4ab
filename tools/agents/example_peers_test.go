package agents_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// office reaches the sessions of other programs. A host may use files, sockets or a service.
type office struct{ sent []string }

// List returns the only session that is open.
func (o *office) List(context.Context) ([]agents.Peer, error) {
	return []agents.Peer{{ID: "session-7", Name: "website", Description: "works on the website"}}, nil
}

// Send puts a message into the mailbox of a session.
func (o *office) Send(_ context.Context, id, from, message string) error {
	o.sent = append(o.sent, fmt.Sprintf("to %s from %s: %s", id, from, message))
	return nil
}

// A model lists the sessions elsewhere and writes to one, which the user is asked about.
func ExamplePeers() {
	var registry pegboard.Registry
	peers := &office{}
	group, err := agents.New(agents.Options{
		Registry:    &registry,
		Peers:       peers,
		Definitions: func(*pegboard.Session) []agents.Definition { return nil },
		Loop:        func(context.Context, *agents.Agent) (agents.Reply, error) { return agents.Reply{}, nil },
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := registry.Add(group.Tools()...); err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{
		Ask: func(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
			fmt.Println("asked:", q.Reason)
			return policy.Decision{Behavior: policy.Allow}, nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = session.Close(context.Background()) }()
	var executor pegboard.Executor
	for _, c := range []pegboard.Call{
		{ID: "1", Name: "ListAgents", Input: json.RawMessage(`{}`)},
		{ID: "2", Name: "SendMessage", Input: json.RawMessage(`{"to": "session-7", "message": "The address of the service has changed."}`)},
	} {
		out := executor.Run(context.Background(), registry.AssemblePool(session, pegboard.PoolConfig{}), c)[0]
		fmt.Println(out.Result.Text())
	}
	fmt.Println(peers.sent)
	// Output:
	// main: the main agent (you)
	// session session-7 website: works on the website
	// asked: no rule allows it: SendMessage wants to write mailbox of session-7 and cannot be undone
	// Sent to the session session-7.
	// [to session-7 from the main agent (main): The address of the service has changed.]
}
