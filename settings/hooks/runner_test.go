package hooks_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/script"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/settings/hooks"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/session"
	"github.com/seed49eaa51d/pegboard/tools/shell"
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
			mode := policy.ModeDefault
			if tc.tool == "ExitPlanMode" {
				mode = policy.ModePlan
			}
			s := newNoteScene(t, tc.file, noteOptions{
				mode: mode, tools: append(session.PlanTools(session.PlanOptions{}), session.AskUserQuestion()),
				config: pegboard.SessionConfig{Ask: func(context.Context, *pegboard.Question) (policy.Decision, error) {
					asked = true
					return policy.Decision{Behavior: policy.Deny}, nil
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
			require.Equal(t, policy.ByHook, out.Decision.By)
		})
	}
}

// A hook replaces a part of the typed output of tools that this library has: what it is shown
// as tool_response is what it may give back.
func TestOutputOfBuiltInTools(t *testing.T) {
	t.Parallel()
	echo := `python3 -c '
import json, sys
text = json.dumps(json.load(sys.stdin)["tool_response"]).replace("secret", "******")
print(json.dumps({"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": json.loads(text)}}))'`
	o := noteOptions{rules: policy.RuleSet{Allow: []string{"Bash"}}, tools: []pegboard.Tool{shell.Bash(shell.Options{}), files.Read(files.ReadOptions{})}}
	s := newNoteScene(t, commandHook("PostToolUse", "Bash|Read", echo), o)
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "a.txt"), []byte("a secret\n"), 0o600))
	for _, call := range []pegboard.Call{
		{ID: "1", Name: "Bash", Input: json.RawMessage(`{"command": "echo the secret"}`)},
		{ID: "2", Name: "Read", Input: json.RawMessage(`{"file_path": "a.txt"}`)},
	} {
		out := s.exec.Run(t.Context(), s.pool, call)[0]
		require.NoError(t, out.Err)
		require.Empty(t, s.problemTexts())
		require.NotContains(t, out.Result.Text(), "secret")
		require.Contains(t, out.Result.Text(), "******")
	}
}

// saving returns a command that saves its payload in a file of the scene.
func saving(name string) string { return "cat > @DIR/" + name }

func decodePayload(t *testing.T, text string) map[string]any {
	t.Helper()
	var payload map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &payload))
	return payload
}

// joined joins the objects of files.
func joined(t *testing.T, files ...string) string {
	t.Helper()
	all := map[string]json.RawMessage{}
	for _, file := range files {
		var one map[string]json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(file), &one))
		for event, groups := range one {
			if before, ok := all[event]; ok {
				groups = json.RawMessage(strings.TrimSuffix(string(before), "]") + "," + strings.TrimPrefix(string(groups), "["))
			}
			all[event] = groups
		}
	}
	text, err := json.Marshal(all)
	require.NoError(t, err)
	return string(text)
}

// What hooks around a call are told.
func TestPayloads(t *testing.T) {
	t.Parallel()
	file := joined(t, commandHook("PreToolUse", "Note", saving("pre")), commandHook("PostToolUse", "Jot", saving("post")),
		commandHook("PostToolUseFailure", "Note", saving("failure")), commandHook("PostToolBatch", "", saving("batch")))
	var o noteOptions
	o.Transcript = func(*pegboard.Session) string { return "/transcripts/1.jsonl" }
	s := newNoteScene(t, file, o)
	out := s.exec.Run(t.Context(), s.pool, pegboard.Call{ID: "call-1", Name: "Jot", Input: json.RawMessage(`{"text": "a<b>", "file_path": "x.txt"}`)})[0]
	require.NoError(t, out.Err)
	common := func(event string, more map[string]any) map[string]any {
		all := map[string]any{
			"session_id": "session-1", "transcript_path": "/transcripts/1.jsonl", "cwd": s.dir, "permission_mode": "default",
			"hook_event_name": event,
		}
		for name, value := range more {
			all[name] = value
		}
		return all
	}
	input := map[string]any{"text": "a<b>", "file_path": filepath.Join(s.dir, "x.txt")}
	require.Equal(t, common("PreToolUse", map[string]any{"tool_name": "Note", "tool_input": input, "tool_use_id": "call-1"}), decodePayload(t, s.read("pre")))
	post := decodePayload(t, s.read("post"))
	require.Contains(t, post, "duration_ms")
	delete(post, "duration_ms")
	require.Equal(t, common("PostToolUse", map[string]any{
		"tool_name": "Note", "tool_input": input, "tool_use_id": "call-1",
		"tool_response": map[string]any{"noted": "a<b>", "size": 4.0},
	}), post)
	require.Equal(t, common("PostToolBatch", map[string]any{"tool_calls": []any{map[string]any{
		"tool_name": "Note", "tool_input": input, "tool_use_id": "call-1", "tool_response": "noted a<b>",
	}}}), decodePayload(t, s.read("batch")))

	require.Error(t, s.call("fail").Err)
	failure := decodePayload(t, s.read("failure"))
	require.Equal(t, "the pen is broken", failure["error"])
	require.Equal(t, "call-1", failure["tool_use_id"])
}

