package agents_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// offers says which tools an agent of a role has, by the tables alone: of the built-in names,
// those that a gate does not hide.
func offers(names []string, tables pegboard.RoleTables, role pegboard.Role, custom, plan bool, depth, most int) (want []string) {
	for _, name := range names {
		without := tables.Agents
		if custom {
			without = tables.CustomAgents
		}
		ok := !slices.Contains(without, name)
		background := role == pegboard.RoleAsyncAgent || role == pegboard.RoleTeammate
		if background && !slices.Contains(tables.Async, name) {
			ok = false
		}
		if role == pegboard.RoleTeammate && slices.Contains(tables.Teammate, name) || plan && slices.Contains(tables.KeepInPlan, name) {
			ok = true
		}
		if name == "Agent" && depth >= most {
			ok = false
		}
		if ok {
			want = append(want, name)
		}
	}
	return want
}

// everything returns a stand-in for each built-in tool that is not one of agents', and the names
// of all built-in tools under the gates.
func everything(t *testing.T, gates pegboard.Gates) (tools []pegboard.Tool, names []string) {
	t.Helper()
	var r pegboard.Registry
	g, err := agents.New(agents.Options{Loop: says("x"), Registry: &r, Teams: true, Definitions: func(*pegboard.Session) []agents.Definition { return nil }})
	require.NoError(t, err)
	own := g.Tools()
	for _, name := range pegboard.BuiltinNames() {
		if !slices.ContainsFunc(own, func(o pegboard.Tool) bool { return o.Info().Name == name }) {
			tools = append(tools, pegboard.Build(pegboard.Definition[struct{}, string]{
				Info: pegboard.Info{Name: name}, Description: name + " as a stand-in.", Traits: pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
				Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "ran", nil },
			}))
		}
	}
	require.NoError(t, r.Add(append(slices.Clone(tools), own...)...))
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
	require.NoError(t, err)
	names = gates.Preset(&r, s)
	require.NoError(t, s.Close(t.Context()))
	return slices.Clip(tools), names
}

// TestRolesByTools: an agent really runs in each role, under both presets of tables; the tools
// that it is offered are those of the tables, and a forged call of any other is refused with the
// reason.
func TestRolesByTools(t *testing.T) {
	t.Parallel()
	presets := map[string]pegboard.RoleTables{"default": pegboard.DefaultRoleTables(), "Claude Code": pegboard.ClaudeCodeRoleTables()}
	gates := map[string]pegboard.Gates{"no gates": {}, "a list of todos": {TodoList: true}, "features": {Features: []pegboard.Feature{pegboard.FeatureCron, pegboard.FeatureTeams}}}
	requests := map[pegboard.Role]agents.Request{
		pegboard.RoleSubAgent:   {Foreground: true},
		pegboard.RoleAsyncAgent: {Background: true},
		pegboard.RoleTeammate:   {Background: true, Name: "mate", Team: "team"},
	}
	for gate, g := range gates {
		tools, names := everything(t, g)
		for preset, tables := range presets {
			for role, request := range requests {
				for _, custom := range []bool{false, true} {
					for _, plan := range []bool{false, true} {
						t.Run(fmt.Sprintf("%s, %s, %v, custom %v, plan %v", preset, gate, role, custom, plan), func(t *testing.T) {
							t.Parallel()
							request := request
							request.Prompt = "p"
							if plan {
								request.Mode = policy.ModePlan
							}
							checkRole(t, role, request, pegboard.PoolConfig{Gates: g, Roles: &tables}, custom, tools, offers(names, tables, role, custom, plan, 1, 3))
						})
					}
				}
			}
		}
	}
}

// checkRole runs an agent and holds what it may use against want.
func checkRole(t *testing.T, role pegboard.Role, request agents.Request, pool pegboard.PoolConfig, custom bool, tools []pegboard.Tool, want []string) {
	t.Helper()
	done := make(chan struct{})
	var once sync.Once
	h := newHouse(t, pegboard.SessionConfig{}, func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		if len(a.Session.AgentPath()) > 1 {
			return agents.Reply{Text: "below"}, nil
		}
		defer once.Do(func() { close(done) })
		if got := a.Session.Role(); got != role {
			t.Errorf("the role is %v, want %v", got, role)
		}
		p, err := a.Pool()
		if err != nil {
			return agents.Reply{}, err
		}
		var has []string
		for d := range p.Declarations(pegboard.Builtin) {
			has = append(has, d.Name)
		}
		slices.Sort(want)
		if !slices.Equal(want, has) {
			t.Errorf("offered\n%v, want\n%v", has, want)
		}
		var executor pegboard.Executor
		for _, name := range pegboard.BuiltinNames() {
			c := pegboard.Call{ID: name, Name: name, Input: []byte(`{}`)}
			switch name {
			case "Agent":
				c.Input = []byte(`{"description":"d","prompt":"p","run_in_background":false}`)
			case "SendMessage":
				c.Input = []byte(`{"to":"main","message":"m"}`)
			case "TeamCreate": // and TeamDelete deletes it
				c.Input = []byte(`{"team_name":"own"}`)
			}
			out := executor.Run(ctx, p, c)[0]
			if ok := slices.Contains(want, name); ok == errors.Is(out.Err, pegboard.ErrUnknownTool) {
				t.Errorf("the call of %s, which is offered: %v, gave %v", name, ok, out.Err)
			} else if !ok && out.Result.Text() == "" {
				t.Errorf("the refusal of %s has no reason", name)
			}
		}
		return agents.Reply{Text: "done"}, nil
	}, func(o *agents.Options) {
		o.Pool = pool
		o.Definitions = func(*pegboard.Session) []agents.Definition {
			return []agents.Definition{{Name: "general-purpose", Description: "x", Custom: custom}}
		}
	}, tools...)
	if request.Team != "" {
		require.NoError(t, h.run(t.Context(), pegboard.Call{ID: "1", Name: "TeamCreate", Input: []byte(`{"team_name":"team"}`)})[0].Err)
	}
	_, err := h.agents.Start(t.Context(), h.session, request)
	require.NoError(t, err)
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("the agent did not run")
	}
}

