package shell

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/terminal"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

// A TaskReport is a task with the end of its output.
type TaskReport struct {
	background.Task
	// Output is the end of the task's output, at most [TaskOutputOptions].MaxShown bytes of
	// valid UTF-8. If the task is not a command, the task itself provides it.
	Output string `json:"output"`

	note    string        // about Output
	elapsed time.Duration // until now, or until the task ended
}

// newTaskReport reports a task with at most limit bytes of its output. If this cannot be read, the
// report says so.
func newTaskReport(tasks *background.Tasks, task background.Task, limit int) TaskReport {
	r := TaskReport{Task: task, elapsed: task.Ended.Sub(task.Started)}
	if task.State == background.Running {
		r.elapsed = time.Since(task.Started)
	}
	end, err := outputEnd{}, fs.ErrNotExist
	if task.Command != "" && isOutputFile(tasks, task.OutputFile) {
		end, err = readOutputEnd(task.OutputFile, limit)
	}
	if err != nil { // the task may provide more than its file
		end, err = outputOfTask(tasks, task, limit)
	}
	r.Output = strings.TrimRight(terminal.Clean(end.text), "\n")
	switch {
	case err != nil:
		r.note = fmt.Sprintf("Its output cannot be shown: %v.", err)
	case r.Output == "" && task.State == background.Running:
		r.note = "It has printed nothing so far."
	case r.Output == "":
		r.note = "It has printed nothing."
	case end.from > 0:
		r.note = fmt.Sprintf("Only the end of its output follows, bytes %d to %d", end.from+1, end.size)
		if end.file != "" {
			r.note += fmt.Sprintf(" of %s; use Read or Grep for the rest", end.file)
		}
		r.note += "."
	}
	return r
}

// isOutputFile reports whether a file lies in the directory for output files of this
// conversation. The record of an earlier run may name any other file, which must not
// be read.
func isOutputFile(tasks *background.Tasks, file string) bool {
	if file == "" {
		return false
	}
	dir, err := tasks.Dir()
	return err == nil && filepath.Dir(file) == dir
}

// outputOfTask returns the output that the task itself provides.
func outputOfTask(tasks *background.Tasks, task background.Task, limit int) (outputEnd, error) {
	text, err := tasks.Output(task.ID)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return outputEnd{}, fmt.Errorf("the file %s is gone", task.OutputFile)
	case err != nil:
		return outputEnd{}, err
	case text == "" && task.State == background.Lost:
		return outputEnd{}, errors.New("nothing of it was kept")
	}
	return newOutputEnd([]byte(text), 0, limit), nil
}

// headline returns a sentence about the state of the task.
func (r TaskReport) headline() string {
	var b strings.Builder
	b.WriteString("Task " + r.ID)
	if about := taskLabel(r.Task); about != "" {
		b.WriteString(" (" + about + ")")
	}
	switch r.State {
	case background.Running:
		fmt.Fprintf(&b, " has been running for %v.", r.elapsed.Round(time.Millisecond))
		return b.String()
	case background.Lost:
		reason := "the program that ran it ended before it did, and how it ended is not known"
		if r.Err != "" {
			reason = strings.TrimSuffix(r.Err, ".")
		}
		b.WriteString(" was lost: " + reason + ". Check what it has done, and start it again if it is still needed.")
		return b.String()
	case background.Completed:
		b.WriteString(" completed")
	case background.Failed:
		b.WriteString(" failed")
	default:
		b.WriteString(" was stopped")
	}
	stopped := r.Err == background.ErrStopped.Error()
	if stopped {
		b.WriteString(" on request")
	}
	fmt.Fprintf(&b, " after %v", r.elapsed.Round(time.Millisecond))
	if r.ExitCode != nil {
		fmt.Fprintf(&b, " with exit code %d", *r.ExitCode)
	}
	if r.Err != "" && !stopped {
		b.WriteString(": " + strings.TrimSuffix(r.Err, "."))
	}
	return b.String() + "."
}

const maxTaskLabel = 200 // bytes

// taskLabel returns the description or the command of a task, shortened.
func taskLabel(k background.Task) string {
	about := k.Description
	if about == "" {
		about = k.Command
	}
	if about = strings.Join(strings.Fields(about), " "); len(about) > maxTaskLabel {
		about = strings.ToValidUTF8(about[:maxTaskLabel], "") + "…"
	}
	return about
}

// taskTarget returns the targets of a call about a background task. The task's id comes
// first, so that the call is decided, ordered and run for one task although the model
// may have named it otherwise. A name that stands for no task is left as it is.
func taskTarget(c *pegboard.Call, access policy.Access, given string) []policy.Target {
	t := policy.Target{Kind: policy.Resource, Access: access, Value: given}
	if s := c.Session(); s != nil {
		if task, ok := background.Of(s).Get(given); ok && task.ID != given {
			t.Value, t.Aliases = task.ID, []string{given}
		}
	}
	return []policy.Target{t}
}

// decidedTask returns the id of the task that the call was decided for. If given stood for no
// task, it returns given.
func decidedTask(c *pegboard.Call, given string) string {
	if targets := c.Targets(); len(targets) > 0 {
		return targets[0].Value
	}
	return given
}
