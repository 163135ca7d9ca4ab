package pegboard_test

import (
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard"
)

// The lists are those of an agent's definition.
func ExamplePool_Resolve() {
	reg := toolset("Read", "Edit", "Bash", "Agent")
	if _, err := reg.Attach("db", inert("query"), inert("drop")); err != nil {
		log.Fatal(err)
	}
	pool := reg.AssemblePool(begin(pegboard.SessionConfig{}), pegboard.PoolConfig{})

	tools := []string{"Read", "Agent(explorer, planner)", "mcp__db", "Grepp"}
	res, err := pool.Resolve(tools, []string{"mcp__db__drop"})
	if err != nil {
		log.Fatal(err)
	}
	for tool := range res.Pool.All() {
		fmt.Println(tool.Info().Name)
	}
	fmt.Println("may start:", res.AgentTypes)
	fmt.Println("unknown:", res.Unknown)

	_, err = pool.Resolve([]string{"Grepp"}, nil)
	fmt.Println(err)
	// Output:
	// Agent
	// Read
	// mcp__db__query
	// may start: [explorer planner]
	// unknown: [Grepp]
	// no tool is left for the agent: tools ["Grepp"], disallowedTools []
}
