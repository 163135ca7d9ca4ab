package tasks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
)

// updateInput is the input of TaskUpdate. A nil field leaves the task as it is.
type updateInput struct {
	ID           string                     `json:"taskId" jsonschema:"minLength=1" jsonschema_description:"The id of the task, as a text such as \"3\""`
	Subject      *string                    `json:"subject,omitempty" jsonschema:"minLength=1" jsonschema_description:"A new subject"`
	Description  *string                    `json:"description,omitempty" jsonschema_description:"A new description"`
	ActiveForm   *string                    `json:"activeForm,omitempty" jsonschema_description:"How the subject is shown while it is done"`
	Status       *Status                    `json:"status,omitempty" jsonschema:"enum=pending,enum=in_progress,enum=completed,enum=deleted" jsonschema_description:"deleted removes the task from the list for good"`
	AddBlocks    []string                   `json:"addBlocks,omitempty" jsonschema_description:"Ids of tasks that wait for this one from now on"`
	AddBlockedBy []string                   `json:"addBlockedBy,omitempty" jsonschema_description:"Ids of tasks that this one waits for from now on"`
	Owner        *string                    `json:"owner,omitempty" jsonschema_description:"The name of the agent that works on it; an empty text if none does any more"`
	Metadata     map[string]json.RawMessage `json:"metadata,omitempty" jsonschema_description:"Values to add or replace; null removes one"`
}

// UpdateResult is the Result.Data of TaskUpdate.
type UpdateResult struct {
	Success       bool          `json:"success"` // true: an error has no result
	TaskID        string        `json:"taskId"`
	UpdatedFields []string      `json:"updatedFields"` // the properties of the task that have changed
	StatusChange  *StatusChange `json:"statusChange,omitempty"`

	text    string
	stopped error // a StopError of a hook
}

// A StatusChange is the change of a task's status.
type StatusChange struct {
	From Status `json:"from"`
	To   Status `json:"to"`
}

// updateTool returns the TaskUpdate tool.
func (l *List) updateTool() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[updateInput, UpdateResult]{
		Info: pegboard.Info{Name: "TaskUpdate", Title: "Update task", Hint: "mark a todo done, claim it, make one wait for another", Polls: true},
		Description: "Changes one task of the list; what you leave out stays as it is. " +
			"Before you begin a task, set its status to in_progress, and its owner to your name if other agents work on the list. " +
			"Set it to completed as soon as it is done, and not before: if tests fail or something is missing, it stays in progress, and what is in its way becomes a task that blocks it. " +
			"A task that has an owner or waits for another cannot be given to a new owner.",
		Traits: changing(),
		Lines: func(in updateInput, _ *pegboard.Call) pegboard.Lines {
			return pegboard.Lines{Before: in.line("Change"), While: in.line("Changing")}
		},
		Permit:          func(context.Context, updateInput, *pegboard.Call) pegboard.Decision { return permit() },
		ClassifierInput: func(in updateInput, _ *pegboard.Call) string { return in.line("change") },
		Call: func(ctx context.Context, in updateInput, c *pegboard.Call) (UpdateResult, error) {
			before, after, err := l.update(withSession(ctx, c), in.ID, in.change)
			if errors.Is(err, ErrUnknownTask) {
				if notice := l.notice(true); notice != "" {
					err = fmt.Errorf("%w.%s", err, notice)
				}
			}
			if stops(err) {
				return UpdateResult{stopped: err}, nil
			}
			if err != nil {
				return UpdateResult{}, untrusted.Err(err)
			}
			return newUpdateResult(&in, &before, &after, l.notice(false)), nil
		},
		Result: func(out UpdateResult) *pegboard.Result {
			if out.stopped != nil {
				return stopResult(out.stopped)
			}
			r := pegboard.TextResult(untrusted.Escape(out.text))
			r.Data, r.Line = out, out.text
			return r
		},
	})
}

// line tells the change to a person.
func (in *updateInput) line(verb string) string {
	text := verb + " the task " + shortened(readID(in.ID))
	switch {
	case in.Status != nil:
		text += " to " + shortened(in.Status.words())
	case in.Owner != nil && *in.Owner != "":
		text += ": its owner is " + shortened(*in.Owner)
	}
	return text
}

// change makes the change of a task.
func (in *updateInput) change(t *Task) error {
	for _, field := range []struct{ from, to *string }{
		{in.Subject, &t.Subject}, {in.Description, &t.Description}, {in.ActiveForm, &t.ActiveForm}, {in.Owner, &t.Owner},
	} {
		if field.from != nil {
			*field.to = *field.from
		}
	}
	if in.Status != nil {
		t.Status = *in.Status
	}
	t.Blocks, t.BlockedBy = append(t.Blocks, in.AddBlocks...), append(t.BlockedBy, in.AddBlockedBy...)
	t.Metadata = withMetadata(t.Metadata, in.Metadata)
	return nil
}

// newUpdateResult compares a task before and after a change.
func newUpdateResult(in *updateInput, before, after *Task, notice string) UpdateResult {
	out := UpdateResult{Success: true, TaskID: after.ID, UpdatedFields: []string{}}
	for _, field := range []struct {
		name    string
		changed bool
	}{
		{"subject", before.Subject != after.Subject},
		{"description", before.Description != after.Description},
		{"activeForm", before.ActiveForm != after.ActiveForm},
		{"status", before.Status != after.Status},
		{"blocks", len(in.AddBlocks) > 0 && !slices.Equal(before.Blocks, after.Blocks)},
		{"blockedBy", len(in.AddBlockedBy) > 0 && !slices.Equal(before.BlockedBy, after.BlockedBy)},
		{"owner", before.Owner != after.Owner},
		{"metadata", !reflect.DeepEqual(before.Metadata, after.Metadata)},
	} {
		if field.changed && (after.Status != Deleted || field.name == "status") {
			out.UpdatedFields = append(out.UpdatedFields, field.name)
		}
	}
	if before.Status != after.Status {
		out.StatusChange = &StatusChange{From: before.Status, To: after.Status}
	}
	out.text = out.words(before, after) + out.waits(after) + notice
	return out
}

// words tells the change to the model.
func (out *UpdateResult) words(before, after *Task) string {
	switch {
	case after.Status == Deleted:
		return "Task " + before.label() + " was deleted."
	case len(out.UpdatedFields) == 0:
		return "Task " + after.label() + " is as it was."
	}
	text := "Task " + after.label() + " was changed: " + strings.Join(out.UpdatedFields, ", ") + "."
	if out.StatusChange != nil {
		text += " It is " + after.Status.words() + " now."
	}
	if out.StatusChange != nil && after.Status == Completed && len(before.Blocks) > 0 {
		text += " It does not block " + hashed(before.Blocks) + " any more."
	}
	return text
}

// waits tells the model that a task which is worked on should wait.
func (out *UpdateResult) waits(after *Task) string {
	if out.StatusChange == nil || after.Status != InProgress || len(after.BlockedBy) == 0 {
		return ""
	}
	return " But it waits for " + hashed(after.BlockedBy) + "."
}

// hashed writes ids as the list shows them.
func hashed(ids []string) string {
	const most = 10
	text := "#" + strings.Join(ids[:min(most, len(ids))], ", #")
	if more := len(ids) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
