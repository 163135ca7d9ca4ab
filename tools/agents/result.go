package agents

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/untrusted"
	"github.com/seed49eaa51d/pegboard/wire"
)

// The values of Result.Status.
const (
	StatusCompleted = "completed"
	StatusLaunched  = "async_launched" // it runs in the background
)

// A Result is the outcome of starting an agent. It is the Result.Data of the Agent tool. The JSON
// names are those that Claude Code documents.
type Result struct {
	Status          string    `json:"status"`
	AgentID         string    `json:"agentId"`
	AgentType       string    `json:"agentType,omitempty"`
	Description     string    `json:"description,omitempty"`
	Content         []Content `json:"content,omitempty"` // the report, as the model is shown it
	ResolvedModel   string    `json:"resolvedModel,omitempty"`
	TotalToolUses   int       `json:"totalToolUseCount"`
	TotalDurationMS int64     `json:"totalDurationMs"`
	TotalTokens     int       `json:"totalTokens"`
	Usage           Usage     `json:"usage"`
	Prompt          string    `json:"prompt,omitempty"`
	WorktreePath    string    `json:"worktreePath,omitempty"`
	WorktreeBranch  string    `json:"worktreeBranch,omitempty"`
	OutputFile      string    `json:"outputFile,omitempty"` // of an agent in the background; it grows while the agent works
	CanReadOutput   bool      `json:"canReadOutputFile,omitempty"`

	Name       string          `json:"-"`
	TaskID     string          `json:"-"` // of an agent in the background
	Structured json.RawMessage `json:"-"` // the value for Request.Schema
	Notes      []string        `json:"-"` // for the caller, such as a limit that was reached
	StopTurn   bool            `json:"-"` // the caller's turn ends, too
	OneShot    bool            `json:"-"` // the agent cannot be continued

	advice string // for the model, about an agent in the background
}

// A Content is one text of a report.
type Content struct {
	Type string `json:"type"` // "text"
	Text string `json:"text"`
}

// Text returns the report as the model is shown it; empty while the agent runs and if it wrote
// nothing.
func (r *Result) Text() string {
	texts := make([]string, len(r.Content))
	for i, c := range r.Content {
		texts[i] = c.Text
	}
	return strings.Join(texts, "\n")
}

// setText sets the report.
func (r *Result) setText(text string) {
	r.Content = nil
	if text != "" {
		r.Content = []Content{{Type: "text", Text: text}}
	}
}

// message words the result for the model. The report is last: a long one is cut.
func (r *Result) message() string {
	if r.Status != StatusLaunched {
		return strings.TrimSuffix(r.head()+"\n\n"+r.Text(), "\n\n")
	}
	text := fmt.Sprintf("%s works in the background.\nTask id: %s\n", r.label(), r.TaskID)
	if r.OutputFile != "" {
		text += fmt.Sprintf("Output file: %s\n", r.OutputFile)
	}
	return text + r.advice + r.notes()
}

// head words what the caller is told beside the report.
func (r *Result) head() string { return fmt.Sprintf("(%s: %s.)", r.label(), r.numbers()) + r.notes() }

// notes words the notes, each on a line of its own.
func (r *Result) notes() (text string) {
	for _, note := range r.Notes {
		text += "\n(" + note + ")"
	}
	return text
}

// numbers words the calls, the time and the tokens of the run.
func (r *Result) numbers() string {
	calls := "1 call"
	if r.TotalToolUses != 1 {
		calls = fmt.Sprintf("%d calls", r.TotalToolUses)
	}
	took := (time.Duration(r.TotalDurationMS) * time.Millisecond).Round(100 * time.Millisecond)
	return fmt.Sprintf("%s, %v, %d tokens", calls, took, r.TotalTokens)
}

// label names the agent. An agent that cannot be continued has no id for the model.
func (r *Result) label() string {
	text := "Agent"
	switch {
	case r.OneShot && r.Name != "":
		text += " " + r.Name
	case r.OneShot:
	case r.Name != "":
		text += " " + r.Name + " (" + r.AgentID + ")"
	default:
		text += " " + r.AgentID
	}
	return text + " of the type " + r.AgentType
}

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

// A Status is a copy of an agent's data at one moment.
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

// Usage is the cost of requests to a model, as [wire.Message] has it. USD is what the host adds.
type Usage = wire.Usage

// harmless returns text that an agent wrote, which cannot be taken for words of the host.
func harmless(text string) string { return untrusted.Text(text) }

// escapeMarks is harmless for a text within another.
func escapeMarks(text string) string { return untrusted.Escape(text) }

// harmlessErr returns err, or nil, with a text that imitates no marks of the host.
func harmlessErr(err error) error { return untrusted.Err(err) }
