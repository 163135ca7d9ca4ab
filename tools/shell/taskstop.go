package shell

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

// stopWait is how long TaskStop waits until a task has ended. It is longer than the
// time after which a process is killed and its output is no longer read.
const stopWait = 5 * time.Second

// errStopTimeout is the cause that ends the wait, not the call.
var errStopTimeout = errors.New("it takes its time")

// TaskStopResult is the Result.Data of [TaskStop].
type TaskStopResult struct {
	Message  string `json:"message"`
	TaskID   string `json:"task_id"`
	TaskType string `json:"task_type"`
	Command  string `json:"command,omitempty"`
	// State is the state of the task: Running if it has not ended yet.
	State background.State `json:"-"`
}

type taskStopInput struct {
	TaskID  string `json:"task_id,omitempty" jsonschema_description:"The id of the task; the id or name of an agent stands for its newest task"`
	ShellID string `json:"shell_id,omitempty" jsonschema_description:"Deprecated: the former name of task_id"`
}

func (in taskStopInput) id() string { return cmp.Or(in.TaskID, in.ShellID) }

// checkTaskID refuses an input that names no task, or two by the present and a former parameter.
func checkTaskID(taskID, former, id string) error {
	switch {
	case taskID == "" && id == "":
		return errors.New("no task is named; send its id as task_id")
	case taskID != "" && id != "" && taskID != id:
		return fmt.Errorf("task_id and %s name different tasks; send task_id alone", former)
	}
	return nil
}

// TaskStop returns the tool that stops a background task of the conversation and
// waits a few seconds until it has ended. KillShell and KillBash are former names of
// the tool, whose parameter was shell_id.
//
// The target is a resource with the task's id, so that calls for the same task keep
// their order. The main agent may stop any task without a question, another agent the
// tasks that it has started. Any other call needs the allow rule TaskStop or a user.
// In plan mode the user is asked.
func TaskStop() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[taskStopInput, TaskStopResult]{
		Info:        pegboard.Info{Name: "TaskStop", Title: "Stop task", Aliases: []string{"KillShell", "KillBash"}, Hint: "end a background command or watch"},
		Description: "Ends a background task, such as a command or a monitor, by its id, and says how it ended.",
		Inspect: func(in taskStopInput, c *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Kind: pegboard.KindRun, Concurrency: pegboard.PerTarget, Targets: taskTarget(c, policy.Write, in.id())}
		},
		Summary: func(in taskStopInput, _ *pegboard.Call) pegboard.Summary {
			return pegboard.Summary{Before: "Stop task " + in.id(), While: "Stopping task " + in.id()}
		},
		Validate: func(_ context.Context, in taskStopInput, _ *pegboard.Call) error {
			return checkTaskID(in.TaskID, "shell_id", in.ShellID)
		},
		Permit:          permitStop,
		ClassifierInput: func(in taskStopInput, _ *pegboard.Call) string { return "end task " + in.id() },
		Call:            stopTask,
		Result: func(out TaskStopResult) *pegboard.Result {
			r := pegboard.TextResult(out.Message)
			r.Data, r.Line = out, out.Message
			if out.State == background.Running {
				r.Line = "Asked task " + out.TaskID + " to end; it still runs"
			}
			return r
		},
	})
}

// permitStop allows an agent to stop its own tasks. It also allows an unknown id,
// with which nothing is stopped.
func permitStop(_ context.Context, in taskStopInput, c *pegboard.Call) policy.Decision {
	s := c.Session()
	if s == nil {
		return policy.Decision{}
	}
	if task, known := background.Of(s).Get(decidedTask(c, in.id())); known && !isOwn(s, task) {
		return policy.Decision{}
	}
	return policy.Decision{Behavior: policy.Allow, Reason: "it ends a task of the agent's own"}
}

// isOwn reports whether the agent of s may stop the task without a question. The main
// agent's own are the tasks of all agents.
func isOwn(s *pegboard.Session, task background.Task) bool {
	return s.Role() == pegboard.RoleMain || s.Role() == pegboard.RoleCoordinator || task.AgentID == s.AgentID()
}

func stopTask(ctx context.Context, in taskStopInput, c *pegboard.Call) (TaskStopResult, error) {
	s, err := sessionOf(c, "TaskStop")
	if err != nil {
		return TaskStopResult{}, err
	}
	tasks, id := background.Of(s), decidedTask(c, in.id())
	if task, known := tasks.Get(id); known && task.ID != id && !isOwn(s, task) {
		return TaskStopResult{}, fmt.Errorf("%q had no task when this call was decided, and now means task %s of another agent; call TaskStop again with that id", id, task.ID)
	}
	waiting, cancel := context.WithTimeoutCause(ctx, stopWait, errStopTimeout)
	defer cancel()
	task, err := tasks.Stop(waiting, id)
	if err != nil && !errors.Is(err, errStopTimeout) {
		return TaskStopResult{}, err
	}
	out := TaskStopResult{TaskID: task.ID, TaskType: task.Kind, Command: task.Command, State: task.State}
	if task.State == background.Running {
		out.Message = fmt.Sprintf("Task %s was asked to end and still runs after %v. You are told when it has ended.", task.ID, stopWait)
		return out, nil
	}
	tasks.Acknowledge(s, task.ID)
	out.Message = TaskReport{Task: task, elapsed: task.Ended.Sub(task.Started)}.headline()
	return out, nil
}