// Hooks are told where a call was decided, and start there.
func TestPayloadAfterAMove(t *testing.T) {
	t.Parallel()
	s := newNoteScene(t, joined(t, commandHook("PreToolUse", "Note", saving("pre")+"; pwd > \"@DIR/pwd\""), commandHook("PostToolUse", "Note", saving("post"))), noteOptions{})
	sub := filepath.Join(s.dir, "sub")
	require.NoError(t, os.Mkdir(sub, 0o700))
	require.NoError(t, s.session.SetDir("sub"))
	require.NoError(t, s.call("x").Err)
	for _, name := range []string{"pre", "post"} {
		require.Equal(t, sub, decodePayload(t, s.read(name))["cwd"], name)
	}
	require.Equal(t, sub, strings.TrimSpace(s.read("pwd")))
	require.NoError(t, s.session.SetDir(s.dir))
	require.NoError(t, s.call("x").Err)
	require.Equal(t, s.dir, decodePayload(t, s.read("pre"))["cwd"])
}

// Hooks see the agent that makes a call, and nobody in its place.
func TestPayloadOfAgent(t *testing.T) {
	t.Parallel()
	s := newNoteScene(t, commandHook("PreToolUse", "", saving("pre")), noteOptions{})
	fork, err := s.session.Fork(pegboard.SessionConfig{AgentID: "agent-7", AgentType: "Explore"})
	require.NoError(t, err)
	var r pegboard.Registry
	require.NoError(t, r.Add(s.noteTool(false)))
	out := s.exec.Run(t.Context(), r.AssemblePool(fork, pegboard.PoolConfig{}), pegboard.Call{ID: "1", Name: "Note", Input: json.RawMessage(`{"text": "x"}`)})[0]
	require.NoError(t, out.Err)
	payload := decodePayload(t, s.read("pre"))
	require.Equal(t, "agent-7", payload["agent_id"])
	require.Equal(t, "Explore", payload["agent_type"])
}

// A hook that denies holds in forks, in streams and for calls of scripts.
func TestDenyEverywhere(t *testing.T) {
	t.Parallel()
	script := func(s **noteScene) pegboard.Tool {
		return pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: "Script"}, Description: "Runs Note.",
			Permit: func(context.Context, struct{}, *pegboard.Call) policy.Decision {
				return policy.Decision{Behavior: policy.Allow}
			},
			Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
				return c.Run(ctx, pegboard.Call{Name: "Note", Input: json.RawMessage(`{"text": "x"}`)})[0].Result.Text(), nil
			},
		})
	}
	call := pegboard.Call{ID: "1", Name: "Note", Input: json.RawMessage(`{"text": "x"}`)}
	tests := map[string]func(s *noteScene) *pegboard.Result{
		"run": func(s *noteScene) *pegboard.Result {
			return s.exec.Run(s.Context(), s.pool, call)[0].Result
		},
		"stream": func(s *noteScene) *pegboard.Result {
			st := s.exec.Stream(s.Context(), s.pool)
			st.Submit(call)
			st.Finish(pegboard.FinishToolCalls)
			for o := range st.Outcomes() {
				return o.Result
			}
			return nil
		},
		"script": func(s *noteScene) *pegboard.Result {
			return s.exec.Run(s.Context(), s.pool, pegboard.Call{ID: "1", Name: "Script"})[0].Result
		},
		"fork": func(s *noteScene) *pegboard.Result {
			fork, err := s.session.Fork(pegboard.SessionConfig{AgentID: "a"})
			require.NoError(s, err)
			var r pegboard.Registry
			require.NoError(s, r.Add(s.noteTool(false)))
			return s.exec.Run(s.Context(), r.AssemblePool(fork, pegboard.PoolConfig{}), call)[0].Result
		},
	}
	for name, run := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s *noteScene
			var o noteOptions
			o.tools = []pegboard.Tool{script(&s)}
			s = newNoteScene(t, commandHook("PreToolUse", "Note", "echo not here >&2; exit 2"), o)
			result := run(s)
			require.Contains(t, result.Text(), "not here")
			require.Empty(t, s.noted)
		})
	}
}

