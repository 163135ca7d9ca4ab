package tasks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/durable"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A List is a list of tasks. Make it with [Open].
type List struct {
	graph    *durable.File[*graph]
	hooks    Hooks
	creating chan struct{}             // full while a task is created, if there is a hook; so that the hook is told the id that the task gets
	problem  atomic.Pointer[FileError] // the last one
}

// Open returns the list in a file, which is made with its directory when the first task is. The
// path is absolute; any other is an error. An empty path keeps the list in memory. There is
// nothing to close.
//
// Several lists, in this process and in others, may have one file.
//
// If the file cannot be used, Open returns an empty list all the same, which [List.Problem]
// explains. A damaged file is set aside: it gets another name. A file that cannot be read, has
// more than [MaxBytes], is of a later version, is no regular file, or is a link that leads out of
// its directory, is left as it is, and the list is in memory.
func Open(path string, h Hooks) (*List, error) {
	l := &List{hooks: h, creating: make(chan struct{}, 1)}
	format := durable.Format[*graph]{MaxBytes: MaxBytes, Decode: decodeGraph, Encode: (*graph).encode}
	if path == "" {
		l.graph = durable.New("", format)
		return l, nil
	}
	if !filepath.IsAbs(path) {
		return nil, fmt.Errorf("the path %q of the list of tasks is not absolute", path)
	}
	path = filepath.Clean(path)
	if err := l.openFile(path, format); err != nil {
		l.problem.Store(&FileError{Path: path, Err: err})
		l.graph = durable.New("", format)
	}
	return l, nil
}

// openFile keeps the list in a file, unless that cannot be read or leads out of its directory.
func (l *List) openFile(path string, format durable.Format[*graph]) error {
	real := realpath.Resolve(path)
	if !realpath.Contains(realpath.Resolve(filepath.Dir(path)), real) {
		return fmt.Errorf("%w, to %s", ErrOutside, real)
	}
	format.Aside = func(aside string, reason error) {
		l.problem.Store(&FileError{Path: path, Aside: aside, Err: reason})
	}
	l.graph = durable.New(real, format)
	if _, err := l.graph.Load(context.Background()); err != nil {
		return err
	}
	l.graph.Clean()
	return nil
}

// Problem returns the last problem with the file, a *[FileError], or nil. The tools tell it to
// the model.
func (l *List) Problem() error {
	p := l.problem.Load()
	if p == nil {
		return nil // and not a nil *FileError
	}
	return p
}

// All returns the tasks in the order in which they were created.
func (l *List) All(ctx context.Context) ([]Task, error) {
	g, err := l.graph.Load(ctx)
	if err != nil {
		return nil, err
	}
	return g.views(), nil
}

// Get returns one task. The error wraps [ErrUnknownTask] if no task has the id.
func (l *List) Get(ctx context.Context, id string) (Task, error) {
	g, err := l.graph.Load(ctx)
	if err != nil {
		return Task{}, err
	}
	e, err := g.lookup(readID(id))
	if err != nil {
		return Task{}, err
	}
	return g.view(e), nil
}

// Create adds a task and returns it with its id. The status may be empty for [Pending]; Blocks and
// BlockedBy may name tasks of the list.
func (l *List) Create(ctx context.Context, t Task) (made Task, err error) {
	if l.hooks.Created != nil {
		select {
		case l.creating <- struct{}{}:
			defer func() { <-l.creating }()
		case <-ctx.Done():
			return Task{}, context.Cause(ctx)
		}
	}
	t.Blocks, t.BlockedBy = readIDs(t.Blocks), readIDs(t.BlockedBy)
	err = l.change(ctx, func(g *graph) (keep bool, events []pendingEvent, err error) {
		if made, err = g.add(t.clone()); err != nil {
			return false, nil, err
		}
		events = []pendingEvent{{createdName, made}}
		if made.Status == Completed {
			events = append(events, pendingEvent{completedName, made})
		}
		return true, events, nil
	})
	if err != nil {
		return Task{}, err
	}
	return made, nil
}

// Update changes a task and returns it. Change gets a copy, which it may write to but for the ID:
// other tasks get the edges that Blocks and BlockedBy then ask for. [Deleted] as the status
// deletes the task. A change that breaks a rule of lists is an error, and then, or after an error
// or a panic of change, nothing is changed.
//
// Change may be called several times, each time with the task as it is then, and only the last
// counts. The file is locked meanwhile, so it should return at once, and cannot use the list.
func (l *List) Update(ctx context.Context, id string, change func(*Task) error) (Task, error) {
	if change == nil {
		return Task{}, errors.New("a task is updated by a func, which is nil")
	}
	_, after, err := l.update(ctx, id, change)
	return after, err
}

