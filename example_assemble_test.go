package pegboard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard"
)

// Built-in tools come first, so that a server that comes or goes leaves the
// beginning of the prompt as it was.
func ExampleRegistry_AssemblePool() {
	reg := toolset("Write", "Read", "Bash")
	if _, err := reg.Attach("db", inert("query")); err != nil {
		log.Fatal(err)
	}
	perms, err := pegboard.NewPermissions(pegboard.ModeDefault, pegboard.RuleSet{
		Source: pegboard.SourceUser,
		Deny:   []string{"Bash", "Edit(//etc/passwd)"}, // a whole tool goes, a pattern leaves it
	})
	if err != nil {
		log.Fatal(err)
	}
	pool := reg.AssemblePool(begin(pegboard.SessionConfig{Permissions: perms}), pegboard.PoolConfig{})
	for tool := range pool.All() {
		fmt.Println(tool.Info().Name)
	}
	// Output:
	// Read
	// Write
	// mcp__db__query
}

// A tool whose schema belongs to one answer is in one pool, and the registry need not know it.
func ExamplePoolConfig() {
	verdict, err := pegboard.BuildRaw(json.RawMessage(`{"type":"object","properties":{"verdict":{"type":"string"}}}`), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info:        pegboard.Info{Name: "StructuredOutput"},
		Description: "Gives the answer.",
		Call: func(_ context.Context, answer json.RawMessage, _ *pegboard.Call) (*pegboard.Result, error) {
			return pegboard.TextResult("taken: " + string(answer)), nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	reg, session := toolset("Read"), begin(pegboard.SessionConfig{})
	pool := reg.AssemblePool(session, pegboard.PoolConfig{With: []pegboard.Tool{verdict}})
	for tool := range pool.All() {
		fmt.Println(tool.Info().Name)
	}
	_, ok := reg.AssemblePool(session, pegboard.PoolConfig{}).Lookup("StructuredOutput")
	fmt.Println(ok)
	// Output:
	// Read
	// StructuredOutput
	// false
}
