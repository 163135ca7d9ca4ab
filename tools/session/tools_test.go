package session_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/session"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// TestToolsKeepTheContract of pegboard.Tool.
func TestToolsKeepTheContract(t *testing.T) {
	t.Parallel()
	inputs := map[string]string{
		"EnterPlanMode":       `{}`,
		"ExitPlanMode":        `{"plan":"1. Look"}`,
		"VerifyPlanExecution": `{"steps":[{"step":"Look","done":true,"evidence":"seen"}]}`,
		"AskUserQuestion":     both,
	}
	for _, tool := range append(session.PlanTools(session.PlanOptions{}), session.AskUserQuestion()) {
		t.Run(tool.Info().Name, func(t *testing.T) {
			t.Parallel()
			mode := policy.ModeBypass
			if tool.Info().Name == "ExitPlanMode" {
				mode = policy.ModePlan
			}
			perms, err := policy.New(mode)
			require.NoError(t, err)
			s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir(), Permissions: perms, Ask: says(allow)})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
			require.NoError(t, tooltest.Checker{Session: s}.Check(tool, inputs[tool.Info().Name]))
		})
	}
}

// TestWhichToolsAreShown: agents have neither questions nor plans, and a session in plan mode sees
// how to leave it.
func TestWhichToolsAreShown(t *testing.T) {
	t.Parallel()
	d := newDesk(t, pegboard.SessionConfig{Ask: says(allow)}, policy.ModeDefault)
	require.NoError(t, d.registry.Add(pegboard.ToolSearch(pegboard.SearchOptions{})))
	all := []string{"AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "VerifyPlanExecution"}
	pool := d.registry.AssemblePool(d.Session, pegboard.PoolConfig{})
	require.Subset(t, pool.Deferred(), all)
	hinted := d.registry.AssemblePool(d.Session, pegboard.PoolConfig{Deferral: pegboard.Deferral{AlwaysLoad: all}})
	require.Empty(t, hinted.Deferred())
	require.NoError(t, d.send(t, enter())[0].Err)
	require.NotContains(t, d.registry.AssemblePool(d.Session, pegboard.PoolConfig{}).Deferred(), "ExitPlanMode")

	agent := d.fork(t, pegboard.SessionConfig{AgentID: "worker"})
	for _, tables := range []pegboard.RoleTables{pegboard.DefaultRoleTables(), pegboard.ClaudeCodeRoleTables()} {
		pool := d.registry.AssemblePool(agent.Session, pegboard.PoolConfig{Roles: &tables})
		for _, name := range []string{"AskUserQuestion", "EnterPlanMode"} {
			_, ok := pool.Lookup(name)
			require.False(t, ok, name)
		}
	}
}
