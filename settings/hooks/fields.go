package hooks

// The fields of events of the loop, for [Runner.Fire]. An event without a type here takes a
// map, or any other value that is encoded as an object with the documented names.

// SessionStartFields are those of SessionStart.
type SessionStartFields struct {
	Source string `json:"source"` // startup, resume, clear, compact or fork
	Model  string `json:"model,omitempty"`
	Title  string `json:"session_title,omitempty"`
}

// PromptFields are those of UserPromptSubmit.
type PromptFields struct {
	Prompt string `json:"prompt"`
}

// StopFields are those of Stop. Runner.Fire adds stop_hook_active.
type StopFields struct {
	LastAssistantMessage string `json:"last_assistant_message,omitempty"`
	BackgroundTasks      any    `json:"background_tasks,omitempty"` // the tasks of tools/background encode as documented
	SessionCrons         any    `json:"session_crons,omitempty"`
}

// SubagentStartFields are those of SubagentStart, which is fired in the session of the agent
// or in that of its parent.
type SubagentStartFields struct {
	AgentID   string `json:"agent_id"`
	AgentType string `json:"agent_type"`
}

// SubagentStopFields are those of SubagentStop.
type SubagentStopFields struct {
	AgentID         string `json:"agent_id"`
	AgentType       string `json:"agent_type"`
	AgentTranscript string `json:"agent_transcript_path"`
	StopFields
}

// TeammateIdleFields are those of TeammateIdle.
type TeammateIdleFields struct {
	Teammate string `json:"teammate_name"`
	Team     string `json:"team_name"`
}

// NotificationFields are those of Notification.
type NotificationFields struct {
	Message string `json:"message"`
	Title   string `json:"title,omitempty"`
	Type    string `json:"notification_type"`
}

// CompactFields are those of PreCompact and PostCompact.
type CompactFields struct {
	Trigger      string `json:"trigger"` // manual or auto
	Instructions string `json:"custom_instructions"`
}

// SessionEndFields are those of SessionEnd.
type SessionEndFields struct {
	Reason string `json:"reason"` // clear, resume, logout, prompt_input_exit or other
}

// ConfigChangeFields are those of ConfigChange. Hooks cannot refuse a change of
// policy_settings.
type ConfigChangeFields struct {
	Source string `json:"source"` // user_settings, project_settings, local_settings, policy_settings or skills
	Path   string `json:"file_path,omitempty"`
}

// CwdChangedFields are those of CwdChanged.
type CwdChangedFields struct {
	Old string `json:"old_cwd"`
	New string `json:"new_cwd"`
}

// FileChangedFields are those of FileChanged.
type FileChangedFields struct {
	Path  string `json:"file_path"`
	Event string `json:"event"` // change, add or unlink
}

// TaskFields are those of TaskCreated and TaskCompleted.
type TaskFields struct {
	ID          string `json:"task_id"`
	Subject     string `json:"task_subject"`
	Description string `json:"task_description,omitempty"`
	Teammate    string `json:"teammate_name,omitempty"`
	Team        string `json:"team_name,omitempty"`
}
