package agents_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// description returns the text of the Agent tool in the pool of the main agent.
func (h *house) description(t *testing.T) string {
	t.Helper()
	for d := range h.pool().Declarations(pegboard.Builtin) {
		if d.Name == "Agent" {
			return d.Description
		}
	}
	return ""
}

// TestBadInput: a call that cannot be carried out is refused before any model is asked, with
// words that help.
func TestBadInput(t *testing.T) {
	t.Parallel()
	many := func(o *agents.Options) {
		o.Definitions = func(*pegboard.Session) (all []agents.Definition) {
			for i := range 30 {
				all = append(all, agents.Definition{Name: fmt.Sprintf("kind-%02d", i), Description: "One of many."})
			}
			return all
		}
	}
	empty := func(o *agents.Options) {
		o.Definitions = func(*pegboard.Session) []agents.Definition {
			return []agents.Definition{{Name: "empty", Description: "Has nothing.", Tools: []string{"Fly", "Swim"}}, {Name: "odd", Description: "Odd.", Mode: "strange"}}
		}
	}
	tests := []struct {
		name   string
		input  map[string]any
		change func(*agents.Options)
		says   []string
		is     error
	}{
		{name: "no task", input: map[string]any{"prompt": " \n"}, says: []string{"prompt is empty"}, is: agents.ErrInvalidRequest},
		{name: "an unknown type", input: map[string]any{"subagent_type": "loker"}, says: []string{`"loker"`, "did you mean looker?", "general-purpose, looker"}, is: agents.ErrUnknownType},
		{name: "an unknown type of many", input: map[string]any{"subagent_type": "zebra"}, change: many, says: []string{"kind-19 and 10 more"}, is: agents.ErrUnknownType},
		{name: "no type of that name and none by default", input: nil, change: many, says: []string{"general-purpose"}, is: agents.ErrUnknownType},
		{name: "an unknown effort", input: map[string]any{"effort": "heroic"}, says: []string{"low, medium, high, xhigh, max"}, is: agents.ErrInvalidRequest},
		{name: "an unknown model", input: map[string]any{"model": "gpt"}, change: func(o *agents.Options) { o.Models = []string{"sonnet", "opus"} }, says: []string{"sonnet, opus"}, is: agents.ErrInvalidRequest},
		{name: "an unknown mode", input: map[string]any{"mode": "yolo"}, says: []string{"yolo", "leave mode out"}, is: agents.ErrInvalidRequest},
		{name: "a mode of the definition that is unknown", input: map[string]any{"subagent_type": "odd"}, change: empty, says: []string{"strange"}, is: agents.ErrInvalidRequest},
		{name: "another machine", input: map[string]any{"isolation": "remote"}, says: []string{"other machines", "leave isolation out"}, is: agents.ErrInvalidRequest},
		{name: "an unknown isolation", input: map[string]any{"isolation": "jail"}, says: []string{"jail", "worktree"}, is: agents.ErrInvalidRequest},
		{name: "a directory outside", input: map[string]any{"cwd": "/"}, says: []string{"outside the parent's working directories"}, is: agents.ErrInvalidRequest},
		{name: "a directory that is not there", input: map[string]any{"cwd": "nowhere"}, says: []string{"nowhere"}, is: agents.ErrInvalidRequest},
		{name: "no background", input: map[string]any{"run_in_background": true}, change: func(o *agents.Options) { o.NoBackground = true }, says: []string{"leave run_in_background out"}, is: agents.ErrInvalidRequest},
		{name: "a name that is a path", input: map[string]any{"name": "../../etc"}, says: []string{"no name for an agent"}, is: agents.ErrInvalidRequest},
		{name: "a name of dots", input: map[string]any{"name": ".."}, says: []string{"no name for an agent"}, is: agents.ErrInvalidRequest},
		{name: "the name of the main agent", input: map[string]any{"name": "main"}, says: []string{"main is the main agent"}, is: agents.ErrInvalidRequest},
		{name: "a name like an id", input: map[string]any{"name": "agent-x"}, says: []string{"ids begin with agent-"}, is: agents.ErrInvalidRequest},
		{name: "no tool is left", input: map[string]any{"subagent_type": "empty"}, change: empty, says: []string{`"Fly"`, `"Swim"`, "empty"}, is: agents.ErrInvalidRequest},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, pegboard.SessionConfig{}, func(context.Context, *agents.Agent) (agents.Reply, error) {
				t.Error("the model was asked")
				return agents.Reply{Text: "?"}, nil
			}, tc.change, look())
			out := h.call(t, tc.input)
			require.ErrorIs(t, out.Err, tc.is)
			for _, s := range tc.says {
				require.Contains(t, out.Result.Text(), s)
			}
			require.Empty(t, h.agents.List(h.session), "nothing was started")
			require.Empty(t, h.session.Detached())
		})
	}
}

