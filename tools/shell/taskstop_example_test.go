package shell_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

func ExampleTaskStop() {
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = session.Close(context.Background()) }()
	pool, input := exampleTask(session)
	var ex pegboard.Executor
	outs := ex.Run(context.Background(), pool,
		pegboard.Call{ID: "1", Name: "TaskStop", Input: input},
		pegboard.Call{ID: "2", Name: "TaskOutput", Input: input})

	stopped, ok := outs[0].Result.Data.(shell.TaskStopResult)
	if !ok {
		log.Fatal(outs[0].Err)
	}
	fmt.Println(stopped.TaskType, stopped.Command, stopped.State)
	shown, ok := outs[1].Result.Data.(shell.TaskOutputResult)
	if !ok {
		log.Fatal(outs[1].Err)
	}
	fmt.Println(shown.Retrieval, shown.Task.Err)
	fmt.Println(shown.Task.Output)
	// Output:
	// shell make serve killed
	// success stopped on request
	// listening on port 8080
}
