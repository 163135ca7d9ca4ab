package tasks

import (
	"context"
	"errors"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
)

// idInput is the input of TaskGet.
type idInput struct {
	ID string `json:"taskId" jsonschema:"minLength=1" jsonschema_description:"The id of the task, as a text such as \"3\""`
}

// GetResult is the Result.Data of TaskGet.
type GetResult struct {
	Task *Task `json:"task"` // nil if there is no such task

	text string
}

// getTool returns the TaskGet tool.
func (l *List) getTool() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[idInput, GetResult]{
		Info:        pegboard.Info{Name: "TaskGet", Title: "Show task", Hint: "description and dependencies of one todo", Polls: true},
		Description: "Shows one task of the list: its description, status and owner, which tasks it waits for and which wait for it.",
		Traits:      reading(pegboard.KindRead),
		Lines: func(in idInput, _ *pegboard.Call) pegboard.Lines {
			return pegboard.Lines{Before: "Show the task " + shortened(readID(in.ID)), While: "Looking at the task " + shortened(readID(in.ID))}
		},
		Permit: func(context.Context, idInput, *pegboard.Call) pegboard.Decision { return permit() },
		Call: func(ctx context.Context, in idInput, _ *pegboard.Call) (GetResult, error) {
			g, err := l.storage.read(ctx)
			if err != nil {
				return GetResult{}, err
			}
			e, err := g.lookup(readID(in.ID))
			if errors.Is(err, ErrUnknownTask) {
				return GetResult{text: "No task: " + untrusted.Escape(err.Error()) + "." + l.notice(true)}, nil
			}
			t := g.view(e)
			return GetResult{Task: &t, text: untrusted.Text(g.describe(&t))}, nil
		},
		Result: func(out GetResult) *pegboard.Result {
			r := pegboard.TextResult(out.text)
			r.Data = out
			if r.Line = "No such task"; out.Task != nil {
				r.Line = "Task " + out.Task.label() + ", " + out.Task.Status.words()
			}
			return r
		},
	})
}
