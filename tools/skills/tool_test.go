package skills_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/skills"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func TestBodyFollowsTheResults(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worldConfig{list: []skills.Skill{{Name: "commit", Body: "Commit as $ARGUMENTS."}}, rules: allowSkills()})
	o := w.load(t, "commit", "the user")
	require.NoError(t, o.Err)
	require.Equal(t, "Skill commit is loaded: what it says follows. Do that now.", o.Result.Text())
	require.Equal(t, "Skill commit:\n\nCommit as the user.", messages(o))
	require.Equal(t, skills.StatusLoaded, outputOf(t, o).Status)
}

func TestEqualTextIsSentOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worldConfig{list: []skills.Skill{{Name: "commit", Body: "Commit as $ARGUMENTS."}}, rules: allowSkills()})
	require.NotEmpty(t, messages(w.load(t, "commit", "one")))
	again := w.load(t, "/commit", "one")
	require.NoError(t, again.Err)
	require.Empty(t, messages(again))
	require.Equal(t, "Skill commit is loaded already and says the same as before: follow what stands about it above.", again.Result.Text())
	require.NotEmpty(t, messages(w.load(t, "commit", "two")), "another text")
}

// TestAbandonedTextIsSentAgain checks that a text which the model never got does not count.
func TestAbandonedTextIsSentAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worldConfig{list: []skills.Skill{{Name: "commit", Body: "Commit."}}, rules: allowSkills()})
	s := w.exec.Stream(t.Context(), w.pool)
	s.Submit(pegboard.Call{ID: "1", Name: "Skill", Input: []byte(`{"skill":"commit"}`)})
	s.Abandon(errors.New("another model answers"))
	for range s.Outcomes() {
	}
	require.NotEmpty(t, messages(w.load(t, "commit", "")))
}

func TestRulesOnSkills(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, args string
		rules      policy.RuleSet
		denied     bool
	}{
		{name: "no rule", denied: true},
		{name: "the tool", rules: policy.RuleSet{Allow: []string{"Skill"}}},
		{name: "the name", rules: policy.RuleSet{Allow: []string{"Skill(deploy)"}}},
		{name: "the name, with arguments", args: "now", rules: policy.RuleSet{Allow: []string{"Skill(deploy)"}}, denied: true},
		{name: "the name and any arguments", args: "now", rules: policy.RuleSet{Allow: []string{"Skill(deploy *)"}}},
		{name: "these arguments", args: " now\n", rules: policy.RuleSet{Allow: []string{"Skill(deploy now)"}}, denied: true},
		{name: "a line break in the arguments", args: "now\nor never", rules: policy.RuleSet{Allow: []string{"Skill(deploy *)"}}},
		{name: "a deny rule on the name", args: "now", rules: policy.RuleSet{Allow: []string{"Skill"}, Deny: []string{"Skill(deploy)"}}, denied: true},
		{name: "a deny rule on another", args: "now\x01", rules: policy.RuleSet{Allow: []string{"Skill"}, Deny: []string{"Skill(other)"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, worldConfig{list: []skills.Skill{{Name: "deploy", Body: "Deploy it."}}, rules: tt.rules})
			o := w.load(t, "deploy", tt.args)
			require.Equal(t, tt.denied, errors.Is(o.Err, pegboard.ErrDenied), "%v", o.Err)
			require.Equal(t, tt.denied, messages(o) == "")
		})
	}
}

func TestWhoMayStart(t *testing.T) {
	t.Parallel()
	list := []skills.Skill{
		{Name: "both", Body: "x"}, {Name: "model", Body: "x", NoPerson: true}, {Name: "person", Body: "x", NoModel: true},
		{Name: "named", Body: "x", Visibility: skills.NameOnly}, {Name: "typed", Body: "x", Visibility: skills.PersonOnly}, {Name: "off", Body: "x", Visibility: skills.Off},
	}
	tests := []struct {
		name          string
		model, person bool
	}{
		{name: "both", model: true, person: true}, {name: "model", model: true}, {name: "person", person: true},
		{name: "named", model: true, person: true}, {name: "typed", person: true}, {name: "off"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, worldConfig{list: list, rules: allowSkills()})
			o := w.load(t, tt.name, "")
			require.Equal(t, !tt.model, errors.Is(o.Err, skills.ErrRefused), "%v", o.Err)
			_, err := w.skills.Run(t.Context(), w.exec, w.pool, tt.name, "")
			require.Equal(t, !tt.person, errors.Is(err, skills.ErrRefused), "%v", err)
			text, _ := w.skills.Announce(w.pool, nil)
			require.Equal(t, tt.model, strings.Contains(text+"\n", "- "+tt.name+"\n"), text)
		})
	}
}

