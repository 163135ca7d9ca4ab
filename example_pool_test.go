package pegboard_test

import (
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

func ExamplePool_Explain() {
	reg := toolset("Read", "LSP", "TaskStop", "Deploy")
	s := begin(pegboard.SessionConfig{Role: pegboard.RoleSubAgent})
	pool := reg.AssemblePool(s, pegboard.PoolConfig{
		Gates:        pegboard.Gates{Features: []pegboard.Feature{pegboard.FeatureMonitors}},
		Restrictions: []pegboard.Restriction{{Reason: "not on Fridays", Without: []string{"Deploy"}}},
	})
	for _, name := range []string{"Read", "LSP", "TaskStop", "Deploy", "Write"} {
		fmt.Println(pool.Explain(name))
	}
	// Output:
	// Read is available: a built-in tool
	// LSP is not available here: the feature lsp is off (Gates.Features)
	// TaskStop is not available here: not for agents (sub-agent)
	// Deploy is not available here: not on Fridays
	// Write is not a registered tool
}
