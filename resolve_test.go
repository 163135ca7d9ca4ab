package pegboard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestResolve narrows one pool by the lists of agent definitions.
func TestResolve(t *testing.T) {
	t.Parallel()
	builtins := []string{"Agent", "Bash", "Edit", "Read"}
	gh := []string{"mcp__gh__list", "mcp__gh__read"}
	gh2 := []string{"mcp__gh_2__read"}
	all := ordered(builtins, gh, gh2)
	tests := []struct {
		name       string
		tools      []string
		disallowed []string
		want       []string
		unknown    []string
		types      []string
	}{
		{name: "nil", want: all},
		{name: "empty", tools: []string{}, want: []string{}},
		{name: "star", tools: []string{"*"}, want: all},
		{name: "star among others", tools: []string{"Read", "*"}, want: all},
		{name: "names", tools: []string{"Read", "mcp__gh__list"}, want: []string{"Read", "mcp__gh__list"}},
		{name: "twice", tools: []string{"Read", "View", "Read"}, want: []string{"Read"}},
		{name: "alias", tools: []string{"View"}, want: []string{"Read"}},
		{name: "spaces around", tools: []string{" Read ", "\tBash"}, want: []string{"Bash", "Read"}},
		{name: "another case", tools: []string{"Read", "bash"}, want: []string{"Read"}, unknown: []string{"bash"}},

		{name: "a server", tools: []string{"mcp__gh"}, want: gh},
		{name: "all of a server", tools: []string{"mcp__gh__*"}, want: gh},
		{name: "a server with a folded name", tools: []string{"mcp__gh_2"}, want: gh2},
		{name: "all servers", tools: []string{"mcp__*"}, want: ordered(gh, gh2)},
		{name: "a server and a tool", tools: []string{"mcp__gh_2__*", "Read"}, want: ordered([]string{"Read"}, gh2)},
		{name: "a raw name", tools: []string{"Read", "list"}, want: []string{"Read"}, unknown: []string{"list"}},

		{name: "agent types", tools: []string{"Agent(a, b)"}, want: []string{"Agent"}, types: []string{"a", "b"}},
		{name: "agent types by alias", tools: []string{"Task(a)", "Read"}, want: []string{"Agent", "Read"}, types: []string{"a"}},
		{name: "agent types in two entries", tools: []string{"Agent(a)", "Agent(b)"}, want: []string{"Agent"}, types: []string{"a", "b"}},
		{name: "every agent type", tools: []string{"Agent"}, want: []string{"Agent"}},

		{name: "unknown", tools: []string{"Write", "Read", "mcp__web", "mcp__web__*", "Zed(x)"}, want: []string{"Read"}, unknown: []string{"Write", "mcp__web", "mcp__web__*", "Zed(x)"}},
		{name: "unknown and disallowed", disallowed: []string{"Write", "Read"}, want: without(all, "Read"), unknown: []string{"Write"}},
		{name: "unknown in both", tools: []string{"X", "Read"}, disallowed: []string{"Y"}, want: []string{"Read"}, unknown: []string{"X", "Y"}},

		{name: "disallowed", disallowed: []string{"Bash"}, want: without(all, "Bash")},
		{name: "disallowed by alias", disallowed: []string{"View"}, want: without(all, "Read")},
		{name: "disallowed wins", tools: []string{"Read", "Bash"}, disallowed: []string{"Bash"}, want: []string{"Read"}},
		{name: "disallowed wins over an alias", tools: []string{"View", "Bash"}, disallowed: []string{"Read"}, want: []string{"Bash"}},
		{name: "disallowed wins over a star", tools: []string{"*"}, disallowed: []string{"Bash", "mcp__gh"}, want: without(all, "Bash", gh[0], gh[1])},
		{name: "a server disallowed", disallowed: []string{"mcp__gh"}, want: without(all, gh...)},
		{name: "all of a server disallowed", disallowed: []string{"mcp__gh__*"}, want: without(all, gh...)},
		{name: "all servers disallowed", disallowed: []string{"mcp__*"}, want: builtins},
		{name: "a tool out of a server", tools: []string{"mcp__gh"}, disallowed: []string{"mcp__gh__read"}, want: []string{"mcp__gh__list"}},
		{name: "Agent disallowed limits no types", disallowed: []string{"Agent"}, want: without(all, "Agent")},
	}
	reg := registryOf(t, inert("Read", "View"), inert("Bash"), inert("Edit"), inert("Agent", "Task"))
	attach(t, reg, "gh", "list", "read")
	attach(t, reg, "gh.2", "read")
	pool := reg.AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{})
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			res, err := pool.Resolve(tc.tools, tc.disallowed)
			require.NoError(t, err)
			require.Equal(t, tc.want, names(res.Pool))
			require.Equal(t, tc.unknown, res.Unknown)
			require.Equal(t, tc.types, res.AgentTypes)
			require.Equal(t, all, names(pool), "the pool itself stays")
		})
	}
}