// Hooks that run side by side: the strictest wins, and of several changed inputs the last.
func TestSeveralHooks(t *testing.T) {
	t.Parallel()
	answer := func(members string) string {
		return printing(`{"hookSpecificOutput": {"hookEventName": "PreToolUse", ` + members + `}}`)
	}
	const deny, ask, allow, later = `"permissionDecision": "deny", "permissionDecisionReason": "denied!"`, `"permissionDecision": "ask"`, `"permissionDecision": "allow"`, `"permissionDecision": "defer"`
	tests := []struct {
		name     string
		commands []string
		noted    string
		text     string
	}{
		{name: "deny and allow", commands: []string{answer(allow), answer(deny)}, text: "denied!"},
		{name: "deny and defer", commands: []string{answer(later), answer(deny)}, text: "denied!"},
		{name: "defer and ask", commands: []string{answer(ask), answer(later)}, text: "comes later"},
		{name: "ask and allow", commands: []string{answer(ask), answer(allow)}, text: "nobody can be asked"},
		{name: "late deny", commands: []string{answer(allow), "sleep 0.3; " + answer(deny)}, text: "denied!"},
		{name: "changed by the last to end", commands: []string{"sleep 0.3; " + answer(`"updatedInput": {"text": "second"}`), "grep -q second && exit 0; " + answer(`"updatedInput": {"text": "first"}`)}, noted: "second"},
		{name: "one changes, the other denies what it has become", commands: []string{answer(`"updatedInput": {"text": "bad"}`), "grep -q bad && { echo denied! >&2; exit 2; } || exit 0"}, text: "denied!"},
		{name: "they rewrite each other's words", commands: []string{
			`python3 -c 'import json,sys; t=json.load(sys.stdin)["tool_input"]["text"]; print(json.dumps({"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"text":t+"a"}}}))'`,
			`python3 -c 'import json,sys; t=json.load(sys.stdin)["tool_input"]["text"]; print(json.dumps({"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"text":t+"b"}}}))'`,
		}, text: "do not agree"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var files []string
			for _, command := range tt.commands {
				files = append(files, commandHook("PreToolUse", "Note", command))
			}
			s := newNoteScene(t, joined(t, files...), noteOptions{})
			out := s.call("hello")
			if tt.noted != "" {
				require.NoError(t, out.Err)
				require.Equal(t, []string{tt.noted}, s.noted)
				return
			}
			require.Empty(t, s.noted)
			require.Contains(t, out.Result.Text(), tt.text)
		})
	}
}

// What hooks after a call may change.
func TestPostToolUse(t *testing.T) {
	t.Parallel()
	answer := func(members string) string {
		return printing(`{"hookSpecificOutput": {"hookEventName": "PostToolUse", ` + members + `}}`)
	}
	tests := []struct {
		name    string
		event   string
		command string
		input   string
		text    string
		says    []string
		stops   bool
		problem string
	}{
		{name: "block", command: printing(`{"decision": "block", "reason": "read it again"}`), text: "noted hello", says: []string{"read it again"}},
		{name: "exit code 2", command: "echo read it again >&2; exit 2", text: "noted hello", says: []string{"read it again"}},
		{name: "context", command: answer(`"additionalContext": "it is noon"`), text: "noted hello", says: []string{"it is noon"}},
		{name: "stop", command: printing(`{"continue": false}`), text: "noted hello", stops: true},
		{name: "output", command: answer(`"updatedToolOutput": {"noted": "nothing", "size": 0}`), text: "noted nothing"},
		{name: "output of another shape", command: answer(`"updatedToolOutput": {"noted": 5}`), text: "noted hello", problem: "left as it is"},
		{name: "output of a server", command: answer(`"updatedMCPToolOutput": "x"`), text: "noted hello", problem: "left as it is"},
		{name: "text", command: "echo hello model", text: "noted hello"},
		{name: "failure", event: "PostToolUseFailure", command: "echo buy a new one >&2; exit 2", input: "fail", text: "the pen is broken", says: []string{"buy a new one"}},
		{name: "failure of a good call", event: "PostToolUseFailure", command: "echo buy a new one >&2; exit 2", text: "noted hello"},
		{name: "batch", event: "PostToolBatch", command: printing(`{"decision": "block", "reason": "enough"}`), text: "noted hello", says: []string{"enough"}, stops: true},
		{name: "batch with context", event: "PostToolBatch", command: printing(`{"hookSpecificOutput": {"hookEventName": "PostToolBatch", "additionalContext": "it is noon"}}`), text: "noted hello", says: []string{"it is noon"}},
		{name: "batch with exit code 2", event: "PostToolBatch", command: "echo enough >&2; exit 2", text: "noted hello", says: []string{"enough"}, stops: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.event == "" {
				tt.event = "PostToolUse"
			}
			if tt.input == "" {
				tt.input = "hello"
			}
			s := newNoteScene(t, commandHook(tt.event, "", tt.command), noteOptions{})
			out := s.call(tt.input)
			require.Equal(t, tt.text, out.Result.Text())
			require.Equal(t, tt.says, unlabelled(t, texts(out.Result.Messages)))
			require.Equal(t, tt.stops, out.StopTurn)
			require.Contains(t, s.problemTexts(), tt.problem)
			if tt.problem == "" {
				require.Empty(t, s.problemTexts())
			}
		})
	}
}

