package agents

import (
	"context"

	"github.com/seed49eaa51d/pegboard"
)

// A place is where an agent works.
type place struct {
	dir      string             // as SessionConfig.Dir of the fork
	moreDirs []string           // as SessionConfig.MoreDirs of the fork; nil means the caller's
	rules    []pegboard.RuleSet // deny and ask rules in addition to those of the parents
	hooks    pegboard.Hooks     // in addition to those of the parents
	words    string             // that the agent reads before its task; empty means none
	// release gives the place up when the agent's session is closed, and may write to the
	// result. Nil means that there is nothing to give up. It returns soon after ctx has ended.
	release func(ctx context.Context, r *Result)
}
