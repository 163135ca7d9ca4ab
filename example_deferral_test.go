package pegboard_test

import (
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// The tools of a server wait, and what few turns need, unless the host says otherwise.
func ExampleDeferral() {
	reg, session := shelf(), begin(pegboard.SessionConfig{})
	fmt.Println(reg.AssemblePool(session, pegboard.PoolConfig{}).Deferred())
	fmt.Println(reg.AssemblePool(session, pegboard.PoolConfig{Deferral: pegboard.Deferral{AlwaysLoad: []string{"mcp__github__create_issue"}}}).Deferred())
	fmt.Println(reg.AssemblePool(session, pegboard.PoolConfig{Deferral: pegboard.Deferral{Mode: pegboard.DeferAuto}}).Deferred()) // they are few
	// Output:
	// [mcp__github__create_issue mcp__github__list_branches]
	// [mcp__github__list_branches]
	// []
}
