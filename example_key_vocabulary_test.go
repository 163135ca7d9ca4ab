package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

type delegateInput struct {
	Agent string `json:"agent"`
	Task  string `json:"task"`
}

// reviewer is the kind of agent that delegate starts with a model of its own.
const reviewer = "reviewer"

// delegate is a tool of one author. It starts agents with models that it does not choose, and
// spends money that it does not have. All that it knows of the host stands in the vocabulary.
func delegate(registry *pegboard.Registry, ask func(model, prompt, task string, pool *pegboard.Pool) (answer string, dollars float64)) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[delegateInput, string]{
		Info: pegboard.Info{Name: "Delegate"}, Description: "Has another agent do a task.",
		Call: func(_ context.Context, in delegateInput, c *pegboard.Call) (string, error) {
			budget, _ := pegboard.KeyBudget.Get(c.Session())
			if budget.Left() == 0 {
				return "", errors.New("the money for this conversation is spent; do the task yourself")
			}
			fork, err := c.Session().Fork(pegboard.SessionConfig{AgentID: in.Agent + "-1", AgentType: in.Agent})
			if err != nil {
				return "", err
			}
			defer func() { _ = fork.Close(context.Background()) }()
			prompt, tools := "You help.", []string(nil)
			if in.Agent == reviewer {
				prompt, tools = "You review changes.", []string{"Advise"}
				pegboard.KeyModel.Set(fork, "small-2")
			}
			pegboard.KeySystemPrompt.Set(fork, pegboard.SystemPrompt{Custom: prompt})
			pool, err := registry.AssemblePool(fork, pegboard.PoolConfig{}).Resolve(tools, nil)
			if err != nil {
				return "", err
			}
			model, _ := pegboard.KeyModel.Get(fork)
			answer, dollars := ask(model, prompt, in.Task, pool.Pool)
			budget.Spend(dollars)
			return answer, nil
		},
	})
}

// advise is a tool of another author. It asks a further model about the conversation.
func advise() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Advise"}, Description: "Has the conversation looked at.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(_ context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			talk, _ := pegboard.KeyConversation.Get(c.Session())
			if talk.Messages == nil {
				return "", errors.New("this program does not show its conversation to tools")
			}
			return fmt.Sprintf("looked at %d messages of %s", len(talk.Messages()), talk.Format), nil
		},
	})
}

// The host and the tools have never heard of each other. They meet in the session.
func Example_vocabulary() {
	permissions, err := policy.New(policy.ModeBypass)
	if err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: permissions})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = session.Close(context.Background()) }()
	history := []json.RawMessage{json.RawMessage(`{"role":"user","content":"Hello"}`)}
	pegboard.KeyModel.Set(session, "large-1")
	pegboard.KeyInteractive.Set(session, false)
	pegboard.KeyConversation.Set(session, pegboard.Conversation{Format: "anthropic", Messages: func() []json.RawMessage { return history }})
	pegboard.KeyBudget.Set(session, pegboard.NewBudget(0.03))

	var registry pegboard.Registry
	model := func(model, prompt, task string, pool *pegboard.Pool) (string, float64) {
		var tools []string
		for t := range pool.All() {
			tools = append(tools, t.Info().Name)
		}
		fmt.Printf("  %s is told %q, with %s, to %s\n", model, prompt, strings.Join(tools, " and "), task)
		return "done", 0.02
	}
	if err := registry.Add(delegate(&registry, model), advise()); err != nil {
		log.Fatal(err)
	}
	var executor pegboard.Executor
	for _, c := range []pegboard.Call{
		{ID: "1", Name: "Advise"},
		{ID: "2", Name: "Delegate", Input: json.RawMessage(`{"agent":"reviewer","task":"look"}`)},
		{ID: "3", Name: "Delegate", Input: json.RawMessage(`{"agent":"helper","task":"tidy up"}`)},
		{ID: "4", Name: "Delegate", Input: json.RawMessage(`{"agent":"helper","task":"rest"}`)},
	} {
		out := executor.Run(context.Background(), registry.AssemblePool(session, pegboard.PoolConfig{}), c)[0]
		fmt.Println(out.Result.Text())
	}
	// Output:
	// looked at 1 messages of anthropic
	//   small-2 is told "You review changes.", with Advise, to look
	// done
	//   large-1 is told "You help.", with Advise and Delegate, to tidy up
	// done
	// the money for this conversation is spent; do the task yourself
}
