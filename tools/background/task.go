package background

import (
	"fmt"
	"strings"
	"time"
)

// A State is the state of a task.
type State string

// The states. Every state but Running is final.
const (
	Running   State = "running"
	Completed State = "completed" // it did its work
	Failed    State = "failed"
	Killed    State = "killed" // it was stopped
	Lost      State = "lost"   // its host process ended first; how the task ended is unknown
)

// A Task is a copy of the data of a task at one moment.
//
// The JSON names are those that hooks see in background_tasks.
type Task struct {
	ID          string `json:"id"`
	Kind        string `json:"type"` // "shell", "monitor", "agent", or another kind that a tool chose
	State       State  `json:"status"`
	Description string `json:"description"`
	Command     string `json:"command,omitempty"`
	AgentID     string `json:"agent_id,omitempty"` // of the agent that started it; empty for the main agent
	AgentType   string `json:"agent_type,omitempty"`

	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended,omitzero"` // zero while it runs; for a lost task, the time at which the loss was found

	OutputFile string `json:"output_file,omitempty"` // an absolute path, or empty
	ExitCode   *int   `json:"exit_code,omitempty"`   // nil if it has no exit code
	Err        string `json:"error,omitempty"`       // why it did not end well
}

// copied returns a deep copy of k.
func (k Task) copied() Task {
	if k.ExitCode != nil {
		code := *k.ExitCode
		k.ExitCode = &code
	}
	return k
}

// sentence says which task it is and how it stands.
func (k Task) sentence() string {
	label := taskLabel(k)
	if label != "" {
		label = " (" + label + ")"
	}
	return "Background task " + k.ID + label + " " + k.outcome() + "."
}

// outcome returns a phrase for the state of the task and the time that it took.
func (k Task) outcome() string {
	how := ""
	switch k.State {
	case Running:
		return "is running"
	case Lost:
		if k.Err != "" {
			return "was lost: " + oneLine(k.Err, 2*maxNoticeLine)
		}
		return "was running when the program that ran it ended, and how it ended is not known"
	case Completed:
		how = "completed"
	case Failed:
		how = "failed"
	case Killed:
		how = "was stopped"
		if k.Err == ErrStopped.Error() {
			how += " on request"
		}
	}
	how += " after " + roundDuration(k.Ended.Sub(k.Started))
	if k.ExitCode != nil {
		how += fmt.Sprintf(" with exit code %d", *k.ExitCode)
	}
	if k.Err != "" && k.Err != ErrStopped.Error() { // which says the same again
		how += ": " + strings.TrimSuffix(oneLine(k.Err, 2*maxNoticeLine), ".")
	}
	return how
}

// roundDuration formats a duration, rounded to a readable number of digits.
func roundDuration(d time.Duration) string {
	switch {
	case d < 0:
		d = 0
	case d < time.Second:
		d = d.Round(time.Millisecond)
	case d < time.Minute:
		d = d.Round(100 * time.Millisecond)
	default:
		d = d.Round(time.Second)
	}
	return d.String()
}
