package pegboard_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// A tool tells what a person has put into its input from what the model wrote.
func ExampleCall_Sent() {
	type order struct {
		Cups int `json:"cups"`
	}
	tool := pegboard.Build(pegboard.Definition[order, string]{
		Info:        pegboard.Info{Name: "OrderTea"},
		Description: "Orders cups of tea.",
		Call: func(_ context.Context, in order, c *pegboard.Call) (string, error) {
			var sent order
			if err := json.Unmarshal(c.Sent(), &sent); err != nil {
				return "", err
			}
			return fmt.Sprintf("asked for %d, the person ordered %d", sent.Cups, in.Cups), nil
		},
	})
	cfg := pegboard.SessionConfig{Ask: func(context.Context, *pegboard.Question) (pegboard.Decision, error) {
		return pegboard.Decision{Behavior: pegboard.Allow, Input: json.RawMessage(`{"cups":2}`)}, nil
	}}
	var ex pegboard.Executor
	out := ex.Run(context.Background(), pool(cfg, tool), pegboard.Call{ID: "1", Name: "OrderTea", Input: json.RawMessage(`{"cups":12}`)})[0]
	fmt.Println(out.Result.Text())
	// Output: asked for 12, the person ordered 2
}
