package agents

import (
	"context"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// choosePlace returns where an agent works that s starts.
func (g *Agents) choosePlace(_ context.Context, _ *pegboard.Session, r *Request, d *Definition) (place, error) {
	if r.Isolation != "" || d.Worktree {
		return place{}, fmt.Errorf("%w: there are no worktrees here; leave isolation out", ErrInvalidRequest)
	}
	return place{dir: r.Dir}, nil
}
