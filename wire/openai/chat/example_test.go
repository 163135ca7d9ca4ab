package chat_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
)

// One turn: the tools go out, the reply is read as it comes, the calls run, and
// the results go back.
func Example() {
	type place struct {
		City string `json:"city"`
	}
	var registry pegboard.Registry
	if err := registry.Add(pegboard.Build(pegboard.Definition[place, string]{
		Info:        pegboard.Info{Name: "weather", Strict: true},
		Description: "Tells the weather.",
		Traits:      pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
		Call: func(_ context.Context, in place, _ *pegboard.Call) (string, error) {
			return "sunny in " + in.City, nil
		},
	})); err != nil {
		fmt.Println(err)
		return
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	pool := registry.AssemblePool(session, pegboard.PoolConfig{})

	codec := chat.New(pool, chat.Config{})
	fmt.Println("tools:", string(codec.Tools()))

	reply := codec.Read(strings.NewReader(response))
	for event := range reply.Events() {
		if event.Call != nil {
			fmt.Printf("%s %s\n", event.Call.Name, event.Call.Input)
		} else {
			fmt.Print(event.Text)
		}
	}
	message, err := reply.Message()
	if err != nil {
		fmt.Println(err) // a *wire.APIError, or the reply was cut
	}

	var executor pegboard.Executor
	outcomes := executor.Run(context.Background(), pool, message.Calls...)
	fmt.Println(string(message.History[0]))
	for _, result := range codec.Results(message, outcomes) {
		fmt.Println(string(result))
	}
	if err := session.Close(context.Background()); err != nil {
		fmt.Println(err)
	}

	// Output:
	// tools: [{"type":"function","function":{"name":"weather","description":"Tells the weather.","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false},"strict":true}}]
	// I look it up.
	// weather {"city": "Paris"}
	// {"role":"assistant","content":"I look it up.\n","tool_calls":[{"id":"call_1","type":"function","function":{"name":"weather","arguments":"{\"city\": \"Paris\"}"}}]}
	// {"role":"tool","tool_call_id":"call_1","content":"sunny in Paris"}
}

// response stands in for the body of an HTTP response.
const response = `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"I look "}}]}

data: {"choices":[{"index":0,"delta":{"content":"it up.\n"}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"weather","arguments":""}}]}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"city\": "}}]}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"Paris\"}"}}]}}]}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: [DONE]

`
