package shell_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// A host puts the notices into its next message to the model.
func ExampleMonitor() {
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = session.Close(context.Background()) }()
	var reg pegboard.Registry
	if err := reg.Add(shell.Monitor(shell.Options{})); err != nil {
		log.Fatal(err)
	}
	pool := reg.AssemblePool(session, pegboard.PoolConfig{Gates: pegboard.Gates{Features: []pegboard.Feature{pegboard.FeatureMonitors}}})
	var ex pegboard.Executor
	out := ex.Run(context.Background(), pool, pegboard.Call{
		ID: "1", Name: "Monitor", Input: []byte(`{"description":"two steps","command":"echo one; echo two; echo aside >&2"}`),
	})[0]
	started, ok := out.Result.Data.(shell.MonitorResult)
	if !ok {
		log.Fatal(out.Err)
	}

	tasks := background.Of(session)
	if _, err := tasks.Wait(context.Background(), started.TaskID); err != nil { // a host goes on instead
		log.Fatal(err)
	}
	first := tasks.Notices(session)[0].Text
	fmt.Println(strings.ReplaceAll(first, started.TaskID, "monitor_1"))
	// Output:
	// Background task monitor_1: two steps: 2 events:
	//     one
	//     two
}

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
	if err := reg.Add(shell.TaskOutput(), shell.TaskStop()); err != nil {
		log.Fatal(err)
	}
	input, err = json.Marshal(map[string]any{"task_id": background.Of(session).List()[0].ID})
	if err != nil {
		log.Fatal(err)
	}
	return reg.AssemblePool(session, pegboard.PoolConfig{}), input
}

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
