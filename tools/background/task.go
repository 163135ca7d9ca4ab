package background

import (
	"fmt"
	"strings"
	"time"
)

// A State says where a task stands.
type State string

// The states. Every state but Running is final.
const (
	Running   State = "running"
	Completed State = "completed" // it did what it was to do
	Failed    State = "failed"
	Killed    State = "killed" // somebody stopped it
	Lost      State = "lost"   // its host ended before it did; how it ended is unknown
)

// A Task is what is known of a task at one moment. It is a copy.
//
// As JSON it has the names that hooks see in background_tasks.
type Task struct {
	ID          string `json:"id"`
	Kind        string `json:"type"` // "shell", "monitor", "agent", or whatever else was added
	State       State  `json:"status"`
	Description string `json:"description"`
	Command     string `json:"command,omitempty"`
	AgentID     string `json:"agent_id,omitempty"` // of the agent that started it; empty for the main one
	AgentType   string `json:"agent_type,omitempty"`

	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended,omitzero"` // zero while it runs; of a lost task, when that was found out

	OutputFile string `json:"output_file,omitempty"` // an absolute path, or empty
	ExitCode   *int   `json:"exit_code,omitempty"`   // nil if there is none
	Err        string `json:"error,omitempty"`       // why it ended, if not by itself and well
}

// copied returns a Task that shares nothing with k.
func (k Task) copied() Task {
	if k.ExitCode != nil {
		code := *k.ExitCode
		k.ExitCode = &code
	}
	return k
}

// outcome says how a task ended, and after how long.
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
	}
	how += " after " + roundDuration(k.Ended.Sub(k.Started))
	if k.ExitCode != nil {
		how += fmt.Sprintf(" with exit code %d", *k.ExitCode)
	}
	if k.Err != "" {
		how += ": " + strings.TrimSuffix(oneLine(k.Err, 2*maxNoticeLine), ".")
	}
	return how
}

// roundDuration returns a duration with no more digits than anybody reads.
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
