package pegboard_test

import (
	"context"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// A tool that starts a command and returns keeps the paths of the command until it has
// ended. Meanwhile a line with such a path is asked about.
func ExampleCall_Hold() {
	var ended func()
	line := func(name string, moves bool, call func(c *pegboard.Call)) pegboard.Tool {
		return pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: name}, Description: "Runs a command line.",
			Inspect: func(struct{}, *pegboard.Call) pegboard.Traits {
				return pegboard.Traits{Targets: []pegboard.Target{
					{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "a line", Shell: pegboard.ShellFacts{Simple: true}},
					{Kind: pegboard.TargetPath, Access: pegboard.AccessWrite, Value: "/work/docs", Shell: pegboard.ShellFacts{MovesNames: moves}},
				}}
			},
			Call: func(_ context.Context, _ struct{}, c *pegboard.Call) (string, error) { call(c); return "", nil },
		})
	}
	start := line("Start", true, func(c *pegboard.Call) { ended = c.Hold("the task t1", c.Targets()...) })
	later := line("Later", false, func(*pegboard.Call) {})
	perms, err := pegboard.NewPermissions(pegboard.ModeBypass)
	if err != nil {
		fmt.Println(err)
		return
	}
	tools := pool(pegboard.SessionConfig{Permissions: perms}, start, later)
	var executor pegboard.Executor
	executor.Run(context.Background(), tools, pegboard.Call{ID: "1", Name: "Start"})
	d := tools.Decide(context.Background(), pegboard.Call{ID: "2", Name: "Later"})
	fmt.Println(d.Behavior, d.Reason)
	ended()
	fmt.Println(tools.Decide(context.Background(), pegboard.Call{ID: "2", Name: "Later"}).Behavior)
	// Output:
	// ask the task t1 still goes on, and may change what /work/docs leads to; decide on it when that has ended
	// allow
}