// TestDisallowedEntriesNeverAllow writes types behind a disallowed agent tool, by
// name and by alias. That must not become a list of types that may be spawned.
func TestDisallowedEntriesNeverAllow(t *testing.T) {
	t.Parallel()
	pool := registryOf(t, inert("Agent", "Task"), inert("Read")).AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{})
	for _, entry := range []string{"Agent(a)", "Task(a)"} {
		res, err := pool.Resolve(nil, []string{entry})
		require.NoError(t, err)
		require.Nil(t, res.AgentTypes, entry)
		require.Empty(t, res.Unknown, entry)
	}
}

// TestResolveSeesTheRolesPool asks for tools that the role does not have.
func TestResolveSeesTheRolesPool(t *testing.T) {
	t.Parallel()
	reg := registryOf(t, inert("Agent", "Task"), inert("Read"), inert("TaskStop"))
	pool := reg.AssemblePool(session(t, pegboard.SessionConfig{Role: pegboard.RoleSubAgent}), pegboard.PoolConfig{})
	res, err := pool.Resolve([]string{"Agent(a)", "TaskStop", "Read"}, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"Read"}, names(res.Pool))
	require.Equal(t, []string{"Agent(a)", "TaskStop"}, res.Unknown)
	require.Contains(t, res.Pool.Explain("TaskStop"), "sub-agent")
}

// TestResolveExplains names the list that keeps a tool out, the disallowed one
// first.
func TestResolveExplains(t *testing.T) {
	t.Parallel()
	pool := registryOf(t, inerts("Bash", "Edit", "Read")...).AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{})
	res, err := pool.Resolve([]string{"Read", "Bash"}, []string{"Bash"})
	require.NoError(t, err)
	require.Contains(t, res.Pool.Explain("Bash"), "the agent's disallowedTools")
	require.Contains(t, res.Pool.Explain("Edit"), "the agent's tools do not list it")
	require.Contains(t, res.Pool.Explain("Read"), "is available")
}

func TestResolveToNothing(t *testing.T) {
	t.Parallel()
	reg := registryOf(t, inert("Read"), inert("Bash"))
	full := reg.AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{})
	empty := full.Restrict(pegboard.Restriction{Only: []string{}})
	tests := []struct {
		name       string
		pool       *pegboard.Pool
		tools      []string
		disallowed []string
		says       []string // none: no error
	}{
		{name: "unknown entries", pool: full, tools: []string{"Reed", "mcp__gh"}, says: []string{"Reed", "mcp__gh"}},
		{name: "all disallowed", pool: full, tools: []string{"Read"}, disallowed: []string{"Read", "Bash"}, says: []string{"Read", "Bash"}},
		{name: "everything disallowed", pool: full, disallowed: []string{"*"}, says: []string{"*"}},
		{name: "an empty pool", pool: empty, tools: []string{"Read"}, says: []string{"Read"}},
		{name: "an empty list", pool: full, tools: []string{}},
		{name: "an empty list, some disallowed", pool: full, tools: []string{}, disallowed: []string{"Read"}},
		{name: "an empty pool, no list", pool: empty},
		{name: "an empty pool, an empty list", pool: empty, tools: []string{}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			res, err := tc.pool.Resolve(tc.tools, tc.disallowed)
			if len(tc.says) == 0 {
				require.NoError(t, err)
				require.Zero(t, res.Pool.Len())
				return
			}
			require.Error(t, err)
			for _, text := range tc.says {
				require.ErrorContains(t, err, text)
			}
			require.Nil(t, res.Pool)
		})
	}
}

