package responses_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/openai/responses"
)

// One turn: the tools go out, the reply is read as it comes, the calls run, and
// their outputs go back.
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

	codec := responses.New(pool, responses.Config{})
	fmt.Println("tools:", string(codec.Tools()))
	input := []json.RawMessage{json.RawMessage(`{"role":"user","content":"How is Paris?"}`)}

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
	input = append(input, message.History...)
	input = append(input, codec.Results(message, outcomes)...)
	for _, item := range input {
		fmt.Println(string(item))
	}
	if err := session.Close(context.Background()); err != nil {
		fmt.Println(err)
	}

	// Output:
	// tools: [{"type":"function","name":"weather","description":"Tells the weather.","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false},"strict":true}]
	// I look it up.
	// weather {"city": "Paris"}
	// {"role":"user","content":"How is Paris?"}
	// {"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"I look it up.\n","annotations":[]}]}
	// {"type":"function_call","id":"fc_1","call_id":"call_1","name":"weather","arguments":"{\"city\": \"Paris\"}","status":"completed"}
	// {"type":"function_call_output","call_id":"call_1","output":"sunny in Paris"}
}

// response stands in for the body of an HTTP response.
const response = `data: {"type":"response.created","response":{"id":"resp_1","model":"model-1"}}

data: {"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"msg_1","role":"assistant","content":[]}}

data: {"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"I look "}

data: {"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"it up.\n"}

data: {"type":"response.output_item.done","output_index":0,"item":{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"I look it up.\n","annotations":[]}]}}

data: {"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","id":"fc_1","call_id":"call_1","name":"weather","arguments":""}}

data: {"type":"response.function_call_arguments.delta","output_index":1,"delta":"{\"city\": \"Paris\"}"}

data: {"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","id":"fc_1","call_id":"call_1","name":"weather","arguments":"{\"city\": \"Paris\"}","status":"completed"}}

data: {"type":"response.completed","response":{"id":"resp_1","status":"completed","usage":{"input_tokens":40,"output_tokens":42}}}

`
