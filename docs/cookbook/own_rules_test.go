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

func ownRules() (policy.Permissions, error) {
	return policy.New(policy.ModeDefault,
		policy.RuleSet{Source: policy.SourceManaged, Deny: []string{"Read(.env)"}},
		policy.RuleSet{Source: policy.SourceUser, Allow: []string{"Edit(/docs/**)"}, Ask: []string{"Edit(/docs/legal/**)"}},
	) // the error names the rule that cannot be read
}

// setMode changes the mode of a session that runs.
func setMode(session *pegboard.Session, mode policy.Mode) error {
	return session.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) { return p.WithMode(mode) })
}

func Example_ownRules() {
	permissions, err := ownRules()
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
	for _, mode := range []policy.Mode{policy.ModeDefault, policy.ModeAcceptEdits, policy.ModePlan} {
		if err := setMode(session, mode); err != nil {
			log.Fatal(err)
		}
		fmt.Print(mode, ":")
		for _, path := range []string{"docs/a.md", "main.go", "docs/legal/b.md", ".env"} {
			d := pool.Decide(context.Background(), tooltest.Call("Write", fmt.Sprintf(`{"file_path": %q, "content": ""}`, path)))
			fmt.Print(" ", path, " ", d.Behavior, ";")
		}
		fmt.Println()
	}
	// Output:
	// default: docs/a.md allow; main.go ask; docs/legal/b.md ask; .env deny;
	// acceptEdits: docs/a.md allow; main.go allow; docs/legal/b.md ask; .env deny;
	// plan: docs/a.md deny; main.go deny; docs/legal/b.md deny; .env deny;
}
