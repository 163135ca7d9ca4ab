package pegboard_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestAssemblyExplainsEachStep leaves one tool out at every step of the assembly,
// with nothing else in its way.
func TestAssemblyExplainsEachStep(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		cfg  pegboard.SessionConfig
		deny []string
		pool pegboard.PoolConfig
		ask  string
		says []string
	}{
		{name: "in the pool", ask: "Read", says: []string{"Read is available", "built-in"}},
		{name: "in the pool, by alias", ask: "View", says: []string{"Read is available", "built-in"}},
		{name: "in the pool, attached", ask: "mcp__srv__list", says: []string{"mcp__srv__list is available", `"list" of "srv"`}},
		{name: "unknown", ask: "Nothing", says: []string{"Nothing is not a registered tool"}},

		{name: "special", ask: "StructuredOutput", says: []string{"StructuredOutput is not available", "Gates.StructuredOutput"}},
		{name: "denied", deny: []string{"Read"}, ask: "Read", says: []string{"Read is not available", `deny rule "Read"`, "userSettings"}},
		{name: "denied, by alias", deny: []string{"Read"}, ask: "View", says: []string{"Read", `deny rule "Read"`, "userSettings"}},
		{name: "denied with an alias", deny: []string{"View"}, ask: "Read", says: []string{"Read is not available", `deny rule "View"`, "userSettings"}},
		{name: "denied with a star", deny: []string{"Read(*)"}, ask: "Read", says: []string{`deny rule "Read"`, "userSettings"}},
		{name: "hidden by a mode", pool: pegboard.PoolConfig{Gates: pegboard.Gates{EmbeddedSearch: true}}, ask: "Glob", says: []string{"Glob is not available", "Gates.EmbeddedSearch"}},
		{name: "hidden by a feature", pool: pegboard.PoolConfig{Gates: pegboard.Gates{Features: []pegboard.Feature{}}}, ask: "LSP", says: []string{"LSP is not available", "lsp", "Gates.Features"}},
		{name: "disabled", ask: "Sleep", says: []string{"Sleep is not available", "disabled in this session"}},
		{name: "a declaration that panics", ask: "Shaky", says: []string{"Shaky is not available", "panic"}},

		{name: "attached, denied", deny: []string{"mcp__srv__list"}, ask: "mcp__srv__list", says: []string{"mcp__srv__list is not available", `deny rule "mcp__srv__list"`, "userSettings"}},
		{name: "attached, server denied", deny: []string{"mcp__srv"}, ask: "mcp__srv__list", says: []string{"mcp__srv__list is not available", `deny rule "mcp__srv"`, "userSettings"}},
		{name: "attached, asked for by its raw name", deny: []string{"mcp__srv"}, ask: "list", says: []string{"mcp__srv__list is not available", "userSettings"}},
		{name: "attached, disabled", ask: "mcp__srv__off", says: []string{"mcp__srv__off is not available", "disabled in this session"}},
		{name: "attached, simple mode", pool: pegboard.PoolConfig{Gates: pegboard.Gates{Simple: true}}, ask: "mcp__srv__list", says: []string{"mcp__srv__list is not available", "Gates.Simple"}},
		{name: "the full name before a raw one", deny: []string{"mcp__srv"}, pool: pegboard.PoolConfig{Restrictions: []pegboard.Restriction{{Reason: "out of use", Without: []string{"search"}}}}, ask: "search", says: []string{"out of use"}},

		{name: "shadowed by a tool", ask: "taken", says: []string{"mcp__srv__taken is not available", "the built-in tool mcp__srv__taken"}},
		{name: "shadowed by an alias", ask: "old", says: []string{"mcp__srv__old is not available", "the built-in tool New"}},
		{name: "shadowed by another source", ask: "both", says: []string{"mcp__s_v__both is not available", `"both" of "s_v"`}},

		{name: "restricted by role", cfg: pegboard.SessionConfig{Role: pegboard.RoleSubAgent}, ask: "TaskStop", says: []string{"TaskStop is not available", "sub-agent"}},
		{name: "restricted by role in the background", cfg: pegboard.SessionConfig{Role: pegboard.RoleAsyncAgent}, ask: "New", says: []string{"New is not available", "async agent"}},
		{name: "restricted by role for a teammate", cfg: pegboard.SessionConfig{Role: pegboard.RoleTeammate}, ask: "New", says: []string{"New is not available", "teammate"}},
		{name: "restricted for a coordinator", cfg: pegboard.SessionConfig{Role: pegboard.RoleCoordinator}, ask: "mcp__srv__list", says: []string{"mcp__srv__list is not available", "coordinator"}},
		{name: "restricted by the host", pool: pegboard.PoolConfig{Restrictions: []pegboard.Restriction{{Reason: "not on Fridays", Without: []string{"Read"}}}}, ask: "Read", says: []string{"Read is not available", "not on Fridays"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			reg := registryOf(t, inert("Read", "View"), inert("Glob"), inert("LSP"), inert("StructuredOutput"),
				inert("TaskStop"), inert("New", "mcp__srv__old"), inert("mcp__srv__taken"), inert("search"), switched("Sleep", never),
				switched("Shaky", func(*pegboard.Session) bool { panic("oh") }))
			_, err := reg.Attach("srv", append(inerts("list", "old", "taken", "search"), switched("off", never))...)
			require.NoError(t, err)
			attach(t, reg, "s.v", "both")
			attach(t, reg, "s_v", "both")
			tc.cfg.Permissions = rules(t, "", pegboard.RuleSet{Source: pegboard.SourceUser, Deny: tc.deny})
			pool := reg.AssemblePool(session(t, tc.cfg), tc.pool)
			got := pool.Explain(tc.ask)
			for _, text := range tc.says {
				require.Contains(t, got, text)
			}
		})
	}
}

