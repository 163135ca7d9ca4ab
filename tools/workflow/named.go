package workflow

import (
	"context"
	"encoding/json"
	"fmt"
)

// Func is a workflow, or a branch of one, in Go. It uses r, which no other function may
// use, on its own goroutine. While it waits for an agent, other functions of the run go
// on; one of them at a time. It should return soon after ctx has ended.
type Func func(ctx context.Context, r *Run) (any, error)

// Named is a workflow of the host, which calls start by its name. One of Script and Run is
// set. A run can be resumed only if it depends on nothing but its Args and the results of
// its agents.
type Named struct {
	Name        string
	Description string   // for the model, and for the person who approves it
	Phases      []string // for the person who approves it
	Script      string   // JavaScript, see the package's documentation
	Run         Func     // its result is encoded as JSON
}

// check returns the first error of a workflow of the host.
func (n Named) check() error {
	switch {
	case n.Name == "" || n.Name != oneLine(n.Name, maxTitle):
		return fmt.Errorf("a named workflow needs a name of at most %d characters in one line, not %q", maxTitle, n.Name)
	case (n.Script == "") == (n.Run == nil):
		return fmt.Errorf("workflow %s: set one of Script and Run", n.Name)
	case n.Run != nil:
		return nil
	}
	if _, err := parseScript(n.Script); err != nil {
		return fmt.Errorf("workflow %s: %w", n.Name, err)
	}
	return nil
}

// task returns a task that runs the workflow.
func (n Named) task(args json.RawMessage) (*task, error) {
	if n.Run != nil {
		return newFuncTask(n.Run, args), nil
	}
	s, err := parseScript(n.Script)
	if err != nil {
		return nil, err
	}
	return newScriptTask(s, args), nil
}

// newFuncTask returns a task that runs a function of Go.
func newFuncTask(f Func, args json.RawMessage) *task {
	return &task{args: args, function: func(t *task) (any, error) {
		ctx, cancel := context.WithCancelCause(t.conductor.ctx)
		defer cancel(errEnded)
		value, err := f(ctx, &Run{task: t})
		if err != nil {
			return nil, err
		}
		if value == nil {
			return json.RawMessage("null"), nil
		}
		text, err := encode(value)
		if err != nil {
			return nil, fmt.Errorf("the result of the workflow: %w", err)
		}
		return text, nil
	}}
}
