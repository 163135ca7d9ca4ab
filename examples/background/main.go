// Command background runs a server, a watch and a slow build in the background of
// a conversation that goes on meanwhile: what the model is told and when, how it
// looks at a task, how it ends one, and that nothing is left in the end.
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
	perms, err := pegboard.NewPermissions(pegboard.ModeDefault, pegboard.RuleSet{Allow: []string{"Bash", "Monitor", "TaskStop"}})
	if err != nil {
		return err
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: dir, Permissions: perms})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close(ctx)) }()
	var registry pegboard.Registry
	if err := registry.Add(shell.Bash(shell.Options{}), shell.Monitor(shell.Options{}), shell.TaskOutput(), shell.TaskStop()); err != nil {
		return err
	}
	a := &agent{pool: registry.AssemblePool(session, pegboard.PoolConfig{Gates: pegboard.Gates{Features: []pegboard.Feature{pegboard.FeatureMonitors}}}), tasks: background.Of(session)}

	// A watch whose lines are events, a server that never ends, a build that does.
	a.do(ctx, "Monitor", map[string]any{"description": "the log", "command": "until [ -e built ]; do sleep 0.1; done; echo 'log: built'"})
	server := a.do(ctx, "Bash", map[string]any{"command": "echo listening; exec sleep 600", "run_in_background": true})
	a.do(ctx, "Bash", map[string]any{"command": "sleep 0.5; touch built; echo finished", "run_in_background": true})

	a.do(ctx, "Bash", map[string]any{"command": "echo meanwhile"}) // the conversation goes on
	a.hear(ctx, 3)                                                 // the watch's event and end, the build's end

	a.do(ctx, "TaskOutput", map[string]any{"task_id": server, "block": false})
	a.do(ctx, "TaskStop", map[string]any{"task_id": server})
	for _, t := range a.tasks.List() {
		fmt.Printf("%-8s %-9s %s\n", t.Kind, t.State, t.Command)
	}
	return nil
}

// agent is a model that does what it is told, and the harness around it.
type agent struct {
	executor pegboard.Executor
	pool     *pegboard.Pool
	tasks    *background.Tasks
	calls    int
}

// do makes one call, shows what came of it, and returns the id of the task that it
// started, if it did.
func (a *agent) do(ctx context.Context, tool string, input map[string]any) (task string) {
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

// hear waits until n messages have come from tasks, as a harness would put them
// before the model at its next turn.
func (a *agent) hear(ctx context.Context, n int) {
	news := make(chan struct{}, 1)
	stop := a.tasks.Watch(func([]background.Task) {
		select {
		case news <- struct{}{}:
		default: // somebody knows already
		}
	})
	defer stop()
	for n > 0 {
		for _, part := range a.tasks.Notices(a.pool.Session()) {
			fmt.Println("◂ " + strings.ReplaceAll(strings.TrimSpace(part.Text), "\n", "\n  "))
			n--
		}
		select {
		case <-news:
		case <-ctx.Done():
			return
		}
	}
}
