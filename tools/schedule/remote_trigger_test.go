package schedule_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/schedule"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// A service answers as it is told.
type service struct {
	status int
	body   string
	err    error
	do     func(ctx context.Context, r schedule.Request)
}

func (s service) Do(ctx context.Context, r schedule.Request) (int, json.RawMessage, error) {
	if s.do != nil {
		s.do(ctx, r)
	}
	return s.status, json.RawMessage(s.body), s.err
}

// runRemote runs RemoteTrigger in a session that asks nobody.
func runRemote(t *testing.T, s schedule.Triggers, rules policy.RuleSet, input string) pegboard.Outcome {
	t.Helper()
	tool, err := schedule.RemoteTrigger(s)
	require.NoError(t, err)
	perms, err := policy.New(policy.ModeDefault, rules)
	require.NoError(t, err)
	session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir(), Permissions: perms, NoPrompts: true})
	require.NoError(t, err)
	return tooltest.Run(t.Context(), tool, session, input)
}

func TestRemoteTriggerWithoutAService(t *testing.T) {
	t.Parallel()
	_, err := schedule.RemoteTrigger(nil)
	require.ErrorContains(t, err, "Triggers is nil")
}

func TestRemoteTriggerIsDecidedByTheAction(t *testing.T) {
	t.Parallel()
	allow := policy.RuleSet{Allow: []string{"RemoteTrigger"}}
	tests := []struct {
		name, input string
		rules       policy.RuleSet
		denied      bool
		want        schedule.Request
	}{
		{name: "list", input: `{"action": "list", "cursor": "c"}`, want: schedule.Request{Action: schedule.ActionList, Cursor: "c"}},
		{name: "get", input: `{"action": "get", "trigger_id": "t1"}`, want: schedule.Request{Action: schedule.ActionGet, TriggerID: "t1"}},
		{name: "list runs", input: `{"action": "list_runs", "trigger_id": "t1"}`, want: schedule.Request{Action: schedule.ActionListRuns, TriggerID: "t1"}},
		{name: "log of a run", input: `{"action": "get_run_log", "session_id": "s1"}`, want: schedule.Request{Action: schedule.ActionRunLog, SessionID: "s1"}},
		{name: "create", input: `{"action": "create", "body": {"n": 12345678901234567890}}`, denied: true},
		{name: "update", input: `{"action": "update", "trigger_id": "t1", "body": {"n": 1}}`, denied: true},
		{name: "run", input: `{"action": "run", "trigger_id": "t1"}`, denied: true},
		{name: "webhook", input: `{"action": "create_webhook_trigger", "body": {"n": 1}}`, denied: true},
		{
			name: "create, allowed", input: `{"action": "create", "body": {"n": 12345678901234567890}}`, rules: allow,
			want: schedule.Request{Action: schedule.ActionCreate, Body: json.RawMessage(`{"n":12345678901234567890}`)},
		},
		{name: "run, allowed", input: `{"action": "run", "trigger_id": "t1"}`, rules: allow, want: schedule.Request{Action: schedule.ActionRun, TriggerID: "t1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []schedule.Request
			out := runRemote(t, service{status: 200, body: `{"ok": true}`, do: func(_ context.Context, r schedule.Request) { got = append(got, r) }}, tt.rules, tt.input)
			if tt.denied {
				require.ErrorIs(t, out.Err, pegboard.ErrDenied)
				require.Empty(t, got)
				return
			}
			require.NoError(t, out.Err)
			require.Equal(t, []schedule.Request{tt.want}, got)
			require.Equal(t, "Status 200.\n{\"ok\": true}", textOf(out))
		})
	}
}

func TestRemoteTriggerRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, input, want string }{
		{name: "an unknown action", input: `{"action": "delete"}`, want: "delete"},
		{name: "get without an id", input: `{"action": "get"}`, want: "get needs a trigger_id"},
		{name: "update without an id", input: `{"action": "update", "body": {"a": 1}}`, want: "update needs a trigger_id"},
		{name: "update without a body", input: `{"action": "update", "trigger_id": "t"}`, want: "update needs a body"},
		{name: "create without a body", input: `{"action": "create", "body": {}}`, want: "create needs a body"},
		{name: "a log of nothing", input: `{"action": "get_run_log"}`, want: "needs the session_id"},
		{name: "a list with a body", input: `{"action": "list", "body": {"a": 1}}`, want: "takes no body"},
		{name: "a path in the place of an id", input: `{"action": "get", "trigger_id": "../users"}`, want: "is no id"},
		{name: "dots in the place of an id", input: `{"action": "get", "trigger_id": ".."}`, want: "is no id"},
		{name: "a line break in an id", input: `{"action": "get", "trigger_id": "a\nb"}`, want: "is no id"},
		{name: "a query in an id", input: `{"action": "get_run_log", "session_id": "a?b=c"}`, want: "is no id"},
		{name: "a body that is no object", input: `{"action": "create", "body": [1]}`, want: "body"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out := runRemote(t, service{do: func(context.Context, schedule.Request) { t.Error("the service was asked") }}, policy.RuleSet{Allow: []string{"RemoteTrigger"}}, tt.input)
			require.ErrorIs(t, out.Err, pegboard.ErrInvalidInput)
			require.Contains(t, textOf(out), tt.want)
		})
	}
}

func TestRemoteTriggerOfABadService(t *testing.T) {
	t.Parallel()
	failure := errors.New("no route")
	tests := []struct {
		name    string
		service service
		want    error
		text    string
	}{
		{name: "fails", service: service{err: failure}, want: failure, text: "the service did not answer list: no route"},
		{name: "panics", service: service{do: func(context.Context, schedule.Request) { panic("oh") }}, want: pegboard.ErrPanic},
		{name: "no JSON", service: service{status: 200, body: "<html>"}, text: "Status 200. The answer is no JSON, and was left out."},
		{name: "nothing", service: service{status: 204}, text: "Status 204."},
		{name: "refuses", service: service{status: 404, body: `{"error": "none"}`}, text: "Status 404.\n{\"error\": \"none\"}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out := runRemote(t, tt.service, policy.RuleSet{}, `{"action": "list"}`)
			if tt.want != nil {
				require.ErrorIs(t, out.Err, tt.want)
			}
			require.Contains(t, textOf(out), tt.text)
			require.Equal(t, tt.want != nil || tt.service.status >= 400, out.Result.IsError)
		})
	}
	t.Run("hangs", func(t *testing.T) {
		t.Parallel()
		tool, err := schedule.RemoteTrigger(service{do: func(ctx context.Context, _ schedule.Request) { <-ctx.Done() }})
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		out := tooltest.Run(ctx, tool, newSession(t), `{"action": "list"}`)
		require.ErrorIs(t, out.Err, pegboard.ErrCancelled)
	})
}