// TestCoordinatorsWorkers: a coordinator has few tools, and its workers those of their role.
func TestCoordinatorsWorkers(t *testing.T) {
	t.Parallel()
	tables := pegboard.DefaultRoleTables()
	tools, names := everything(t, pegboard.Gates{})
	done := make(chan []string, 1)
	h := newHouse(t, pegboard.SessionConfig{Role: pegboard.RoleCoordinator}, func(_ context.Context, a *agents.Agent) (agents.Reply, error) {
		p, err := a.Pool()
		if err != nil {
			return agents.Reply{}, err
		}
		var has []string
		for d := range p.Declarations(pegboard.Builtin) {
			has = append(has, d.Name)
		}
		done <- has
		return agents.Reply{Text: "done"}, nil
	}, func(o *agents.Options) { o.Pool = pegboard.PoolConfig{Roles: &tables} }, tools...)
	_, ok := h.pool().Lookup("Read")
	require.False(t, ok)
	out := h.call(t, nil)
	require.NoError(t, out.Err)
	require.Equal(t, agents.StatusLaunched, resultOf(t, out).Status)
	want := offers(names, tables, pegboard.RoleAsyncAgent, false, false, 1, 3)
	slices.Sort(want)
	require.Equal(t, want, <-done)
}

// TestGatesOfAgents: under Gates.REPL an agent has REPL or, if its role does not, the tools
// behind it; in simple mode it has three.
func TestGatesOfAgents(t *testing.T) {
	t.Parallel()
	tables := pegboard.DefaultRoleTables()
	tests := []struct {
		name  string
		gates pegboard.Gates
		role  pegboard.Role
		has   []string
		not   []string
	}{
		{name: "REPL, waited for", gates: pegboard.Gates{REPL: true}, role: pegboard.RoleSubAgent, has: []string{"REPL"}, not: []string{"Read", "Bash"}},
		{name: "REPL, in the background", gates: pegboard.Gates{REPL: true}, role: pegboard.RoleAsyncAgent, has: []string{"Read", "Bash"}, not: []string{"REPL"}},
		{name: "simple", gates: pegboard.Gates{Simple: true}, role: pegboard.RoleSubAgent, has: []string{"Bash", "Edit", "Read"}, not: []string{"Grep", "Agent"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tools, _ := everything(t, pegboard.Gates{})
			h := newHouse(t, pegboard.SessionConfig{}, says("done"), func(o *agents.Options) {
				o.Pool = pegboard.PoolConfig{Gates: tc.gates, Roles: &tables}
				loop := o.Loop
				o.Loop = func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
					p, err := a.Pool()
					if err != nil {
						return agents.Reply{}, err
					}
					for _, name := range tc.has {
						if _, ok := p.Lookup(name); !ok {
							return agents.Reply{}, fmt.Errorf("%s is missing: %s", name, p.Explain(name))
						}
					}
					for _, name := range tc.not {
						if _, ok := p.Lookup(name); ok {
							return agents.Reply{}, fmt.Errorf("%s is there", name)
						}
					}
					return loop(ctx, a)
				}
			}, tools...)
			background := tc.role == pegboard.RoleAsyncAgent
			_, err := h.agents.Start(t.Context(), h.session, agents.Request{Prompt: "p", Background: background, Foreground: !background})
			require.NoError(t, err)
			require.Eventually(t, func() bool { return h.agents.List(h.session)[0].State != agents.Running }, time.Minute, time.Millisecond)
			require.Empty(t, h.agents.List(h.session)[0].Err)
		})
	}
}

// TestTeammateWaits: a teammate starts only agents that it waits for.
func TestTeammateWaits(t *testing.T) {
	t.Parallel()
	done := make(chan error, 2)
	h := newHouse(t, pegboard.SessionConfig{}, func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		if len(a.Session.AgentPath()) > 1 {
			return agents.Reply{Text: fmt.Sprint(a.Session.Role())}, nil
		}
		p, err := a.Pool()
		if err != nil {
			return agents.Reply{}, err
		}
		out := (&pegboard.Executor{}).Run(ctx, p, agentCall(t, map[string]any{"run_in_background": true}), pegboard.Call{ID: "2", Name: "Agent", Input: agentCall(t, nil).Input})
		done <- out[0].Err
		done <- out[1].Err
		return agents.Reply{Text: out[1].Result.Text()}, nil
	}, func(o *agents.Options) { o.Background = true }, look())
	tables := pegboard.DefaultRoleTables()
	*h.options.Pool.Roles = tables
	require.NoError(t, h.run(t.Context(), pegboard.Call{ID: "1", Name: "TeamCreate", Input: []byte(`{"team_name":"team"}`)})[0].Err)
	_, err := h.agents.Start(t.Context(), h.session, agents.Request{Prompt: "p", Name: "mate", Team: "team"})
	require.NoError(t, err)
	refused := <-done
	require.ErrorIs(t, refused, agents.ErrInvalidRequest)
	require.ErrorContains(t, refused, "a teammate starts only agents that it waits for")
	require.NoError(t, <-done)
}
