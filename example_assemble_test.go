package pegboard_test

import (
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
