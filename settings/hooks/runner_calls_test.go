package hooks_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/settings/hooks"
)

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
			Permit: func(context.Context, struct{}, *pegboard.Call) pegboard.Decision {
				return pegboard.Decision{Behavior: pegboard.Allow}
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
	}{
		{name: "late", command: "exec sleep 1000"},
		{name: "late, strict", command: "exec sleep 1000", strict: true, text: "did not answer in time"},
		{name: "denied, then late", command: deny + "\nexec sleep 1000", text: "not today"},
		{name: "allowed, then late", command: printing(`{"decision": "approve"}`) + "\nexec sleep 1000", strict: true, text: "did not answer in time"},
		{name: "exit code 2 in the end", command: "trap 'exit 2' TERM; sleep 1000 & wait"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var o noteOptions
			o.Strict = tt.strict
			s := newNoteScene(t, commandHook("PreToolUse", "Note", tt.command, `"timeout": 0.5`), o)
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
