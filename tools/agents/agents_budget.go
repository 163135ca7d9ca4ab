package agents

import (
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// checkBudget returns ErrBudget if the agents of the conversation of s may spend nothing more.
func (g *Agents) checkBudget(s *pegboard.Session) error {
	used := g.rosterOf(s).spent()
	if limit := g.options.MaxTokens; limit > 0 && used.Tokens() >= limit {
		return fmt.Errorf("%w: %d of %d tokens", ErrBudget, used.Tokens(), limit)
	}
	if limit := g.options.MaxUSD; limit > 0 && used.USD >= limit {
		return fmt.Errorf("%w: $%.2f of $%.2f", ErrBudget, used.USD, limit)
	}
	if budget, _ := pegboard.KeyBudget.Get(s); budget.Left() <= 0 {
		return fmt.Errorf("%w: $%.2f, and nothing is left for the conversation", ErrBudget, budget.Spent())
	}
	return nil
}
