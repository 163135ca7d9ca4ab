// Command background runs a server, a monitor and a slow build in the background of a
// conversation that goes on meanwhile. It shows which notices the model gets and
// when, how the model looks at a task and stops one, and that no process is left at
// the end.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "background:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "background")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return err
	}
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Bash", "Monitor", "TaskStop"}})
	if err != nil {
		return err
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: dir, Permissions: perms})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close(ctx)) }()
	told := make(chan string, 8) // to the person, such as by a message on the desktop
	pegboard.KeyNotify.Set(session, func(_ context.Context, n pegboard.Notification) { told <- n.Message })
	var registry pegboard.Registry
	if err := registry.Add(shell.Bash(shell.Options{}), shell.Monitor(shell.Options{}), shell.TaskOutput(shell.TaskOutputOptions{}), shell.TaskStop()); err != nil {
		return err
	}
	a := &agent{pool: registry.AssemblePool(session, pegboard.PoolConfig{}), tasks: background.Of(session)}

	// A monitor whose lines are events, a server that does not end, and a build that
	// ends.
	a.call(ctx, "Monitor", map[string]any{"description": "the log", "command": "until [ -e built ]; do sleep 0.1; done; echo 'log: built'"})
	server := a.call(ctx, "Bash", map[string]any{"command": "echo listening; exec sleep 600", "run_in_background": true})
	a.call(ctx, "Bash", map[string]any{"command": "sleep 0.5; touch built; echo finished", "run_in_background": true})

	a.call(ctx, "Bash", map[string]any{"command": "echo meanwhile"}) // the conversation goes on
	a.awaitNotices(ctx, 3)                                           // an event and the end of the monitor, and the end of the build

	a.call(ctx, "TaskOutput", map[string]any{"task_id": server, "block": false})
	a.call(ctx, "TaskStop", map[string]any{"task_id": server})
	for _, t := range a.tasks.List() {
		fmt.Printf("%-8s %-9s %s\n", t.Kind, t.State, t.Command)
	}
	for range 2 { // the monitor and the build; the server was stopped
		fmt.Println("the person was told:", <-told)
	}
	return nil
}

// An agent is a scripted model together with its harness.
type agent struct {
	executor pegboard.Executor
	pool     *pegboard.Pool
	tasks    *background.Tasks
	calls    int
}

// call makes one call, prints its result, and returns the id of the background task
// that the call has started, or "".
func (a *agent) call(ctx context.Context, tool string, input map[string]any) (task string) {
	raw, err := json.Marshal(input)
	if err != nil {
		panic(err) // strings and bools can be encoded
	}
	a.calls++
	out := a.executor.Run(ctx, a.pool, pegboard.Call{ID: fmt.Sprint(a.calls), Name: tool, Input: raw})[0]
	fmt.Printf("▸ %s %s\n  %s\n", tool, raw, strings.ReplaceAll(strings.TrimSpace(out.Result.Text()), "\n", "\n  "))
	if data, ok := out.Result.Data.(shell.Output); ok {
		return data.BackgroundTaskID
	}
	return ""
}

// awaitNotices prints notices of background tasks until there were n of them. A
// harness would send them to the model in its next turn.
func (a *agent) awaitNotices(ctx context.Context, n int) {
	news := make(chan struct{}, 1)
	stop := a.tasks.Watch(func([]background.Task) {
		select {
		case news <- struct{}{}:
		default: // a wake-up is already pending
		}
	})
	defer stop()
	for {
		for _, part := range a.tasks.Notices(a.pool.Session()) {
			fmt.Println("◂ " + strings.ReplaceAll(strings.TrimSpace(part.Text), "\n", "\n  "))
			n--
		}
		if n <= 0 {
			return
		}
		select {
		case <-news:
		case <-ctx.Done():
			return
		}
	}
}
