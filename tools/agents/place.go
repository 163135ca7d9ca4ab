package agents

import (
	"context"

	"github.com/seed49eaa51d/pegboard"
)

// A place is where an agent works.
type place struct {
	dir   string         // as SessionConfig.Dir of the fork
	hooks pegboard.Hooks // in addition to those of the parents
	guard pegboard.Guard
	// release gives the place up when the agent's session is closed, and may write to the
	// result. Nil means that there is nothing to give up.
	release func(ctx context.Context, r *Result)
}
