package acp

import (
	"context"
	"crypto/rand"
	"encoding/json"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tasks"
)

// ProtocolVersion is the version of the protocol that an [Agent] speaks.
const ProtocolVersion = 1

// The methods of the protocol.
const (
	methodInitialize    = "initialize"
	methodNew           = "session/new"
	methodClose         = "session/close"
	methodPrompt        = "session/prompt"
	methodCancel        = "session/cancel"
	methodSetMode       = "session/set_mode"
	methodUpdate        = "session/update"
	methodPermission    = "session/request_permission"
	methodElicitation   = "elicitation/create"
	methodCancelRequest = "$/cancel_request"
)

// empty is the object without members.
type empty struct{}

type initializeRequest struct {
	Version      *uint16            `json:"protocolVersion"`
	Capabilities clientCapabilities `json:"clientCapabilities"`
	Client       Client             `json:"clientInfo"`
}

type clientCapabilities struct {
	Elicitation *struct {
		Form *empty `json:"form"`
		URL  *empty `json:"url"`
	} `json:"elicitation"`
}

type initializeResponse struct {
	Version      int               `json:"protocolVersion"`
	Capabilities agentCapabilities `json:"agentCapabilities"`
	Agent        agentInfo         `json:"agentInfo"`
	AuthMethods  []empty           `json:"authMethods"`
}

type agentInfo struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	Version string `json:"version"`
}

type agentCapabilities struct {
	LoadSession bool                `json:"loadSession"`
	Prompt      promptCapabilities  `json:"promptCapabilities"`
	MCP         mcpCapabilities     `json:"mcpCapabilities"`
	Session     sessionCapabilities `json:"sessionCapabilities"`
}

type promptCapabilities struct {
	Image    bool `json:"image"`
	Audio    bool `json:"audio"`
	Embedded bool `json:"embeddedContext"`
}

type mcpCapabilities struct {
	HTTP bool `json:"http"`
	SSE  bool `json:"sse"`
}

type sessionCapabilities struct {
	Close    *empty `json:"close,omitempty"`
	MoreDirs *empty `json:"additionalDirectories,omitempty"`
}

type newSessionRequest struct {
	Dir      string            `json:"cwd"`
	MoreDirs []string          `json:"additionalDirectories"`
	Servers  []json.RawMessage `json:"mcpServers"`
}

type newSessionResponse struct {
	Session string     `json:"sessionId"`
	Modes   *modeState `json:"modes,omitempty"`
}

type modeState struct {
	Current   string        `json:"currentModeId"`
	Available []sessionMode `json:"availableModes"`
}

type sessionMode struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// A sessionRequest is a request about a session.
type sessionRequest struct {
	Session string            `json:"sessionId"`
	Prompt  []json.RawMessage `json:"prompt"` // of session/prompt
	Mode    string            `json:"modeId"` // of session/set_mode
}

type promptResponse struct {
	Stop StopReason `json:"stopReason"`
}

type cancelRequest struct {
	Request json.RawMessage `json:"requestId"`
}

type sessionNotification struct {
	Session string `json:"sessionId"`
	Update  any    `json:"update"`
}

type chunk struct {
	Kind    string  `json:"sessionUpdate"`
	Content content `json:"content"`
}

type modeUpdate struct {
	Kind string `json:"sessionUpdate"`
	Mode string `json:"currentModeId"`
}

type planUpdate struct {
	Kind    string      `json:"sessionUpdate"`
	Entries []PlanEntry `json:"entries"`
}

// A toolCall is a tool_call, a tool_call_update, or the call of a request for permission. A
// field that is nil stays as it was.
type toolCall struct {
	Kind      string          `json:"sessionUpdate,omitempty"`
	ID        string          `json:"toolCallId"`
	Title     string          `json:"title,omitempty"`
	Name      string          `json:"name,omitempty"`
	Tool      string          `json:"kind,omitempty"`
	Status    string          `json:"status,omitempty"`
	Content   *[]toolContent  `json:"content,omitempty"`
	Locations *[]location     `json:"locations,omitempty"`
	Input     json.RawMessage `json:"rawInput,omitempty"`
	Output    json.RawMessage `json:"rawOutput,omitempty"`
	Meta      *callMeta       `json:"_meta,omitempty"`
}

// callMeta says where a call of the protocol comes from that is not the main agent's own.
type callMeta struct {
	Agents []string `json:"pegboard/agents,omitempty"` // the ids that led to it
	Parent string   `json:"pegboard/parent,omitempty"` // the toolCallId of the call that made it
}

type location struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"`
}

// A toolContent is a content or a diff.
type toolContent struct {
	Type    string   `json:"type"`
	Content *content `json:"content,omitempty"`
	Path    string   `json:"path,omitempty"`
	Old     *string  `json:"oldText,omitempty"` // nil for a new file
	New     *string  `json:"newText,omitempty"`
}

type permissionRequest struct {
	Session string             `json:"sessionId"`
	Call    toolCall           `json:"toolCall"`
	Options []permissionOption `json:"options"`
	Meta    requestMeta        `json:"_meta"`
}

