package pegboard_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// What a tool reports on the far side, and what it returns, crosses as JSON. A far side with
// another version of the tool runs nothing.
func ExampleCallReply() {
	count := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "Count"},
		Description: "Counts.",
		Traits:      pegboard.Traits{ReadOnly: true},
		Call: func(_ context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			c.Emit("one")
			return "counted", pegboard.Transient(fmt.Errorf("the line broke"), 0)
		},
	})
	far := pool(pegboard.SessionConfig{}, count)
	perform := func(ctx context.Context, sent *pegboard.Call) ([]byte, error) {
		tool, call, err := far.Rebuild(pegboard.Call{ID: sent.ID, Name: sent.Name, Input: sent.Input})
		if err != nil {
			return nil, err
		}
		if call.ToolDigest() != sent.ToolDigest() {
			return nil, fmt.Errorf("another version of %s", call.ToolName())
		}
		call.OnProgress(func(text string, _ any) { fmt.Println("far side:", text) })
		return json.Marshal(pegboard.NewCallReply(tool.Call(ctx, call)))
	}
	executor := pegboard.Executor{Invoke: func(ctx context.Context, _ pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
		fmt.Println("call", c.ID, "of", c.Turn(), "to a worker for", c.Info().Name)
		text, err := perform(ctx, c)
		if err != nil {
			return nil, err
		}
		var reply pegboard.CallReply
		if err := json.Unmarshal(text, &reply); err != nil {
			return nil, err
		}
		return reply.Returned()
	}}
	ctx := pegboard.WithTurn(context.Background(), "message 7")
	out := executor.Run(ctx, pool(pegboard.SessionConfig{}, count), pegboard.Call{ID: "1", Name: "Count"})[0]
	fmt.Println(out.Err)
	fmt.Println(out.Result.Text())
	// Output:
	// call 1 of message 7 to a worker for Count
	// far side: one
	// call Count: the line broke
	// the line broke
	// counted
}
