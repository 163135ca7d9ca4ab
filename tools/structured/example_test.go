package structured_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/structured"
)

// A model that answers in words first, then with a document that does not fit, then well.
func Example() {
	out, err := structured.New(json.RawMessage(`{"type":"object","properties":{"files":{"type":"integer"}},"required":["files"]}`))
	if err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	defer func() { _ = session.Close(ctx) }()
	var registry pegboard.Registry
	var executor pegboard.Executor
	pool := registry.AssemblePool(session, pegboard.PoolConfig{With: []pegboard.Tool{out.Tool()}})
	for i, calls := range [][]pegboard.Call{
		nil,
		{{ID: "1", Name: structured.Name, Input: json.RawMessage(`{"files":"three"}`)}},
		{{ID: "2", Name: structured.Name, Input: json.RawMessage(`{"files":3}`)}},
	} {
		outcomes := executor.Run(ctx, pool, calls...)
		say, err := out.Next(outcomes...)
		if err != nil {
			log.Fatal(err)
		}
		for _, part := range say {
			fmt.Println(i, part.Text)
		}
		for _, outcome := range outcomes {
			fmt.Println(i, outcome.Result.Text())
		}
	}
	value, ok := out.Value()
	fmt.Println(string(value), ok)
	// Output:
	// 0 Your message had no call. The answer counts only as the input of StructuredOutput: call it with the whole answer. (Try 2 of 5.)
	// 1 StructuredOutput was not run, its input is wrong:
	// files: got string "three", want integer
	// Correct the input and call it again.
	// 2 The answer is taken.
	// {"files":3} true
}
