package agents_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// named returns a tool that does nothing.
func named(name string) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: name}, Description: "Stands in for " + name, Traits: pegboard.Traits{ReadOnly: true},
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "", nil },
	})
}

func TestWorkerTools(t *testing.T) {
	deny := func(rules ...string) pegboard.Permissions {
		p, err := pegboard.NewPermissions("", pegboard.RuleSet{Source: pegboard.SourceUser, Deny: rules})
		require.NoError(t, err)
		return p
	}
	const intro = "Workers have these tools, unless the description of their type lists fewer."
	for _, tt := range []struct {
		name   string
		cfg    pegboard.SessionConfig
		change func(o *agents.Options)
		tools  int // of the server
		want   string
	}{
		{name: "a coordinator's", cfg: pegboard.SessionConfig{Role: pegboard.RoleCoordinator}, want: intro + "\n- Edit, Grep, Read"},
		{name: "the main agent's", want: intro + "\n- Edit, Grep, Read"},
		{name: "that are waited for", change: func(o *agents.Options) { o.NoBackground = true }, want: intro + "\n- Config, Edit, Grep, ListAgents, Read, SendMessage, TeamCreate, TeamDelete"},
		{name: "without what is denied", cfg: pegboard.SessionConfig{Permissions: deny("Edit", "mcp__srv__t01")}, tools: 3,
			want: intro + "\n- Grep, Read\n- from the server srv: mcp__srv__t00, mcp__srv__t02"},
		{name: "with a server that is denied", cfg: pegboard.SessionConfig{Permissions: deny("mcp__srv")}, tools: 3, want: intro + "\n- Edit, Grep, Read"},
		{name: "with many tools of a server", tools: 23, want: intro + "\n- Edit, Grep, Read\n- from the server srv: " + manyTools(20) + " and 3 more"},
		{name: "in simple mode", cfg: pegboard.SessionConfig{Role: pegboard.RoleCoordinator}, change: func(o *agents.Options) { o.Pool.Gates.Simple = true }, want: intro + "\n- Edit, Read"},
		{name: "none", cfg: pegboard.SessionConfig{Permissions: deny("Edit", "Read", "Grep")}, want: "Workers have no tools here."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			change := func(o *agents.Options) {
				o.Pool = pegboard.PoolConfig{}
				if tt.change != nil {
					tt.change(o)
				}
			}
			h := newHouse(t, tt.cfg, says("done"), change, named("Read"), named("Grep"), named("Edit"), named("Config"), named("TaskOutput"))
			var attached []pegboard.Tool
			for i := range tt.tools {
				attached = append(attached, named(fmt.Sprintf("t%02d", i)))
			}
			_, err := h.registry.Attach("srv", attached...)
			require.NoError(t, err)
			got, err := h.agents.WorkerTools(h.session)
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
			require.Empty(t, h.agents.List(h.session), "asking starts no agent")
		})
	}
}

func manyTools(n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("mcp__srv__t%02d", i)
	}
	return strings.Join(names, ", ")
}

// The text names the tools that a worker is really offered.
func TestWorkerToolsAreThoseOfARealWorker(t *testing.T) {
	offered := make(chan []string, 1)
	loop := func(_ context.Context, a *agents.Agent) (agents.Reply, error) {
		pool, err := a.Pool()
		if err != nil {
			return agents.Reply{}, err
		}
		var names []string
		for tool := range pool.All() {
			names = append(names, tool.Info().Name)
		}
		offered <- names
		return agents.Reply{Text: "done"}, nil
	}
	h := newHouse(t, pegboard.SessionConfig{Role: pegboard.RoleCoordinator}, loop, nil, named("Read"), named("Bash"), named("AskUserQuestion"), named("Config"))
	_, err := h.registry.Attach("srv", named("one"))
	require.NoError(t, err)
	text, err := h.agents.WorkerTools(h.session)
	require.NoError(t, err)
	out := h.call(t, nil)
	require.NoError(t, out.Err)
	require.Equal(t, agents.StatusLaunched, resultOf(t, out).Status)
	names := <-offered
	require.NotEmpty(t, names)
	for _, name := range names {
		require.Contains(t, text, name)
	}
	for _, name := range []string{"AskUserQuestion", "Config"} {
		require.NotContains(t, text, name)
		require.NotContains(t, names, name)
	}
}

func TestWorkerToolsOfAClosedSession(t *testing.T) {
	h := newHouse(t, pegboard.SessionConfig{}, says("done"), nil)
	require.NoError(t, h.session.Close(t.Context()))
	_, err := h.agents.WorkerTools(h.session)
	require.Error(t, err)
}
