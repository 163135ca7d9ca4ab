package skills_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/skills"
)

// TestRulesOnServersReachTheirPrompts: a rule that keeps the model from a server keeps it from the
// server's prompts, too, whatever allows skills.
func TestRulesOnServersReachTheirPrompts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		rules policy.RuleSet
		err   error
		asked int
	}{
		{name: "no rule"},
		{name: "the server is denied", rules: policy.RuleSet{Deny: []string{"mcp__git_hub"}}, err: pegboard.ErrDenied},
		{name: "all its tools are denied", rules: policy.RuleSet{Deny: []string{"mcp__git_hub__*"}}, err: pegboard.ErrDenied},
		{name: "all servers are denied", rules: policy.RuleSet{Deny: []string{"mcp__*"}}, err: pegboard.ErrDenied},
		{name: "its name is denied", rules: policy.RuleSet{Deny: []string{"mcp__git_hub__review"}}, err: pegboard.ErrDenied},
		{name: "the server is asked about", rules: policy.RuleSet{Ask: []string{"mcp__git_hub"}}, asked: 1},
		{name: "another server", rules: policy.RuleSet{Deny: []string{"mcp__git", "mcp__git_hub__other"}, Ask: []string{"mcp__gitlab"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, asked := 0, 0
			prompt := skills.Prompt{Server: "git hub", Name: "review", Get: func(context.Context, map[string]string) ([]pegboard.Part, error) {
				got++
				return []pegboard.Part{{Text: "Review."}}, nil
			}}
			tt.rules.Allow = []string{"Skill"}
			w := newWorld(t, worldConfig{list: []skills.Skill{prompt.Skill()}, rules: tt.rules, ask: func(context.Context, *pegboard.Question) (policy.Decision, error) {
				asked++
				return policy.Decision{Behavior: policy.Allow}, nil
			}})
			o := w.load(t, "mcp__git_hub__review", "")
			text, _ := w.skills.Announce(w.pool, nil)
			_, err := w.skills.Text(t.Context(), w.session, "mcp__git_hub__review")
			require.Equal(t, tt.asked, asked)
			require.ErrorIs(t, o.Err, tt.err)
			require.ErrorIs(t, err, tt.err)
			if tt.err != nil {
				require.Zero(t, got)
				require.Empty(t, text)
				require.ErrorContains(t, o.Err, "the MCP server git hub")
				return
			}
			require.Equal(t, 2, got)
			require.Equal(t, announceHead+"- mcp__git_hub__review", text)
		})
	}
}

// TestNamesOfSkills: a name that a rule or a list would read as something else is not used.
func TestNamesOfSkills(t *testing.T) {
	t.Parallel()
	var list []skills.Skill
	for _, name := range []string{"", "deploy staging", "a#b", "a\tb", "a*", "a(b)", "/a", "-a", ".a", ":a", "a,b", "\xff", "a\u00a0b"} {
		list = append(list, skills.Skill{Name: name, Body: "x"})
	}
	good := []string{"Deploy_2", "plugin:a.b-c", "überprüfen"}
	for _, name := range good {
		list = append(list, skills.Skill{Name: name, Body: "x"})
	}
	w := newWorld(t, worldConfig{list: list, rules: allowSkills()})
	var names []string
	for _, s := range w.skills.List(w.session) {
		names = append(names, s.Name)
	}
	require.Equal(t, good, names)
}
