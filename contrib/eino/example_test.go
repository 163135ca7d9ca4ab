package eino_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/flow/agent"
	"github.com/cloudwego/eino/flow/agent/react"
	"github.com/cloudwego/eino/schema"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/eino"
	"github.com/seed49eaa51d/pegboard/policy"
)

// open returns the tools of a session in which Add is allowed.
func open(all ...pegboard.Tool) (tools *eino.Tools, done func()) {
	permissions, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Add"}})
	if err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: os.TempDir(), Permissions: permissions})
	if err != nil {
		log.Fatal(err)
	}
	var registry pegboard.Registry
	if err := registry.Add(all...); err != nil {
		log.Fatal(err)
	}
	if tools, err = eino.New(new(pegboard.Executor), registry.AssemblePool(session, pegboard.PoolConfig{})); err != nil {
		log.Fatal(err)
	}
	return tools, func() { _ = session.Close(context.Background()) }
}

// A react agent has the tools, and each run the handler.
func ExampleHandler() {
	tools, done := open(add)
	defer done()
	ctx := context.Background()
	model := &script{messages: [][]schema.ToolCall{{call("1", "Add", `{"a": 1, "b": 2}`), call("2", "Add", `{"a": 1}`)}}}
	a, err := react.NewAgent(ctx, &react.AgentConfig{ToolCallingModel: model, ToolsConfig: tools.NodeConfig()})
	if err != nil {
		log.Fatal(err)
	}
	answer, err := a.Generate(ctx, question, agent.WithComposeOptions(compose.WithCallbacks(eino.Handler())))
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range model.results() {
		fmt.Println(text)
	}
	fmt.Println(answer.Content)
	// Output:
	// 3
	// Add was not run, its input is wrong:
	// missing required property "b" (integer)
	// Correct the input and call it again.
	// done
}

// Run is a node of a graph. Here it is called without one.
func ExampleTools_Run() {
	tools, done := open(add, answering("Drop", pegboard.TextResult("dropped")))
	defer done()
	results, err := tools.Run(context.Background(), schema.AssistantMessage("", []schema.ToolCall{
		call("1", "Add", `{"a": 1, "b": 2}`), call("2", "Drop", `{}`),
	}))
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range results {
		fmt.Printf("%s %.15s\n", m.ToolCallID, m.Content)
	}
	// Output:
	// 1 3
	// 2 Drop was denied
}

// A tool ends the turn. The program has the results for the history.
func ExampleStopError() {
	tools, done := open(answering("Add", &pegboard.Result{StopTurn: true, Parts: []pegboard.Part{{Text: "enough"}}}))
	defer done()
	_, err := runReact(context.Background(), tools, &script{messages: [][]schema.ToolCall{{call("1", "Add", `{}`)}}})
	var stop *eino.StopError
	if errors.As(err, &stop) {
		fmt.Println(stop.Messages()[0].Content)
	}
	// Output: enough
}

// A tool of eino is attached, as a source of its own.
func ExampleFromTool() {
	ctx := context.Background()
	theirs, err := utils.InferTool("weather", "Tells the weather.", func(_ context.Context, in cityInput) (string, error) { return "It rains.", nil })
	if err != nil {
		log.Fatal(err)
	}
	ours, err := eino.FromTool(ctx, theirs)
	if err != nil {
		log.Fatal(err)
	}
	var registry pegboard.Registry
	if _, err := registry.Attach("eino", ours); err != nil {
		log.Fatal(err)
	}
	permissions, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"mcp__eino__weather"}})
	if err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: os.TempDir(), Permissions: permissions})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close(ctx)
	pool := registry.AssemblePool(session, pegboard.PoolConfig{})
	o := new(pegboard.Executor).Run(ctx, pool, pegboard.Call{Name: "mcp__eino__weather", Input: json.RawMessage(`{"city": "Oslo"}`)})[0]
	fmt.Println(o.Result.Text())
	// Output: It rains.
}
