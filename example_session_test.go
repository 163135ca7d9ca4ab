package pegboard_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// A session says what one conversation may do: its permissions, its directory, and who is
// asked about what no rule decides. Without an asker that is denied.
func ExampleNewSession() {
	permissions, err := pegboard.NewPermissions(pegboard.ModeDefault, pegboard.RuleSet{
		Source: pegboard.SourceUser, Allow: []string{"Edit(drafts)"}, Deny: []string{"Edit(drafts/final.md)"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{
		ID:          "conversation 7",
		Permissions: permissions,
		Ask: func(_ context.Context, q *pegboard.Question) (pegboard.Decision, error) {
			fmt.Println("asked:", q.Call.Name, string(q.Call.Input))
			return pegboard.Decision{Behavior: pegboard.Allow}, nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	exampleWrite(s, "drafts/a.md")
	exampleWrite(s, "drafts/final.md")
	exampleWrite(s, "main.go")

	_, err = pegboard.NewSession(pegboard.SessionConfig{Dir: "no such folder"})
	fmt.Println("no folder:", errors.Is(err, fs.ErrNotExist))
	// Output:
	// drafts/a.md: allow by Edit(drafts)
	// drafts/final.md: deny by Edit(drafts/final.md)
	// asked: Write {"file":"main.go"}
	// main.go: allow, a person answered: allow
	// no folder: true
}

func ExampleSession_Fork() {
	p, err := pegboard.NewPermissions(pegboard.ModeDefault, pegboard.RuleSet{Allow: []string{"Edit(src)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: p})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail

	narrower, err := pegboard.NewPermissions("", pegboard.RuleSet{Deny: []string{"Edit(src/generated)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	agent, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: "reviewer", Permissions: narrower})
	if err != nil {
		fmt.Println(err)
		return
	}
	exampleWrite(agent, "src/main.go")
	exampleWrite(agent, "src/generated/api.go")

	wider, err := p.WithRules(pegboard.RuleSet{Allow: []string{"Edit(docs)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, Permissions: wider})
	fmt.Println(err)
	// Output:
	// src/main.go: allow by Edit(src)
	// src/generated/api.go: deny by Edit(src/generated)
	// a fork cannot add the allow rule "Edit(docs)"; add it to the parent
}

// The model is told why a call ended early, in words that keep it from arguing.
func ExampleSession_Interrupt() {
	wait := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Wait"}, Description: "Waits.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			c.Session().Interrupt(pegboard.ErrNewMessage) // the user typed
			<-ctx.Done()
			return "", context.Cause(ctx)
		},
	})
	var ex pegboard.Executor
	out := ex.Run(context.Background(), pool(pegboard.SessionConfig{}, wait), pegboard.Call{ID: "1", Name: "Wait"})
	fmt.Println(errors.Is(out[0].Err, pegboard.ErrNewMessage))
	fmt.Println(out[0].Result.Text())
	// Output:
	// true
	// Wait was stopped before it finished; it may have done part of its work: the user sent a new message. Read that first, and repeat the call only if it is still wanted.
}

// A message of the user stops the calls of agents that their caller waits for. One that was
// moved to the background goes on.
func ExampleSession_MoveToBackground() {
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		log.Fatal(err)
	}
	wait := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Wait"}, Description: "Waits.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(ctx context.Context, _ struct{}, _ *pegboard.Call) (string, error) {
			s.Interrupt(pegboard.ErrNewMessage) // the user typed
			return "done", context.Cause(ctx)
		},
	})
	agent, err := s.Fork(pegboard.SessionConfig{AgentID: "reviewer"})
	if err != nil {
		log.Fatal(err)
	}
	var registry pegboard.Registry
	if err := registry.Add(wait); err != nil {
		log.Fatal(err)
	}
	var ex pegboard.Executor
	p := registry.AssemblePool(agent, pegboard.PoolConfig{})
	waitedFor := ex.Run(context.Background(), p, pegboard.Call{ID: "1", Name: "Wait"})
	agent.MoveToBackground()
	moved := ex.Run(context.Background(), p, pegboard.Call{ID: "2", Name: "Wait"})
	fmt.Println(errors.Is(waitedFor[0].Err, pegboard.ErrNewMessage), moved[0].Err)
	// Output:
	// true <nil>
}

// What all agents share ends with the conversation, whichever of them has started it.
func ExampleSession_OnMainClose() {
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		log.Fatal(err)
	}
	agent, err := session.Fork(pegboard.SessionConfig{AgentID: "reviewer"})
	if err != nil {
		log.Fatal(err)
	}
	agent.OnMainClose("cache", func(context.Context) error { fmt.Println("cache ends"); return nil })
	fmt.Println(agent.Close(context.Background()))
	fmt.Println(session.Close(context.Background()))
	// Output:
	// <nil>
	// cache ends
	// <nil>
}

// Close calls the functions that were given to OnClose, newest first, and names those
// that failed.
func ExampleSession_OnClose() {
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		log.Fatal(err)
	}
	session.OnClose("watcher", func(context.Context) error { fmt.Println("watcher ends"); return nil })
	session.OnClose("index", func(context.Context) error { return errors.New("still writing") })
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	fmt.Println(session.Close(ctx))
	// Output:
	// watcher ends
	// index: still writing
}

// A tool that started a loop of its own names it, if it does not end when it should.
func ExampleSession_Detach() {
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		log.Fatal(err)
	}
	returned := session.Detach("the loop of agent 7")
	fmt.Println(session.Detached())
	returned()
	fmt.Println(session.Detached())
	// Output:
	// [the loop of agent 7]
	// []
}
