package pegboard_test

import (
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// The tables are data. Here agents may start agents of their own.
func ExampleRoleTables() {
	reg := toolset("Read", "Agent", "AskUserQuestion")
	s := begin(pegboard.SessionConfig{Role: pegboard.RoleSubAgent})

	tables := pegboard.DefaultRoleTables()
	tables.Agents = []string{"AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "TaskOutput", "TaskStop"}
	for tool := range reg.AssemblePool(s, pegboard.PoolConfig{Roles: &tables}).All() {
		fmt.Println(tool.Info().Name)
	}
	// Output:
	// Agent
	// Read
}

// A host that follows Claude Code takes its tables: there an agent may start agents.
func ExampleClaudeCodeRoleTables() {
	reg, documented := toolset("Read", "Agent"), pegboard.ClaudeCodeRoleTables()
	s := begin(pegboard.SessionConfig{Role: pegboard.RoleSubAgent})
	for _, tables := range []*pegboard.RoleTables{nil, &documented} {
		fmt.Println(reg.AssemblePool(s, pegboard.PoolConfig{Roles: tables}).Explain("Agent"))
	}
	// Output:
	// Agent is not available here: not for agents (sub-agent)
	// Agent is available: a built-in tool
}
