package pegboard_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// One call waits for another, and the events say why.
func ExamplePool_Conflict() {
	save := pegboard.Build(pegboard.Definition[touch, string]{
		Info: pegboard.Info{Name: "Save"}, Description: "Saves a file.",
		Inspect: func(in touch, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Concurrency: pegboard.PerTarget, Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Value: in.Path}}}
		},
		Permit: func(context.Context, touch, *pegboard.Call) pegboard.Decision {
			return pegboard.Decision{Behavior: pegboard.Allow}
		},
		Call: func(context.Context, touch, *pegboard.Call) (string, error) { return "saved", nil },
	})
	pool := pool(pegboard.SessionConfig{}, save)
	first := pegboard.Call{ID: "1", Name: "Save", Input: json.RawMessage(`{"path":"src/a.go"}`)}
	second := pegboard.Call{ID: "2", Name: "Save", Input: json.RawMessage(`{"path":"src/b.go"}`)}
	_, conflict := pool.Conflict(first, second)
	fmt.Println(conflict)
	second.Input = first.Input
	fmt.Println(pool.Conflict(first, second))
	// Output:
	// false
	// both write src/a.go true
}
