package skills_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/shell"
	"github.com/seed49eaa51d/pegboard/tools/skills"
)

// agentHouse is a world in which agents can be started.
func agentHouse(t *testing.T, loop agents.Loop, rules policy.RuleSet, list ...skills.Skill) *world {
	t.Helper()
	w := &world{dir: realDir(t), exec: &pegboard.Executor{}}
	var err error
	w.skills, err = skills.New(skills.Options{List: func(*pegboard.Session, []string) []skills.Skill { return list }})
	require.NoError(t, err)
	registry := &pegboard.Registry{}
	g, err := agents.New(agents.Options{
		Loop: loop, Registry: registry, Skill: w.skills.Text, Logger: slog.New(slog.DiscardHandler),
		Definitions: func(*pegboard.Session) []agents.Definition {
			return []agents.Definition{
				{Name: "general-purpose", Description: "For anything."},
				{Name: "looker", Description: "Looks.", Skills: []string{"style"}},
			}
		},
	})
	require.NoError(t, err)
	require.NoError(t, registry.Add(append(g.Tools(), w.skills.Tool(), shell.Bash(shell.Options{}))...))
	rules.Source = policy.SourceSession
	perms, err := policy.New("", rules)
	require.NoError(t, err)
	w.session, err = pegboard.NewSession(pegboard.SessionConfig{Dir: w.dir, Permissions: perms})
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		require.NoError(t, w.session.Close(ctx))
	})
	w.pool = registry.AssemblePool(w.session, pegboard.PoolConfig{})
	return w
}

// promptOf reads what an agent is told first.
func promptOf(ctx context.Context, t *testing.T, a *agents.Agent) string {
	t.Helper()
	parts, err := a.Next(ctx, agents.Usage{})
	require.NoError(t, err)
	text := ""
	for _, p := range parts {
		text += p.Text + "\n"
	}
	return text
}

// tryTouch says whether an agent may run the command that a skill allows.
func tryTouch(ctx context.Context, t *testing.T, a *agents.Agent) string {
	t.Helper()
	pool, err := a.Pool()
	require.NoError(t, err)
	return pool.Decide(ctx, pegboard.Call{Name: "Bash", Input: []byte(`{"command":"touch made"}`)}).Behavior.String()
}

func TestForkedSkill(t *testing.T) {
	t.Parallel()
	skill := deploySkill(true)
	skill.Fork, skill.Agent, skill.Body, skill.Model = true, "looker", "Look at $ARGUMENTS, !`echo slowly`.", "small"
	style := skills.Skill{Name: "style", Body: "Write short lines."}
	var told, model, decided string
	w := agentHouse(t, func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		told, model, decided = promptOf(ctx, t, a), a.Model, tryTouch(ctx, t, a)
		return agents.Reply{Text: "All is well."}, nil
	}, allowSkills("Bash(echo *)"), skill, style)
	o := w.load(t, "deploy", "the house")
	require.NoError(t, o.Err)
	require.Contains(t, told, "Look at the house, slowly.")
	require.Contains(t, told, "Skill style:\n\nWrite short lines.", "of the definition")
	require.Equal(t, "small", model)
	require.Equal(t, "ask", decided, "an agent has no rule of a skill")
	require.Contains(t, o.Result.Text(), "All is well.")
	require.Empty(t, messages(o))
	out := outputOf(t, o)
	require.Equal(t, skills.StatusForked, out.Status)
	require.NotEmpty(t, out.AgentID)
	require.ErrorIs(t, w.bash(t, "touch made").Err, pegboard.ErrDenied, "nor has its parent")

	inv, err := w.skills.Run(t.Context(), w.exec, w.pool, "deploy", "the garden")
	require.NoError(t, err)
	require.Contains(t, told, "Look at the garden, slowly.")
	require.Contains(t, inv.Parts[0].Text, "All is well.")
}

