package tooltest

import (
	"context"

	"github.com/seed49eaa51d/pegboard"
)

// A visitedTool is a tool whose calls are passed to a function and not run.
type visitedTool struct {
	pegboard.Tool
	visit func(context.Context, *pegboard.Call)
}

// Call passes the call to visit.
func (v visitedTool) Call(ctx context.Context, c *pegboard.Call) (*pegboard.Result, error) {
	v.visit(ctx, c)
	return &pegboard.Result{}, nil
}
