package cookbook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// entry is one tool of a catalogue, as a service sends it.
type entry struct {
	Name, About string
	Schema      json.RawMessage
}

// fromEntry makes a tool of it. Send calls the service with the model's own bytes.
func fromEntry(e entry, send func(ctx context.Context, name string, input json.RawMessage) (string, error)) pegboard.Tool {
	tool, err := pegboard.BuildRaw(e.Schema, pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info: pegboard.Info{Name: e.Name}, Description: e.About,
		Call: func(ctx context.Context, in json.RawMessage, _ *pegboard.Call) (*pegboard.Result, error) {
			text, err := send(ctx, e.Name, in)
			return pegboard.TextResult(text), err
		},
	})
	if err != nil {
		return pegboard.InvalidTool(e.Name, err) // left out with its reason, the others are offered
	}
	return tool
}

func Example_toolFromASchema() {
	send := func(_ context.Context, name string, in json.RawMessage) (string, error) {
		return name + " was sent " + string(in), nil
	}
	var registry pegboard.Registry
	report, err := registry.Attach("post",
		fromEntry(entry{"weigh", "Weighs a parcel.", json.RawMessage(`{"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}`)}, send),
		fromEntry(entry{"stamp", "Stamps a parcel.", json.RawMessage(`{"type": "list"}`)}, send))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Added, report.Quarantined)
	session, err := tooltest.NewSession("")
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close(context.Background())
	var executor pegboard.Executor
	pool := registry.AssemblePool(session, pegboard.PoolConfig{})
	for _, out := range executor.Run(context.Background(), pool, tooltest.Call("mcp__post__weigh", `{"id": 7}`), tooltest.Call("mcp__post__weigh", `{"id": "7a"}`)) {
		fmt.Println(out.Result.Text())
	}
	// Output:
	// [mcp__post__weigh] map[stamp:stamp: input schema: the schema cannot describe an object: a tool's input is an object, the root has type "list"]
	// weigh was sent {"id": 7}
	// mcp__post__weigh was not run, its input is wrong:
	// id: got string "7a", want integer
	// Correct the input and call it again.
}