func TestForkedSkillIsRefused(t *testing.T) {
	t.Parallel()
	started := false
	loop := func(context.Context, *agents.Agent) (agents.Reply, error) {
		started = true
		return agents.Reply{Text: "x"}, nil
	}
	tests := []struct {
		name  string
		rules policy.RuleSet
		agent string
		want  string
	}{
		{name: "a rule on the type", rules: policy.RuleSet{Allow: []string{"Skill", "Bash"}, Deny: []string{"Agent(looker)"}}, agent: "looker", want: "which is refused"},
		{name: "a rule on all", rules: policy.RuleSet{Allow: []string{"Skill", "Bash"}, Deny: []string{"Agent"}}, want: "there is no tool Agent"},
		{name: "no such type", rules: allowSkills("Bash"), agent: "stranger", want: "stranger"},
	}
	for _, tt := range tests {
		w := agentHouse(t, loop, tt.rules, skills.Skill{Name: "it", Body: "Bodyword.", Fork: true, Agent: tt.agent})
		o := w.load(t, "it", "")
		require.ErrorContains(t, o.Err, tt.want, tt.name)
		require.NotContains(t, o.Result.Text(), "Bodyword")
		require.False(t, started)
	}
}

// TestGrantsEndWhileAnAgentRunsOn checks that the rules of a skill end with the turn, and are
// never those of an agent in the background that was started under them.
func TestGrantsEndWhileAnAgentRunsOn(t *testing.T) {
	t.Parallel()
	next, answers := make(chan struct{}), make(chan string)
	w := agentHouse(t, func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		for range next {
			select {
			case answers <- tryTouch(ctx, t, a):
			case <-ctx.Done():
				return agents.Reply{}, ctx.Err()
			}
		}
		return agents.Reply{Text: "Done."}, nil
	}, allowSkills(), deploySkill(true))
	ask := func() string {
		next <- struct{}{}
		return <-answers
	}
	require.NoError(t, w.load(t, "deploy", "").Err)
	o := w.call(t, "Agent", map[string]any{"description": "wait", "prompt": "Wait.", "run_in_background": true})
	require.NoError(t, o.Err)
	require.Equal(t, "ask", ask())
	require.NoError(t, w.bash(t, "touch made").Err)
	w.session.NewTurn()
	require.Equal(t, "ask", ask())
	require.ErrorIs(t, w.bash(t, "touch made").Err, pegboard.ErrDenied)
	require.NoError(t, w.load(t, "deploy", "").Err, "in the next turn")
	require.Equal(t, "ask", ask())
	require.NoError(t, w.bash(t, "touch made").Err)
	close(next)
	for _, task := range background.Of(w.session).List() {
		_, err := background.Of(w.session).Wait(t.Context(), task.ID)
		require.NoError(t, err)
	}
}

// TestForkedSkillsRunAtOnce checks that two calls of one message with the same skill run their
// agents at the same time: each agent waits for the other.
func TestForkedSkillsRunAtOnce(t *testing.T) {
	t.Parallel()
	both := make(chan struct{}, 2)
	w := agentHouse(t, func(ctx context.Context, _ *agents.Agent) (agents.Reply, error) {
		both <- struct{}{}
		for len(both) < 2 {
			select {
			case <-ctx.Done():
				return agents.Reply{}, ctx.Err()
			case <-time.After(time.Millisecond):
			}
		}
		return agents.Reply{Text: "Both are here."}, nil
	}, allowSkills(), skills.Skill{Name: "look", Body: "Look at $0.", Fork: true})
	w.skills.Announce(w.pool, nil)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, o := range w.exec.Run(ctx, w.pool,
		pegboard.Call{ID: "1", Name: "Skill", Input: []byte(`{"skill":"look","args":"here"}`)},
		pegboard.Call{ID: "2", Name: "Skill", Input: []byte(`{"skill":"look","args":"there"}`)}) {
		require.NoError(t, o.Err)
		require.Contains(t, o.Result.Text(), "Both are here.")
	}
}

// TestPlanMode checks that a skill which is only text can be loaded while the user plans, and one
// that would do more cannot without a question.
func TestPlanMode(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worldConfig{mode: policy.ModePlan, rules: allowSkills("Bash"), list: []skills.Skill{{Name: "text", Body: "Think."}, {Name: "runs", Body: "!`date`"}}})
	w.skills.Announce(w.pool, nil)
	require.NoError(t, w.load(t, "text", "").Err)
	require.ErrorIs(t, w.load(t, "runs", "").Err, pegboard.ErrDenied)
}
