package hooks_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/settings/hooks"
)

// A slowHook is a tool of a server that answers after a while.
type slowHook struct {
	takes  time.Duration
	answer string // %s stands for the text of the call
}

// slowScene makes a scene whose hooks of an event are tools, each with its answers.
func slowScene(t *testing.T, event string, seconds float64, strict bool, slow ...slowHook) *noteScene {
	t.Helper()
	var list []map[string]any
	for i := range slow {
		h := map[string]any{"type": "mcp_tool", "server": "s", "tool": fmt.Sprint(i), "input": map[string]any{"text": "${tool_input.text}"}}
		if seconds > 0 {
			h["timeout"] = seconds
		}
		list = append(list, h)
	}
	file, err := json.Marshal(map[string]any{event: []any{map[string]any{"hooks": list}}})
	require.NoError(t, err)
	return newNoteScene(t, string(file), noteOptions{Options: hooks.Options{
		Strict: strict,
		Invoke: func(_ context.Context, _, tool string, input json.RawMessage) (*pegboard.Result, error) {
			var i int
			var in struct{ Text string }
			if _, err := fmt.Sscan(tool, &i); err != nil {
				return nil, err
			}
			if err := json.Unmarshal(input, &in); err != nil {
				return nil, err
			}
			time.Sleep(slow[i].takes) // it does not heed its context
			if in.Text != "hello" && in.Text != "" {
				return pegboard.TextResult(""), nil
			}
			return pegboard.TextResult(slow[i].answer), nil
		},
	}})
}

// TestHooksTakeTime: a call waits for the last of its hooks and for no hook longer than its
// limit, and of several changed inputs that of the last hook counts.
func TestHooksTakeTime(t *testing.T) {
	t.Parallel()
	decide := func(members string) string {
		return `{"hookSpecificOutput": {"hookEventName": "PreToolUse", ` + members + `}}`
	}
	changeTo := func(text string) string { return decide(`"updatedInput": {"text": "` + text + `"}`) }
	deny := decide(`"permissionDecision": "deny"`)
	allow := decide(`"permissionDecision": "allow"`)
	tests := []struct {
		name    string
		hooks   []slowHook
		seconds float64 // limit; 0 means the default
		strict  bool
		noted   []string
		takes   time.Duration
	}{
		{name: "side by side", hooks: []slowHook{{time.Second, allow}, {3 * time.Second, allow}, {2 * time.Second, ""}}, noted: []string{"hello"}, takes: 3 * time.Second},
		{name: "the last to end denies", hooks: []slowHook{{time.Second, allow}, {3 * time.Second, deny}}, takes: 3 * time.Second},
		{name: "the first to end denies", hooks: []slowHook{{time.Second, deny}, {3 * time.Second, allow}}, takes: 3 * time.Second},
		{name: "the last in the file changes last", hooks: []slowHook{{time.Second, changeTo("a")}, {2 * time.Second, changeTo("b")}}, noted: []string{"b"}, takes: 3 * time.Second},
		{name: "the first in the file changes last", hooks: []slowHook{{2 * time.Second, changeTo("a")}, {time.Second, changeTo("b")}}, noted: []string{"a"}, takes: 3 * time.Second},
		{name: "late", hooks: []slowHook{{time.Hour, deny}}, seconds: 2, noted: []string{"hello"}, takes: 2 * time.Second},
		{name: "late, strict", hooks: []slowHook{{time.Hour, allow}}, seconds: 2, strict: true, takes: 2 * time.Second},
		{name: "one is late, another denies", hooks: []slowHook{{time.Hour, allow}, {time.Second, deny}}, seconds: 5, takes: 5 * time.Second},
		{name: "a part of a second", hooks: []slowHook{{time.Hour, allow}}, seconds: 0.25, noted: []string{"hello"}, takes: 250 * time.Millisecond},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := slowScene(t, "PreToolUse", tt.seconds, tt.strict, tt.hooks...)
				began := time.Now()
				out := s.call("hello")
				require.Equal(t, tt.takes, time.Since(began))
				require.Equal(t, tt.noted, s.noted)
				require.Equal(t, tt.noted == nil, out.Err != nil)
				time.Sleep(2 * time.Hour) // the hooks that were abandoned return
			})
		})
	}
}

// TestSessionEndTakesTime: hooks at the end of a session have 1.5 seconds together, or the
// longest of their limits.
func TestSessionEndTakesTime(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		seconds float64
		takes   time.Duration
	}{
		{name: "no limits", takes: 1500 * time.Millisecond},
		{name: "their own", seconds: 7, takes: 7 * time.Second},
		{name: "at most a minute", seconds: 600, takes: time.Minute},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := slowScene(t, "SessionEnd", tt.seconds, false, slowHook{takes: time.Hour}, slowHook{takes: time.Hour})
				began := time.Now()
				_, err := s.runner.Fire(t.Context(), s.session, "SessionEnd", nil)
				require.NoError(t, err)
				require.Equal(t, tt.takes, time.Since(began))
				time.Sleep(2 * time.Hour)
			})
		})
	}
}