// update is Update, and returns the task as it was, too.
func (l *List) update(ctx context.Context, id string, change func(*Task) error) (before, after Task, err error) {
	id = readID(id)
	err = l.change(ctx, func(g *graph) (keep bool, events []pendingEvent, err error) {
		before, after, err = g.update(id, func(t *Task) error { return goroutine.Try(func() error { return change(t) }) })
		if err != nil || reflect.DeepEqual(before, after) && !g.rewired {
			return false, nil, err
		}
		if after.Status == Completed && before.Status != Completed {
			events = []pendingEvent{{completedName, after}}
		}
		return true, events, nil
	})
	if err != nil {
		return Task{}, Task{}, err
	}
	return before, after, nil
}

// change makes a change of the graph, after hooks were asked about its events. Do may be called
// several times, each time with another graph.
func (l *List) change(ctx context.Context, do func(g *graph) (keep bool, events []pendingEvent, err error)) error {
	var approved []pendingEvent
	for range maxAsked {
		var open []pendingEvent
		_, err := l.graph.Change(ctx, func(old *graph) (*graph, error) {
			next := old.clone()
			keep, events, err := do(next)
			open = nil
			if events = l.hooks.wanted(events); err == nil && keep && len(events) > 0 && !reflect.DeepEqual(events, approved) {
				open, keep = events, false
			}
			if !keep {
				return old, err
			}
			return next, err
		})
		if err != nil || open == nil {
			return err
		}
		for _, e := range open {
			if err := l.hooks.ask(ctx, e); err != nil {
				return err
			}
		}
		approved = open
	}
	return fmt.Errorf("%w: the task changes again and again while a hook is asked about it; nothing was changed, try again later", ErrBusy)
}

// Tools returns the tools TaskCreate, TaskGet, TaskList and TaskUpdate, which work on the list.
func (l *List) Tools() []pegboard.Tool {
	return []pegboard.Tool{l.createTool(), l.getTool(), l.listTool(), l.updateTool()}
}

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
		Summary: func(in createInput, _ *pegboard.Call) pegboard.Summary {
			return pegboard.Summary{Before: "Add the task " + shortened(in.Subject), While: "Adding the task " + shortened(in.Subject)}
		},
		Permit:          func(context.Context, createInput, *pegboard.Call) policy.Decision { return permit() },
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
		Summary: func(in idInput, _ *pegboard.Call) pegboard.Summary {
			return pegboard.Summary{Before: "Show the task " + shortened(readID(in.ID)), While: "Looking at the task " + shortened(readID(in.ID))}
		},
		Permit: func(context.Context, idInput, *pegboard.Call) policy.Decision { return permit() },
		Call: func(ctx context.Context, in idInput, _ *pegboard.Call) (GetResult, error) {
			g, err := l.graph.Load(ctx)
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
		Summary: func(struct{}, *pegboard.Call) pegboard.Summary {
			return pegboard.Summary{Before: "List the tasks", While: "Listing the tasks"}
		},
		Permit: func(context.Context, struct{}, *pegboard.Call) policy.Decision { return permit() },
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

// target is the list as a target of its tools.
func target(a policy.Access) []policy.Target {
	return []policy.Target{{Kind: policy.Resource, Access: a, Value: "list of tasks"}}
}

// changing returns the traits of a call that changes a list. Calls of one message are made in
// their order.
func changing() pegboard.Traits {
	return pegboard.Traits{Concurrency: pegboard.PerTarget, Own: true, Targets: target(policy.Write)}
}

// reading returns the traits of a call that shows a list.
func reading(k pegboard.CallKind) pegboard.Traits {
	return pegboard.Traits{Kind: k, Concurrency: pegboard.PerTarget, ReadOnly: true, Own: true, Targets: target(policy.Read)}
}

// permit allows the tools of a list.
func permit() policy.Decision {
	return policy.Decision{Behavior: policy.Allow, Reason: "the list of tasks belongs to the conversation"}
}

// withSession returns a context with the session of a call, for hooks.
func withSession(ctx context.Context, c *pegboard.Call) context.Context {
	if s := c.Session(); s != nil {
		return pegboard.WithSession(ctx, s)
	}
	return ctx
}

// stops reports whether the error of a hook ends the turn.
func stops(err error) bool { return errors.As(err, new(*StopError)) }

// stopResult returns the result of a change that was refused by a hook which ends the turn.
func stopResult(err error) *pegboard.Result {
	r := pegboard.TextResult(untrusted.Escape(err.Error()))
	r.IsError, r.StopTurn = true, true
	return r
}

// notice returns the words about a problem with the file that follow a result. If the list is in
// memory, they always do, and otherwise only after a call of an empty list or an unknown task.
func (l *List) notice(missing bool) string {
	p := l.problem.Load()
	if p == nil || p.Aside != "" && !missing {
		return ""
	}
	return "\n(Note: " + strings.Join(strings.Fields(p.Error()), " ") + ".)"
}

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
		Summary: func(in updateInput, _ *pegboard.Call) pegboard.Summary {
			return pegboard.Summary{Before: in.line("Change"), While: in.line("Changing")}
		},
		Permit:          func(context.Context, updateInput, *pegboard.Call) policy.Decision { return permit() },
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
