package pegboard_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestNoRuleIsARemedyForAnOpinion: what a hook or the tool itself wants asked is
// asked whatever the rules say.
func TestNoRuleIsARemedyForAnOpinion(t *testing.T) {
	t.Parallel()
	ask := pegboard.Decision{Behavior: pegboard.Ask, Reason: "it wants that"}
	hook := pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (pegboard.Decision, error) { return ask, nil }}
	for name, x := range map[string]struct {
		own   pegboard.Decision
		hooks pegboard.Hooks
	}{"tool": {own: ask}, "hook": {hooks: hook}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := actor{name: "T", own: x.own, traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Value: "f"}}}}
			reason := refused(t, a.pool(t, session(t, pegboard.SessionConfig{Hooks: x.hooks})))
			require.Contains(t, reason, "it wants that")
			require.Nil(t, remedyIn(t, reason))
		})
	}
}

// TestRemedyOfAForkIsForItsParent, which is the only one that can take it: the
// rule is spelled as the outermost session reads it.
func TestRemedyOfAForkIsForItsParent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o700))
	s := session(t, pegboard.SessionConfig{Dir: dir})
	a := actor{name: "T", traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Value: "f"}}}}
	pool := a.pool(t, forked(t, s, pegboard.SessionConfig{Dir: filepath.Join(dir, "sub")}))
	remedy := remedyIn(t, refused(t, pool))
	require.Equal(t, []string{"Edit(/sub/f)"}, remedy)
	require.NoError(t, s.SetPermissions(rules(t, "", pegboard.RuleSet{Allow: remedy})))
	require.Empty(t, refused(t, pool))
}

// TestBatchHookMayChangeResultsOnly of what it is told.
func TestBatchHookMayChangeResultsOnly(t *testing.T) {
	t.Parallel()
	a := actor{name: "T"}
	cfg := bypass(t)
	cfg.Hooks.Batch = func(_ ctx, outs []pegboard.Outcome) error {
		outs[0].Call.ID = "other"
		outs[0].Call, outs[0].Err, outs[0].Decision = nil, errors.New("not this"), pegboard.Decision{}
		outs[0].Result = pegboard.TextResult("from the hook")
		return nil
	}
	ex := executor(pegboard.Executor{})
	out := ex.Run(t.Context(), a.pool(t, session(t, cfg)), call("1", "T", ``))[0]
	require.NoError(t, out.Err)
	require.Equal(t, "1", out.Call.ID)
	require.Equal(t, pegboard.Allow, out.Decision.Behavior)
	require.Equal(t, "from the hook", out.Result.Text())
}
