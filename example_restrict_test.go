package pegboard_test

import (
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard"
)

func ExampleRestriction() {
	reg := toolset("Read", "Grep", "Bash")
	if _, err := reg.Attach("db", inert("query"), inert("drop")); err != nil {
		log.Fatal(err)
	}
	pool := reg.AssemblePool(begin(pegboard.SessionConfig{}), pegboard.PoolConfig{})
	review := pool.Restrict(pegboard.Restriction{
		Reason: "a review only reads",
		Only:   []string{"Read", "Grep", "mcp__*__query"},
	})
	for tool := range review.All() {
		fmt.Println(tool.Info().Name)
	}
	fmt.Println(review.Explain("mcp__db__drop"))
	// Output:
	// Grep
	// Read
	// mcp__db__query
	// mcp__db__drop is not available here: a review only reads
}
