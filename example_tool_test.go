package pegboard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard"
)

// A wrapper embeds a tool and overrides one stage. The executor takes each call
// through all the others, so no check is lost.
func ExampleTool_wrapper() {
	var ex pegboard.Executor
	out := ex.Run(context.Background(), pool(pegboard.SessionConfig{}, shouting{greet}),
		pegboard.Call{ID: "1", Name: "Greet", Input: json.RawMessage(`{"name":"Ada"}`)})
	fmt.Println(out[0].Result.Text())
	// Output: hello Ada!
}

type shouting struct{ pegboard.Tool }

func (t shouting) Call(ctx context.Context, c *pegboard.Call) (*pegboard.Result, error) {
	r, err := t.Tool.Call(ctx, c)
	if err != nil {
		return nil, err
	}
	return pegboard.TextResult(r.Text() + "!"), nil
}

// A host's own list of tools counts aliases as the library's lists do.
func ExampleInfo_Matches() {
	quiet := []string{"TodoWrite", "Task"}
	agent := pegboard.Info{Name: "Agent", Aliases: []string{"Task"}}
	fmt.Println(slices.ContainsFunc(quiet, agent.Matches))
	// Output:
	// true
}