// TestEarlierStepsSpeakFirst leaves a tool out for two reasons and expects the
// one that the order of the filters puts first.
func TestEarlierStepsSpeakFirst(t *testing.T) {
	t.Parallel()
	simple, fast := pegboard.Gates{Simple: true}, pegboard.Gates{EmbeddedSearch: true}
	tests := []struct {
		name  string
		tool  pegboard.Tool
		deny  string
		role  pegboard.Role
		gates pegboard.Gates
		first string
		then  string
	}{
		{name: "special, denied", tool: inert("StructuredOutput"), deny: "StructuredOutput", first: "Gates.StructuredOutput", then: "rule"},
		{name: "denied, hidden", tool: inert("Glob"), deny: "Glob", gates: fast, first: "deny rule", then: "Gates"},
		{name: "denied, disabled", tool: switched("Glob", never), deny: "Glob", first: "deny rule", then: "disabled"},
		{name: "hidden, disabled", tool: switched("Glob", never), gates: fast, first: "Gates.EmbeddedSearch", then: "disabled"},
		{name: "simple, denied", tool: inert("Read"), deny: "Read", gates: simple, first: "deny rule", then: "Gates"},
		{name: "disabled, of no role", tool: switched("TaskStop", never), role: pegboard.RoleSubAgent, first: "disabled", then: "sub-agent"},
		{name: "denied, of no role", tool: inert("TaskStop"), deny: "TaskStop", role: pegboard.RoleSubAgent, first: "deny rule", then: "sub-agent"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			cfg := pegboard.SessionConfig{Role: tc.role}
			if tc.deny != "" {
				cfg.Permissions = rules(t, "", pegboard.RuleSet{Deny: []string{tc.deny}})
			}
			pool := registryOf(t, tc.tool).AssemblePool(session(t, cfg), pegboard.PoolConfig{Gates: tc.gates})
			require.Len(t, pool.Excluded(), 1)
			require.Contains(t, pool.Excluded()[0].Reason, tc.first)
			require.NotContains(t, pool.Excluded()[0].Reason, tc.then)
		})
	}
}