// Hooks that answer for the person.
func TestPermissionRequest(t *testing.T) {
	t.Parallel()
	answer := func(members string) string {
		return printing(`{"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {` + members + `}}}`)
	}
	tests := []struct {
		name    string
		command string
		strict  bool
		noted   string
		text    string
		stops   bool
		allows  bool // the next call
	}{
		{name: "nothing", command: "exit 0", text: "nobody can be asked"},
		{name: "allow", command: answer(`"behavior": "allow"`), noted: "hello"},
		{name: "allow with another input", command: answer(`"behavior": "allow", "updatedInput": {"text": "bye"}`), noted: "bye"},
		{name: "allow with an input that the schema refuses", command: answer(`"behavior": "allow", "updatedInput": {"txt": "bye"}`), text: "changed the input"},
		{name: "allow and remember", command: answer(`"behavior": "allow", "updatedPermissions": [{"type": "addRules", "rules": [{"toolName": "Note"}], "behavior": "allow", "destination": "session"}]`), noted: "hello", allows: true},
		{name: "deny", command: answer(`"behavior": "deny", "message": "not today"`), text: "not today"},
		{name: "deny and interrupt", command: answer(`"behavior": "deny", "message": "not today", "interrupt": true`), text: "not today", stops: true},
		{name: "exit code 2", command: "echo x >&2; exit 2", text: "nobody can be asked"},
		{name: "exit code 2 and allow", command: answer(`"behavior": "allow"`) + "\nexit 2", text: "nobody can be asked"},
		{name: "exit code 2 and deny", command: answer(`"behavior": "deny", "message": "not today"`) + "\nexit 2", text: "not today"},
		{name: "failed", command: "exit 1", text: "nobody can be asked"},
		{name: "failed, strict", command: "exit 1", strict: true, text: "must be passed"},
		{name: "no behavior", command: answer(`"message": "x"`), text: "nobody can be asked"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := noteOptions{asked: true}
			o.Strict = tt.strict
			s := newNoteScene(t, joined(t, commandHook("PermissionRequest", "Note", "tee @DIR/payload > /dev/null; "+tt.command)), o)
			out := s.call("hello")
			if tt.noted != "" {
				require.NoError(t, out.Err)
				require.Equal(t, []string{tt.noted}, s.noted)
				require.Equal(t, tt.noted == "bye", slices.Equal([]string{rewritten}, unlabelled(t, texts(out.Result.Messages))))
			} else {
				require.Empty(t, s.noted)
				require.Contains(t, out.Result.Text(), tt.text)
			}
			require.Equal(t, tt.stops, out.StopTurn)
			payload := decodePayload(t, s.read("payload"))
			require.NotContains(t, payload, "tool_use_id")
			require.NotEmpty(t, payload["permission_suggestions"])
			s.runner.Replace(hooks.Set{})
			require.Equal(t, tt.allows, s.call("again").Err == nil)
		})
	}
}

