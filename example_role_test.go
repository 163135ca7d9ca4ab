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