func TestNewRefusesOptions(t *testing.T) {
	t.Parallel()
	good := agents.Options{Loop: says("x"), Registry: new(pegboard.Registry), Definitions: func(*pegboard.Session) []agents.Definition { return nil }}
	_, err := agents.New(good)
	require.NoError(t, err)
	for name, change := range map[string]func(*agents.Options){
		"Options.Loop":         func(o *agents.Options) { o.Loop = nil },
		"Options.Registry":     func(o *agents.Options) { o.Registry = nil },
		"Options.Definitions":  func(o *agents.Options) { o.Definitions = nil },
		"MaxDepth -1":          func(o *agents.Options) { o.MaxDepth = -1 },
		"exclude each other":   func(o *agents.Options) { o.Background, o.NoBackground = true, true },
		"MaxTokens -5":         func(o *agents.Options) { o.MaxTokens = -5 },
		"cannot be negative: ": func(o *agents.Options) { o.MaxUSD = -1 },
	} {
		o := good
		change(&o)
		_, err := agents.New(o)
		require.ErrorContains(t, err, name)
	}
}

// TestDenyRuleOfType: a rule Agent(type) refuses the call and takes the type out of the text.
func TestDenyRuleOfType(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{"Agent(looker)", "Task(looker)"} {
		perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Source: policy.SourceUser, Deny: []string{rule}})
		require.NoError(t, err)
		h := newHouse(t, pegboard.SessionConfig{Permissions: perms}, says("done"), nil, look())
		require.NotContains(t, h.description(t), "looker", rule)
		require.Contains(t, h.description(t), "general-purpose")
		out := h.call(t, map[string]any{"subagent_type": "looker"})
		require.ErrorIs(t, out.Err, pegboard.ErrDenied, rule)
		require.Empty(t, h.agents.List(h.session))
		_, err = h.agents.Start(t.Context(), h.session, agents.Request{Prompt: "x", Type: "looker"})
		require.ErrorIs(t, err, pegboard.ErrDenied)
		require.ErrorContains(t, err, rule)
		require.NoError(t, h.call(t, nil).Err)
	}
}

// TestTypesOfDefinition: the main agent may start the types that its definition lists, other
// agents may start any, and disallowed types nobody below.
func TestTypesOfDefinition(t *testing.T) {
	t.Parallel()
	definitions := []agents.Definition{
		{Name: "boss", Description: "Directs.", Tools: []string{"Look", "Agent(worker, boss)"}, DisallowedTools: []string{"Agent(looker)"}},
		{Name: "worker", Description: "Works.", DisallowedTools: []string{"Task(boss)"}},
		{Name: "looker", Description: "Looks."},
	}
	types := map[string][]string{}
	h := newHouse(t, pegboard.SessionConfig{AgentType: "boss"}, scripted(func(a *agents.Agent) []tooltest.Turn {
		p, err := a.Pool()
		require.NoError(t, err)
		for d := range p.Declarations(pegboard.Builtin) {
			if d.Name == "Agent" {
				for _, name := range []string{"boss", "worker", "looker"} {
					if strings.Contains(d.Description, "\n- "+name+":") {
						types[a.Type] = append(types[a.Type], name)
					}
				}
			}
		}
		if len(a.Session.AgentPath()) > 1 {
			return []tooltest.Turn{{Text: "deep enough"}}
		}
		return []tooltest.Turn{
			{Text: "down", Calls: []pegboard.Call{
				tooltest.Call("Agent", `{"description":"d","prompt":"p","subagent_type":"worker"}`),
				tooltest.Call("Agent", `{"description":"d","prompt":"p","subagent_type":"boss"}`),
				tooltest.Call("Agent", `{"description":"d","prompt":"p","subagent_type":"looker"}`),
			}, Expect: tooltest.WantErrors(nil, agents.ErrUnknownType, agents.ErrUnknownType)},
			{Text: "done"},
		}
	}), func(o *agents.Options) {
		o.Definitions = func(*pegboard.Session) []agents.Definition { return definitions }
	}, look())
	out := h.call(t, map[string]any{"subagent_type": "looker"})
	require.ErrorIs(t, out.Err, agents.ErrUnknownType, "its definition neither lists nor allows it")
	require.NoError(t, h.call(t, map[string]any{"subagent_type": "worker"}).Err)
	require.Equal(t, []string{"worker"}, types["worker"][:1])
}