// A call that is stopped while a hook runs does not run afterwards.
func TestStopWhileAHookRuns(t *testing.T) {
	t.Parallel()
	for _, command := range []string{": > @DIR/up; exec sleep 1000", ": > @DIR/up; trap '' TERM; sleep 1000 & wait; wait; echo '{\"decision\":\"approve\"}'"} {
		s := newNoteScene(t, commandHook("PreToolUse", "Note", command), noteOptions{})
		ctx, cancel := context.WithCancelCause(t.Context())
		gone := errors.New("the user has gone")
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			for deadline := time.Now().Add(waitTime); !exists(filepath.Join(s.dir, "up")) && time.Now().Before(deadline); {
				time.Sleep(pollTime)
			}
			cancel(gone)
		}()
		out := s.exec.Run(ctx, s.pool, pegboard.Call{ID: "1", Name: "Note", Input: json.RawMessage(`{"text": "x"}`)})[0]
		<-stopped
		require.ErrorIs(t, out.Err, gone)
		require.Empty(t, s.noted)
	}
}

// The same when the session is closed.
func TestCloseWhileAHookRuns(t *testing.T) {
	t.Parallel()
	s := newNoteScene(t, commandHook("PreToolUse", "Note", ": > @DIR/up; exec sleep 1000"), noteOptions{})
	done := make(chan pegboard.Outcome, 1)
	go func() { done <- s.call("x") }()
	require.Eventually(t, func() bool { return exists(filepath.Join(s.dir, "up")) }, waitTime, pollTime)
	require.NoError(t, s.session.Close(t.Context()))
	require.Error(t, (<-done).Err)
	require.Empty(t, s.noted)
}

// A hook that is late has no effect, unless hooks must be passed; what it has said by then
// counts if it denies.
func TestLateHook(t *testing.T) {
	t.Parallel()
	deny := printing(`{"decision": "block", "reason": "not today"}`)
	tests := []struct {
		name    string
		command string
		strict  bool
		text    string
		limit   string // in which the command has to print, if it does
	}{
		{name: "late", command: "exec sleep 1000"},
		{name: "late, strict", command: "exec sleep 1000", strict: true, text: "did not answer in time"},
		{name: "denied, then late", command: deny + "\nexec sleep 1000", text: "not today", limit: "5"},
		{name: "allowed, then late", command: printing(`{"decision": "approve"}`) + "\nexec sleep 1000", strict: true, text: "did not answer in time"},
		{name: "exit code 2 in the end", command: "trap 'exit 2' TERM; sleep 1000 & wait"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var o noteOptions
			o.Strict = tt.strict
			s := newNoteScene(t, commandHook("PreToolUse", "Note", tt.command, `"timeout": `+cmp.Or(tt.limit, "0.5")), o)
			out := s.call("hello")
			if tt.text == "" {
				require.NoError(t, out.Err)
			} else {
				require.Empty(t, s.noted)
				require.Contains(t, out.Result.Text(), tt.text)
			}
			require.Contains(t, s.problemTexts(), "did not answer in time")
		})
	}
}

// A thousand hooks for one event: all run, and one of them denies.
func TestThousandHooks(t *testing.T) {
	t.Parallel()
	var files []string
	for i := range 1000 {
		files = append(files, commandHook("PreToolUse", "Note", "[ "+strconv.Itoa(i)+" -ne 777 ] || { echo not 777 >&2; exit 2; }"))
	}
	s := newNoteScene(t, joined(t, files...), noteOptions{})
	out := s.call("hello")
	require.Empty(t, s.noted)
	require.Contains(t, out.Result.Text(), "not 777")
}

// A command has the environment and the directory that are documented, and nothing else.
func TestEnvironmentOfCommand(t *testing.T) {
	var o noteOptions
	t.Setenv("OTEL_EXPORTER", "secret")
	t.Setenv("KEPT", "yes")
	o.Env = map[string]string{"FROM_SETTINGS": "a b", "OTEL_OTHER": "secret", "BAD=NAME": "x"}
	o.Project = t.TempDir()
	o.EnvFile = func(*pegboard.Session) string { return "/env/file" }
	s := newNoteScene(t, joined(t, commandHook("PreToolUse", "", "env > @DIR/pre; pwd > @DIR/pwd; [ -t 0 ] || tty > @DIR/tty; true"), commandHook("SessionStart", "", "env > @DIR/start")), o)
	require.NoError(t, s.call("x").Err)
	_, err := s.runner.Fire(t.Context(), s.session, "SessionStart", map[string]any{"source": "startup"})
	require.NoError(t, err)
	pre, start := strings.Split(s.read("pre"), "\n"), strings.Split(s.read("start"), "\n")
	require.Contains(t, pre, "FROM_SETTINGS=a b")
	require.Contains(t, pre, "KEPT=yes")
	require.Contains(t, pre, "CLAUDE_PROJECT_DIR="+o.Project)
	require.NotContains(t, s.read("pre"), "OTEL_")
	require.NotContains(t, s.read("pre"), "CLAUDE_ENV_FILE")
	require.Contains(t, start, "CLAUDE_ENV_FILE=/env/file")
	require.Equal(t, s.dir+"\n", s.read("pwd"))
	require.Contains(t, s.read("tty"), "not a tty")
}

