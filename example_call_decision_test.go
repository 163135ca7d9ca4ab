package pegboard_test

import (
	"context"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// A tool that runs something in a sandbox says so in its traits: the sandbox is why the call
// may run, although no rule allows it.
func ExampleCall_Decision() {
	build := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "Build"},
		Description: "Builds the project in a container.",
		Inspect: func(struct{}, *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Sandboxed: true}
		},
		Call: func(_ context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			return c.Decision().Reason, nil
		},
	})
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(context.Background()) //nolint:errcheck // it owns nothing that could fail
	var registry pegboard.Registry
	if err := registry.Add(build); err != nil {
		fmt.Println(err)
		return
	}
	var executor pegboard.Executor
	pool := registry.AssemblePool(s, pegboard.PoolConfig{})
	fmt.Println(executor.Run(context.Background(), pool, pegboard.Call{ID: "1", Name: "Build"})[0].Result.Text())
	// Output: it runs in a sandbox, inside the working directories
}
