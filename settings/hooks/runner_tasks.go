package hooks

import (
	"cmp"
	"context"
	"errors"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/tasks"
)

// TaskHooks returns hooks for [tasks.Open] that run those of TaskCreated and TaskCompleted. What
// they block is not done, and the model reads the reason. "continue": false of TaskCompleted also
// ends the turn. For changes that the host makes itself, the context must carry the session, see
// [pegboard.WithSession]; without it they are refused while there is a hook of the event.
func (r *Runner) TaskHooks() tasks.Hooks {
	fire := func(name string) func(context.Context, tasks.Event) error {
		return func(ctx context.Context, e tasks.Event) error { return r.fireTask(ctx, name, e) }
	}
	return tasks.Hooks{Created: fire(taskCreated), Completed: fire(taskCompleted)}
}

// fireTask runs the hooks of an event of a task.
func (r *Runner) fireTask(ctx context.Context, name string, e tasks.Event) error {
	if e.Session == nil && len(r.matching(name)) == 0 {
		return nil
	}
	fields := TaskFields{ID: e.Task.ID, Subject: e.Task.Subject, Description: e.Task.Description}
	answer, err := r.Fire(ctx, e.Session, name, fields)
	for _, text := range answer.Context {
		e.Session.Tell(pegboard.Part{Text: text})
	}
	reason := cmp.Or(answer.Reason, "a hook of the user refused it")
	switch {
	case err != nil:
		return err
	case answer.Stop:
		return &tasks.StopError{Reason: reason}
	case answer.Block:
		return errors.New(reason)
	}
	return nil
}
