package pegboard_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

func TestWhichToolsAreDeferred(t *testing.T) {
	t.Parallel()
	const long = 50_000 // bytes of the description of the long tools, 12,500 tokens each
	tests := []struct {
		name     string
		mode     pegboard.Mode
		noFinder bool
		long     bool // the external tool's description, and WebFetch's
		pool     pegboard.PoolConfig
		want     []string
	}{
		{name: "external tools and those of the table", want: []string{"Late", "Sleep", "WebFetch", "mcp__srv__list"}},
		{name: "nobody could find them", noFinder: true},
		{name: "the provider finds them", noFinder: true, pool: pegboard.PoolConfig{Deferral: pegboard.Deferral{ProviderSearch: true}}, want: []string{"Late", "Sleep", "WebFetch", "mcp__srv__list"}},
		{name: "off", pool: pegboard.PoolConfig{Deferral: pegboard.Deferral{Mode: pegboard.DeferOff}}},
		{name: "a table of the host's", pool: pegboard.PoolConfig{Deferral: pegboard.Deferral{BuiltinTools: []string{"Read"}}}, want: []string{"Late", "Read", "mcp__srv__list"}},
		{name: "an empty table", pool: pegboard.PoolConfig{Deferral: pegboard.Deferral{BuiltinTools: []string{}}}, want: []string{"Late", "mcp__srv__list"}},
		{name: "what must be shown now", pool: pegboard.PoolConfig{Deferral: pegboard.Deferral{AlwaysLoad: []string{"Sleep", "mcp__srv__*"}}}, want: []string{"Late", "WebFetch"}},
		{name: "little", pool: pegboard.PoolConfig{Deferral: pegboard.Deferral{Mode: pegboard.DeferAuto}}},
		{name: "much", long: true, pool: pegboard.PoolConfig{Deferral: pegboard.Deferral{Mode: pegboard.DeferAuto}}, want: []string{"mcp__srv__list"}},
		{
			name: "much that is built in", long: true, pool: pegboard.PoolConfig{Deferral: pegboard.Deferral{Mode: pegboard.DeferAuto, ContextWindow: 100_000}},
			want: []string{"Late", "Sleep", "WebFetch", "mcp__srv__list"},
		},
		{name: "much of a larger window", long: true, pool: pegboard.PoolConfig{Deferral: pegboard.Deferral{Mode: pegboard.DeferAuto, ContextWindow: 1_000_000}}},
		{name: "much of a larger share", long: true, pool: pegboard.PoolConfig{Deferral: pegboard.Deferral{Mode: pegboard.DeferAuto, MaxShare: 0.2}}},
		{
			name: "as the host counts", pool: pegboard.PoolConfig{Deferral: pegboard.Deferral{Mode: pegboard.DeferAuto, Tokens: func(pegboard.Declaration) int { return 6_000 }}},
			want: []string{"mcp__srv__list"},
		},
		{name: "the tool that finds them is restricted", pool: pegboard.PoolConfig{Restrictions: []pegboard.Restriction{{Without: []string{"ToolSearch"}}}}},
		{name: "the way out of plan mode", mode: pegboard.ModePlan, want: []string{"Late", "Sleep", "WebFetch", "mcp__srv__list"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := "Does it."
			if tt.long {
				text = strings.Repeat("x", long)
			}
			reg := registryOf(t, told(pegboard.Info{Name: "Read"}, "Reads."), told(pegboard.Info{Name: "WebFetch"}, text), told(pegboard.Info{Name: "Sleep"}, "Waits."),
				told(pegboard.Info{Name: "SendMessage", Loading: pegboard.LoadOnSearch}, "Sends."), told(pegboard.Info{Name: "WebSearch", Loading: pegboard.LoadAlways}, "Searches."),
				told(pegboard.Info{Name: "Late", Loading: pegboard.LoadOnSearch}, "Late."))
			if tt.mode == pegboard.ModePlan {
				require.NoError(t, reg.Add(told(pegboard.Info{Name: "ExitPlanMode"}, "Leaves.")))
			}
			if !tt.noFinder {
				require.NoError(t, reg.Add(finder()))
			}
			_, err := reg.Attach("srv", told(pegboard.Info{Name: "list"}, text), told(pegboard.Info{Name: "always", Loading: pegboard.LoadAlways}, "Is there."))
			require.NoError(t, err)
			p := reg.AssemblePool(session(t, pegboard.SessionConfig{Permissions: rules(t, tt.mode, pegboard.RuleSet{})}), tt.pool)
			require.Equal(t, tt.want, p.Deferred())
			var deferred []string
			for _, part := range []pegboard.Partition{pegboard.Builtin, pegboard.External} {
				for d := range p.Declarations(part) {
					if d.Deferred {
						deferred = append(deferred, d.Name)
					}
				}
			}
			require.Equal(t, tt.want, deferred)
		})
	}
}

