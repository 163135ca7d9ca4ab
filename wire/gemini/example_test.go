package gemini_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/gemini"
)

// One turn: the tools go out, the reply is read as it comes, the calls run, and the
// results go back.
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

	codec := gemini.New(pool, gemini.Config{})
	fmt.Println("tools:", string(codec.Tools()))

	reply := codec.Read(strings.NewReader(response))
	for event := range reply.Events() {
		if event.Call != nil {
			fmt.Printf("%s %s %s\n", event.Call.ID, event.Call.Name, event.Call.Input)
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
	fmt.Println(string(codec.Results(message, outcomes)[0]))
	if err := session.Close(context.Background()); err != nil {
		fmt.Println(err)
	}

	// Output:
	// tools: [{"functionDeclarations":[{"name":"weather","description":"Tells the weather.","parameters":{"type":"OBJECT","properties":{"city":{"type":"STRING"}},"required":["city"]}}]}]
	// I look it up.
	// r1-1 weather {"city": "Paris"}
	// {"role":"model","parts":[{"text":"I look it up.\n"},{"functionCall":{"name":"weather","args":{"city": "Paris"}},"thoughtSignature":"Cg=="}]}
	// {"role":"user","parts":[{"functionResponse":{"name":"weather","response":{"output":"sunny in Paris"}}}]}
}

// response stands in for the body of an HTTP response.
const response = `data: {"candidates":[{"content":{"parts":[{"text":"I look it up.\n"}],"role":"model"}}],"responseId":"r1"}

data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"weather","args":{"city": "Paris"}},"thoughtSignature":"Cg=="}],"role":"model"},"finishReason":"STOP"}],"responseId":"r1"}

`

// A process died between a call and its result. The conversation goes on.
func ExampleCodec_Normalize() {
	contents, repairs := new(gemini.Codec).Normalize([]json.RawMessage{
		json.RawMessage(`{"role":"user","parts":[{"text":"Clean up."}]}`),
		json.RawMessage(`{"role":"model","parts":[{"functionCall":{"name":"rm","args":{"path":"old"}}}]}`),
		json.RawMessage(`{"role":"user","parts":[{"text":"Are you done?"}]}`),
	})
	for _, r := range repairs {
		fmt.Println(r.Kind, "of", r.Name, "in content", r.Message)
	}
	fmt.Println(string(contents[2]))

	// Output:
	// missing result of rm in content 1
	// {"role":"user","parts":[{"functionResponse":{"name":"rm","response":{"error":"There is no result of rm: the turn was interrupted. It may have run in part, or not at all. Look at what it did before you repeat it, and repeat it only if it is still wanted."}}},{"text":"Are you done?"}]}
}