type permissionOption struct {
	ID   string `json:"optionId"`
	Name string `json:"name"`
	Kind string `json:"kind"`
}

type permissionResponse struct {
	Outcome struct {
		Outcome string  `json:"outcome"`
		Option  *string `json:"optionId"`
	} `json:"outcome"`
}

type elicitationRequest struct {
	Session string          `json:"sessionId"`
	Mode    string          `json:"mode"`
	Message string          `json:"message"`
	Schema  json.RawMessage `json:"requestedSchema,omitempty"`
	ID      string          `json:"elicitationId,omitempty"`
	URL     string          `json:"url,omitempty"`
	Meta    requestMeta     `json:"_meta"`
}

type elicitationResponse struct {
	Action  string          `json:"action"`
	Content json.RawMessage `json:"content"`
}

// requestMeta tells requests to the editor apart before they have an id.
type requestMeta struct {
	Key string `json:"pegboard/request"`
}

// modes are the modes of permissions with the words in which the editor shows them, in the
// order in which it does.
var modes = [...]struct {
	mode        policy.Mode
	name, about string
}{
	{policy.ModeDefault, "Default", "Reads the working directories, and asks about everything else"},
	{policy.ModeAcceptEdits, "Accept edits", "Also changes files in the working directories without asking"},
	{policy.ModePlan, "Plan", "Changes nothing"},
	{policy.ModeAuto, "Auto", "Asks only where a classifier does not decide"},
	{policy.ModeBypass, "Bypass permissions", "Does not ask, unless a rule or a tool insists"},
	{policy.ModeAsk, "Ask", "Asks about every call"},
	{policy.ModeDontAsk, "Don't ask", "Denies what the default mode asks about"},
	{policy.ModeDeny, "Deny", "Denies every call that no rule allows"},
}

// modesOf returns the modes that permissions offer, and the one that they are in.
func modesOf(p policy.Permissions) *modeState {
	s := &modeState{Current: string(p.Mode())}
	for _, m := range modes {
		if p.Offers(m.mode) || p.Mode() == m.mode {
			s.Available = append(s.Available, sessionMode{ID: string(m.mode), Name: m.name, Description: m.about})
		}
	}
	return s
}

// A PlanEntry is one step of a plan that the editor shows.
type PlanEntry struct {
	Content  string       `json:"content"`
	Priority PlanPriority `json:"priority"` // empty means PriorityMedium
	Status   PlanStatus   `json:"status"`   // empty means PlanPending
}

// PlanPriority says how important a step is.
type PlanPriority string

// The priorities.
const (
	PriorityHigh   PlanPriority = "high"
	PriorityMedium PlanPriority = "medium"
	PriorityLow    PlanPriority = "low"
)

// PlanStatus says how far a step is.
type PlanStatus string

// The statuses.
const (
	PlanPending    PlanStatus = "pending"
	PlanInProgress PlanStatus = "in_progress"
	PlanCompleted  PlanStatus = "completed"
)

// planOf returns the list of TodoWrite as a plan.
func planOf(todos []tasks.Todo) []PlanEntry {
	entries := make([]PlanEntry, 0, len(todos))
	for _, t := range todos {
		entries = append(entries, PlanEntry{Content: t.Content, Priority: PriorityMedium, Status: PlanStatus(t.Status)})
	}
	return entries
}

// Elicit shows a form to the user: the Elicit of [pegboard.SessionConfig]. A form that the editor
// cannot show, or refuses to, is declined. If ctx ends, the form is withdrawn.
func (c *Conversation) Elicit(ctx context.Context, f *pegboard.Elicitation) (pegboard.ElicitResult, error) {
	n := c.connection
	n.mu.Lock()
	shown := f.URL == "" && n.forms || f.URL != "" && n.urls
	n.mu.Unlock()
	if !shown {
		return pegboard.ElicitResult{Action: pegboard.ElicitDecline}, nil
	}
	r := elicitationRequest{Session: c.id, Mode: "form", Message: f.Message, Schema: f.Schema, Meta: n.nextKey()}
	if f.From != "" {
		r.Message = f.From + ": " + r.Message
	}
	if f.Problem != "" {
		r.Message += "\n\nThe values that were given are refused: " + f.Problem
	}
	if f.URL != "" {
		r.Mode, r.URL, r.ID = "url", f.URL, rand.Text()
	}
	var response elicitationResponse
	if err := n.request(ctx, methodElicitation, r.Meta, r, &response); err != nil {
		if err = askingError(ctx, err); ctx.Err() != nil || n.gone.Err() != nil {
			return pegboard.ElicitResult{}, err
		}
		n.agent.logError("showing a form", err)
		return pegboard.ElicitResult{Action: pegboard.ElicitDecline}, nil
	}
	switch filled := (pegboard.ElicitResult{Action: pegboard.ElicitAction(response.Action)}); filled.Action {
	case pegboard.ElicitAccept:
		if f.URL == "" {
			filled.Content = response.Content
		}
		return filled, nil
	case pegboard.ElicitDecline:
		return filled, nil
	}
	return pegboard.ElicitResult{Action: pegboard.ElicitCancel}, nil
}
