package pegboard_test

import (
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

func ExamplePool_Announce() {
	reg, session := shelf(), begin(pegboard.SessionConfig{})
	text, told := reg.AssemblePool(session, pegboard.PoolConfig{}).Announce(nil)
	fmt.Println(text)
	reg.Detach("github")
	text, _ = reg.AssemblePool(session, pegboard.PoolConfig{}).Announce(told)
	fmt.Println(text)
	// Output:
	// These tools can be loaded with ToolSearch. Only their names are known so far; do not call one before it is loaded:
	// mcp__github__create_issue
	// mcp__github__list_branches
	// These tools are not available any more:
	// mcp__github__create_issue
	// mcp__github__list_branches
}

// When a conversation is resumed, the tools that its history shows are loaded.
func ExampleSession_SetLoaded() {
	reg, session := shelf(), begin(pegboard.SessionConfig{})
	session.SetLoaded("mcp__github__list_branches") // a wire's Loaded returns it
	for d := range reg.AssemblePool(session, pegboard.PoolConfig{}).Loaded() {
		fmt.Println(d.Name, d.Description)
	}
	// Output: mcp__github__list_branches Lists branches.
}
