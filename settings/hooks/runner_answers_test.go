package hooks_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/session"
)

// answering is a script that puts members into the input of the call that it is shown, as the
// decision of an event.
func answering(event, more string) string {
	decision := `"permissionDecision": "allow", "updatedInput": tool`
	if event == "PermissionRequest" {
		decision = `"decision": {"behavior": "allow", "updatedInput": tool}`
	}
	return `python3 -c '
import json, sys
tool = json.load(sys.stdin)["tool_input"]
tool.update(json.loads(r"""` + more + `"""))
print(json.dumps({"hookSpecificOutput": {"hookEventName": "` + event + `", ` + decision + `}}))'`
}

// TestScriptsAnswerForTheUser: a script answers a question of AskUserQuestion, or edits and approves
// a plan, by another input. By its word alone it does neither.
func TestScriptsAnswerForTheUser(t *testing.T) {
	t.Parallel()
	const (
		allows    = `echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}'`
		onRequest = `echo '{"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}}'`
		question  = `{"questions": [{"question": "Red or blue?", "header": "Color", "options": [{"label": "Red", "description": ""}, {"label": "Blue", "description": ""}]}]}`
		plan      = `{"plan": "1. Paint it"}`
	)
	tests := []struct {
		name  string
		file  string
		tool  string
		input string
		asked bool
		says  string // empty: the call is denied
	}{
		{name: "answers before the call", file: commandHook("PreToolUse", "AskUserQuestion", answering("PreToolUse", `{"answers": {"Red or blue?": "Blue"}}`)), tool: "AskUserQuestion", input: question, says: `"Red or blue?": Blue`},
		{name: "answers at the question", file: commandHook("PermissionRequest", "AskUserQuestion", answering("PermissionRequest", `{"answers": {"Red or blue?": "violet"}}`)), tool: "AskUserQuestion", input: question, says: `in other words than the options: violet`},
		{name: "allows before the call", file: commandHook("PreToolUse", "AskUserQuestion", allows), tool: "AskUserQuestion", input: question, asked: true},
		{name: "allows at the question", file: commandHook("PermissionRequest", "AskUserQuestion", onRequest), tool: "AskUserQuestion", input: question, asked: true},
		{name: "gives the same input", file: commandHook("PreToolUse", "AskUserQuestion", answering("PreToolUse", `{}`)), tool: "AskUserQuestion", input: question, asked: true},
		{name: "edits a plan before the call", file: commandHook("PreToolUse", "ExitPlanMode", answering("PreToolUse", `{"plan": "1. Paint it blue"}`)), tool: "ExitPlanMode", input: plan, says: "1. Paint it blue"},
		{name: "edits a plan at the question", file: commandHook("PermissionRequest", "ExitPlanMode", answering("PermissionRequest", `{"plan": "1. Paint it blue"}`)), tool: "ExitPlanMode", input: plan, says: "1. Paint it blue"},
		{name: "approves a plan as it is", file: commandHook("PermissionRequest", "ExitPlanMode", onRequest), tool: "ExitPlanMode", input: plan, asked: true},
		{
			name: "one changes the input and another allows", tool: "AskUserQuestion", input: question, asked: true,
			file: `{"PreToolUse": [{"hooks": [{"type": "command", "command": "echo '{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"permissionDecision\": \"allow\"}}'"}, ` +
				`{"type": "command", "command": "sed 's/.*/{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"updatedInput\": {\"questions\": [{\"question\": \"Dark?\", \"header\": \"D\", \"options\": [{\"label\": \"Yes\", \"description\": \"\"}, {\"label\": \"No\", \"description\": \"\"}]}], \"answers\": {\"Dark?\": \"Yes\"}}}}/'"}]}]}`,
		},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			asked := false
			mode := pegboard.ModeDefault
			if tc.tool == "ExitPlanMode" {
				mode = pegboard.ModePlan
			}
			s := newNoteScene(t, tc.file, noteOptions{
				mode: mode, tools: append(session.PlanTools(session.PlanOptions{}), session.AskUserQuestion()),
				config: pegboard.SessionConfig{Ask: func(context.Context, *pegboard.Question) (pegboard.Decision, error) {
					asked = true
					return pegboard.Decision{Behavior: pegboard.Deny}, nil
				}},
			})
			out := s.exec.Run(t.Context(), s.pool, pegboard.Call{ID: "1", Name: tc.tool, Input: json.RawMessage(tc.input)})[0]
			require.Empty(t, s.problemTexts())
			require.Equal(t, tc.asked, asked, out.Result.Text())
			if tc.says == "" {
				require.ErrorIs(t, out.Err, pegboard.ErrDenied)
				return
			}
			require.NoError(t, out.Err)
			require.Contains(t, out.Result.Text(), tc.says)
			require.Equal(t, pegboard.ByHook, out.Decision.By)
		})
	}
}