// TestUnknownEntries: entries that name no tool are told to the host and in the result.
func TestUnknownEntries(t *testing.T) {
	t.Parallel()
	var logged bytes.Buffer
	h := newHouse(t, pegboard.SessionConfig{}, says("done"), func(o *agents.Options) {
		o.Logger = slog.New(slog.NewTextHandler(&logged, nil))
		o.Definitions = func(*pegboard.Session) []agents.Definition {
			return []agents.Definition{{Name: "general-purpose", Description: "x", Tools: []string{"Look", "Fly"}, DisallowedTools: []string{"mcp__gone"}, Origin: "agents/x.md"}}
		}
	}, look())
	out := h.call(t, nil)
	require.NoError(t, out.Err)
	require.Contains(t, out.Result.Text(), "(Its definition names tools that it cannot have here: Fly, mcp__gone.)")
	require.Contains(t, logged.String(), "Fly")
	require.Contains(t, logged.String(), "agents/x.md")
}

// TestToolNames: the alias works, and a host can tell the two apart by nothing but the name.
func TestToolNames(t *testing.T) {
	t.Parallel()
	h := newHouse(t, pegboard.SessionConfig{}, says("done"), nil, look())
	c := agentCall(t, nil)
	c.Name = "Task"
	require.NoError(t, h.run(t.Context(), c)[0].Err)
	tool, ok := h.pool().Lookup("Agent")
	require.True(t, ok)
	info := tool.Info()
	require.Equal(t, agents.MaxResult, info.MaxResult)
	require.Equal(t, 32_000, agents.MaxResult)
	require.True(t, slices.Contains(info.Aliases, "Task"))
}

// TestPlanMode: the Agent tool changes nothing but what belongs to the conversation, so that its
// own word holds in plan mode, and the agent is in plan mode, too.
func TestPlanMode(t *testing.T) {
	t.Parallel()
	perms, err := policy.New(policy.ModePlan)
	require.NoError(t, err)
	var mode policy.Mode
	h := newHouse(t, pegboard.SessionConfig{Permissions: perms}, func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		mode = a.Session.Permissions().Mode()
		return agents.Reply{Text: "planned"}, nil
	}, nil, look())
	require.NoError(t, h.call(t, nil).Err)
	require.Equal(t, policy.ModePlan, mode)
}

// TestToolKeepsTheContract holds the Agent tool against the contract of tools.
func TestToolKeepsTheContract(t *testing.T) {
	t.Parallel()
	h := newHouse(t, pegboard.SessionConfig{}, says("done"), nil, look())
	checker := tooltest.Checker{Session: h.session}
	inputs := map[string][]string{
		"Agent":       {`{"description":"d","prompt":"p"}`, `{"description":"d","prompt":"p","subagent_type":"looker"}`},
		"SendMessage": {`{"to":"main","message":"m"}`, `{"to":"scout","message":{"type":"shutdown_request"},"summary":"s"}`},
		"ListAgents":  {`{}`},
		"TeamCreate":  {`{"team_name":"t"}`},
		"TeamDelete":  {`{}`},
	}
	for _, tool := range h.agents.Tools() {
		require.NotEmpty(t, inputs[tool.Info().Name], tool.Info().Name)
		require.NoError(t, checker.Check(tool, inputs[tool.Info().Name]...))
	}
}