// TestToolsForMCPWaitUnderBothNames expects the tools of a bridge to MCP servers to be deferred
// and gated, whichever of their two names is an alias, and to be ruled and called by either.
func TestToolsForMCPWaitUnderBothNames(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		infos []pegboard.Info
	}{
		{name: "documented aliases", infos: []pegboard.Info{
			{Name: "ListMcpResources", Aliases: []string{"ListMcpResourcesTool"}}, {Name: "ReadMcpResource", Aliases: []string{"ReadMcpResourceTool"}}, {Name: "McpAuth"},
		}},
		{name: "documented names", infos: []pegboard.Info{
			{Name: "ListMcpResourcesTool", Aliases: []string{"ListMcpResources"}}, {Name: "McpAuth"}, {Name: "ReadMcpResourceTool", Aliases: []string{"ReadMcpResource"}},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			reg := registryOf(t, finder())
			var all []string
			for _, i := range tt.infos {
				require.NoError(t, reg.Add(told(i, "Does it.")))
				all = append(all, i.Name)
			}
			s := session(t, pegboard.SessionConfig{Permissions: rules(t, "", pegboard.RuleSet{Deny: []string{"ReadMcpResourceTool"}})})
			require.Equal(t, []string{"McpAuth"}, reg.AssemblePool(s, pegboard.PoolConfig{}).Deferred(), "no server has resources")

			pool := reg.AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{Gates: pegboard.Gates{Resources: true}})
			require.ElementsMatch(t, all, pool.Deferred())
			for _, name := range []string{"ListMcpResources", "ListMcpResourcesTool"} {
				tool, found := pool.Lookup(name)
				require.True(t, found, name)
				require.Contains(t, append(tool.Info().Aliases, tool.Info().Name), name)
			}
			denied := reg.AssemblePool(s, pegboard.PoolConfig{Gates: pegboard.Gates{Resources: true}})
			require.Len(t, denied.Deferred(), 2, "the rule names an alias or the name")
			require.Empty(t, denied.RuleProblems())
		})
	}
}

// TestInvariant7WaitingOfBuiltins attaches and detaches at random: the declarations of
// the built-in tools stay the same, in every mode.
func TestInvariant7WaitingOfBuiltins(t *testing.T) {
	t.Parallel()
	for _, mode := range []pegboard.DeferMode{pegboard.DeferOn, pegboard.DeferAuto, pegboard.DeferOff} {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(7, uint64(mode)))
			reg := registryOf(t, finder(), told(pegboard.Info{Name: "WebFetch"}, strings.Repeat("x", 9_000)), told(pegboard.Info{Name: "Read"}, "Reads."))
			s := session(t, pegboard.SessionConfig{})
			policy := pegboard.Deferral{Mode: mode, ContextWindow: 20_000}
			want := reg.AssemblePool(s, pegboard.PoolConfig{Deferral: policy}).Fingerprint(pegboard.Builtin)
			for range 50 {
				source := fmt.Sprint("srv", random.IntN(4))
				if random.IntN(3) == 0 {
					reg.Detach(source)
				} else {
					_, err := offer(reg, source, told(pegboard.Info{Name: "list"}, strings.Repeat("x", random.IntN(20_000))))
					require.NoError(t, err)
				}
				require.Equal(t, want, reg.AssemblePool(s, pegboard.PoolConfig{Deferral: policy}).Fingerprint(pegboard.Builtin))
			}
		})
	}
}