func TestDenialTakesAwayWholeToolsOnly(t *testing.T) {
	t.Parallel()
	all := []string{"Bash", "Read", "mcp__other__b", "mcp__srv_2__d", "mcp__srv__a", "mcp__srv__b"}
	tests := []struct {
		name string
		deny []string
		gone []string
	}{
		{name: "nothing"},
		{name: "a tool", deny: []string{"Bash"}, gone: []string{"Bash"}},
		{name: "a tool by alias", deny: []string{"Shell"}, gone: []string{"Bash"}},
		{name: "a pattern", deny: []string{"Bash(rm x)", "Read(//etc/passwd)"}},
		{name: "the pattern of all", deny: []string{"Bash(*)"}, gone: []string{"Bash"}},
		{name: "an attached tool", deny: []string{"mcp__srv__b"}, gone: []string{"mcp__srv__b"}},
		{name: "an attached tool by its raw name", deny: []string{"b"}},
		{name: "a server", deny: []string{"mcp__srv"}, gone: []string{"mcp__srv__a", "mcp__srv__b"}},
		{name: "all of a server", deny: []string{"mcp__srv__*"}, gone: []string{"mcp__srv__a", "mcp__srv__b"}},
		{name: "a server with a folded name", deny: []string{"mcp__srv_2"}, gone: []string{"mcp__srv_2__d"}},
		{name: "the beginning of a server", deny: []string{"mcp__sr"}},
		{name: "a tool and a server", deny: []string{"mcp__other", "Read"}, gone: []string{"Read", "mcp__other__b"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			reg := registryOf(t, inert("Bash", "Shell"), inert("Read"))
			attach(t, reg, "srv", "a", "b")
			attach(t, reg, "srv.2", "d")
			attach(t, reg, "other", "b")
			pool := reg.AssemblePool(denying(t, tc.deny...), pegboard.PoolConfig{})
			require.Equal(t, without(all, tc.gone...), names(pool))
			var gone []string
			for _, x := range pool.Excluded() {
				gone = append(gone, x.Name)
			}
			require.Equal(t, tc.gone, gone)
		})
	}
}

func TestDenyGlobWithAPatternLeavesTheTool(t *testing.T) {
	t.Parallel()
	a := actor{name: "Bash", traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "make"}}}}
	pool := a.pool(t, session(t, pegboard.SessionConfig{Permissions: rules(t, "", pegboard.RuleSet{Deny: []string{"B*(ls)"}})}))
	require.Equal(t, 1, pool.Len(), "a deny rule with a pattern leaves the tool listed: %v", pool.Excluded())
}

// The deny rule mcp__srv__repo__* is about the tools whose names begin so, not about a
// tool mcp__srv__repo.
func TestDenyOfToolsOfAServerByPrefix(t *testing.T) {
	t.Parallel()
	var reg pegboard.Registry
	attach(t, &reg, "srv", "repo__delete")
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, "", pegboard.RuleSet{Deny: []string{"mcp__srv__repo__*"}})})
	require.Empty(t, names(reg.AssemblePool(s, pegboard.PoolConfig{})))
}

// TestForksDenyRulesComeFirst: they take tools out of the pool, as do those of
// the parent beneath an ask rule of the fork.
func TestForksDenyRulesComeFirst(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, "", pegboard.RuleSet{
		Allow: []string{"A", "B", "C", "D"}, Ask: []string{"B"}, Deny: []string{"C"},
	})})
	fork := forked(t, s, pegboard.SessionConfig{Permissions: rules(t, "", pegboard.RuleSet{Ask: []string{"A"}, Deny: []string{"D"}})})
	var order []pegboard.Behavior
	for _, r := range fork.Permissions().Rules() {
		order = append(order, r.Behavior)
	}
	require.IsDecreasing(t, append([]pegboard.Behavior{order[0] + 1}, compact(order)...))
	require.Equal(t, []string{"A", "B"}, names(registryOf(t, inerts("A", "B", "C", "D")...).AssemblePool(fork, pegboard.PoolConfig{})))
}

// compact leaves one of equals in a row.
func compact(list []pegboard.Behavior) (short []pegboard.Behavior) {
	for i, b := range list {
		if i == 0 || b != list[i-1] {
			short = append(short, b)
		}
	}
	return short
}

