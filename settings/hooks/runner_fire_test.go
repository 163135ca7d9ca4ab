package hooks_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/settings/hooks"
)

// What hooks of the loop may control.
func TestFire(t *testing.T) {
	t.Parallel()
	specific := func(event, members string) string {
		return printing(`{"hookSpecificOutput": {"hookEventName": "` + event + `", ` + members + `}}`)
	}
	shown := "[redacted]"
	tests := []struct {
		name    string
		event   string
		matcher string
		command string
		fields  any
		strict  bool
		want    hooks.Answer
		err     string
		problem string
		message string
	}{
		{name: "prompt blocked", event: "UserPromptSubmit", command: printing(`{"decision": "block", "reason": "no"}`), want: hooks.Answer{Block: true, Reason: "no"}},
		{name: "prompt blocked by code", event: "UserPromptSubmit", command: "echo no >&2; exit 2", want: hooks.Answer{Block: true, Reason: "no"}},
		{name: "prompt with text", event: "UserPromptSubmit", command: "echo it is noon", want: hooks.Answer{Context: []string{"it is noon"}}},
		{name: "prompt with context", event: "UserPromptSubmit", command: specific("UserPromptSubmit", `"additionalContext": "it is noon", "sessionTitle": "Noon", "suppressOriginalPrompt": true`), want: hooks.Answer{Context: []string{"it is noon"}, SessionTitle: "Noon", SuppressPrompt: true}},
		{name: "prompt failed", event: "UserPromptSubmit", command: "exit 1", problem: "code 1"},
		{name: "prompt failed, strict", event: "UserPromptSubmit", command: "exit 1", strict: true, problem: "code 1", want: hooks.Answer{Block: true, Reason: "UserPromptSubmit hook of settings.json must be passed, and it ended with an error. Tell the user; repeating it will not help."}},
		{name: "prompt stopped", event: "UserPromptSubmit", command: printing(`{"continue": false, "stopReason": "lunch"}`), want: hooks.Answer{Stop: true}, message: "lunch"},
		{name: "start", event: "SessionStart", matcher: "startup|resume", fields: map[string]any{"source": "resume"}, command: specific("SessionStart", `"additionalContext": "a", "initialUserMessage": "go", "watchPaths": ["/a", "/b"], "reloadSkills": true`),
			want: hooks.Answer{Context: []string{"a"}, InitialUserMessage: "go", WatchPaths: []string{"/a", "/b"}, ReloadSkills: true}},
		{name: "start of another source", event: "SessionStart", matcher: "startup", fields: map[string]any{"source": "clear"}, command: "echo no"},
		{name: "start with code 2", event: "SessionStart", fields: map[string]any{"source": "startup"}, command: "echo oh >&2; exit 2", message: "oh"},
		{name: "compaction blocked", event: "PreCompact", matcher: "auto", fields: map[string]any{"trigger": "auto"}, command: "exit 2", want: hooks.Answer{Block: true}},
		{name: "notification", event: "Notification", fields: map[string]any{"message": "x"}, command: "exit 2", problem: "code 2"},
		{name: "change of a setting", event: "ConfigChange", fields: map[string]any{"source": "user_settings"}, command: "exit 2", want: hooks.Answer{Block: true}},
		{name: "change of managed settings", event: "ConfigChange", fields: map[string]any{"source": "policy_settings"}, command: printing(`{"decision": "block"}`) + "\nexit 2", problem: "managed"},
		{name: "task", event: "TaskCreated", command: "echo too vague >&2; exit 2", want: hooks.Answer{Block: true, Reason: "TaskCreated hook of settings.json: too vague"}},
		{name: "task with continue", event: "TaskCreated", command: printing(`{"continue": false}`)},
		{name: "file", event: "FileChanged", matcher: ".env|.envrc", fields: map[string]any{"file_path": "/a/b/.envrc", "event": "change"}, command: specific("FileChanged", `"watchPaths": ["/c"]`), want: hooks.Answer{WatchPaths: []string{"/c"}}},
		{name: "worktree", event: "WorktreeCreate", command: "echo /work/tree", want: hooks.Answer{WorktreePath: "/work/tree"}},
		{name: "worktree that failed", event: "WorktreeCreate", command: "echo /work/tree; exit 3", err: "code 3", problem: "code 3"},
		{name: "message", event: "MessageDisplay", command: specific("MessageDisplay", `"displayContent": "[redacted]"`), want: hooks.Answer{Display: &shown}},
		{name: "unknown event", event: "PreModelSwitch", command: printing(`{"continue": false}`), want: hooks.Answer{Stop: true}},
		{name: "event of calls", event: "PreToolUse", command: "exit 0", err: "runs by itself"},
		{name: "fields that are no object", event: "Stop", fields: 5, command: "exit 0", err: "fields of Stop"},
		{name: "fields that cannot be encoded", event: "Stop", fields: map[string]any{"a": func() {}}, command: "exit 0", err: "fields of Stop"},
		{name: "stopping", event: "Stop", command: printing(`{"decision": "block", "reason": "test it"}`), want: hooks.Answer{Block: true, Reason: "test it"}},
		{name: "stopping with context", event: "Stop", command: specific("Stop", `"additionalContext": "test it"`), want: hooks.Answer{Block: true, Context: []string{"test it"}}},
		{name: "stopping for good", event: "Stop", command: printing(`{"decision": "block", "reason": "test it", "continue": false}`), want: hooks.Answer{Stop: true, Reason: "test it"}},
		{name: "stopping failed, strict", event: "Stop", command: "exit 1", strict: true, problem: "code 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var o noteOptions
			o.Strict = tt.strict
			s := newNoteScene(t, commandHook(tt.event, tt.matcher, tt.command), o)
			answer, err := s.runner.Fire(t.Context(), s.session, tt.event, tt.fields)
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err)
			} else {
				require.NoError(t, err)
			}
			answer.Context = unlabelled(t, answer.Context)
			if answer.Block && tt.event == "Stop" && answer.Reason != "" {
				answer.Reason = unlabelled(t, []string{answer.Reason})[0]
			}
			require.Equal(t, tt.want, answer)
			if tt.problem == "" {
				require.Empty(t, s.problemTexts())
			} else {
				require.Contains(t, s.problemTexts(), tt.problem)
			}
			if tt.message != "" {
				require.Equal(t, []string{tt.message}, s.messages)
			}
		})
	}
}

