package files_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// TestGlobWalksAroundWhatIsDenied: a rule about some files does not cost the
// others. A rule about the directory itself does.
func TestGlobWalksAroundWhatIsDenied(t *testing.T) {
	t.Parallel()
	perms, err := pegboard.NewPermissions("", pegboard.RuleSet{Deny: []string{"Read(.env)", "Read(/secret)"}})
	require.NoError(t, err)
	g := newGround(t, pegboard.SessionConfig{Permissions: perms})
	for _, name := range []string{"a", ".env", "sub/.env", "sub/b", "secret/c"} {
		g.put(t, name, "")
	}
	text, out := g.glob(t, map[string]any{"pattern": "**"})
	require.ElementsMatch(t, []string{"a", "sub/b"}, out.Filenames)
	require.Equal(t, 3, out.Hidden)
	require.NotContains(t, text, "env")

	denied := tooltest.Run(t.Context(), files.Glob(files.GlobOptions{}), g.session, `{"pattern":"*","path":"secret"}`)
	require.ErrorIs(t, denied.Err, pegboard.ErrDenied)
}

// TestApprovalOfAWalkReachesWhatItFinds, but no further and past no rule.
func TestApprovalOfAWalkReachesWhatItFinds(t *testing.T) {
	t.Parallel()
	asked := 0
	g := newGround(t, pegboard.SessionConfig{Ask: func(context.Context, *pegboard.Question) (pegboard.Decision, error) {
		asked++
		return pegboard.Decision{Behavior: pegboard.Allow}, nil
	}})
	g.put(t, "../out/a", "")
	g.put(t, "../out/sub/b", "")
	outside := filepath.Join(filepath.Dir(g.dir), "out")
	perms, err := pegboard.NewPermissions("", pegboard.RuleSet{Deny: []string{"Read(/" + filepath.ToSlash(outside) + "/sub)"}})
	require.NoError(t, err)
	require.NoError(t, g.session.SetPermissions(perms))
	_, out := g.glob(t, map[string]any{"pattern": "**", "path": outside})
	require.Equal(t, []string{filepath.Join(outside, "a")}, out.Filenames)
	require.Equal(t, 1, out.Hidden)
	require.Equal(t, 1, asked)
}