// The forms in which commands stand in files.
func TestFormsOfCommand(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		hook   string
		denied bool
	}{
		{name: "quoted project", hook: `{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/deny.sh"}`, denied: true},
		{name: "placeholder", hook: `{"type": "command", "command": "'@DIR'/deny.sh; exit $?"}`, denied: true},
		{name: "relative", hook: `{"type": "command", "command": "./deny.sh"}`, denied: true},
		{name: "home", hook: `{"type": "command", "command": "HOME='@DIR'; ~/deny.sh"}`, denied: true},
		{name: "nested quotes", hook: `{"type": "command", "command": "bash -c 'x=\"2\"; exit \"$x\"'"}`, denied: true},
		{name: "guarded", hook: `{"type": "command", "command": "H=\"$CLAUDE_PROJECT_DIR/deny.sh\"; [ -x \"$H\" ] && exec \"$H\"; exit 0"}`, denied: true},
		{name: "guarded and not there", hook: `{"type": "command", "command": "H=\"$CLAUDE_PROJECT_DIR/nothing.sh\"; [ -x \"$H\" ] && exec \"$H\"; exit 0"}`},
		{name: "bash", hook: `{"type": "command", "shell": "bash", "command": "[[ -n $BASH_VERSION ]] && exit 2"}`, denied: true},
		{name: "arguments", hook: `{"type": "command", "command": "${CLAUDE_PROJECT_DIR}/deny.sh", "args": []}`, denied: true},
		{name: "arguments are no words of a shell", hook: `{"type": "command", "command": "sh", "args": ["-c", "[ \"$1\" = 'a; b $HOME' ] && exit 2", "sh", "a; b $HOME"]}`, denied: true},
		{name: "a variable that never existed", hook: `{"type": "command", "command": "[ -z \"$CLAUDE_FILE_PATHS\" ] && exit 2"}`, denied: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newNoteScene(t, `{"PreToolUse": [{"hooks": [`+tt.hook+`]}]}`, noteOptions{})
			script.Write(t, filepath.Join(s.dir, "deny.sh"), "#!/bin/sh\nexit 2\n")
			require.Equal(t, tt.denied, s.call("x").Err != nil)
			require.Empty(t, s.problemTexts())
		})
	}
}

// Commands that behave badly hold up nobody and take no memory, and what they say counts.
func TestBadCommands(t *testing.T) { //nolint:paralleltest // the cases measure the heap, one after the other
	size := strconv.Itoa(effort.Of(t, 1<<30))
	deny := printing(`{"decision": "block", "reason": "not today"}`)
	big := strings.Repeat("x", 3<<20) // more than a pipe holds
	tests := []struct {
		name    string
		command string
		input   string
		denied  string
		problem string
	}{
		{name: "reads nothing of a large input", command: "exit 0", input: big},
		{name: "reads nothing of a large input and denies", command: deny, input: big, denied: "not today"},
		{name: "reads all of a large input", command: "[ $(wc -c) -gt 3145728 ] && { echo big >&2; exit 2; }", input: big, denied: "big"},
		{name: "closes its input", command: "exec <&-; sleep 0.1; echo closed >&2; exit 2", input: big, denied: "closed"},
		{name: "writes 1 GiB, then denies", command: "head -c " + size + " /dev/zero; echo big >&2; exit 2", denied: "big"},
		{name: "writes 1 GiB to stderr, then denies", command: "echo big >&2; head -c " + size + " /dev/zero >&2; exit 2", denied: "big"},
		{name: "an answer of 1 GiB", command: `printf '{"systemMessage": "'; head -c ` + size + ` /dev/zero | tr '\0' x; printf '"}'`, denied: "too long to be read", problem: "longer than"},
		{name: "leaves a process that holds its output", command: "sleep 1000 & " + deny, denied: "not today"},
		{name: "leaves a process without its output", command: "sleep 1000 >/dev/null 2>&1 & " + deny, denied: "not today"},
		{name: "a child answers", command: "(" + strings.ReplaceAll(deny, "\nEND", "\nEND\n") + ")", denied: "not today"},
		{name: "answers without a line end", command: `printf '{"decision":"block","reason":"not today"}'`, denied: "not today"},
		{name: "answers in pieces", command: `printf '{"decision":'; sleep 0.2; printf '"block","reason":"not today"}'`, denied: "not today"},
		{name: "closes its output and goes on", command: `echo '{"decision":"block","reason":"not today"}'; exec >&- 2>&-; sleep 0.2`, denied: "not today"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newNoteScene(t, commandHook("PreToolUse", "", tt.command, `"timeout": 60`), noteOptions{})
			if tt.input == "" {
				tt.input = "x"
			}
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			out := s.call(tt.input)
			runtime.ReadMemStats(&after)
			if tt.denied == "" {
				require.NoError(t, out.Err)
			} else {
				require.Empty(t, s.noted)
				require.Contains(t, out.Result.Text(), tt.denied)
				require.Less(t, len(out.Result.Text()), 20_000)
			}
			require.Contains(t, s.problemTexts(), tt.problem)
			if len(tt.input) < 10 {
				// The heap grows by arenas of 64 MiB. The commands write more than this.
				require.Less(t, int64(after.HeapSys)-int64(before.HeapSys), int64(96<<20))
			}
		})
	}
}

