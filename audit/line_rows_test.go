package audit_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/audit"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// TestALogHoldsTheRulesOfToday runs calls whose decisions are logged with inputs, reads the log
// as rows, and holds two sets of rules against them.
func TestALogHoldsTheRulesOfToday(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a"), 0o600))
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log, err := audit.Open(path, audit.Options{Inputs: true})
	require.NoError(t, err)
	poolUnder := func(rules pegboard.RuleSet) *pegboard.Pool {
		permissions, err := pegboard.NewPermissions(pegboard.ModeDefault, rules)
		require.NoError(t, err)
		s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: dir, Permissions: permissions, Ask: func(context.Context, *pegboard.Question) (pegboard.Decision, error) {
			return pegboard.Decision{Behavior: pegboard.Allow}, nil
		}})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
		var registry pegboard.Registry
		require.NoError(t, registry.Add(files.Tools()...))
		return registry.AssemblePool(s, pegboard.PoolConfig{})
	}
	rules := pegboard.RuleSet{Allow: []string{"Edit(/src/**)"}, Deny: []string{"Edit(/src/vendor/**)"}}
	executor := pegboard.Executor{OnEvent: log.Record}
	pool := poolUnder(rules)
	for _, c := range []pegboard.Call{
		{ID: "1", Name: "Read", Input: []byte(`{"file_path":"a.txt"}`)},
		{ID: "2", Name: "Write", Input: []byte(`{"file_path":"src/b.txt","content":""}`)},
		{ID: "3", Name: "Write", Input: []byte(`{"file_path":"src/vendor/b.txt","content":""}`)},
		{ID: "4", Name: "Write", Input: []byte(`{"file_path":"new.txt","content":""}`)}, // the user allows it
		{ID: "5", Name: "Write", Input: []byte(`{"path":"new.txt"}`)},                   // is not run
	} {
		executor.Run(t.Context(), pool, c)
	}
	require.NoError(t, log.Close())

	file, err := os.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	rows, err := tooltest.ParseRuleRows(file)
	require.NoError(t, err)
	var want []pegboard.Behavior
	for _, r := range rows {
		want = append(want, r.Want)
	}
	require.Equal(t, []pegboard.Behavior{pegboard.Allow, pegboard.Allow, pegboard.Deny, pegboard.Ask}, want)
	require.NoError(t, tooltest.CheckRules(poolUnder(rules), rows...))
	err = tooltest.CheckRules(poolUnder(pegboard.RuleSet{Allow: []string{"Edit(/src/**)"}}), rows...)
	require.ErrorContains(t, err, "row 3: deny is wanted, and the decision is allow:")
}