// TestResolveReachesWhatREPLHides: an agent that lists no primitive gets none
// through its scripts.
func TestResolveReachesWhatREPLHides(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		tools []string
		err   error
	}{
		{name: "listed", tools: []string{"REPL", "Read"}},
		{name: "not listed", tools: []string{"REPL"}, err: pegboard.ErrUnknownTool},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			perms, err := pegboard.NewPermissions(pegboard.ModeDefault, pegboard.RuleSet{Allow: []string{"REPL", "Read"}})
			require.NoError(t, err)
			tool, outcomes := script("REPL", pegboard.Call{ID: "in", Name: "Read"})
			var reg pegboard.Registry
			require.NoError(t, reg.Add(tool, plain("Read", says("read"))))
			res, err := reg.AssemblePool(session(t, pegboard.SessionConfig{Permissions: perms}), pegboard.PoolConfig{Gates: pegboard.Gates{REPL: true}}).Resolve(tt.tools, nil)
			require.NoError(t, err)
			require.Empty(t, res.Unknown)
			e := executor(pegboard.Executor{})
			require.NoError(t, e.Run(t.Context(), res.Pool, pegboard.Call{ID: "out", Name: "REPL"})[0].Err)
			require.ErrorIs(t, (*outcomes)[0].Err, tt.err)
		})
	}
}

// TestResolveBringsForwardWhatREPLHides: a definition that names a primitive gets it, in every
// role, and what its lists and its role take away stays away.
func TestResolveBringsForwardWhatREPLHides(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name              string
		role              pegboard.Role
		tools, disallowed []string
		want              []string
		unknown           []string
	}{
		{name: "main", tools: []string{"Read"}, want: []string{"Read"}},
		{name: "sub-agent", role: pegboard.RoleSubAgent, tools: []string{"View", "WebFetch", "Bash"}, want: []string{"Bash", "Read", "WebFetch"}},
		{name: "background", role: pegboard.RoleAsyncAgent, tools: []string{"Read"}, want: []string{"Read"}},
		{name: "teammate", role: pegboard.RoleTeammate, tools: []string{"Read"}, want: []string{"Read"}},
		{name: "beside REPL", tools: []string{"REPL", "Read"}, want: []string{"REPL", "Read"}},
		{name: "a star names none", tools: []string{"*"}, want: []string{"REPL", "TaskStop", "WebFetch", "mcp__srv__list"}},
		{name: "a star beside a name", tools: []string{"*", "Read"}, want: []string{"REPL", "Read", "TaskStop", "WebFetch", "mcp__srv__list"}},
		{name: "no list", want: []string{"REPL", "TaskStop", "WebFetch", "mcp__srv__list"}},
		{name: "disallowed", tools: []string{"Read", "Bash"}, disallowed: []string{"View"}, want: []string{"Bash"}},
		{name: "denied", tools: []string{"Read", "Edit"}, want: []string{"Read"}, unknown: []string{"Edit"}},
		{name: "not of the role", role: pegboard.RoleAsyncAgent, tools: []string{"Read", "TaskStop"}, want: []string{"Read"}, unknown: []string{"TaskStop"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			reg := registryOf(t, inert("Read", "View"), inert("Bash"), inert("Edit"), inert("WebFetch"), inert("REPL"), inert("TaskStop"))
			attach(t, reg, "srv", "list")
			s := session(t, pegboard.SessionConfig{Role: tc.role, Permissions: rules(t, "", pegboard.RuleSet{Deny: []string{"Edit"}})})
			res, err := reg.AssemblePool(s, pegboard.PoolConfig{Gates: pegboard.Gates{REPL: true}}).Resolve(tc.tools, tc.disallowed)
			require.NoError(t, err)
			require.Equal(t, tc.want, names(res.Pool))
			require.Equal(t, tc.unknown, res.Unknown)
			for _, name := range tc.want {
				require.Contains(t, res.Pool.Explain(name), "is available")
				require.NotContains(t, excludedNames(res.Pool), name)
			}
		})
	}
}

func excludedNames(p *pegboard.Pool) (excluded []string) {
	for _, x := range p.Excluded() {
		excluded = append(excluded, x.Name)
	}
	return excluded
}
