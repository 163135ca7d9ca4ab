package temporal_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/temporal"
	"github.com/seed49eaa51d/pegboard/policy"
)

// TestDescriptionMakesTheSessionAgain: a worker's session has what a call may ask for on its way.
func TestDescriptionMakesTheSessionAgain(t *testing.T) {
	t.Parallel()
	dir, more := t.TempDir(), t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "web"), 0o700))
	perms, err := policy.New(policy.ModeAcceptEdits,
		policy.RuleSet{Source: policy.SourceUser, Allow: []string{"Bash(go test *)"}, Ask: []string{"WebFetch"}},
		policy.RuleSet{Source: policy.SourceProject, Deny: []string{"Read(.env)"}})
	require.NoError(t, err)
	s, err := pegboard.NewSession(pegboard.SessionConfig{
		ID: "conversation", Role: pegboard.RoleCoordinator, Dir: dir, Cwd: "web", MoreDirs: []string{more},
		Permissions: perms,
	})
	require.NoError(t, err)
	defer s.Close(t.Context()) //nolint:errcheck // it owns nothing
	f, err := s.Fork(pegboard.SessionConfig{AgentID: "a1", AgentType: "reviewer", Role: pegboard.RoleSubAgent})
	require.NoError(t, err)
	for _, session := range []*pegboard.Session{s, f} {
		text, err := json.Marshal(temporal.Describe(session))
		require.NoError(t, err)
		var d temporal.Description
		require.NoError(t, json.Unmarshal(text, &d))
		cfg, err := d.Config()
		require.NoError(t, err)
		again, err := pegboard.NewSession(cfg)
		require.NoError(t, err)
		require.Equal(t, session.ID(), again.ID())
		require.Equal(t, session.Role(), again.Role())
		require.Equal(t, session.AgentID(), again.AgentID())
		require.Equal(t, session.AgentType(), again.AgentType())
		require.Equal(t, session.Dirs(), again.Dirs())
		require.Equal(t, session.Cwd(), again.Cwd())
		require.Equal(t, session.Permissions().Mode(), again.Permissions().Mode())
		var had, has []string
		for r := range session.Permissions().AllRules() {
			had = append(had, r.Behavior.String()+r.String()+string(r.Source))
		}
		for r := range again.Permissions().AllRules() {
			has = append(has, r.Behavior.String()+r.String()+string(r.Source))
		}
		require.ElementsMatch(t, had, has)
		require.NoError(t, again.Close(t.Context()))
	}
}

// TestDescriptionThatCannotBeRead makes no session: an unknown role or mode may be a narrower one.
func TestDescriptionThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{}`, `{"role":"owner"}`, `{"role":"main","mode":"lax"}`, `{"role":"main","rules":[{"source":"user","behavior":"deny","rule":"Read("}]}`} {
		var d temporal.Description
		require.NoError(t, json.Unmarshal([]byte(text), &d))
		_, err := d.Config()
		require.Error(t, err, text)
	}
}
