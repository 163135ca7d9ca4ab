package pegboard_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A person is asked about what no rule decides. Here it is a policy of the host
// that answers in the person's place.
func ExampleAsker() {
	s, err := pegboard.NewSession(pegboard.SessionConfig{
		Ask: func(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
			fmt.Println(q.Call.Name, "is asked about, for", q.AgentPath)
			for _, t := range q.Targets {
				if t.Access != policy.Write || t.Kind != policy.Path {
					return policy.Decision{}, errors.New("not my department")
				}
			}
			// The new input is decoded, validated and decided like the model's.
			return policy.Decision{Behavior: policy.Allow, Reason: "into the drafts", Input: []byte(`{"file":"drafts/a.md"}`)}, nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	agent, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: "writer"})
	if err != nil {
		fmt.Println(err)
		return
	}
	exampleWrite(agent, "a.md")
	// Output:
	// Write is asked about, for [writer]
	// a.md: allow, into the drafts
}

// A host whose users answer elsewhere, in a browser or a chat, shows them the open
// questions and answers by id, in any order.
func ExampleSession_Answer() {
	s, err := pegboard.NewSession(pegboard.SessionConfig{Ask: pegboard.AskLater})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	asked := make(chan string, 2)
	executor := pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventAsked {
			asked <- e.Question.ID
		}
	}}
	var registry pegboard.Registry
	if err := registry.Add(toucher(nil)); err != nil {
		fmt.Println(err)
		return
	}
	outcomes := make(chan []pegboard.Outcome)
	go func() {
		outcomes <- executor.Run(context.Background(), registry.AssemblePool(s, pegboard.PoolConfig{}), touching("1", "a.md"), touching("2", "b.md"))
	}()
	<-asked
	<-asked // both wait now
	for _, q := range s.Questions() {
		d := policy.Decision{Behavior: policy.Allow}
		if q.Call.ID == "2" {
			d = policy.Decision{Behavior: policy.Deny, Reason: "leave b.md alone"}
		}
		fmt.Println(s.Answer(q.ID, d), "/", s.Answer(q.ID, d))
	}
	for _, o := range <-outcomes {
		fmt.Println(o.Call.ID, o.Decision.Behavior, "by", o.Decision.By)
	}
	// Output:
	// <nil> / the question is no longer open
	// <nil> / the question is no longer open
	// 1 allow by person
	// 2 deny by person
}

// "Yes, and do not ask again": each alternative is proven to cover the call.
func ExampleQuestion_Suggestions() {
	s, err := pegboard.NewSession(pegboard.SessionConfig{
		Ask: func(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
			alternatives := q.Suggestions(policy.SourceSession)
			for _, updates := range alternatives {
				fmt.Println("-", updates[0])
			}
			return policy.Decision{Behavior: policy.Allow, Remember: alternatives[0]}, nil
		},
		OnRemember: func(_ context.Context, updates []policy.Update) error {
			fmt.Println("saved:", updates[0]) // see package settings
			return nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	var registry pegboard.Registry
	if err := registry.Add(toucher(nil)); err != nil {
		fmt.Println(err)
		return
	}
	var executor pegboard.Executor
	for range 2 {
		fmt.Println(executor.Run(context.Background(), registry.AssemblePool(s, pegboard.PoolConfig{}), touching("", "a.md"))[0].Decision.Reason)
	}
	// Output:
	// - allow Edit(/a.md) in session
	// - mode acceptEdits
	// saved: allow Edit(/a.md) in session
	// a person answered: allow
	// allow rule "Edit(/a.md)" from session covers it
}

// An asker shows the question on a page and waits as AskLater does. The page answers by
// the question's id, or the time-out denies the call.
func ExampleAskLater() {
	page := make(chan string, 1)
	s, err := pegboard.NewSession(pegboard.SessionConfig{
		AskTimeout: time.Minute,
		Ask: func(ctx context.Context, q *pegboard.Question) (policy.Decision, error) {
			page <- q.ID
			return pegboard.AskLater(ctx, q)
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	answered := make(chan error, 1)
	go func() { answered <- s.Answer(<-page, policy.Decision{Behavior: policy.Allow}) }()
	exampleWrite(s, "a.md")
	fmt.Println(<-answered)
	// Output:
	// a.md: allow, a person answered: allow
	// <nil>
}

// An asker that shows a dialog waits as AskLater does. An answer that is wrong, here an input
// with an unknown property, is refused, and the user corrects it.
func ExampleQuestion_Answer() {
	accepted := make(chan string, 2)
	s, err := pegboard.NewSession(pegboard.SessionConfig{
		Ask: func(ctx context.Context, q *pegboard.Question) (policy.Decision, error) {
			for _, typed := range []string{`{"fil":"a.md"}`, `{"file":"drafts/a.md"}`} {
				err := q.Answer(policy.Decision{Behavior: policy.Allow, Input: []byte(typed)})
				accepted <- fmt.Sprint(typed, " is accepted: ", err == nil)
			}
			return pegboard.AskLater(ctx, q)
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	exampleWrite(s, "a.md")
	fmt.Println(<-accepted)
	fmt.Println(<-accepted)
	// Output:
	// a.md: allow, a person answered: allow
	// {"fil":"a.md"} is accepted: false
	// {"file":"drafts/a.md"} is accepted: true
}

// An approver answers what one rule is about, and leaves all else to the user.
func ExampleQuestion_Concerns() {
	drafts, err := policy.ParseRule(policy.Allow, "Edit(drafts/)")
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{
		Approvers: []pegboard.Asker{func(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
			if q.Concerns(drafts) == policy.ConcernYes {
				return policy.Decision{Behavior: policy.Allow, Reason: "it is a draft"}, nil
			}
			return policy.Decision{}, nil
		}},
		Ask: func(context.Context, *pegboard.Question) (policy.Decision, error) {
			return policy.Decision{Behavior: policy.Deny, Reason: "the user said no"}, nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	exampleWrite(s, "drafts/a.md")
	exampleWrite(s, "main.go")
	// Output:
	// drafts/a.md: allow, it is a draft
	// main.go: deny, the user said no
}

// A person is shown what the call is known to touch, and not each word that may be the name of a
// file.
func ExampleQuestion_Known() {
	s, err := pegboard.NewSession(pegboard.SessionConfig{Ask: func(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
		fmt.Println(len(q.Targets), q.Known())
		return policy.Decision{Behavior: policy.Deny}, nil
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	commit := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Commit"}, Description: "Commits all changes.",
		Traits: pegboard.Traits{Targets: []policy.Target{
			policy.Runs("git commit -m notes"),
			{Kind: policy.Path, Access: policy.Read, Value: "notes", Shell: policy.ShellFacts{Guess: true}},
		}},
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "", nil },
	})
	var registry pegboard.Registry
	if err := registry.Add(commit); err != nil {
		fmt.Println(err)
		return
	}
	var executor pegboard.Executor
	executor.Run(context.Background(), registry.AssemblePool(s, pegboard.PoolConfig{}), pegboard.Call{ID: "1", Name: "Commit"})
	// Output:
	// 2 [run git commit -m notes]
}
