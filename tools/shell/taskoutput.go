package shell

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

// How long a call of [TaskOutput] waits.
const (
	DefaultTaskWait = 30 * time.Second
	MaxTaskWait     = 10 * time.Minute // a longer time is reduced to it
)

// Retrieval is the kind of result of [TaskOutput].
type Retrieval string

// What a call may get. None of them is an error.
const (
	Retrieved   Retrieval = "success"   // the task has ended
	WaitedLong  Retrieval = "timeout"   // the task still runs after the time that the call waits
	NotReadyYet Retrieval = "not_ready" // the task still runs, and the call does not wait
)

// TaskOutputResult is the Result.Data of [TaskOutput].
type TaskOutputResult struct {
	Retrieval Retrieval  `json:"retrieval_status"`
	Task      TaskReport `json:"task"`

	value any // for code, see Result.Value
}

// setValue sets what code gets: the same with the whole output so far.
func (out *TaskOutputResult) setValue(tasks *background.Tasks) error {
	var whole any = out.Task.Output
	if file := out.Task.OutputFile; out.Task.Command != "" && isOutputFile(tasks, file) {
		end, err := readOutputEnd(file, pegboard.MaxInMemory)
		switch {
		case errors.Is(err, fs.ErrNotExist): // the task may provide more than its file
		case err != nil:
			return err
		case end.from > 0:
			whole = pegboard.FileValue{Path: file, Size: end.size, MIME: "text/plain; charset=utf-8"}
		default:
			whole = end.text
		}
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return err
	}
	var v struct {
		Retrieval Retrieval      `json:"retrieval_status"`
		Task      map[string]any `json:"task"`
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return err
	}
	v.Task["output"] = whole
	out.value = map[string]any{"retrieval_status": v.Retrieval, "task": v.Task}
	return nil
}

// text returns the text for the model: the state of the task, a note, and the output.
func (out TaskOutputResult) text() string {
	lines := []string{out.Task.headline()}
	if note := strings.TrimSpace(out.Task.note); note != "" {
		lines = append(lines, note)
	}
	if out.Task.Output != "" {
		lines = append(lines, out.Task.Output)
	}
	return strings.Join(lines, "\n")
}

type taskOutputInput struct {
	TaskID  string `json:"task_id,omitempty" jsonschema_description:"The id of the task; the id or name of an agent stands for its newest task"`
	BashID  string `json:"bash_id,omitempty" jsonschema_description:"Deprecated: the former name of task_id, with which block is false by default"`
	Block   *bool  `json:"block,omitempty" jsonschema_description:"Whether to wait until the task has ended (default: true)"`
	Timeout *int   `json:"timeout,omitempty" jsonschema:"minimum=0" jsonschema_description:"How long to wait for it, in milliseconds (default 30000, at most 600000)"`
}

func (in taskOutputInput) id() string { return cmp.Or(in.TaskID, in.BashID) }

// blocks reports whether the call waits.
func (in taskOutputInput) blocks() bool {
	if in.Block != nil {
		return *in.Block
	}
	return in.TaskID != ""
}

// wait returns how long the call waits.
func (in taskOutputInput) wait() time.Duration {
	switch {
	case !in.blocks():
		return 0
	case in.Timeout == nil:
		return DefaultTaskWait
	}
	return milliseconds(*in.Timeout, MaxTaskWait)
}

// milliseconds returns n milliseconds, at most limit.
func milliseconds(n int, limit time.Duration) time.Duration {
	if int64(n) >= limit.Milliseconds() {
		return limit
	}
	return time.Duration(n) * time.Millisecond
}

// TaskOutputOptions change [TaskOutput]. The zero value works.
type TaskOutputOptions struct {
	MaxShown int // bytes of the end of an output that the model sees; 0 means [background.MaxOutput]
}

