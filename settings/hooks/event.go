package hooks

import "slices"

// An event describes the hooks of one event.
type event struct {
	name      string
	field     string   // of the payload, which matchers are tested against; "" if they are ignored
	types     []string // of handlers that the event supports
	guards    bool     // a hook of the event may keep something from happening, so losing one is an error in strict mode
	aboutTool bool     // the event is about one call, so handlers may have a rule in "if"
	narrow    bool     // a matcher with a "-", "," or blank is an expression
}

// The types of handlers.
const (
	typeCommand = "command"
	typeHTTP    = "http"
	typeMCPTool = "mcp_tool"
	typePrompt  = "prompt"
	typeAgent   = "agent"
)

var (
	allTypes   = []string{typeCommand, typeHTTP, typeMCPTool, typePrompt, typeAgent}
	plainTypes = []string{typeCommand, typeHTTP, typeMCPTool}
)

// toolField is the field of the payload that holds the name of a tool.
const toolField = "tool_name"

// events holds the documented events.
var events = []event{
	{name: "SessionStart", field: "source", types: []string{typeCommand, typeMCPTool}},
	{name: "Setup", field: "trigger", types: []string{typeCommand, typeMCPTool}},
	{name: "UserPromptSubmit", types: allTypes, guards: true},
	{name: "UserPromptExpansion", field: "command_name", types: allTypes},
	{name: "PreToolUse", field: toolField, types: allTypes, guards: true, aboutTool: true},
	{name: "PermissionRequest", field: toolField, types: allTypes, guards: true, aboutTool: true},
	{name: "PermissionDenied", field: toolField, types: allTypes, aboutTool: true},
	{name: "PostToolUse", field: toolField, types: allTypes, aboutTool: true},
	{name: "PostToolUseFailure", field: toolField, types: allTypes, aboutTool: true},
	{name: "PostToolBatch", types: allTypes},
	{name: "Notification", field: "notification_type", types: plainTypes},
	{name: "MessageDisplay", types: plainTypes},
	{name: "SubagentStart", field: "agent_type", types: plainTypes},
	{name: "SubagentStop", field: "agent_type", types: allTypes},
	{name: "TaskCreated", types: allTypes},
	{name: "TaskCompleted", types: allTypes},
	{name: "Stop", types: allTypes},
	{name: "StopFailure", field: "error", types: plainTypes, narrow: true},
	{name: "TeammateIdle", types: allTypes},
	{name: "InstructionsLoaded", field: "load_reason", types: plainTypes},
	{name: "ConfigChange", field: "source", types: plainTypes},
	{name: "CwdChanged", types: plainTypes},
	{name: "DirectoryAdded", field: "source", types: plainTypes},
	{name: "FileChanged", field: "file_path", types: plainTypes, narrow: true}, // its last element
	{name: "WorktreeCreate", types: plainTypes},
	{name: "WorktreeRemove", types: plainTypes},
	{name: "PreCompact", field: "trigger", types: plainTypes},
	{name: "PostCompact", field: "trigger", types: plainTypes},
	{name: "Elicitation", field: "mcp_server_name", types: plainTypes},
	{name: "ElicitationResult", field: "mcp_server_name", types: plainTypes},
	{name: "SessionEnd", field: "reason", types: plainTypes},
}

// eventOf returns a documented event. An event that is not known takes handlers of all
// types. Its matchers are tested against the values that the program gives.
func eventOf(name string) (e event, known bool) {
	if i := slices.IndexFunc(events, func(e event) bool { return e.name == name }); i >= 0 {
		return events[i], true
	}
	return event{name: name, types: allTypes}, false
}

func eventNames() []string {
	var names []string
	for _, e := range events {
		names = append(names, e.name)
	}
	return names
}
