package tooltest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// An Invoke sends the id, the name and the bytes of a call to another process, which
// rebuilds the call from its pool. Here one process is both sides.
func ExampleCheckInvoke() {
	fmt.Println(tooltest.CheckInvoke(func(p *pegboard.Pool) (pegboard.Invoke, error) {
		return func(ctx context.Context, _ pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
			tool, far, err := p.Rebuild(pegboard.Call{ID: c.ID, Name: c.Name, Input: c.Input})
			if err != nil {
				return nil, err
			}
			return tool.Call(ctx, far)
		}, nil
	}))

	// The input as a json.RawMessage in a message is compacted.
	err := tooltest.CheckInvoke(func(p *pegboard.Pool) (pegboard.Invoke, error) {
		return func(ctx context.Context, _ pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
			message, err := json.Marshal(struct{ Input json.RawMessage }{c.Input})
			if err != nil {
				return nil, err
			}
			var got struct{ Input json.RawMessage }
			if err := json.Unmarshal(message, &got); err != nil {
				return nil, err
			}
			tool, far, err := p.Rebuild(pegboard.Call{ID: c.ID, Name: c.Name, Input: got.Input})
			if err != nil {
				return nil, err
			}
			return tool.Call(ctx, far)
		}, nil
	})
	var v *tooltest.ContractError
	if errors.As(err, &v) {
		fmt.Println(v.Rule)
		fmt.Println(v.Why)
	}
	// Output:
	// <nil>
	// exactly the decided bytes arrive
	// permission was decided for these bytes, so nothing else may run
}
