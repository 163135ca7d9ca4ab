package pegboard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard"
)

func ExampleBuild() {
	d, _ := greet.Declare(pegboard.Scope{})
	fmt.Println(d.Name, "-", d.Description)
	fmt.Println(string(d.InputSchema))
	// Output:
	// Greet - Greets somebody.
	// {"properties":{"name":{"type":"string","description":"Whom to greet"},"loud":{"type":"boolean"}},"additionalProperties":false,"type":"object","required":["name"]}
}

func ExampleTryBuild() {
	_, err := pegboard.TryBuild(pegboard.Definition[greeting, string]{Info: pegboard.Info{Name: "Greet"}, Description: "Greets somebody."})
	fmt.Println(err)
	// Output: Greet: Call: is required, unless Info.Supplied says that the host executes the calls
}

func ExampleBuildRaw() {
	schema := json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`)
	weather, err := pegboard.BuildRaw(schema, pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info:   pegboard.Info{Name: "weather"},
		Traits: pegboard.Traits{ReadOnly: true},
		Call: func(_ context.Context, in json.RawMessage, _ *pegboard.Call) (*pegboard.Result, error) {
			return pegboard.TextResult("asked for " + string(in)), nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	var ex pegboard.Executor
	out := ex.Run(context.Background(), pool(pegboard.SessionConfig{}, weather),
		pegboard.Call{ID: "1", Name: "weather", Input: json.RawMessage(`{"city":"Ulm"}`)},
		pegboard.Call{ID: "2", Name: "weather", Input: json.RawMessage(`{"City":"Ulm"}`)})
	fmt.Println(out[0].Result.Text())
	fmt.Println(out[1].Result.Text())
	// Output:
	// asked for {"city":"Ulm"}
	// weather was not run, its input is wrong:
	// missing required property "city" (string)
	// City: this key differs from "city" only by letter case; use "city"
	// Correct the input and call it again.
}
