package skills_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/skills"
)

func TestRun(t *testing.T) {
	t.Parallel()
	list := []skills.Skill{
		{Name: "deploy", Body: "Deploy $0 of !`echo now`.", Trusted: true, Model: "opus", Effort: "high", AllowedTools: []string{"Bash(echo *)", "Bash(touch made)"}},
	}
	w := newWorld(t, worldConfig{list: list, rules: pegboard.RuleSet{Deny: []string{"Skill"}}})
	inv, err := w.skills.Run(t.Context(), w.exec, w.pool, "/deploy", "staging")
	require.NoError(t, err)
	require.Equal(t, []pegboard.Part{{Text: "Skill deploy:\n\nDeploy staging of now."}}, inv.Parts)
	require.Equal(t, "opus", inv.Model)
	require.Equal(t, "high", inv.Effort)
	require.NoError(t, w.bash(t, "touch made").Err)
	w.session.NewTurn()
	require.ErrorIs(t, w.bash(t, "touch made").Err, pegboard.ErrDenied)
}

func TestRunRefuses(t *testing.T) {
	t.Parallel()
	list := []skills.Skill{{Name: "it", Body: "!`touch made`"}, {Name: "forked", Body: "x", Fork: true}}
	w := newWorld(t, worldConfig{list: list})
	_, err := w.skills.Run(t.Context(), w.exec, w.pool, "it", "")
	var refused *skills.CommandError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "touch made", refused.Command)
	require.Equal(t, pegboard.Ask, refused.Decision.Behavior)
	_, err = w.skills.Run(t.Context(), w.exec, w.pool, "other", "")
	require.ErrorIs(t, err, skills.ErrUnknown)
	_, err = w.skills.Run(t.Context(), w.exec, w.pool, "forked", "")
	require.ErrorIs(t, err, skills.ErrNoAgents)
	_, err = w.skills.Run(t.Context(), w.exec, new(pegboard.Pool), "it", "")
	require.ErrorIs(t, err, skills.ErrRefused)
}

// TestRunAndToolAgree checks that the model is not sent what the user has started.
func TestRunAndToolAgree(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worldConfig{list: []skills.Skill{{Name: "it", Body: "Do it."}}, rules: allowSkills()})
	_, err := w.skills.Run(t.Context(), w.exec, w.pool, "it", "")
	require.NoError(t, err)
	require.Empty(t, messages(w.load(t, "it", "")))
}

func TestPrompts(t *testing.T) {
	t.Parallel()
	prompt := skills.Prompt{
		Server: "git hub", Name: "review", Description: "Reviews a change.",
		Arguments: []skills.PromptArgument{{Name: "number", Required: true}, {Name: "focus"}},
		Get: func(_ context.Context, args map[string]string) ([]pegboard.Part, error) {
			if args["number"] == "0" {
				return nil, errors.New("there is no change 0")
			}
			return []pegboard.Part{{Text: "Review " + args["number"] + "."}, {Text: "Look at " + args["focus"] + " !`touch made` $ARGUMENTS."}}, nil
		},
	}
	skill := prompt.Skill()
	require.Equal(t, "mcp__git_hub__review", skill.Name)
	require.Equal(t, "<number> [focus]", skill.ArgumentHint)
	require.False(t, skill.Trusted)
	w := newWorld(t, worldConfig{list: []skills.Skill{skill}, rules: allowSkills("Bash")})
	require.Equal(t, "Skill mcp__git_hub__review:\n\nReview 7.\n\nLook at all the tests !`touch made` $ARGUMENTS.", messages(w.load(t, skill.Name, "7 all the tests")))
	require.ErrorContains(t, w.load(t, skill.Name, "0").Err, "there is no change 0")
	o := w.load(t, skill.Name, "")
	require.ErrorContains(t, o.Err, `the argument number is missing: call the skill again with args "<number> [focus]"`)
	require.Empty(t, messages(o))
}

func TestText(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worldConfig{list: []skills.Skill{
		{Name: "it", Body: "Do it."}, {Name: "runs", Body: "At !`date`.", Trusted: true, AllowedTools: []string{"Bash"}}, {Name: "off", Body: "x", Visibility: skills.Off},
	}})
	text, err := w.skills.Text(t.Context(), w.session, "it")
	require.NoError(t, err)
	require.Equal(t, "Skill it:\n\nDo it.", text)
	before := w.session.Permissions().Rules()
	text, err = w.skills.Text(t.Context(), w.session, "runs")
	require.NoError(t, err)
	require.Equal(t, "Skill runs:\n\nAt [a command that runs when the skill is loaded by the tool Skill].", text)
	require.Equal(t, before, w.session.Permissions().Rules())
	_, err = w.skills.Text(t.Context(), w.session, "off")
	require.ErrorIs(t, err, skills.ErrRefused)
	_, err = w.skills.Text(t.Context(), w.session, "none")
	require.ErrorIs(t, err, skills.ErrUnknown)
	for _, rule := range []string{"Skill", "Skill(it)", "Skill(it *)", "S*"} {
		denied := newWorld(t, worldConfig{list: []skills.Skill{{Name: "it", Body: "Do it."}}, rules: pegboard.RuleSet{Deny: []string{rule}}})
		_, err = denied.skills.Text(t.Context(), denied.session, "it")
		require.ErrorIs(t, err, pegboard.ErrDenied, rule)
	}
	denied := newWorld(t, worldConfig{list: []skills.Skill{{Name: "it", Body: "Do it."}}, rules: pegboard.RuleSet{Deny: []string{"Skill(other)"}}})
	_, err = denied.skills.Text(t.Context(), denied.session, "it")
	require.NoError(t, err)
}

func TestNewNeedsAList(t *testing.T) {
	t.Parallel()
	_, err := skills.New(skills.Options{})
	require.ErrorContains(t, err, "Options.List is nil")
}
