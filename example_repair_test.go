package pegboard_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// A model wraps its input in a code fence, or writes a list where the schema has a string.
// The host permits both repairs. They count for read-only calls only; the outcome lists
// them, so that a host can see how often a model needs them.
func ExampleRepair() {
	ex := pegboard.Executor{Repair: pegboard.Repair{Syntax: true, Values: true}}
	for _, o := range ex.Run(context.Background(), pool(pegboard.SessionConfig{}, greet),
		pegboard.Call{ID: "1", Name: "Greet", Input: json.RawMessage("```json\n{\"name\":\"Ada\"}\n```")},
		pegboard.Call{ID: "2", Name: "Greet", Input: json.RawMessage(`{"name":["Ada","Bob"]}`)},
		pegboard.Call{ID: "3", Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)}) {
		fmt.Printf("%s %q %q\n", o.Call.ID, o.Result.Text(), o.Repairs)
	}
	// Output:
	// 1 "hello Ada" ["The code fence around the value was removed."]
	// 2 "hello Ada\nBob" ["A list of 2 strings was joined to one."]
	// 3 "hello Ada" []
}
