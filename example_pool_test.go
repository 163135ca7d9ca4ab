package pegboard_test

import (
	"fmt"
	"log"

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

// A list for the user has every registered tool, those that cannot be used now with the reason.
func ExamplePool_Excluded() {
	reg := toolset("Read", "LSP")
	if _, err := reg.Attach("db", inert("query"), inert("drop")); err != nil {
		log.Fatal(err)
	}
	perms, err := pegboard.NewPermissions(pegboard.ModeDefault, pegboard.RuleSet{Deny: []string{"mcp__db__drop"}})
	if err != nil {
		log.Fatal(err)
	}
	pool := reg.AssemblePool(begin(pegboard.SessionConfig{Permissions: perms}), pegboard.PoolConfig{Gates: pegboard.Gates{Features: []pegboard.Feature{}}})
	for tool := range pool.All() {
		fmt.Println(tool.Info().Name, "external:", tool.Info().Origin.External())
	}
	for _, x := range pool.Excluded() {
		fmt.Println(x.Name, "external:", x.Origin.External(), "-", x.Reason)
	}
	// Output:
	// Read external: false
	// mcp__db__query external: true
	// LSP external: false - the feature lsp is off (Gates.Features)
	// mcp__db__drop external: true - deny rule "mcp__db__drop"
}

// While its fingerprint stays the same, a provider's prompt cache holds a partition. Tools
// of a server change that of the external tools alone.
func ExamplePool_Fingerprint() {
	reg, session := toolset("Read"), begin(pegboard.SessionConfig{})
	before := reg.AssemblePool(session, pegboard.PoolConfig{})
	if _, err := reg.Attach("db", inert("query")); err != nil {
		log.Fatal(err)
	}
	after := reg.AssemblePool(session, pegboard.PoolConfig{})
	same := func(part pegboard.Partition) bool { return before.Fingerprint(part) == after.Fingerprint(part) }
	fmt.Println("built-in tools are cached:", same(pegboard.Builtin))
	fmt.Println("external tools are cached:", same(pegboard.External))
	// Output:
	// built-in tools are cached: true
	// external tools are cached: false
}

// The size of all definitions does not change with the rules, which hide some tools.
func ExamplePool_Unfiltered() {
	reg := toolset("Read")
	if _, err := reg.Attach("db", inert("query"), inert("drop")); err != nil {
		log.Fatal(err)
	}
	perms, err := pegboard.NewPermissions(pegboard.ModeDefault, pegboard.RuleSet{Deny: []string{"mcp__db"}})
	if err != nil {
		log.Fatal(err)
	}
	pool, size := reg.AssemblePool(begin(pegboard.SessionConfig{Permissions: perms}), pegboard.PoolConfig{}), 0
	for tool := range pool.Unfiltered() {
		if d, ok := tool.Declare(pegboard.Scope{Session: pool.Session()}); ok {
			size += len(d.Name) + len(d.Description) + len(d.InputSchema)
		}
	}
	fmt.Println(pool.Len(), "tool can be used; all take", size, "bytes")
	// Output:
	// 1 tool can be used; all take 284 bytes
}
