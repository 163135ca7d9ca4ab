package cookbook_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func Example_testingRules() {
	permissions, err := policy.New(policy.ModeDefault, policy.RuleSet{
		Allow: []string{"Edit(/src/**)"},
		Ask:   []string{"Edit(/src/vendor/**)"},
		Deny:  []string{"Read(.env)"},
	})
	if err != nil {
		log.Fatal(err)
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: permissions})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close(context.Background())
	var registry pegboard.Registry
	if err := registry.Add(files.Tools()...); err != nil {
		log.Fatal(err)
	}
	pool := registry.AssemblePool(session, pegboard.PoolConfig{})
	for _, row := range []struct {
		tool, input string
		want        policy.Behavior
	}{
		{"Read", `{"file_path": "README.md"}`, policy.Allow}, // in the working directory
		{"Write", `{"file_path": "README.md", "content": ""}`, policy.Ask},
		{"Write", `{"file_path": "src/a.go", "content": ""}`, policy.Allow},
		{"Write", `{"file_path": "src/../b.go", "content": ""}`, policy.Ask},
		{"Write", `{"file_path": "src/vendor/a.go", "content": ""}`, policy.Ask},
		{"Write", `{"file_path": "src/.env", "content": ""}`, policy.Allow}, // the author is wrong
	} {
		d := pool.Decide(context.Background(), tooltest.Call(row.tool, row.input))
		if d.Behavior != row.want {
			fmt.Printf("%s %s: %v, not %v: %s\n", row.tool, row.input, d.Behavior, row.want, d.Reason)
		}
	}
	// Output:
	// Write {"file_path": "src/.env", "content": ""}: deny, not allow: deny rule "Read(.env)" covers it
}