// TestExternalNamesAreUnique lets tools of one exposed name meet.
func TestExternalNamesAreUnique(t *testing.T) {
	t.Parallel()
	type pair = pegboard.Origin
	tests := []struct {
		name   string
		pairs  []pair // in the order of attaching
		deny   []string
		shared string
		winner pair
	}{
		{name: "sources that fold alike", pairs: []pair{{"a_b", "t"}, {"a.b", "t"}, {"a:b", "t"}}, shared: "mcp__a_b__t", winner: pair{"a_b", "t"}},
		{name: "tools that fold alike", pairs: []pair{{"a", "t_u"}, {"a", "t.u"}}, shared: "mcp__a__t_u", winner: pair{"a", "t_u"}},
		{name: "the same, turned round", pairs: []pair{{"a", "t.u"}, {"a", "t_u"}}, shared: "mcp__a__t_u", winner: pair{"a", "t_u"}},
		{name: "another place to split", pairs: []pair{{"a__b", "c"}, {"a", "b__c"}}, shared: "mcp__a__b__c", winner: pair{"a", "b__c"}},
		{name: "the winner is denied", pairs: []pair{{"a__b", "c"}, {"a", "b__c"}}, deny: []string{"mcp__a"}, shared: "mcp__a__b__c", winner: pair{"a__b", "c"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var reg pegboard.Registry
			bySource := map[string][]string{}
			for _, p := range tc.pairs {
				bySource[p.Source] = append(bySource[p.Source], p.Tool)
			}
			for _, p := range tc.pairs { // a source again and again, in the order of the pairs
				attach(t, &reg, p.Source, bySource[p.Source]...)
			}
			pool := reg.AssemblePool(denying(t, tc.deny...), pegboard.PoolConfig{})
			require.Equal(t, []string{tc.shared}, names(pool))
			require.Equal(t, tc.winner, lookUp(pool, tc.shared))
			losers := []pair{}
			for _, x := range pool.Excluded() {
				require.Equal(t, tc.shared, x.Name)
				losers = append(losers, x.Origin)
			}
			require.ElementsMatch(t, slices.DeleteFunc(tc.pairs, func(p pair) bool { return p == tc.winner }), losers)
		})
	}
}

// TestExclusionsOfOneName: the excluded tools of one name are listed in order, built-in
// tools first, then by source, and within a source the offered before the quarantined
// ones.
func TestExclusionsOfOneName(t *testing.T) {
	t.Parallel()
	reg := registryOf(t, switched("mcp__a_b__t_u", never))
	for _, source := range []string{"a_b", "a.b"} {
		_, err := reg.Attach(source, pegboard.InvalidTool("t|u", nil), inert("t_u"), inert("t.u"))
		require.NoError(t, err)
	}
	type pair = pegboard.Origin
	var got []pair
	for _, x := range reg.AssemblePool(denying(t, "mcp__a_b"), pegboard.PoolConfig{}).Excluded() {
		require.Equal(t, "mcp__a_b__t_u", x.Name)
		got = append(got, x.Origin)
	}
	require.Equal(t, []pair{{}, {"a.b", "t.u"}, {"a.b", "t_u"}, {"a.b", "t|u"}, {"a_b", "t_u"}, {"a_b", "t.u"}, {"a_b", "t|u"}}, got)
}

// TestPoolIsOrderedByPartition holds the order against plain sorting by bytes.
func TestPoolIsOrderedByPartition(t *testing.T) {
	t.Parallel()
	builtins := []string{"b", "C", "Ä", "a b", "a_b", "a-b", "zz", "mcp__x__y", "~"}
	reg := registryOf(t, inerts(builtins...)...)
	attach(t, reg, "z", "a", "Z")
	attach(t, reg, "A", "z", "_")
	attach(t, reg, "a_", "y") // before mcp__a__zz, although its source comes after
	attach(t, reg, "a", "zz")
	pool := reg.AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{})

	slices.Sort(builtins)
	external := []string{"mcp__A___", "mcp__A__z", "mcp__a___y", "mcp__a__zz", "mcp__z__Z", "mcp__z__a"}
	require.Equal(t, append(slices.Clone(builtins), external...), names(pool))
	require.Equal(t, builtins, declared(pool, pegboard.Builtin))
	require.Equal(t, external, declared(pool, pegboard.External))
	require.Equal(t, len(builtins)+len(external), pool.Len())
}

