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

// wrong returns the rows in which the rules decide otherwise than their author thinks.
func wrong(pool *pegboard.Pool, rows []rulesRow) (lines []string) {
	for _, row := range rows {
		d := pool.Decide(context.Background(), tooltest.Call(row.tool, row.input))
		if d.Behavior != row.want {
			lines = append(lines, fmt.Sprintf("%s %s: %v, not %v: %s", row.tool, row.input, d.Behavior, row.want, d.Reason))
		}
	}
	return lines
}

type rulesRow struct {
	tool, input string
	want        policy.Behavior
}

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
	for _, line := range wrong(registry.AssemblePool(session, pegboard.PoolConfig{}), []rulesRow{
		{"Read", `{"file_path": "README.md"}`, policy.Allow}, // in the working directory
		{"Write", `{"file_path": "README.md", "content": ""}`, policy.Ask},
		{"Write", `{"file_path": "src/a.go", "content": ""}`, policy.Allow},
		{"Write", `{"file_path": "src/../b.go", "content": ""}`, policy.Ask},
		{"Write", `{"file_path": "src/vendor/a.go", "content": ""}`, policy.Ask},
		{"Write", `{"file_path": "src/.env", "content": ""}`, policy.Allow}, // the author is wrong
	}) {
		fmt.Println(line)
	}
	// Output:
	// Write {"file_path": "src/.env", "content": ""}: deny, not allow: deny rule "Read(.env)" covers it
}
