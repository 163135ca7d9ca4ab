package workflow_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/workflow"
)

// shouting returns agents that answer with their task in capital letters, as a model would
// that is asked for it, and a session.
func shouting() (*agents.Agents, *pegboard.Registry, *pegboard.Session) {
	registry := new(pegboard.Registry)
	group, err := agents.New(agents.Options{
		Registry: registry,
		Definitions: func(*pegboard.Session) []agents.Definition {
			return []agents.Definition{{Name: "general-purpose", Description: "For anything.", Tools: []string{"*"}}}
		},
		Loop: shout,
	})
	if err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Ask: func(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
		fmt.Println("approved:", q.Call.View().Before)
		return policy.Decision{Behavior: policy.Allow}, nil
	}})
	if err != nil {
		log.Fatal(err)
	}
	look := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Look"}, Description: "Looks.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "a view", nil },
	})
	if err := registry.Add(look); err != nil {
		log.Fatal(err)
	}
	return group, registry, session
}

// The model sends a script. The person approves it, and it runs in the background.
func Example() {
	group, registry, session := shouting()
	defer func() { _ = session.Close(context.Background()) }()
	workflows, err := workflow.New(workflow.Options{Agents: group})
	if err != nil {
		log.Fatal(err)
	}
	if err := registry.Add(workflows.Tool()); err != nil {
		log.Fatal(err)
	}
	input, err := json.Marshal(map[string]any{"script": `
		export const meta = { name: "two looks", phases: ["Look", "Join"] }
		const looks = await parallel([() => agent("one"), () => agent("two")])
		return { looks, joined: await agent(looks.join(" and ")) }`})
	if err != nil {
		log.Fatal(err)
	}
	var executor pegboard.Executor
	out := executor.Run(context.Background(), registry.AssemblePool(session, pegboard.PoolConfig{}),
		pegboard.Call{ID: "1", Name: "Workflow", Input: input})[0]
	launch := out.Result.Data.(workflow.Launch) //nolint:errcheck // the type of the tool
	if _, err := background.Of(session).Wait(context.Background(), launch.TaskID); err != nil {
		log.Fatal(err)
	}
	notice := background.Of(session).Notices(session)[0].Text
	fmt.Println(lastLine(notice))
	// Output:
	// approved: Run workflow two looks (Look, Join)
	// {"looks":["ONE","TWO"],"joined":"ONE AND TWO"}
}

// A workflow of the host is a function of Go with the same verbs.
func ExampleNamed() {
	group, _, session := shouting()
	defer func() { _ = session.Close(context.Background()) }()
	workflows, err := workflow.New(workflow.Options{Agents: group, Named: []workflow.Named{{
		Name: "shout", Description: "Shouts words.",
		Run: func(ctx context.Context, r *workflow.Run) (any, error) {
			var words []any
			if err := json.Unmarshal(r.Args(), &words); err != nil {
				return nil, err
			}
			r.Phase("Shout")
			all, err := r.Pipeline(ctx, words, func(ctx context.Context, r *workflow.Run, word, _ any, _ int) (any, error) {
				answer, err := r.Agent(ctx, fmt.Sprint(word), workflow.AgentOptions{})
				return answer.Text, err
			})
			r.Log(fmt.Sprint(len(all), " words"))
			return all, err
		},
	}}})
	if err != nil {
		log.Fatal(err)
	}
	launch, err := workflows.Start(context.Background(), session, workflow.Request{Name: "shout", Args: json.RawMessage(`["a", "b"]`)})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := background.Of(session).Wait(context.Background(), launch.TaskID); err != nil {
		log.Fatal(err)
	}
	fmt.Println(lastLine(background.Of(session).Notices(session)[0].Text))
	// Output:
	// ["A","B"]
}

// A run goes on from another: what has finished there is not done again.
func ExampleWorkflows_Start() {
	group, _, session := shouting()
	defer func() { _ = session.Close(context.Background()) }()
	workflows, err := workflow.New(workflow.Options{Agents: group})
	if err != nil {
		log.Fatal(err)
	}
	run := func(r workflow.Request) workflow.Launch {
		launch, err := workflows.Start(context.Background(), session, r)
		if err != nil {
			log.Fatal(err)
		}
		if _, err := background.Of(session).Wait(context.Background(), launch.TaskID); err != nil {
			log.Fatal(err)
		}
		return launch
	}
	first := run(workflow.Request{Script: `const a = await agent("first"); throw new Error("a mistake after " + a)`})
	_ = background.Of(session).Notices(session)
	run(workflow.Request{Resume: first.RunID, Script: `const a = await agent("first"); return [a, await agent("second")]`})
	fmt.Println(lastLine(background.Of(session).Notices(session)[0].Text))
	// Output:
	// ["FIRST","SECOND"]
}

// The branches of Parallel run side by side; nil stands in the place of one whose agent
// failed.
func ExampleRun_Parallel() {
	fmt.Println(runExample(func(ctx context.Context, r *workflow.Run) (any, error) {
		word := func(prompt string) workflow.Func {
			return func(ctx context.Context, r *workflow.Run) (any, error) {
				answer, err := r.Agent(ctx, prompt, workflow.AgentOptions{Description: "say a word"})
				return answer.Text, err
			}
		}
		return r.Parallel(ctx, word("one"), word("fail"))
	}))
	// Output: ["ONE",null]
}

// A workflow may run another one.
func ExampleRun_Workflow() {
	fmt.Println(runExample(func(ctx context.Context, r *workflow.Run) (any, error) {
		return r.Workflow(ctx, "inner", "a word")
	}))
	// Output: "A WORD"
}
