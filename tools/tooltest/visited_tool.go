package tooltest

import (
	"context"

	"github.com/seed49eaa51d/pegboard"
)

// visitedTool is a tool whose calls are looked at in place of being run.
type visitedTool struct {
	pegboard.Tool
	visit func(context.Context, *pegboard.Call)
}

// Call shows the call to the visitor.
func (v visitedTool) Call(ctx context.Context, c *pegboard.Call) (*pegboard.Result, error) {
	v.visit(ctx, c)
	return &pegboard.Result{}, nil
}
