package files

import (
	"context"
	"sync"

	"github.com/seed49eaa51d/pegboard"
)

// A writer is a tool that changes a file.
type writer struct {
	pegboard.Tool
	// previewTool returns a tool that decodes and validates the same input but cannot
	// write. Its Result.Data is a Proposal.
	previewTool func() pegboard.Tool
}

// buildWriter returns the tool with the definition d, which plans changes with w.
func buildWriter[In, Out any](o WriteOptions, d pegboard.Definition[In, Out], w planner[In, Out]) pegboard.Tool {
	d.Permit = func(_ context.Context, _ In, c *pegboard.Call) pegboard.Decision { return o.permit(c) }
	d.Call = func(ctx context.Context, in In, c *pegboard.Call) (Out, error) { return w.apply(ctx, o, in, c) }
	return &writer{Tool: pegboard.Build(d), previewTool: sync.OnceValue(func() pegboard.Tool { // built on first use: few hosts need it
		return pegboard.Build(pegboard.Definition[In, Proposal]{
			Info:        d.Info,
			Description: d.Description,
			Validate:    d.Validate,
			Call: func(ctx context.Context, in In, c *pegboard.Call) (Proposal, error) {
				return w.propose(ctx, o, in, c)
			},
			Result: func(out Proposal) *pegboard.Result { return &pegboard.Result{Data: out} },
		})
	})}
}
