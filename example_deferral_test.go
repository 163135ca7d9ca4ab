package pegboard_test

import (
	"fmt"
	"log"
	"slices"

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

// A host that defers more tools begins with those that are deferred by default.
func ExampleDefaultDeferred() {
	deferred := pegboard.DefaultDeferred()
	fmt.Println(slices.Contains(deferred, "Read"), slices.Contains(deferred, "NotebookEdit"))
	reg := toolset("Read", "NotebookEdit", "Deploy")
	if err := reg.Add(pegboard.ToolSearch(pegboard.SearchOptions{})); err != nil {
		log.Fatal(err)
	}
	pool := reg.AssemblePool(begin(pegboard.SessionConfig{}), pegboard.PoolConfig{
		Deferral: pegboard.Deferral{BuiltinTools: append(deferred, "Deploy")},
	})
	fmt.Println(pool.Deferred())
	// Output:
	// false true
	// [Deploy NotebookEdit]
}

// Without a tool that finds deferred tools none is deferred, and a prompt that advises a
// search would be wrong.
func ExamplePool_Searchable() {
	reg, session := toolset("Read"), begin(pegboard.SessionConfig{})
	fmt.Println(reg.AssemblePool(session, pegboard.PoolConfig{}).Searchable())
	fmt.Println(shelf().AssemblePool(session, pegboard.PoolConfig{}).Searchable())
	// Output:
	// false
	// true
}
