package agents

import "time"

// A State is the state of an agent.
type State string

// The states. Running is the only one that is not final; an agent that has ended may be
// started again.
const (
	Running   State = "running"
	Completed State = "completed" // it has reported
	Failed    State = "failed"    // it ended by an error
	Stopped   State = "stopped"   // it was stopped
	Lost      State = "lost"      // it was running when the program ended
)

// A Status is a copy of what is known of an agent at one moment.
type Status struct {
	ID          string    `json:"agent_id"`
	Name        string    `json:"name,omitempty"`
	Type        string    `json:"agent_type"`
	Description string    `json:"description,omitempty"`
	ParentID    string    `json:"parent_id,omitempty"` // the agent that started it; empty for the main agent
	Model       string    `json:"model,omitempty"`
	State       State     `json:"status"`
	TaskID      string    `json:"task_id,omitempty"` // its background task; empty while its caller waits for it
	Started     time.Time `json:"started"`
	Ended       time.Time `json:"ended,omitzero"`
	Calls       int       `json:"tool_uses"` // that it has made
	Usage       Usage     `json:"usage"`
	Err         string    `json:"error,omitempty"`
}
