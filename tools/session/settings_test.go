package session_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/settings"
	"github.com/seed49eaa51d/pegboard/tools/session"
)

// TestSettingsThatBeginInPlanMode drives a conversation as a user with such a settings file has it:
// a plan is refused with a reason, another edited and approved with a mode, and the file stays as
// it was, since a mode is for the session.
func TestSettingsThatBeginInPlanMode(t *testing.T) {
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	dir, home := filepath.Join(base, "project"), filepath.Join(base, "home")
	require.NoError(t, os.MkdirAll(filepath.Join(home, ".claude"), 0o755))
	require.NoError(t, os.Mkdir(dir, 0o755))
	const text = `{"permissions": {"defaultMode": "plan", "allow": ["Edit(*.md)", "ExitPlanMode"], "deny": ["Edit(secret.md)"]}}`
	path := filepath.Join(home, ".claude", "settings.json")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	files := settings.Locate(dir, home)
	files.Managed, files.Lookup = nil, func(string) (string, bool) { return "", false }
	loaded, err := files.Load(t.Context())
	require.NoError(t, err)
	require.Empty(t, loaded.Warnings)
	permissions, err := loaded.Permissions()
	require.NoError(t, err)

	answers := []policy.Decision{
		{Behavior: policy.Deny, Reason: "say how it is tested"},
		{Behavior: policy.Allow, Input: json.RawMessage(`{"plan":"1. Write a.md\n2. Read it back"}`), Remember: setMode(policy.ModeAcceptEdits)},
	}
	d := newDesk(t, pegboard.SessionConfig{Dir: dir, Home: home, OnRemember: files.Save, Ask: func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
		require.Equal(t, "ExitPlanMode", q.Call.Name)
		answer := answers[0]
		answers = answers[1:]
		return answer, nil
	}}, policy.ModeDefault)
	require.NoError(t, d.SetPermissions(permissions))
	require.Equal(t, policy.ModePlan, d.mode())

	outs := d.send(t, write("a.md"), exit("1. Write a.md"), write("a.md"))
	require.ErrorIs(t, outs[0].Err, pegboard.ErrDenied, "an allow rule does not hold in plan mode")
	require.ErrorIs(t, outs[1].Err, pegboard.ErrDenied, "nor for what the user must approve")
	require.Contains(t, outs[1].Result.Text(), "say how it is tested")
	require.ErrorIs(t, outs[2].Err, pegboard.ErrDenied)

	outs = d.send(t, exit("1. Write a.md"), write("a.md"), write("b.txt"), write("secret.md"),
		call("VerifyPlanExecution", `{"steps":[{"step":"Write a.md","done":true,"evidence":"a.md"}]}`))
	require.NoError(t, outs[0].Err)
	require.Contains(t, outs[0].Result.Text(), "2. Read it back")
	require.NoError(t, outs[1].Err)
	require.NoError(t, outs[2].Err)
	require.ErrorIs(t, outs[3].Err, pegboard.ErrDenied)
	require.Contains(t, outs[4].Result.Text(), "- Read it back")
	require.Equal(t, policy.ModeAcceptEdits, d.mode())
	plan, ok := session.ApprovedPlan(d.Session)
	require.True(t, ok)
	require.True(t, plan.Edited)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, text, string(after))
}