// A payload of 100 MiB, of which hooks read nothing or all.
func TestLargePayload(t *testing.T) {
	t.Parallel()
	size := effort.Of(t, 100<<20)
	prompt := strings.Repeat("x", size)
	s := newNoteScene(t, joined(t, commandHook("UserPromptSubmit", "", "exit 0"), commandHook("UserPromptSubmit", "", "exec <&-; sleep 0.1; exit 0"),
		commandHook("UserPromptSubmit", "", fmt.Sprintf("[ $(wc -c) -gt %d ] && exit 2", size))), noteOptions{})
	answer, err := s.runner.Fire(t.Context(), s.session, "UserPromptSubmit", map[string]any{"prompt": prompt})
	require.NoError(t, err)
	require.True(t, answer.Block)
	require.Empty(t, s.problemTexts())
}

// A directory that has vanished is no way around a hook.
func TestVanishedDirectory(t *testing.T) {
	t.Parallel()
	var o noteOptions
	o.config.Dir = filepath.Join(t.TempDir(), "gone")
	require.NoError(t, os.Mkdir(o.config.Dir, 0o700))
	s := newNoteScene(t, commandHook("PreToolUse", "", "echo still here >&2; exit 2"), o)
	require.NoError(t, os.Remove(s.session.Dir()))
	require.Contains(t, s.call("x").Result.Text(), "still here")
	require.Empty(t, s.noted)
}

// What is too long goes to a file.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789 ", 2000)
	s := newNoteScene(t, commandHook("PreToolUse", "", `python3 -c 'import json; print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "0123456789 " * 2000}}))'`), noteOptions{})
	out := s.call("x")
	require.NoError(t, out.Err)
	text := out.Result.Messages[0].Text
	require.Less(t, len(text), 3000)
	_, path, found := strings.Cut(text, "All of it is in ")
	require.True(t, found, text)
	path, _, _ = strings.Cut(path, ". ")
	path = strings.TrimSuffix(strings.Fields(path)[0], ".")
	stored, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, long, string(stored))
}

// Hooks that are not waited for: what they decide has no effect, and what they say comes
// later.
func TestAsync(t *testing.T) {
	t.Parallel()
	answer := `{"decision": "block", "reason": "not today", "systemMessage": "done", "hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "it is noon"}}`
	tests := []struct {
		name    string
		command string
		more    []string
	}{
		{name: "of the file", command: "sleep 0.3; " + printing(answer), more: []string{`"async": true`}},
		{name: "of the answer", command: `echo '{"async": true}'; sleep 0.3; ` + printing(answer)},
		{name: "of the answer, at once", command: `printf '{"async": true}\n%s\n' '` + answer + `'`},
		{name: "of the answer without a line end", command: `printf '{"async":true,"asyncTimeout":5}'; sleep 0.3; ` + printing(answer)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newNoteScene(t, commandHook("PreToolUse", "", tt.command, tt.more...), noteOptions{})
			out := s.call("x")
			require.NoError(t, out.Err)
			require.Empty(t, out.Result.Messages)
			var news []pegboard.Part
			require.Eventually(t, func() bool { news = append(news, s.session.Notifications()...); return len(news) > 0 }, waitTime, pollTime)
			require.Equal(t, []string{"it is noon"}, unlabelled(t, texts(news)))
			require.Equal(t, []string{"done"}, s.messages)
			require.Contains(t, s.problemTexts(), "decision has no effect")
		})
	}
}

