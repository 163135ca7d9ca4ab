package genkit_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/firebase/genkit/go/ai"
	framework "github.com/firebase/genkit/go/genkit"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/genkit"
	"github.com/seed49eaa51d/pegboard/policy"
)

// open returns a pool of a session in which a rule holds.
func open(allow string, registry *pegboard.Registry) (pool *pegboard.Pool, done func()) {
	permissions, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{allow}})
	if err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: os.TempDir(), Permissions: permissions})
	if err != nil {
		log.Fatal(err)
	}
	return registry.AssemblePool(session, pegboard.PoolConfig{}), func() { _ = session.Close(context.Background()) }
}

// A generation has the tools by the middleware.
func ExampleTools_Middleware() {
	var registry pegboard.Registry
	if err := registry.Add(add); err != nil {
		log.Fatal(err)
	}
	pool, done := open("Add", &registry)
	defer done()
	tools, err := genkit.New(new(pegboard.Executor), pool)
	if err != nil {
		log.Fatal(err)
	}
	model := &script{messages: [][]*ai.Part{{call("1", "Add", `{"a": 1, "b": 2}`), call("2", "Add", `{"a": 1}`)}}}
	answer, err := framework.GenerateText(context.Background(), genkitOnce(),
		ai.WithModel(model.define()), ai.WithPrompt("What is 1 and 2?"), ai.WithMiddleware(tools.Middleware))
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range model.results() {
		fmt.Println(text)
	}
	fmt.Println(answer)
	// Output:
	// 3
	// Add was not run, its input is wrong:
	// missing required property "b" (integer)
	// Correct the input and call it again.
	// done
}

// A tool ends the turn. The program goes on with the history.
func ExampleStopError() {
	var registry pegboard.Registry
	if err := registry.Add(answering("Stop", &pegboard.Result{StopTurn: true, Parts: []pegboard.Part{{Text: "enough"}}})); err != nil {
		log.Fatal(err)
	}
	pool, done := open("Stop", &registry)
	defer done()
	tools, err := genkit.New(new(pegboard.Executor), pool)
	if err != nil {
		log.Fatal(err)
	}
	_, err = generate(context.Background(), tools, &script{messages: [][]*ai.Part{{call("1", "Stop", `{}`)}}})
	var stop *genkit.StopError
	if errors.As(err, &stop) {
		for _, m := range stop.History {
			fmt.Println(m.Role)
		}
	}
	// Output:
	// user
	// model
	// tool
}

// A tool of genkit is attached, as a source of its own.
func ExampleFromTool() {
	ours, err := genkit.FromTool(weather())
	if err != nil {
		log.Fatal(err)
	}
	var registry pegboard.Registry
	if _, err := registry.Attach("genkit", ours); err != nil {
		log.Fatal(err)
	}
	pool, done := open("mcp__genkit__weather", &registry)
	defer done()
	o := new(pegboard.Executor).Run(context.Background(), pool, pegboard.Call{Name: "mcp__genkit__weather", Input: json.RawMessage(`{"city": "Oslo"}`)})[0]
	fmt.Println(o.Result.Text())
	// Output: It rains in Oslo.
}
