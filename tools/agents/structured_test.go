package agents_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/structured"
)

// answers is a loop whose model answers with a document, at the second try.
func answers(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
	if _, err := a.Next(ctx, agents.Usage{}); err != nil {
		return agents.Reply{}, err
	}
	out, err := structured.New(a.Schema)
	if err != nil {
		return agents.Reply{}, err
	}
	p, err := a.Pool(out.Tool())
	if err != nil {
		return agents.Reply{}, err
	}
	for _, input := range []string{`{"lines": "many"}`, `{"lines": 120}`} {
		outcomes := (&pegboard.Executor{}).Run(ctx, p, pegboard.Call{ID: input, Name: structured.Name, Input: []byte(input)})
		if _, err := out.Next(outcomes...); err != nil {
			return agents.Reply{}, err
		}
	}
	value, _ := out.Value()
	return agents.Reply{Structured: value}, nil
}

// countRequest asks an agent, whose definition lists other tools only, for a document.
var countRequest = agents.Request{
	Prompt: "Count.", Type: "looker",
	Schema: []byte(`{"type":"object","properties":{"lines":{"type":"integer"}},"required":["lines"]}`),
}

// TestStructuredValue: the loop makes the tool of a request's schema, and the agent's value comes
// back, also if its definition and its role's table list other tools only.
func TestStructuredValue(t *testing.T) {
	t.Parallel()
	claude := pegboard.ClaudeCodeRoleTables()
	claude.Async = append(claude.Async, "Look")
	for _, tt := range []struct {
		name       string
		roles      *pegboard.RoleTables
		background bool
	}{
		{name: "waited for"},
		{name: "waited for, tables of Claude Code", roles: &claude},
		{name: "in the background", roles: &pegboard.RoleTables{Async: []string{"Look"}}, background: true},
		{name: "in the background, tables of Claude Code", roles: &claude, background: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			type end struct {
				reply agents.Reply
				calls int
				err   error
			}
			ends := make(chan end, 1)
			var h *house
			h = newHouse(t, pegboard.SessionConfig{}, func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
				reply, err := answers(ctx, a)
				ends <- end{reply, h.agents.List(h.session)[0].Calls, err}
				return reply, err
			}, func(o *agents.Options) { o.Pool.Roles = tt.roles }, look())
			request := countRequest
			request.Background, request.Foreground = tt.background, !tt.background
			result, err := h.agents.Start(t.Context(), h.session, request)
			require.NoError(t, err)
			e := <-ends
			require.NoError(t, e.err)
			require.JSONEq(t, `{"lines":120}`, string(e.reply.Structured))
			require.Equal(t, 2, e.calls)
			if !tt.background {
				require.JSONEq(t, `{"lines":120}`, string(result.Structured))
				require.Equal(t, 2, result.TotalToolUses)
			}
		})
	}
}

// TestStructuredValueThatCannotBeGiven: if the tool of a schema is taken away, the loop is told
// before it asks a model.
func TestStructuredValueThatCannotBeGiven(t *testing.T) {
	t.Parallel()
	noAnswers, err := policy.New(policy.ModeDefault, policy.RuleSet{Deny: []string{structured.Name}})
	require.NoError(t, err)
	for _, tt := range []struct {
		name   string
		cfg    pegboard.SessionConfig
		change func(*agents.Options, *agents.Request)
		want   string
	}{
		{name: "rule", cfg: pegboard.SessionConfig{Permissions: noAnswers}, change: func(*agents.Options, *agents.Request) {}, want: `deny rule "StructuredOutput"`},
		{
			name: "table", want: "not for agents (async agent)",
			change: func(o *agents.Options, r *agents.Request) {
				o.Pool.Roles = &pegboard.RoleTables{Agents: []string{structured.Name}, Async: []string{"Look"}}
				r.Background = true
			},
		},
		{
			name: "definition", want: "the agent's disallowedTools list it",
			change: func(_ *agents.Options, r *agents.Request) {
				r.Definition = &agents.Definition{Name: "mute", Description: "Says nothing.", DisallowedTools: []string{structured.Name}}
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			request := countRequest
			ends := make(chan error, 1)
			h := newHouse(t, tt.cfg, func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
				reply, err := answers(ctx, a)
				ends <- err
				return reply, err
			}, func(o *agents.Options) { tt.change(o, &request) }, look())
			_, err := h.agents.Start(t.Context(), h.session, request)
			if !request.Background {
				require.ErrorContains(t, err, "the agent has ended by an error and wrote nothing: the run needs a tool that it cannot have: StructuredOutput is not available here")
			}
			require.ErrorContains(t, <-ends, tt.want)
		})
	}
}
