package pegboard_test

import (
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// A host registers all its tools. The gates say which of them exist now.
func ExampleGates() {
	reg := toolset(pegboard.BuiltinNames()...)
	s := begin(pegboard.SessionConfig{})
	usual := reg.AssemblePool(s, pegboard.PoolConfig{Gates: pegboard.Gates{Features: []pegboard.Feature{}}})
	gates := pegboard.Gates{EmbeddedSearch: true, Features: []pegboard.Feature{pegboard.FeatureLSP}}
	gated := reg.AssemblePool(s, pegboard.PoolConfig{Gates: gates})
	for _, name := range []string{"Grep", "LSP"} {
		fmt.Println(usual.Explain(name))
		fmt.Println(gated.Explain(name))
	}
	// Output:
	// Grep is available: a built-in tool
	// Grep is not available here: the shell searches (Gates.EmbeddedSearch)
	// LSP is not available here: the feature lsp is off (Gates.Features)
	// LSP is available: a built-in tool
}

// An editor of agent definitions offers the tools that exist here, whatever rules say.
func ExampleGates_Preset() {
	reg := toolset("Read", "Grep", "TodoWrite", "TaskCreate")
	s := begin(pegboard.SessionConfig{})
	fmt.Println(pegboard.Gates{}.Preset(reg, s))
	fmt.Println(pegboard.Gates{TodoList: true, EmbeddedSearch: true}.Preset(reg, s))
	// Output:
	// [Grep Read TaskCreate]
	// [Read TodoWrite]
}