// TestUnfilteredCountsEveryExternalTool compares the view for counting with the pool.
func TestUnfilteredCountsEveryExternalTool(t *testing.T) {
	t.Parallel()
	reg := registryOf(t, inert("Read"), inert("Agent"), inert("Denied"), inert("Glob"), switched("Off", never), inert("mcp__s__taken"))
	attach(t, reg, "s", "taken", "ok", "denied")
	attach(t, reg, "s.v", "both")
	attach(t, reg, "s_v", "both")
	_, err := reg.Attach("off", switched("off", never))
	require.NoError(t, err)
	external := []pegboard.Origin{
		{Source: "s", Tool: "taken"}, {Source: "s", Tool: "ok"}, {Source: "s", Tool: "denied"},
		{Source: "s.v", Tool: "both"}, {Source: "s_v", Tool: "both"}, {Source: "off", Tool: "off"},
	}
	s := denying(t, "Denied", "mcp__s__denied")
	child, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent})
	require.NoError(t, err)
	tests := []struct {
		name string
		s    *pegboard.Session
		want []string
	}{
		{name: "main", s: s, want: []string{"Agent", "Read", "mcp__s__taken"}},
		{name: "an agent", s: child, want: []string{"Read", "mcp__s__taken"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			pool := reg.AssemblePool(tc.s, pegboard.PoolConfig{Gates: pegboard.Gates{EmbeddedSearch: true}})
			var prefix []string
			var rest []pegboard.Origin
			for tool := range pool.Unfiltered() {
				if o := tool.Info().Origin; o.External() {
					rest = append(rest, o)
					continue
				}
				require.Empty(t, rest, "built-in tools come first")
				prefix = append(prefix, tool.Info().Name)
			}
			require.Equal(t, tc.want, prefix)
			require.ElementsMatch(t, external, rest)
		})
	}
}

