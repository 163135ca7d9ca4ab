package hooks_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/settings/hooks"
	"github.com/seed49eaa51d/pegboard/tools/tasks"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// TestTaskHooks: the scripts of the user see the task, and refuse it through the tools.
func TestTaskHooks(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		event   string
		command string
		strict  bool
		want    string // the text of the refusal; empty means that the change is made
		stops   bool
	}{
		{name: "created", event: "TaskCreated", command: "exit 0"},
		{name: "created, code 2", event: "TaskCreated", command: "echo too vague >&2; exit 2", want: "the task was not created: TaskCreated hook of settings.json: too vague"},
		{name: "created, block", event: "TaskCreated", command: printing(`{"decision": "block", "reason": "no"}`), want: "the task was not created: TaskCreated hook of settings.json: no"},
		{name: "created, without a reason", event: "TaskCreated", command: "exit 2", want: "the task was not created: a hook of the user refused it"},
		{name: "created, continue", event: "TaskCreated", command: printing(`{"continue": false}`)},
		{name: "created, failed", event: "TaskCreated", command: "exit 1"},
		{name: "created, failed, strict", event: "TaskCreated", command: "exit 1", strict: true, want: "the task was not created: TaskCreated hook of settings.json must be passed, and it ended with an error. Tell the user; repeating it will not help."},
		{name: "completed", event: "TaskCompleted", command: "exit 0"},
		{name: "completed, code 2", event: "TaskCompleted", command: "echo tests fail >&2; exit 2", want: "the task was not completed: TaskCompleted hook of settings.json: tests fail"},
		{name: "completed, continue", event: "TaskCompleted", command: printing(`{"continue": false, "stopReason": "lunch"}`), want: "the task was not completed: a hook of the user refused it", stops: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			seen := filepath.Join(t.TempDir(), "seen")
			file, err := json.Marshal(map[string]any{tt.event: []any{map[string]any{"hooks": []any{map[string]any{"type": "command", "command": "cat > " + seen + "; " + tt.command}}}}})
			require.NoError(t, err)
			set, problems, err := hooks.Parse(file, pegboard.SourceUser, "settings.json")
			require.NoError(t, err)
			require.Empty(t, problems)
			list, err := tasks.Open("", hooks.New(set, hooks.Options{Strict: tt.strict}).TaskHooks())
			require.NoError(t, err)
			s, err := tooltest.NewSession(t.TempDir())
			require.NoError(t, err)
			out := tooltest.Run(t.Context(), list.Tools()[0], s, `{"subject":"Fix it","description":"All of it"}`)
			if tt.event == "TaskCompleted" {
				require.NoError(t, out.Err)
				out = tooltest.Run(t.Context(), list.Tools()[3], s, `{"taskId":"1","status":"completed"}`)
			}
			require.Equal(t, tt.want != "", out.Result.IsError, out.Result.Text())
			if tt.want != "" {
				require.Equal(t, tt.want, out.Result.Text())
			}
			require.Equal(t, tt.stops, out.StopTurn)
			var payload map[string]any
			text, err := os.ReadFile(seen)
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(text, &payload))
			require.Equal(t, []any{tt.event, "1", "Fix it", "All of it"}, []any{payload["hook_event_name"], payload["task_id"], payload["task_subject"], payload["task_description"]})
			all, err := list.All(t.Context())
			require.NoError(t, err)
			require.Equal(t, tt.event == "TaskCreated" && tt.want != "", len(all) == 0)
			require.NoError(t, s.Close(t.Context()))
		})
	}
}

// TestTaskHooksWithoutASession: a change of the host's is refused if a hook should see it.
func TestTaskHooksWithoutASession(t *testing.T) {
	t.Parallel()
	list, err := tasks.Open("", guard(hooks.Options{}).TaskHooks())
	require.NoError(t, err)
	_, err = list.Create(t.Context(), tasks.Task{Subject: "a"})
	require.NoError(t, err, "no hook is about tasks")
	set, _, err := hooks.Parse([]byte(`{"TaskCompleted": [{"hooks": [{"type": "command", "command": "exit 0"}]}]}`), pegboard.SourceUser, "settings.json")
	require.NoError(t, err)
	list, err = tasks.Open("", hooks.New(set, hooks.Options{}).TaskHooks())
	require.NoError(t, err)
	_, err = list.Create(t.Context(), tasks.Task{Subject: "a"})
	require.NoError(t, err)
	complete := func(t *tasks.Task) error { t.Status = tasks.Completed; return nil }
	_, err = list.Update(t.Context(), "1", complete)
	require.ErrorContains(t, err, "hooks need a session")
	s, err := tooltest.NewSession(t.TempDir())
	require.NoError(t, err)
	_, err = list.Update(pegboard.WithSession(t.Context(), s), "1", complete)
	require.NoError(t, err)
	require.NoError(t, s.Close(t.Context()))
}