// An asynchronous hook wakes the model, or ends with its session.
func TestAsyncRewake(t *testing.T) {
	t.Parallel()
	woken := make(chan string, 1)
	var o noteOptions
	o.Wake = func(_ *pegboard.Session, text string) { woken <- text }
	s := newNoteScene(t, joined(t,
		commandHook("PostToolUse", "", "echo the tests fail >&2; exit 2", `"asyncRewake": true`),
		commandHook("PreToolUse", "", ": > @DIR/up; trap '' TERM; exec sleep 1000", `"async": true`)), o)
	require.NoError(t, s.call("x").Err)
	require.Equal(t, []string{"the tests fail"}, unlabelled(t, []string{<-woken}))
	require.Eventually(t, func() bool { return exists(filepath.Join(s.dir, "up")) }, waitTime, pollTime)
	started := time.Now()
	require.NoError(t, s.session.Close(t.Context()))
	require.Less(t, time.Since(started), waitTime)
	require.Empty(t, s.problemTexts())
}

// The rule of "if" is held against the call before anything is started.
func TestIf(t *testing.T) {
	t.Parallel()
	tests := []struct {
		rule string
		ran  bool
	}{
		{rule: "Note", ran: true},
		{rule: "Jot", ran: true},
		{rule: "Note(text:hello)", ran: true},
		{rule: "Note(text:bye)"},
		{rule: "Write"},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			rule, err := json.Marshal(tt.rule)
			require.NoError(t, err)
			s := newNoteScene(t, commandHook("PreToolUse", "", ": > '@DIR/ran'", `"if": `+string(rule)), noteOptions{})
			require.NoError(t, s.call("hello").Err)
			require.Equal(t, tt.ran, exists(filepath.Join(s.dir, "ran")))
		})
	}
}

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
	accepted := func(text string) pegboard.ElicitResult {
		return pegboard.ElicitResult{Action: pegboard.ElicitAccept, Content: json.RawMessage(text)}
	}
	user := accepted(`{"name":"Ada"}`)
	tests := []struct {
		name  string
		file  string
		want  pegboard.ElicitResult
		asked int
	}{
		{name: "none", file: "{}", want: user, asked: 1},
		{name: "of another server", file: strings.ReplaceAll(answer("Elicitation", `"action": "decline"`), "forge", "other"), want: user, asked: 1},
		{name: "accept", file: answer("Elicitation", `"action": "accept", "content": {"name": "Bob"}`), want: accepted(`{"name": "Bob"}`)},
		{name: "decline", file: answer("Elicitation", `"action": "decline"`), want: pegboard.ElicitResult{Action: pegboard.ElicitDecline}},
		{name: "cancel", file: answer("Elicitation", `"action": "cancel"`), want: pegboard.ElicitResult{Action: pegboard.ElicitCancel}},
		{name: "code 2", file: commandHook("Elicitation", "", printing(`{"hookSpecificOutput": {"hookEventName": "Elicitation", "action": "accept", "content": {"name": "Bob"}}}`)+"\nexit 2"), want: pegboard.ElicitResult{Action: pegboard.ElicitDecline}},
		{name: "what the schema refuses", file: answer("Elicitation", `"action": "accept", "content": {"name": 5}`), want: user, asked: 1},
		{name: "result changed", file: answer("ElicitationResult", `"action": "accept", "content": {"name": "Eve"}`), want: accepted(`{"name": "Eve"}`), asked: 1},
		{name: "result declined", file: answer("ElicitationResult", `"action": "decline"`), want: pegboard.ElicitResult{Action: pegboard.ElicitDecline}, asked: 1},
		{name: "result changed to what the schema refuses", file: answer("ElicitationResult", `"action": "accept", "content": {"name": 5}`), want: user, asked: 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var o noteOptions
			var s *noteScene
			asked := 0
			o.config.Elicit = func(ctx context.Context, f *pegboard.Elicitation) (pegboard.ElicitResult, error) {
				return s.runner.Elicit(func(context.Context, *pegboard.Elicitation) (pegboard.ElicitResult, error) { asked++; return user, nil })(ctx, f)
			}
			s = newNoteScene(t, tt.file, o)
			form := pegboard.Elicitation{From: "forge", Message: "Your name?", Schema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)}
			filled, err := s.session.Elicit(pegboard.WithSession(t.Context(), s.session), form)
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
