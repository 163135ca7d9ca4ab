package pegboard_test

import (
	"context"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// Once all tools are there, a host shows the rules that its user has misspelt.
func ExamplePool_RuleProblems() {
	p, err := pegboard.NewPermissions(pegboard.ModeDefault,
		pegboard.RuleSet{Source: pegboard.SourceUser, Deny: []string{"Deploy(too:production)", "deploy"}, Allow: []string{"Deploy"}})
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
	for _, problem := range pool.RuleProblems() {
		fmt.Println(problem.Rule, problem.Near)
	}
	// Output:
	// Deploy(too:production) [to]
	// deploy [Deploy]
}
