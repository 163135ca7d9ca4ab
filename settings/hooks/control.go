package hooks

import (
	"time"
)

// A control holds the powers of hooks over their event.
type control struct {
	code2   codeMeaning   // of an exit code 2
	blocks  bool          // "decision": "block" counts
	strict  bool          // in strict mode, a hook that fails blocks
	gate    bool          // a tool waits for the answer
	goesOn  bool          // to block means that the agent goes on
	context bool          // plain text that the hook prints is for the model
	timeout time.Duration // default of command, http and mcp_tool; 0 means that of all events
	env     bool          // the hook may write settings of the environment
}

// A codeMeaning is the meaning of the exit code 2 of a command.
type codeMeaning int

const (
	codeIgnored codeMeaning = iota // no more than any other error
	codeBlocks                     // the event is blocked, with stderr as the reason
	codeTells                      // the model reads stderr
	codePerson                     // the person reads stderr
)

// The default time limits of handlers.
const (
	timeoutCommand = 10 * time.Minute
	timeoutPrompt  = 30 * time.Second
	timeoutAgent   = time.Minute
)

// controls are the events that hooks have power over. To block Stop, SubagentStop and
// TeammateIdle makes an agent go on, so a failure never does, also not in strict mode.
var controls = map[string]control{
	preToolUse:         {code2: codeBlocks, blocks: true, strict: true, gate: true},
	permissionRequest:  {strict: true, gate: true},
	postToolUse:        {code2: codeTells, blocks: true},
	postToolUseFailure: {code2: codeTells, blocks: true},
	postToolBatch:      {code2: codeBlocks, blocks: true, strict: true},

	userPromptSubmit:      {code2: codeBlocks, blocks: true, strict: true, context: true, timeout: 30 * time.Second},
	"UserPromptExpansion": {code2: codeBlocks, blocks: true, strict: true, context: true},
	"SessionStart":        {code2: codePerson, context: true, env: true},
	"Setup":               {code2: codePerson, env: true},
	sessionEnd:            {code2: codePerson},
	stop:                  {code2: codeBlocks, blocks: true, goesOn: true},
	subagentStop:          {code2: codeBlocks, blocks: true, goesOn: true},
	"SubagentStart":       {code2: codePerson},
	"TeammateIdle":        {code2: codeBlocks, blocks: true, goesOn: true},
	taskCreated:           {code2: codeBlocks, blocks: true, strict: true},
	taskCompleted:         {code2: codeBlocks, blocks: true, strict: true},
	configChange:          {code2: codeBlocks, blocks: true, strict: true},
	"PreCompact":          {code2: codeBlocks, blocks: true, strict: true},
	"PostCompact":         {code2: codePerson},
	"CwdChanged":          {code2: codePerson, env: true},
	"FileChanged":         {code2: codePerson, env: true},
	elicitation:           {code2: codeBlocks, blocks: true, strict: true},
	elicitationResult:     {code2: codeBlocks, blocks: true, strict: true},
	"MessageDisplay":      {timeout: 10 * time.Second},
}

// The events that the code treats apart.
const (
	preToolUse         = "PreToolUse"
	permissionRequest  = "PermissionRequest"
	permissionDenied   = "PermissionDenied"
	postToolUse        = "PostToolUse"
	postToolUseFailure = "PostToolUseFailure"
	postToolBatch      = "PostToolBatch"
	userPromptSubmit   = "UserPromptSubmit"
	stop               = "Stop"
	subagentStop       = "SubagentStop"
	taskCreated        = "TaskCreated"
	taskCompleted      = "TaskCompleted"
	configChange       = "ConfigChange"
	sessionEnd         = "SessionEnd"
	elicitation        = "Elicitation"
	elicitationResult  = "ElicitationResult"
	worktreeCreate     = "WorktreeCreate"
)

// limit returns how long a handler may take.
func (c *control) limit(h *Handler) time.Duration {
	switch {
	case h.Timeout > 0:
		return h.Timeout
	case h.Type == typePrompt:
		return timeoutPrompt
	case h.Type == typeAgent:
		return timeoutAgent
	case c.timeout > 0:
		return c.timeout
	}
	return timeoutCommand
}
