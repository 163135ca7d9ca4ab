package workflow

import (
	"fmt"
	"strings"
)

// StatusLaunched is the Launch.Status of a run that was started.
const StatusLaunched = "async_launched"

// A Launch says that a run was started. It is the Result.Data of the Workflow tool. The JSON
// names are those that Claude Code documents.
type Launch struct {
	Status        string `json:"status"`
	TaskID        string `json:"taskId"`
	TaskType      string `json:"taskType,omitempty"`
	WorkflowName  string `json:"workflowName,omitempty"`
	RunID         string `json:"runId,omitempty"`
	Summary       string `json:"summary,omitempty"`
	TranscriptDir string `json:"transcriptDir,omitempty"` // Options.Dir
	ScriptPath    string `json:"scriptPath,omitempty"`    // a copy of the script, below TranscriptDir
	OutputFile    string `json:"outputFile,omitempty"`    // phases, agents, logs and the result; not documented elsewhere

	endAdvice string // for a conversation that ends with the answer
}

// message words the launch for the model.
func (l Launch) message() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Workflow %s runs in the background.\nTask id: %s\nRun id: %s\nOutput file: %s\n", l.WorkflowName, l.TaskID, l.RunID, l.OutputFile)
	if l.ScriptPath != "" {
		fmt.Fprintf(&b, "Script: %s\n", l.ScriptPath)
	}
	if l.endAdvice != "" {
		b.WriteString(l.endAdvice)
		return b.String()
	}
	b.WriteString("You will be told its result when it ends. Go on with something else; TaskStop ends it.")
	return b.String()
}