func TestUnknownSkill(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, skill string
		list        []skills.Skill
		want        string
	}{
		{name: "none at all", skill: "deploy", want: "no skill has the name deploy; there are no skills: go on without"},
		{name: "a near one", skill: "deplyo", list: []skills.Skill{{Name: "deploy", Body: "x"}}, want: "no skill has the name deplyo; did you mean deploy?"},
		{name: "a list", skill: "zebra", list: []skills.Skill{{Name: "deploy", Body: "x"}, {Name: "commit", Body: "x"}, {Name: "off", Body: "x", Visibility: skills.Off}},
			want: "no skill has the name zebra; there are: commit, deploy"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, worldConfig{list: tt.list, rules: allowSkills()})
			o := w.load(t, tt.skill, "")
			require.ErrorIs(t, o.Err, skills.ErrUnknown)
			require.Contains(t, o.Result.Text(), tt.want)
		})
	}
}

// TestFilesAreLent checks that the model can read the files of a skill that it has loaded, and of
// no other.
func TestFilesAreLent(t *testing.T) {
	t.Parallel()
	for _, trusted := range []bool{false, true} {
		dir := filepath.Join(realDir(t), "report")
		write(t, filepath.Join(dir, "layout.md"), "two columns\n")
		w := newWorld(t, worldConfig{list: []skills.Skill{{Name: "report", Body: "Read ${CLAUDE_SKILL_DIR}/layout.md.", Dir: dir, Trusted: trusted}}, rules: allowSkills()})
		read := func() pegboard.Outcome {
			return w.call(t, "Read", map[string]string{"file_path": filepath.Join(dir, "layout.md")})
		}
		require.ErrorIs(t, read().Err, pegboard.ErrDenied, "before")
		o := w.load(t, "report", "")
		require.NoError(t, o.Err)
		require.Contains(t, messages(o), "whose files are in "+dir)
		require.Contains(t, messages(o), "Read "+dir+"/layout.md.")
		if trusted {
			require.Contains(t, read().Result.Text(), "two columns")
		} else {
			require.ErrorIs(t, read().Err, pegboard.ErrDenied)
		}
	}
}

// TestTheToolKeepsItsContract has the checks that every tool has to pass.
func TestTheToolKeepsItsContract(t *testing.T) {
	t.Parallel()
	k, err := skills.New(skills.Options{List: func(*pegboard.Session, []string) []skills.Skill {
		return []skills.Skill{{Name: "it", Body: "Do $0."}, {Name: "runs", Body: "!`date`", Trusted: true, AllowedTools: []string{"Read"}}}
	}})
	require.NoError(t, err)
	require.NoError(t, tooltest.Check(k.Tool(), `{"skill":"it","args":"now"}`, `{"skill":"it"}`))
}

// TestTraits checks that skills that are only text do not wait for one another.
func TestTraits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		skill    skills.Skill
		want     pegboard.Concurrency
		readOnly bool
	}{
		{name: "text", skill: skills.Skill{Body: "x"}, want: pegboard.Shared, readOnly: true},
		{name: "a command", skill: skills.Skill{Body: "!`date`"}, want: pegboard.ByReadOnly},
		{name: "rules", skill: skills.Skill{Body: "x", Trusted: true, AllowedTools: []string{"Read"}}, want: pegboard.ByReadOnly},
		{name: "rules that do not count", skill: skills.Skill{Body: "x", AllowedTools: []string{"Read"}}, want: pegboard.Shared, readOnly: true},
		{name: "an agent", skill: skills.Skill{Body: "!`date`", Fork: true}, want: pegboard.Shared},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.skill.Name = "it"
			w := newWorld(t, worldConfig{list: []skills.Skill{tt.skill}})
			w.skills.Announce(w.pool, nil)
			tool, call, err := w.pool.Rebuild(pegboard.Call{Name: "Skill", Input: []byte(`{"skill":"it"}`)})
			require.NoError(t, err)
			traits := tool.Traits(call)
			require.Equal(t, tt.want, traits.Concurrency)
			require.Equal(t, tt.readOnly, traits.ReadOnly)
		})
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	list := []skills.Skill{
		{Name: "deploy", Body: "Deploy $0 of !`echo now`.", Trusted: true, Model: "opus", Effort: "high", AllowedTools: []string{"Bash(echo *)", "Bash(touch made)"}},
	}
	w := newWorld(t, worldConfig{list: list, rules: policy.RuleSet{Deny: []string{"Skill"}}})
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
	require.Equal(t, policy.Ask, refused.Decision.Behavior)
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
		denied := newWorld(t, worldConfig{list: []skills.Skill{{Name: "it", Body: "Do it."}}, rules: policy.RuleSet{Deny: []string{rule}}})
		_, err = denied.skills.Text(t.Context(), denied.session, "it")
		require.ErrorIs(t, err, pegboard.ErrDenied, rule)
	}
	denied := newWorld(t, worldConfig{list: []skills.Skill{{Name: "it", Body: "Do it."}}, rules: policy.RuleSet{Deny: []string{"Skill(other)"}}})
	_, err = denied.skills.Text(t.Context(), denied.session, "it")
	require.NoError(t, err)
}

func TestNewNeedsAList(t *testing.T) {
	t.Parallel()
	_, err := skills.New(skills.Options{})
	require.ErrorContains(t, err, "Options.List is nil")
}
