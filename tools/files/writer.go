package files

import (
	"context"

	"github.com/seed49eaa51d/pegboard"
)

// buildWriter returns the tool with the definition d, which changes a file and plans
// changes with w.
func buildWriter[In, Out any](o WriteOptions, d pegboard.Definition[In, Out], w planner[In, Out]) pegboard.Tool {
	d.Permit = func(_ context.Context, _ In, c *pegboard.Call) pegboard.Decision { return o.permit(c) }
	d.Call = func(ctx context.Context, in In, c *pegboard.Call) (Out, error) { return w.apply(ctx, o, in, c) }
	d.Preview = func(ctx context.Context, in In, c *pegboard.Call) ([]pegboard.Diff, error) {
		return w.propose(ctx, o, in, c)
	}
	return pegboard.Build(d)
}
