package pegboard_test

import (
	"context"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// The program has its own word about every call, also where a rule allows it.
func ExampleGuard() {
	p, err := pegboard.NewPermissions(pegboard.ModeDefault, pegboard.RuleSet{Allow: []string{"Deploy", "Write"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{
		Permissions: p,
		Guard: func(_ context.Context, q *pegboard.Question) (pegboard.Decision, error) {
			if q.Call.Name == "Deploy" {
				return pegboard.Decision{Behavior: pegboard.Deny, Reason: "the budget of this month is spent"}, nil
			}
			return pegboard.Decision{}, nil // as it was decided
		},
	})
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
	var executor pegboard.Executor
	for _, c := range []pegboard.Call{
		{ID: "1", Name: "Deploy", Input: []byte(`{"to":"production"}`)},
		{ID: "2", Name: "Write", Input: []byte(`{"file":"a.md"}`)},
	} {
		d := executor.Run(context.Background(), pool, c)[0].Decision
		fmt.Printf("%s: %v by %v: %s\n", c.Name, d.Behavior, d.By, d.Reason)
	}
	// Output:
	// Deploy: deny by guard: the budget of this month is spent
	// Write: allow by rule: allow rule "Write" covers it
}
