package pegboard_test

import (
	"context"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// What would become of a call, and by which rule, can be asked without making it.
func ExamplePool_ExplainDecision() {
	p, err := pegboard.NewPermissions(pegboard.ModeDontAsk,
		pegboard.RuleSet{Source: pegboard.SourcePolicy, Deny: []string{"Deploy(to:production)"}},
		pegboard.RuleSet{Source: pegboard.SourceUser, Allow: []string{"Deploy"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: p})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	pool, err := examplePool(s)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(pool.ExplainDecision(context.Background(), pegboard.Call{Name: "Deploy", Input: []byte(`{"to":"production"}`)}))

	// The reasons take time to collect. What cannot be read is denied.
	decision := pool.Decide(context.Background(), pegboard.Call{Name: "Deploy", Input: []byte(`{"place":"test"}`)})
	fmt.Println(decision.Behavior)
	// Output:
	// deny: deny rule "Deploy(to:production)" from policySettings is about it
	// = deny: deny rule "Deploy(to:production)" from policySettings covers it
	// deny
}
