package skills_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/skills"
)

func deploySkill(trusted bool) skills.Skill {
	return skills.Skill{Name: "deploy", Body: "Deploy.", Trusted: trusted, AllowedTools: []string{"Bash(touch made)"}, DisallowedTools: []string{"Bash(rm *)"}}
}

func TestGrantsEndWithTheTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worldConfig{list: []skills.Skill{deploySkill(true)}, rules: allowSkills("Bash(rm made)")})
	require.ErrorIs(t, w.bash(t, "touch made").Err, pegboard.ErrDenied)
	o := w.load(t, "deploy", "")
	require.NoError(t, o.Err)
	require.Equal(t, []string{"Bash(touch made)"}, outputOf(t, o).AllowedTools)
	require.NoError(t, w.bash(t, "touch made").Err)
	require.ErrorIs(t, w.bash(t, "rm made").Err, pegboard.ErrDenied, "the skill forbids it")
	require.NoError(t, w.load(t, "deploy", "").Err, "once more, which adds nothing")
	w.session.NewTurn()
	require.ErrorIs(t, w.bash(t, "touch made").Err, pegboard.ErrDenied)
	require.NoError(t, w.bash(t, "rm made").Err)
	require.NoError(t, w.load(t, "deploy", "").Err, "the text is there, but its rules are not")
	require.NoError(t, w.bash(t, "touch made").Err)
}

func TestUntrustedSkillGrantsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worldConfig{list: []skills.Skill{deploySkill(false)}, rules: allowSkills("Bash(rm made)")})
	before := w.session.Permissions().Rules()
	o := w.load(t, "deploy", "")
	require.NoError(t, o.Err)
	require.Empty(t, outputOf(t, o).AllowedTools)
	require.Equal(t, before, w.session.Permissions().Rules())
	inv, err := w.skills.Run(t.Context(), w.exec, w.pool, "deploy", "")
	require.NoError(t, err)
	require.Empty(t, inv.AllowedTools)
	require.Equal(t, before, w.session.Permissions().Rules())
}

// TestGrantsStayInTheirSession checks that a skill which an agent loads grants nothing to anybody,
// and that agents have nothing of what a skill grants to their parent, also those that run on
// when the turn has ended.
func TestGrantsStayInTheirSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worldConfig{list: []skills.Skill{deploySkill(true)}, rules: allowSkills()})
	fork, err := w.session.Fork(pegboard.SessionConfig{Role: pegboard.RoleAsyncAgent, AgentID: "agent-1"})
	require.NoError(t, err)
	defer func() { require.NoError(t, fork.Close(context.Background())) }()
	var r pegboard.Registry
	for tool := range w.pool.All() {
		require.NoError(t, r.Add(tool))
	}
	pool := r.AssemblePool(fork, pegboard.PoolConfig{})
	touch := map[string]string{"command": "touch made"}

	require.NoError(t, w.callIn(t, pool, "Skill", map[string]string{"skill": "deploy"}).Err)
	require.ErrorIs(t, w.callIn(t, pool, "Bash", touch).Err, pegboard.ErrDenied, "in the agent")
	require.ErrorIs(t, w.bash(t, "touch made").Err, pegboard.ErrDenied, "in its parent")

	require.NoError(t, w.load(t, "deploy", "").Err)
	require.NoError(t, w.bash(t, "touch made").Err)
	require.ErrorIs(t, w.callIn(t, pool, "Bash", touch).Err, pegboard.ErrDenied, "in the agent")
	w.session.NewTurn()
	require.ErrorIs(t, w.bash(t, "touch made").Err, pegboard.ErrDenied)
	require.ErrorIs(t, w.callIn(t, pool, "Bash", touch).Err, pegboard.ErrDenied, "in the agent, which runs on")
}

// TestRefusedSkillKeepsTheRulesOfAnother checks that a skill which is not loaded takes out its own
// rules and no others.
func TestRefusedSkillKeepsTheRulesOfAnother(t *testing.T) {
	t.Parallel()
	other := skills.Skill{Name: "other", Body: "!`unknown`", Trusted: true, AllowedTools: []string{"Bash(touch made)", "Bash(touch more)"}}
	w := newWorld(t, worldConfig{list: []skills.Skill{deploySkill(true), other}, rules: allowSkills()})
	require.NoError(t, w.load(t, "deploy", "").Err)
	require.ErrorIs(t, w.load(t, "other", "").Err, skills.ErrCommand)
	require.NoError(t, w.bash(t, "touch made").Err)
	require.ErrorIs(t, w.bash(t, "touch more").Err, pegboard.ErrDenied)
}
