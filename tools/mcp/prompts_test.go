package mcp_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/mcp"
	"github.com/seed49eaa51d/pegboard/tools/mcp/mcpjson"
	"github.com/seed49eaa51d/pegboard/tools/skills"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// TestPromptsAreSkills: a prompt of a real server is loaded by a model, and typed by a person.
func TestPromptsAreSkills(t *testing.T) {
	t.Parallel()
	permissions, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Skill(mcp__notes__tidy *)"}})
	require.NoError(t, err)
	session, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: permissions})
	require.NoError(t, err)
	defer func() { require.NoError(t, session.Close(context.WithoutCancel(t.Context()))) }()
	var registry pegboard.Registry
	servers := mcp.Start(session, &registry, mcp.Options{}, mcpjson.Server{Name: "notes", Type: mcpjson.Stdio, Command: exampleProgram(), Env: exampleEnv()})
	require.NoError(t, servers.Ready(t.Context()))
	found, err := servers.Skills(t.Context())
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, []any{"mcp__notes__tidy", "Tidies the notes.", "<about>", skills.SourcePrompt},
		[]any{found[0].Name, found[0].Description, found[0].ArgumentHint, found[0].Source})
	k, err := skills.New(skills.Options{List: func(*pegboard.Session, []string) []skills.Skill { return found }})
	require.NoError(t, err)
	tests := []struct{ name, input, want string }{
		{name: "with arguments", input: `{"skill": "mcp__notes__tidy", "args": "old food"}`, want: "Tidy the notes about old food."},
		{name: "without", input: `{"skill": "mcp__notes__tidy"}`, want: "the argument about is missing"},
		{name: "unknown", input: `{"skill": "mcp__notes__sort"}`, want: "no skill"},
	}
	for _, tt := range tests {
		out := tooltest.Run(t.Context(), k.Tool(), session, tt.input)
		said := out.Result.Text()
		for _, part := range out.Result.Messages {
			said += part.Text
		}
		require.Contains(t, said, tt.want, tt.name)
	}
	pool := registry.AssemblePool(session, pegboard.PoolConfig{})
	typed, err := k.Run(t.Context(), new(pegboard.Executor), pool, "mcp__notes__tidy", "the garden")
	require.NoError(t, err)
	require.Contains(t, typed.Parts[len(typed.Parts)-1].Text, "Tidy the notes about the garden.")
}
