package shell_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// exampleTask puts a task into a session that ends when it is stopped, and returns a
// pool with the tools that look after it.
func exampleTask(session *pegboard.Session) (pool *pegboard.Pool, input json.RawMessage) {
	ask := make(chan error, 1)
	handle, err := background.Of(session).Add(session, background.Work{
		Kind: "shell", Description: "Serve the site", Command: "make serve",
		Stop:   func(cause error) { ask <- cause },
		Output: func() string { return "listening on port 8080\n" },
	})
	if err != nil {
		log.Fatal(err)
	}
	go func() { handle.Done(background.Killed, nil, <-ask) }()
	var reg pegboard.Registry
	if err := reg.Add(shell.TaskOutput(shell.TaskOutputOptions{}), shell.TaskStop()); err != nil {
		log.Fatal(err)
	}
	input, err = json.Marshal(map[string]any{"task_id": background.Of(session).List()[0].ID})
	if err != nil {
		log.Fatal(err)
	}
	return reg.AssemblePool(session, pegboard.PoolConfig{}), input
}

func ExampleTaskOutput() {
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = session.Close(context.Background()) }()
	pool, input := exampleTask(session)
	input = append(input[:len(input)-1], `,"block":false}`...)
	var ex pegboard.Executor
	out := ex.Run(context.Background(), pool, pegboard.Call{ID: "1", Name: "TaskOutput", Input: input})[0]
	shown, ok := out.Result.Data.(shell.TaskOutputResult)
	if !ok {
		log.Fatal(out.Err)
	}
	fmt.Println(shown.Retrieval, shown.Task.State)
	fmt.Println(shown.Task.Output)
	// Output:
	// not_ready running
	// listening on port 8080
}
