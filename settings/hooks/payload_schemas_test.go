package hooks_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The schemas themselves tell right from wrong.
func TestSchemasOfPayloads(t *testing.T) {
	t.Parallel()
	const common = `"session_id": "s", "transcript_path": "", "cwd": "/w", `
	tests := []struct {
		payload string
		wrong   bool
	}{
		{payload: `{` + common + `"hook_event_name": "PreToolUse", "permission_mode": "default", "tool_name": "Bash", "tool_input": {}, "tool_use_id": "1"}`},
		{payload: `{` + common + `"hook_event_name": "PreToolUse", "permission_mode": "manual", "tool_name": "Bash", "tool_input": {}, "tool_use_id": "1"}`, wrong: true},
		{payload: `{` + common + `"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}}`, wrong: true},
		{payload: `{` + common + `"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}, "tool_use_id": "1", "more": 1}`, wrong: true},
		{payload: `{` + common + `"hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": {}, "permission_suggestions": [{"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "ls *"}], "behavior": "allow", "destination": "session"}]}`},
		{payload: `{` + common + `"hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": {}, "tool_use_id": "1"}`, wrong: true},
		{payload: `{` + common + `"hook_event_name": "Stop"}`, wrong: true},
		{payload: `{` + common + `"hook_event_name": "Stop", "stop_hook_active": false}`},
		{payload: `{"session_id": "s", "transcript_path": "", "cwd": "w", "hook_event_name": "Stop", "stop_hook_active": false}`, wrong: true},
		{payload: `{` + common + `"hook_event_name": "Never"}`, wrong: true},
	}
	for _, tt := range tests {
		_, err := checkPayload([]byte(tt.payload))
		require.Equal(t, tt.wrong, err != nil, "%s: %v", tt.payload, err)
	}
	require.Len(t, answerSchemas(), 32)
}
