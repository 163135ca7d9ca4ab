package hooks

import (
	"encoding/json"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A reply is the answer of one handler.
type reply struct {
	handler *Handler
	ended   int   // its place in the order in which the handlers ended, from 1
	failure error // why it has no answer, or that something in it is wrong; nil if all is well

	Answer            // Block, Reason, Stop, Context and the fields of the event
	ours       bool   // Reason is the words of this package
	printed    string // of WorktreeCreate: plain text
	stopReason string // for the person
	message    string // for the person
	terminal   string // for the person's terminal

	// Of PreToolUse and PermissionRequest.
	allow, ask, deferred bool
	input                json.RawMessage // replaces the input of the call; nil leaves it
	updates              []policy.Update
	interrupt            bool

	// Of PostToolUse.
	toolOutput    json.RawMessage
	mcpToolOutput json.RawMessage

	retry   bool // of PermissionDenied
	action  pegboard.ElicitAction
	content json.RawMessage
}

// refuse makes the reply block and takes everything from it that would do something else.
func (r *reply) refuse(reason string) {
	r.Block, r.Reason, r.ours = true, reason, false
	r.allow, r.ask, r.deferred, r.input, r.updates, r.action, r.content = false, false, false, nil, nil, "", nil
}

// readPermission reads the decision of PreToolUse.
func (r *reply) readPermission(s members, reason string) {
	decision := s.word("permissionDecision", "allow", "deny", "ask", "defer")
	given := s.text("permissionDecisionReason")
	switch decision {
	case "deny":
		r.Block = true
	case "defer":
		r.deferred = true
	case "ask":
		r.ask = true
	case "allow":
		r.allow = true
	}
	r.Reason = given
	if given == "" {
		r.Reason = reason
	}
	r.input = s.get("updatedInput")
}

// readRequest reads the decision of PermissionRequest.
func (r *reply) readRequest(s members) {
	d := s.object("decision")
	switch d.word("behavior", "allow", "deny") {
	case "allow":
		r.allow = true
		r.input = d.get("updatedInput")
		d.read("updatedPermissions", &r.updates, "a list of permission updates")
	case "deny":
		r.Block, r.Reason = true, d.text("message")
		r.interrupt = d.flag("interrupt", false)
	default:
		if d.values != nil && d.get("behavior") == nil {
			s.problem("hookSpecificOutput.decision.behavior is missing")
		}
	}
}

// readLoop reads the members that hooks of the loop may set.
func (r *reply) readLoop(m, s members) {
	r.SessionTitle, r.InitialUserMessage = s.text("sessionTitle"), s.text("initialUserMessage")
	r.SuppressPrompt = s.flag("suppressOriginalPrompt", m.flag("suppressOriginalPrompt", false))
	r.WatchPaths, r.ReloadSkills = s.texts("watchPaths"), s.flag("reloadSkills", false)
	if r.WorktreePath = s.text("worktreePath"); r.WorktreePath == "" {
		r.WorktreePath = m.text("worktreePath")
	}
	var display string
	if s.read("displayContent", &display, "a string") {
		r.Display = &display
	}
}
