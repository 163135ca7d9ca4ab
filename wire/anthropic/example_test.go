package anthropic_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
)

// One turn: the tools go out, the reply is read as it comes, the calls run, and
// the results go back.
func Example() {
	type place struct {
		City string `json:"city"`
	}
	var registry pegboard.Registry
	if err := registry.Add(pegboard.Build(pegboard.Definition[place, string]{
		Info:        pegboard.Info{Name: "weather"},
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

	codec := anthropic.New(pool, anthropic.Config{})
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
		fmt.Println(err) // an *wire.APIError, or the reply was cut
	}

	var executor pegboard.Executor
	outcomes := executor.Run(context.Background(), pool, message.Calls...)
	fmt.Println(string(message.History[0]))
	fmt.Println(string(codec.Results(message, outcomes)[0]))
	if err := session.Close(context.Background()); err != nil {
		fmt.Println(err)
	}

	// Output:
	// tools: [{"name":"weather","description":"Tells the weather.","input_schema":{"properties":{"city":{"type":"string"}},"additionalProperties":false,"type":"object","required":["city"]}}]
	// I look it up.
	// weather {"city": "Paris"}
	// {"role":"assistant","content":[{"type":"text","text":"I look it up.\n"},{"type":"tool_use","id":"toolu_1","name":"weather","input":{"city": "Paris"}}]}
	// {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"sunny in Paris"}]}]}
}

// response stands in for the body of an HTTP response.
const response = `data: {"type":"message_start","message":{"id":"msg_1","model":"model-1"}}

data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"I look "}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"it up.\n"}}

data: {"type":"content_block_stop","index":0}

data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"weather","input":{}}}

data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"city\": "}}

data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"\"Paris\"}"}}

data: {"type":"content_block_stop","index":1}

data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":42}}

data: {"type":"message_stop"}

`
