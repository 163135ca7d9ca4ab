package pegboard_test

import (
	"context"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// A person allowed the call before the program was restarted. It runs without a second
// question.
func ExampleForceDecision() {
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
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
	deploy := pegboard.Call{ID: "1", Name: "Deploy", Input: []byte(`{"to":"production"}`)}
	for _, c := range []pegboard.Call{
		deploy,
		pegboard.ForceDecision(deploy, pegboard.Allow, "approved before the restart"),
		pegboard.ForceDecision(deploy, pegboard.Deny, "not on a Friday"),
	} {
		d := executor.Run(context.Background(), pool, c)[0].Decision
		fmt.Printf("%v by %v: %s\n", d.Behavior, d.By, d.Reason)
	}
	// Output:
	// deny by nobody: no rule allows it: Deploy wants to do something unknown, and nobody can be asked; the allow rule Deploy would permit it
	// allow by caller: the caller: approved before the restart
	// deny by caller: not on a Friday
}