// TestPoolWith assembles a pool with tools of its own.
func TestPoolWith(t *testing.T) {
	t.Parallel()
	own := described("StructuredOutput", "The schema of this run.")
	with := func(tools ...pegboard.Tool) pegboard.PoolConfig { return pegboard.PoolConfig{With: tools} }
	registered := []string{"Read", "Grep", "TodoWrite", "TaskGet"}
	ungated := []string{"Grep", "Read", "TaskGet"}
	tests := []struct {
		name     string
		role     pegboard.Role
		deny     []string
		pool     pegboard.PoolConfig
		resolve  []string // entries of a definition; nil for none
		disallow []string
		want     []string
		explain  map[string]string
		err      string
	}{
		{name: "none", want: ungated},
		{name: "instead of a registered one, and behind no gate", pool: with(own), want: ordered(ungated, []string{"StructuredOutput"})},
		{name: "in simple mode", pool: pegboard.PoolConfig{With: []pegboard.Tool{own, inert("Grep")}, Gates: pegboard.Gates{Simple: true}}, want: []string{"Grep", "Read", "StructuredOutput"}},
		{name: "it counts where a gate looks for a name", pool: pegboard.PoolConfig{With: inerts("TodoWrite"), Gates: pegboard.Gates{TodoList: true}}, want: []string{"Grep", "Read", "TodoWrite"}},
		{name: "denied", deny: []string{"StructuredOutput"}, pool: with(own), want: ungated, explain: map[string]string{"StructuredOutput": "deny rule"}},
		{name: "the table of a role has it", role: pegboard.RoleAsyncAgent, pool: with(own), want: []string{"Grep", "Read", "StructuredOutput"}},
		{name: "the table of a role lacks it", role: pegboard.RoleAsyncAgent, pool: with(inert("Own")), want: []string{"Grep", "Read"}, explain: map[string]string{"Own": "async agent"}},
		{name: "restricted", pool: pegboard.PoolConfig{With: []pegboard.Tool{own}, Restrictions: []pegboard.Restriction{{Reason: "not today", Without: []string{"StructuredOutput"}}}}, want: ungated, explain: map[string]string{"StructuredOutput": "not today"}},
		{name: "another letter case", pool: with(inert("READ")), want: []string{"Grep", "READ", "TaskGet"}, explain: map[string]string{"Read": "this pool has READ of its own"}},
		{name: "an alias", pool: with(inert("Look", "Grep")), want: []string{"Look", "Read", "TaskGet"}, explain: map[string]string{"StructuredOutput": "Gates.StructuredOutput"}},
		{name: "an attached name is taken", pool: with(inert("mcp__srv__list")), want: ordered(ungated, []string{"mcp__srv__list"}), explain: map[string]string{"list": "the built-in tool mcp__srv__list"}},

		{name: "nil", pool: with(nil, own), want: ordered(ungated, []string{"StructuredOutput"}), explain: map[string]string{"tool 1 of PoolConfig.With": "is nil"}},
		{name: "a name that no rule could name", pool: with(inert("Read(x)")), want: ungated, explain: map[string]string{"Read(x)": "no rule could name"}},
		{name: "two of one name", pool: with(described("Own", "first"), inert("A", "own")), want: ordered(ungated, []string{"Own"}), explain: map[string]string{"A": "differs only in letter case"}},
		{name: "one that is left out takes no name", pool: with(inert("Own"), inert("A", "own"), inert("A")), want: ordered([]string{"A", "Own"}, ungated)},

		{name: "a definition need not list it", pool: with(own), resolve: []string{"Read"}, want: []string{"Read", "StructuredOutput"}},
		{name: "a definition may list it", pool: with(own), resolve: []string{"StructuredOutput"}, want: []string{"StructuredOutput"}},
		{name: "a definition without tools", pool: with(own), resolve: []string{}, want: []string{"StructuredOutput"}},
		{name: "a definition disallows it", pool: with(own), resolve: []string{"Read"}, disallow: []string{"StructuredOutput"}, want: []string{"Read"}},
		{name: "a definition that leaves nothing else", pool: with(own), resolve: []string{"Write"}, err: "no tool is left"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			reg := registryOf(t, append(inerts(registered...), described("StructuredOutput", "registered"))...)
			attach(t, reg, "srv", "list")
			pool := reg.AssemblePool(session(t, pegboard.SessionConfig{Role: tc.role, Permissions: rules(t, "", pegboard.RuleSet{Deny: tc.deny})}), tc.pool)
			for name, why := range tc.explain {
				require.Contains(t, pool.Explain(name), why)
			}
			if tc.resolve != nil {
				res, err := pool.Resolve(tc.resolve, tc.disallow)
				if tc.err != "" {
					require.ErrorContains(t, err, tc.err)
					return
				}
				require.NoError(t, err)
				require.Empty(t, without(res.Unknown, "Write"))
				pool = res.Pool
			}
			var builtins []string
			for d := range pool.Declarations(pegboard.Builtin) {
				builtins = append(builtins, d.Name)
				if d.Name == "StructuredOutput" {
					require.Equal(t, "The schema of this run.", d.Description)
				}
				if d.Name == "Own" && len(tc.pool.With) == 2 {
					require.Equal(t, "first", d.Description)
				}
			}
			require.Equal(t, tc.want, builtins)
		})
	}
}

// TestPoolWithLeavesOthersAlone: a tool of one pool is in no other, and its call runs.
func TestPoolWithLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	reg := registryOf(t, inert("Read"), plain("Say", says("registered")))
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, pegboard.ModeBypass, pegboard.RuleSet{})})
	ex := executor(pegboard.Executor{})
	for _, tc := range []struct {
		with []pegboard.Tool
		want string
	}{
		{with: []pegboard.Tool{plain("Say", says("one"))}, want: "one"},
		{with: []pegboard.Tool{plain("Say", says("two"))}, want: "two"},
		{want: "registered"},
	} {
		pool := reg.AssemblePool(s, pegboard.PoolConfig{With: tc.with})
		out := ex.Run(t.Context(), pool, pegboard.Call{ID: "1", Name: "Say"})
		require.Equal(t, tc.want, out[0].Result.Text())
	}
}
