package shell_test

import (
	"context"
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
	pool := reg.AssemblePool(session, pegboard.PoolConfig{})
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
