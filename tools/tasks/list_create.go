package tasks

import (
	"context"
	"encoding/json"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
)

// createInput is the input of TaskCreate.
type createInput struct {
	Subject     string                     `json:"subject" jsonschema:"minLength=1" jsonschema_description:"What is to be done, in a few words, such as: Fix the login test"`
	Description string                     `json:"description" jsonschema_description:"What is needed to do it, for an agent that knows nothing else of it"`
	ActiveForm  string                     `json:"activeForm,omitempty" jsonschema_description:"The subject as it is shown while it is done, such as: Fixing the login test"`
	Metadata    map[string]json.RawMessage `json:"metadata,omitempty" jsonschema_description:"Any further values"`
}

// CreateResult is the Result.Data of TaskCreate.
type CreateResult struct {
	Task CreatedTask `json:"task"`

	notice  string
	stopped error // a StopError of a hook
}

// A CreatedTask is a new task.
type CreatedTask struct {
	ID          string `json:"id"`
	Subject     string `json:"subject"`
	Description string `json:"description,omitempty"`
}

// createTool returns the TaskCreate tool.
func (l *List) createTool() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[createInput, CreateResult]{
		Info: pegboard.Info{Name: "TaskCreate", Title: "Create task", Hint: "plan work in steps, add a step or todo", Polls: true},
		Description: "Adds a task to the list of tasks that all agents of this conversation share, and returns its id. " +
			"Use the list for work of three steps or more, or when the user asks for several things: add a task for each before you begin. Do not use it for a single or trivial step. " +
			"A new task is pending and has no owner.",
		Traits: changing(),
		Lines: func(in createInput, _ *pegboard.Call) pegboard.Lines {
			return pegboard.Lines{Before: "Add the task " + shortened(in.Subject), While: "Adding the task " + shortened(in.Subject)}
		},
		Permit:          func(context.Context, createInput, *pegboard.Call) pegboard.Decision { return permit() },
		ClassifierInput: func(in createInput, _ *pegboard.Call) string { return "add the task " + shortened(in.Subject) },
		Call: func(ctx context.Context, in createInput, c *pegboard.Call) (CreateResult, error) {
			made, err := l.Create(withSession(ctx, c), Task{Subject: in.Subject, Description: in.Description, ActiveForm: in.ActiveForm, Metadata: in.Metadata})
			if stops(err) {
				return CreateResult{stopped: err}, nil
			}
			if err != nil {
				return CreateResult{}, untrusted.Err(err)
			}
			return CreateResult{Task: CreatedTask{ID: made.ID, Subject: made.Subject, Description: made.Description}, notice: l.notice(made.ID == "1")}, nil
		},
		Result: func(out CreateResult) *pegboard.Result {
			if out.stopped != nil {
				return stopResult(out.stopped)
			}
			text := "Task #" + out.Task.ID + " was added: " + shortened(out.Task.Subject)
			r := pegboard.TextResult(untrusted.Escape(text) + out.notice)
			r.Data, r.Line = out, text
			return r
		},
	})
}