// Hooks keep an agent from stopping eight times in a row, and see that they have.
func TestStopCap(t *testing.T) {
	t.Parallel()
	s := newNoteScene(t, commandHook("Stop", "", "cat >> @DIR/payloads; echo >> @DIR/payloads; exit 2"), noteOptions{})
	var blocked []bool
	for range 11 {
		answer, err := s.runner.Fire(t.Context(), s.session, "Stop", hooks.StopFields{LastAssistantMessage: "done"})
		require.NoError(t, err)
		blocked = append(blocked, answer.Block)
	}
	require.Equal(t, []bool{true, true, true, true, true, true, true, true, false, true, true}, blocked)
	var active []bool
	for _, line := range strings.Split(strings.TrimSpace(s.read("payloads")), "\n") {
		payload := decodePayload(t, line)
		require.Equal(t, "done", payload["last_assistant_message"])
		one, ok := payload["stop_hook_active"].(bool)
		require.True(t, ok)
		active = append(active, one)
	}
	require.Equal(t, []bool{false, true, true, true, true, true, true, true, true, false, true}, active)
	require.Len(t, s.messages, 1)
}

// All hooks of the end have their time together.
func TestSessionEndHasATime(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		more []string
		own  time.Duration
		max  time.Duration
	}{
		{name: "default", max: 10 * time.Second},
		{name: "of the host", own: 100 * time.Millisecond, max: 10 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var o noteOptions
			o.SessionEnd = tt.own
			s := newNoteScene(t, commandHook("SessionEnd", "", "exec sleep 1000", tt.more...), o)
			started := time.Now()
			_, err := s.runner.Fire(t.Context(), s.session, "SessionEnd", map[string]any{"reason": "other"})
			require.NoError(t, err)
			require.Less(t, time.Since(started), tt.max)
			require.Contains(t, s.problemTexts(), "in time")
		})
	}
}

// Forms of servers are answered by hooks, by the user, or by both.
func TestFill(t *testing.T) {
	t.Parallel()
	answer := func(event, members string) string {
		return commandHook(event, "forge", "cat > @DIR/"+event+"; "+printing(`{"hookSpecificOutput": {"hookEventName": "`+event+`", `+members+`}}`))
	}
	accepted := func(text string) pegboard.Filled {
		return pegboard.Filled{Action: pegboard.FillAccept, Content: json.RawMessage(text)}
	}
	user := accepted(`{"name":"Ada"}`)
	tests := []struct {
		name  string
		file  string
		want  pegboard.Filled
		asked int
	}{
		{name: "none", file: "{}", want: user, asked: 1},
		{name: "of another server", file: strings.ReplaceAll(answer("Elicitation", `"action": "decline"`), "forge", "other"), want: user, asked: 1},
		{name: "accept", file: answer("Elicitation", `"action": "accept", "content": {"name": "Bob"}`), want: accepted(`{"name": "Bob"}`)},
		{name: "decline", file: answer("Elicitation", `"action": "decline"`), want: pegboard.Filled{Action: pegboard.FillDecline}},
		{name: "cancel", file: answer("Elicitation", `"action": "cancel"`), want: pegboard.Filled{Action: pegboard.FillCancel}},
		{name: "code 2", file: commandHook("Elicitation", "", printing(`{"hookSpecificOutput": {"hookEventName": "Elicitation", "action": "accept", "content": {"name": "Bob"}}}`)+"\nexit 2"), want: pegboard.Filled{Action: pegboard.FillDecline}},
		{name: "what the schema refuses", file: answer("Elicitation", `"action": "accept", "content": {"name": 5}`), want: user, asked: 1},
		{name: "result changed", file: answer("ElicitationResult", `"action": "accept", "content": {"name": "Eve"}`), want: accepted(`{"name": "Eve"}`), asked: 1},
		{name: "result declined", file: answer("ElicitationResult", `"action": "decline"`), want: pegboard.Filled{Action: pegboard.FillDecline}, asked: 1},
		{name: "result changed to what the schema refuses", file: answer("ElicitationResult", `"action": "accept", "content": {"name": 5}`), want: user, asked: 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var o noteOptions
			var s *noteScene
			asked := 0
			o.config.Fill = func(ctx context.Context, f *pegboard.Form) (pegboard.Filled, error) {
				return s.runner.Fill(func(context.Context, *pegboard.Form) (pegboard.Filled, error) { asked++; return user, nil })(ctx, f)
			}
			s = newNoteScene(t, tt.file, o)
			form := pegboard.Form{From: "forge", Message: "Your name?", Schema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)}
			filled, err := s.session.Fill(pegboard.WithSession(t.Context(), s.session), form)
			require.NoError(t, err)
			require.Equal(t, tt.want, filled)
			require.Equal(t, tt.asked, asked)
			if exists(s.dir + "/Elicitation") {
				payload := decodePayload(t, s.read("Elicitation"))
				require.Equal(t, "forge", payload["mcp_server_name"])
				require.Equal(t, "Your name?", payload["message"])
				require.Contains(t, payload, "requested_schema")
			}
		})
	}
}