// TaskOutput returns the tool that shows a background task of the conversation, of
// any of its agents, and waits for its end unless the call says otherwise. It needs
// no permission. BashOutput is a former name of the tool, whose parameter was bash_id; a call
// with that does not wait by default, as it did not then. Its parameter filter is refused.
//
// If the task runs a command, TaskOutput reads only the end of the output file,
// however large the file is. If the result shows the agent that started the task that
// it has ended, no notice follows.
func TaskOutput(o TaskOutputOptions) pegboard.Tool {
	if o.MaxShown <= 0 {
		o.MaxShown = background.MaxOutput
	}
	return pegboard.Build(pegboard.Definition[taskOutputInput, TaskOutputResult]{
		Info: pegboard.Info{
			Name: "TaskOutput", Title: "Task output", Aliases: []string{"BashOutput"}, Hint: "what a background command has printed so far",
			Polls: true, Interrupt: pegboard.InterruptCancel, MaxResult: -1, // the tool limits its output itself
		},
		Description: "Shows what a background task has printed, the end of it if it is long, and how it stands. " +
			"It waits until the task has ended; with block false, or after timeout, it shows a task that still runs. You are told when a task ends, so do not ask again and again.",
		Inspect: func(in taskOutputInput, c *pegboard.Call) pegboard.Traits {
			// The target keeps the order between calls of TaskOutput and TaskStop for
			// a task.
			return pegboard.Traits{ReadOnly: true, Kind: pegboard.KindRead, Concurrency: pegboard.PerTarget, Targets: taskTarget(c, policy.Read, in.id())}
		},
		Summary: func(in taskOutputInput, _ *pegboard.Call) pegboard.Summary {
			lines := pegboard.Summary{Before: "Look at task " + in.id(), While: "Waiting for task " + in.id()}
			if !in.blocks() {
				lines.While = "Looking at task " + in.id()
			}
			return lines
		},
		Validate: func(_ context.Context, in taskOutputInput, _ *pegboard.Call) error {
			return checkTaskID(in.TaskID, "bash_id", in.BashID)
		},
		Permit: func(context.Context, taskOutputInput, *pegboard.Call) policy.Decision {
			return policy.Decision{Behavior: policy.Allow, Reason: "it only shows a task of the conversation"}
		},
		Call: func(ctx context.Context, in taskOutputInput, c *pegboard.Call) (TaskOutputResult, error) {
			return o.showTask(ctx, in, c)
		},
		Result: func(out TaskOutputResult) *pegboard.Result {
			r := pegboard.TextResult(out.text())
			r.Data, r.Line, r.Value = out, out.Task.headline(), out.value
			return r
		},
	})
}

// errWaitTimeout is the cause that ends the wait, not the call.
var errWaitTimeout = errors.New("the task runs still")

func (o TaskOutputOptions) showTask(ctx context.Context, in taskOutputInput, c *pegboard.Call) (TaskOutputResult, error) {
	s, err := sessionOf(c, "TaskOutput")
	if err != nil {
		return TaskOutputResult{}, err
	}
	tasks := background.Of(s)
	patience := in.wait()
	waiting, cancel := context.WithTimeoutCause(ctx, patience, errWaitTimeout)
	defer cancel()
	task, err := tasks.Wait(waiting, decidedTask(c, in.id()))
	if err != nil && !errors.Is(err, errWaitTimeout) {
		return TaskOutputResult{}, err
	}
	out := TaskOutputResult{Retrieval: Retrieved, Task: newTaskReport(tasks, task, o.MaxShown)}
	switch {
	case task.State != background.Running:
		tasks.Acknowledge(s, task.ID)
	case !in.blocks():
		out.Retrieval = NotReadyYet
	default:
		out.Retrieval = WaitedLong
		next := "Go on with something else; you are told when it has."
		if endsWithAnswer(s) {
			next = "This conversation ends with your answer, and the task with it: if you need what it does, ask again."
		}
		out.Task.note = fmt.Sprintf("It has not ended within %v. %s ", patience, next) + out.Task.note
	}
	if c.Parent() != nil {
		return out, out.setValue(tasks)
	}
	return out, nil
}
