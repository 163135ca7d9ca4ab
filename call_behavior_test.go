package pegboard_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

func TestCallBehavior(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	tests := []struct {
		name, path string
		mode       pegboard.Mode
		set        pegboard.RuleSet
		want       pegboard.Behavior
	}{
		{name: "inside", path: filepath.Join(dir, "a"), want: pegboard.Allow},
		{name: "outside", path: filepath.Join(outside, "a"), want: pegboard.Ask},
		{name: "outside where nobody is asked", path: filepath.Join(outside, "a"), mode: pegboard.ModeDontAsk, want: pegboard.Deny},
		{name: "outside with an allow rule", path: filepath.Join(outside, "a"), set: pegboard.RuleSet{Allow: []string{"Read(/" + outside + "/**)"}}, want: pegboard.Allow},
		{name: "an ask rule", path: filepath.Join(dir, "a"), set: pegboard.RuleSet{Ask: []string{"Read(a)"}}, want: pegboard.Ask},
		{name: "a deny rule", path: filepath.Join(dir, "a"), set: pegboard.RuleSet{Deny: []string{"Read(a)"}}, want: pegboard.Deny},
		{name: "a deny rule outside", path: filepath.Join(outside, "a"), set: pegboard.RuleSet{Deny: []string{"Read(/" + outside + "/**)"}}, want: pegboard.Deny},
		{name: "no target", want: pegboard.Ask},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			target := pegboard.Target{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: tt.path}
			if tt.path == "" {
				target = pegboard.Target{}
			}
			var got pegboard.Behavior
			var filtered bool
			a := actor{name: "T", traits: readsData, call: func(_ ctx, c *pegboard.Call) error {
				got, filtered = c.Behavior(target), c.Filter(target)
				return nil
			}}
			var questions []*pegboard.Question
			pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: dir, Ask: answering(&questions, pegboard.Decision{}, nil)}))
			require.NoError(t, pool.Session().SetPermissions(rules(t, tt.mode, tt.set)))
			ex := executor(pegboard.Executor{})
			require.NoError(t, ex.Run(t.Context(), pool, call("1", "T", ``))[0].Err)
			require.Equal(t, tt.want, got)
			require.Equal(t, tt.want == pegboard.Allow, filtered)
			require.Empty(t, questions)
		})
	}
	require.Equal(t, pegboard.Deny, new(pegboard.Call).Behavior(pegboard.Target{Kind: pegboard.TargetPath, Value: "."}))
}