// TestCallsOfDeferredTools are answered by the tool if the input fits.
func TestCallsOfDeferredTools(t *testing.T) {
	t.Parallel()
	reg := registryOf(t, finder(), told(pegboard.Info{Name: "Weather", Aliases: []string{"Rain"}, Loading: pegboard.LoadOnSearch}, "Tells the weather."))
	s := session(t, pegboard.SessionConfig{})

	wrong := run(t, reg, s, call("1", "Weather", `{"town":"Rome"}`))
	require.ErrorIs(t, wrong.Err, pegboard.ErrInvalidInput)
	for _, want := range []string{`"town"`, "You have not seen its definition", `ToolSearch with {"query": "select:Weather"}`, `"city": string, required`} {
		require.Contains(t, wrong.Result.Text(), want)
	}
	require.Equal(t, []string{"Weather"}, s.Loaded(), "the next request may hold it")
	wrong = run(t, reg, s, call("1b", "Weather", `{"town":"Rome"}`))
	require.Contains(t, wrong.Result.Text(), "You have not seen its definition", "though it was called")

	right := run(t, reg, s, call("2", "Rain", `{"city":"Rome"}`))
	require.NoError(t, right.Err)
	require.Equal(t, "Weather of Rome", right.Result.Text())
	require.Equal(t, []string{"Weather"}, s.Loaded())

	again := run(t, reg, s, call("3", "Weather", `{}`))
	require.NotContains(t, again.Result.Text(), "You have not seen", "it was loaded meanwhile")
	require.Contains(t, again.Result.Text(), "Correct the input")
	require.Contains(t, again.Result.Text(), `"city": string, required`)
}

func TestHostedSearchIsNotNamed(t *testing.T) {
	t.Parallel()
	reg := registryOf(t, told(pegboard.Info{Name: "Weather", Loading: pegboard.LoadOnSearch}, "Tells the weather."))
	p := reg.AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{Deferral: pegboard.Deferral{ProviderSearch: true}})
	ex := executor(pegboard.Executor{})
	out := ex.Run(t.Context(), p, call("1", "Weather", `{}`))
	require.Contains(t, out[0].Result.Text(), "Search for it first")
	text, _ := p.Announce(nil)
	require.Empty(t, text)
}

// In every role and behind every gate, tools are deferred only in a pool that has the
// tool to search for them.
func TestNoRoleDefersToolsWithoutASearch(t *testing.T) {
	t.Parallel()
	reg := registryOf(t, finder())
	for _, name := range pegboard.BuiltinNames() {
		if name != "ToolSearch" {
			require.NoError(t, reg.Add(told(pegboard.Info{Name: name}, "Does "+name)))
		}
	}
	_, err := reg.Attach("srv", told(pegboard.Info{Name: "x"}, "Does x."))
	require.NoError(t, err)
	main := session(t, pegboard.SessionConfig{})
	coordinator := session(t, pegboard.SessionConfig{Role: pegboard.RoleCoordinator})
	sessions := []*pegboard.Session{main, coordinator}
	for _, role := range []pegboard.Role{pegboard.RoleSubAgent, pegboard.RoleAsyncAgent, pegboard.RoleTeammate} {
		f, err := main.Fork(pegboard.SessionConfig{Role: role, AgentID: role.String()})
		require.NoError(t, err)
		sessions = append(sessions, f)
	}
	for _, s := range sessions {
		for _, tables := range []pegboard.RoleTables{{}, pegboard.DefaultRoleTables(), pegboard.ClaudeCodeRoleTables()} {
			for _, gates := range []pegboard.Gates{{}, {Simple: true}, {REPL: true}, {EmbeddedSearch: true, TodoList: true}} {
				p := reg.AssemblePool(s, pegboard.PoolConfig{Roles: &tables, Gates: gates})
				_, ok := p.Lookup("ToolSearch")
				require.True(t, ok || len(p.Deferred()) == 0, "%v %v", s.Role(), gates)
				r, err := p.Resolve([]string{"mcp__srv", "Read"}, nil)
				if err == nil {
					require.Empty(t, r.Pool.Deferred())
				}
			}
		}
	}
}

// A deny rule with a pattern holds for a tool that the model has not seen.
func TestDenyRuleHoldsForADeferredTool(t *testing.T) {
	t.Parallel()
	ran := false
	type in struct {
		City string `json:"city"`
	}
	reg := registryOf(t, finder(), pegboard.Build(pegboard.Definition[in, string]{
		Info: pegboard.Info{Name: "Late", Loading: pegboard.LoadOnSearch}, Description: "Late.",
		Call: func(ctx, in, *pegboard.Call) (string, error) { ran = true; return "", nil },
	}))
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, pegboard.ModeBypass, pegboard.RuleSet{Deny: []string{"Late(city:Rome)"}})})
	out := run(t, reg, s, call("1", "Late", `{"city":"Rome"}`))
	require.ErrorIs(t, out.Err, pegboard.ErrDenied)
	require.False(t, ran)
}
