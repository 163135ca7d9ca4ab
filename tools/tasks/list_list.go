package tasks

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
)

// ListResult is the Result.Data of TaskList.
type ListResult struct {
	Tasks []ListedTask `json:"tasks"`

	notice string
}

// A ListedTask is a task in a list.
type ListedTask struct {
	ID        string   `json:"id"`
	Subject   string   `json:"subject"`
	Status    Status   `json:"status"`
	Owner     string   `json:"owner,omitempty"`
	BlockedBy []string `json:"blockedBy"` // tasks that are not completed
}

// listTool returns the TaskList tool.
func (l *List) listTool() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, ListResult]{
		Info: pegboard.Info{Name: "TaskList", Title: "List tasks", Hint: "which todos are open, blocked or done", Polls: true},
		Description: "Shows the list of tasks that all agents of this conversation share: of each its id, status, subject, owner, and the tasks that it waits for. " +
			"To find work, look for a task that is pending, has no owner and waits for nothing; of several take the lowest id.",
		Traits: reading(pegboard.KindList),
		Lines: func(struct{}, *pegboard.Call) pegboard.Lines {
			return pegboard.Lines{Before: "List the tasks", While: "Listing the tasks"}
		},
		Permit: func(context.Context, struct{}, *pegboard.Call) pegboard.Decision { return permit() },
		Call: func(ctx context.Context, _ struct{}, _ *pegboard.Call) (ListResult, error) {
			all, err := l.All(ctx)
			if err != nil {
				return ListResult{}, err
			}
			out := ListResult{Tasks: make([]ListedTask, len(all)), notice: l.notice(len(all) == 0)}
			for i, t := range all {
				out.Tasks[i] = ListedTask{ID: t.ID, Subject: t.Subject, Status: t.Status, Owner: t.Owner, BlockedBy: t.BlockedBy}
			}
			return out, nil
		},
		Result: func(out ListResult) *pegboard.Result {
			r := pegboard.TextResult(out.text() + out.notice)
			r.Data, r.Line = out, out.line()
			return r
		},
	})
}

// line counts the tasks for a person.
func (out *ListResult) line() string {
	done := 0
	for _, t := range out.Tasks {
		if t.Status == Completed {
			done++
		}
	}
	return fmt.Sprintf("%d of %d tasks are completed", done, len(out.Tasks))
}

// text words the list for the model.
func (out *ListResult) text() string {
	if len(out.Tasks) == 0 {
		return "The list is empty."
	}
	var b strings.Builder
	for i, t := range out.Tasks {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "#%s [%s] %s", t.ID, t.Status, pegboard.OneLine(t.Subject))
		if t.Owner != "" {
			fmt.Fprintf(&b, " (owner: %s)", shortened(t.Owner))
		}
		if len(t.BlockedBy) > 0 {
			fmt.Fprintf(&b, " [waits for #%s]", strings.Join(t.BlockedBy, ", #"))
		}
	}
	return untrusted.Text(b.String())
}
