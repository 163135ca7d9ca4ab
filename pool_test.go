package pegboard_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
)

func lookUp(p *pegboard.Pool, name string) pegboard.Origin {
	tool, ok := p.Lookup(name)
	if !ok {
		return pegboard.Origin{Tool: "none"}
	}
	return tool.Info().Origin
}

// TestFingerprintChangesExactlyWithDeclarations assembles many small pools, some
// of which differ in nothing but where one text ends and the next begins.
func TestFingerprintChangesExactlyWithDeclarations(t *testing.T) {
	t.Parallel()
	build := func(name, text, schema, alias string, traits pegboard.Traits, strict bool, examples ...json.RawMessage) pegboard.Tool {
		tool, err := pegboard.BuildRaw(json.RawMessage(schema), pegboard.Definition[json.RawMessage, *pegboard.Result]{
			Info: pegboard.Info{Name: name, Aliases: []string{alias}, Strict: strict}, Description: text, Traits: traits, Examples: examples,
			Call: func(ctx, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) { return nil, nil },
		})
		require.NoError(t, err)
		return tool
	}
	byText, byPrint := map[string]string{}, map[string]string{}
	note := func(p *pegboard.Pool, part pegboard.Partition) {
		var text strings.Builder
		for d := range p.Declarations(part) {
			fmt.Fprintf(&text, "%q %q %q %q %t\n", d.Name, d.Description, d.InputSchema, d.Examples, d.Strict)
		}
		got := p.Fingerprint(part)
		if before, ok := byText[text.String()]; ok {
			require.Equal(t, before, got, text.String())
		}
		if before, ok := byPrint[got]; ok {
			require.Equal(t, before, text.String())
		}
		byText[text.String()], byPrint[got] = got, text.String()
	}
	s := session(t, pegboard.SessionConfig{})
	pools := 0
	for _, name := range []string{"a", "ab", "1:a"} {
		for _, text := range []string{"bc", "c", ""} {
			for _, schema := range []string{`{"type":"object"}`, `{"type":"object","description":"c"}`} {
				for _, traits := range []pegboard.Traits{{}, {ReadOnly: true}} { // are not declared, nor are aliases
					tool := build(name, text, schema, fmt.Sprintf("alias%d", pools), traits, false)
					reg := registryOf(t, tool, inert("z"))
					_, err := reg.Attach("src", tool)
					require.NoError(t, err)
					for _, p := range []*pegboard.Pool{reg.AssemblePool(s, pegboard.PoolConfig{}), reg.AssemblePool(s, pegboard.PoolConfig{Restrictions: []pegboard.Restriction{{Without: []string{"z"}}}})} {
						note(p, pegboard.Builtin)
						note(p, pegboard.External)
						pools++
					}
				}
			}
		}
	}
	require.Len(t, byText, 3*3*2*3, "with and without z, and attached")
	for _, examples := range [][]json.RawMessage{{}, {[]byte(`{"a":1}`)}, {[]byte(`{"a":1}`), []byte(`{"a":2}`)}} {
		for _, strict := range []bool{false, true} {
			note(registryOf(t, build("a", "b", `{"type":"object"}`, "alias", pegboard.Traits{}, strict, examples...)).AssemblePool(s, pegboard.PoolConfig{}), pegboard.Builtin)
		}
	}
	require.Len(t, byText, 3*3*2*3+6, "and with examples, and strict")
}

// TestPoolIsASnapshot changes everything that a pool was made of.
func TestPoolIsASnapshot(t *testing.T) {
	t.Parallel()
	reg := registryOf(t, inert("Read"), inert("Bash"))
	attach(t, reg, "src", "a", "b")
	s := denying(t, "Bash")
	only := []string{"Read", "mcp__src__*"}
	pool := reg.AssemblePool(s, pegboard.PoolConfig{Restrictions: []pegboard.Restriction{{Reason: "few", Only: only}}})
	view := func() []any {
		var merged []string
		for tool := range pool.Unfiltered() {
			merged = append(merged, tool.Info().Name)
		}
		return []any{
			names(pool), merged, pool.Excluded(), pool.Len(), pool.Explain("Bash"), pool.Explain("Write"),
			pool.Fingerprint(pegboard.Builtin), pool.Fingerprint(pegboard.External),
		}
	}
	before := view()
	require.Same(t, s, pool.Session())

	only[0] = "Nothing"
	require.NoError(t, reg.Add(inert("Write")))
	_, err := reg.Replace("src", described("a", "New."))
	require.NoError(t, err)
	attach(t, reg, "new", "c")
	require.NoError(t, s.SetPermissions(policy.Permissions{}))
	pool.Excluded()[0].Reason = "changed"
	narrow := pool.Restrict(pegboard.Restriction{Only: []string{}})
	require.Equal(t, before, view())
	require.Zero(t, narrow.Len())
	reg.Detach("src")
	require.Equal(t, before, view())
}

// TestUnknownDeniedAndRemovedAreToldApart: the model reads which it was.
func TestUnknownDeniedAndRemovedAreToldApart(t *testing.T) {
	t.Parallel()
	reg := registryOf(t, inert("Read"), inert("Bash", "Sh"))
	attach(t, reg, "gh", "list", "search")
	attach(t, reg, "web", "fetch")
	attach(t, reg, "gh", "search")
	reg.Detach("web")
	attach(t, reg, "db", "drop")
	s := denying(t, "Bash", "mcp__db")
	pool := reg.AssemblePool(s, pegboard.PoolConfig{}).Restrict(pegboard.Restriction{Without: []string{"mcp__gh__search"}})
	for name, says := range map[string]string{
		"Reed":            "not a registered tool. Did you mean Read?",
		"mcp__gh__search": "not available here: a restriction",
		"mcp__gh__list":   `no longer there: "gh" has withdrawn it`,
		"mcp__web__fetch": `no longer there: "web"`,
	} {
		ex := executor(pegboard.Executor{})
		out := ex.Run(t.Context(), pool, call("1", name, ``))[0]
		require.ErrorIs(t, out.Err, pegboard.ErrUnknownTool)
		require.Contains(t, out.Result.Text(), says)
	}
	for _, name := range []string{"Bash", "Sh", "mcp__db__drop", "drop"} {
		var decided []policy.Decision
		ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
			if e.Kind == pegboard.EventDecided {
				decided = append(decided, *e.Decision)
			}
		}})
		out := ex.Run(t.Context(), pool, call("1", name, ``))[0]
		require.ErrorIs(t, out.Err, pegboard.ErrDenied)
		require.Contains(t, out.Result.Text(), name+" was denied: deny rule ")
		require.Equal(t, policy.ByRule, out.Decision.By)
		require.NotNil(t, out.Decision.Rule)
		require.Equal(t, []policy.Decision{out.Decision}, decided, "it is logged")
		require.Equal(t, out.Decision, pool.Decide(t.Context(), call("1", name, ``)))
	}
	attach(t, reg, "web", "fetch")
	require.Contains(t, reg.AssemblePool(s, pegboard.PoolConfig{}).Explain("mcp__web__fetch"), "is available")
}

// naming returns a tool whose text names those of others that are in its pool, and, behind
// a bar, those that its calls may call.
func naming(name string, others ...string) pegboard.Tool {
	return prompting(name, func(s pegboard.Scope) string {
		var here, inside []string
		for _, o := range others {
			if s.Has(o) {
				here = append(here, o)
			}
			if s.CanRun(o) {
				inside = append(inside, o)
			}
		}
		return strings.TrimSpace(fmt.Sprintf("%s | %s", strings.Join(here, " "), strings.Join(inside, " ")))
	})
}

// prompting returns a tool with this prompt.
func prompting(name string, prompt func(pegboard.Scope) string) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: name}, Prompt: prompt,
		Call: func(ctx, struct{}, *pegboard.Call) (string, error) { return "", nil },
	})
}

// textOf returns what the model is told of a tool.
func textOf(p *pegboard.Pool, name string) string {
	for d := range p.Declarations(pegboard.Builtin) {
		if d.Name == name {
			return d.Description
		}
	}
	return "absent"
}

// TestTextNamesTheToolsOfItsPool, whatever has narrowed the pool.
func TestTextNamesTheToolsOfItsPool(t *testing.T) {
	t.Parallel()
	reg := registryOf(t, append(inerts("Edit", "Grep", "Agent"), naming("Bash", "Edit", "Reader", "Grep", "Agent", "Bash", "Gone"), inert("Read", "Reader"))...)
	with := func(s *pegboard.Session, cfg pegboard.PoolConfig) *pegboard.Pool { return reg.AssemblePool(s, cfg) }
	keep := func(names ...string) pegboard.Hooks {
		return pegboard.Hooks{Select: func(*pegboard.Session, []string) []string { return names }}
	}
	all := with(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{})
	resolved := func(tools, disallowed []string) *pegboard.Pool {
		res, err := all.Resolve(tools, disallowed)
		require.NoError(t, err)
		return res.Pool
	}
	for _, tt := range []struct {
		name string
		pool *pegboard.Pool
		want string
	}{
		{name: "all", pool: all, want: "Edit Reader Grep Agent Bash | Edit Reader Grep Agent"},
		{name: "denied", pool: with(denying(t, "Edit", "G*p"), pegboard.PoolConfig{}), want: "Reader Agent Bash | Reader Agent"},
		{name: "hidden by a gate", pool: with(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{Gates: pegboard.Gates{EmbeddedSearch: true}}), want: "Edit Reader Agent Bash | Edit Reader Agent"},
		{name: "role", pool: with(session(t, pegboard.SessionConfig{Role: pegboard.RoleSubAgent}), pegboard.PoolConfig{}), want: "Edit Reader Grep Bash | Edit Reader Grep"},
		{name: "restriction", pool: with(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{Restrictions: []pegboard.Restriction{{Without: []string{"Agent", "Read"}}}}), want: "Edit Grep Bash | Edit Grep"},
		{name: "hook", pool: with(session(t, pegboard.SessionConfig{Hooks: keep("Bash", "Read")}), pegboard.PoolConfig{}), want: "Reader Bash | Reader"},
		{name: "narrower", pool: all.Restrict(pegboard.Restriction{Without: []string{"Edit"}}), want: "Reader Grep Agent Bash | Reader Grep Agent"},
		{name: "resolved", pool: resolved([]string{"Bash", "Grep"}, nil), want: "Grep Bash | Grep"},
		{name: "disallowed", pool: resolved(nil, []string{"Reader"}), want: "Edit Grep Agent Bash | Edit Grep Agent"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, textOf(tt.pool, "Bash"))
		})
	}
	require.Equal(t, "Edit Reader Grep Agent Bash | Edit Reader Grep Agent", textOf(all, "Bash"), "the wider pool keeps its text")
}

// TestTextOfREPLNamesWhatScriptsCall although the gate hides it from the model.
func TestTextOfREPLNamesWhatScriptsCall(t *testing.T) {
	t.Parallel()
	reg := registryOf(t, append(inerts("Read", "Edit", "WebFetch"), naming("REPL", "Read", "Edit", "WebFetch", "REPL"))...)
	pool := func(s *pegboard.Session) *pegboard.Pool {
		return reg.AssemblePool(s, pegboard.PoolConfig{Gates: pegboard.Gates{REPL: true}})
	}
	require.Equal(t, "WebFetch REPL | Read Edit WebFetch", textOf(pool(session(t, pegboard.SessionConfig{})), "REPL"))
	require.Equal(t, "WebFetch REPL | Read WebFetch", textOf(pool(denying(t, "Edit")), "REPL"))
	narrower := pool(session(t, pegboard.SessionConfig{})).Restrict(pegboard.Restriction{Without: []string{"Read", "WebFetch"}})
	require.Equal(t, "REPL | Edit", textOf(narrower, "REPL"))
}

// TestTextOfABuiltinToolKnowsNoExternalOne: its bytes must stay when sources come and go.
func TestTextOfABuiltinToolKnowsNoExternalOne(t *testing.T) {
	t.Parallel()
	reg := registryOf(t, naming("Bash", "mcp__gh__list", "Read"), inert("Read"))
	s := session(t, pegboard.SessionConfig{})
	before := reg.AssemblePool(s, pegboard.PoolConfig{})
	_, err := reg.Attach("gh", inert("list"), naming("own", "mcp__gh__list", "Read"))
	require.NoError(t, err)
	after := reg.AssemblePool(s, pegboard.PoolConfig{})
	require.Equal(t, 4, after.Len())
	require.Equal(t, "Read | Read", textOf(after, "Bash"))
	require.Equal(t, before.Fingerprint(pegboard.Builtin), after.Fingerprint(pegboard.Builtin))
	for d := range after.Declarations(pegboard.External) {
		if d.Name == "mcp__gh__own" {
			require.Equal(t, "Read | Read", d.Description)
		}
	}
}

// TestToolThatCannotDescribeItselfIsNamedByNoText, also when it fails only once it knows
// the pool.
func TestToolThatCannotDescribeItselfIsNamedByNoText(t *testing.T) {
	t.Parallel()
	late := prompting("Late", func(s pegboard.Scope) string {
		if s.Has("Read") {
			panic("no text")
		}
		return "I wait."
	})
	reg := registryOf(t, naming("Bash", "Late", "Read"), late, inert("Read"), naming("Zed", "Late", "Bash"))
	pool := reg.AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{})
	require.Equal(t, []string{"Bash", "Read", "Zed"}, names(pool))
	require.Equal(t, "Read | Read", textOf(pool, "Bash"))
	require.Equal(t, "Bash | Bash", textOf(pool, "Zed"))
	require.Contains(t, pool.Explain("Late"), "no text")
	_, ok := pool.Lookup("Late")
	require.False(t, ok)
}

// TestTextIsMadeOnlyAsOftenAsNeeded: a text that does not ask for the pool is made once, and
// serves narrower pools.
func TestTextIsMadeOnlyAsOftenAsNeeded(t *testing.T) {
	t.Parallel()
	var asked, unasked atomic.Int32
	reg := registryOf(t, inert("Read"),
		prompting("Plain", func(pegboard.Scope) string { unasked.Add(1); return "Plain." }),
		prompting("Asking", func(s pegboard.Scope) string { asked.Add(1); return fmt.Sprint(s.Has("Read")) }))
	pool := reg.AssemblePool(session(t, pegboard.SessionConfig{Role: pegboard.RoleSubAgent}), pegboard.PoolConfig{Restrictions: []pegboard.Restriction{{}, {}}})
	require.Equal(t, []int32{1, 2}, []int32{unasked.Load(), asked.Load()})
	pool.Restrict(pegboard.Restriction{})
	require.Equal(t, []int32{1, 3}, []int32{unasked.Load(), asked.Load()})
}

// TestScopeOfNothing is what a unit test of a tool may hand over.
func TestScopeOfNothing(t *testing.T) {
	t.Parallel()
	var s pegboard.Scope
	require.False(t, s.Has("Read"))
	require.False(t, s.CanRun("Read"))
	d, ok := naming("T", "T").Declare(s)
	require.True(t, ok)
	require.Equal(t, "|", d.Description)
	require.Equal(t, "|", d.About, "people read the model's text if there is no other")
}

// TestDescriptionForPeopleIsKeptBesideThePrompt: it was lost when a Prompt was set.
func TestDescriptionForPeopleIsKeptBesideThePrompt(t *testing.T) {
	t.Parallel()
	both := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Both"}, Description: "Runs commands.",
		Prompt: func(pegboard.Scope) string { return "A long text for the model." },
		Call:   func(ctx, struct{}, *pegboard.Call) (string, error) { return "", nil },
	})
	reg := registryOf(t, both, described("One", "Says one."))
	_, err := reg.Attach("src", described("two", "The server's text."))
	require.NoError(t, err)
	pool := reg.AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{})
	got := map[string][2]string{}
	for _, part := range []pegboard.Partition{pegboard.Builtin, pegboard.External} {
		for d := range pool.Declarations(part) {
			got[d.Name] = [2]string{d.About, d.Description}
		}
	}
	require.Equal(t, map[string][2]string{
		"Both":          {"Runs commands.", "A long text for the model."},
		"One":           {"Says one.", "Says one."},
		"mcp__src__two": {"The server's text.", "The server's text."},
	}, got)
}

// TestTextNamesExactlyWhatIsThere in pools that are narrowed at random, again and again.
func TestTextNamesExactlyWhatIsThere(t *testing.T) {
	t.Parallel()
	all := []string{"A", "B", "C", "D", "E", "F"}
	var tools []pegboard.Tool
	for _, name := range all {
		tools = append(tools, naming(name, all...))
	}
	reg := registryOf(t, tools...)
	for seed := range effort.Of(t, uint64(500)) {
		r := rand.New(rand.NewPCG(seed, 1))
		some := func() []string {
			return slices.DeleteFunc(slices.Clone(all), func(string) bool { return r.IntN(4) > 0 })
		}
		pool := reg.AssemblePool(denying(t, some()...), pegboard.PoolConfig{Restrictions: []pegboard.Restriction{{Without: some()}}})
		for range r.IntN(3) {
			pool = pool.Restrict(pegboard.Restriction{Without: some()})
		}
		here := names(pool)
		for _, name := range here {
			want := strings.TrimSpace(strings.Join(here, " ") + " | " + strings.Join(without(here, name), " "))
			require.Equal(t, want, textOf(pool, name), "seed %d", seed)
		}
	}
}

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

		{name: "special", ask: "StructuredOutput", says: []string{"StructuredOutput is not available", "nobody asked for structured output"}},
		{name: "denied", deny: []string{"Read"}, ask: "Read", says: []string{"Read is not available", `deny rule "Read"`, "userSettings"}},
		{name: "denied, by alias", deny: []string{"Read"}, ask: "View", says: []string{"Read", `deny rule "Read"`, "userSettings"}},
		{name: "denied with an alias", deny: []string{"View"}, ask: "Read", says: []string{"Read is not available", `deny rule "View"`, "userSettings"}},
		{name: "denied with a star", deny: []string{"Read(*)"}, ask: "Read", says: []string{`deny rule "Read"`, "userSettings"}},
		{name: "hidden by a mode", pool: pegboard.PoolConfig{Gates: pegboard.Gates{EmbeddedSearch: true}}, ask: "Glob", says: []string{"Glob is not available", "the shell searches"}},
		{name: "hidden by a feature", pool: pegboard.PoolConfig{Gates: pegboard.Gates{Features: []pegboard.Feature{}}}, ask: "LSP", says: []string{"LSP is not available", "the feature lsp is off"}},
		{name: "disabled", ask: "Sleep", says: []string{"Sleep is not available", "disabled in this session"}},
		{name: "a declaration that panics", ask: "Shaky", says: []string{"Shaky is not available", "panic"}},

		{name: "attached, denied", deny: []string{"mcp__srv__list"}, ask: "mcp__srv__list", says: []string{"mcp__srv__list is not available", `deny rule "mcp__srv__list"`, "userSettings"}},
		{name: "attached, server denied", deny: []string{"mcp__srv"}, ask: "mcp__srv__list", says: []string{"mcp__srv__list is not available", `deny rule "mcp__srv"`, "userSettings"}},
		{name: "attached, asked for by its raw name", deny: []string{"mcp__srv"}, ask: "list", says: []string{"mcp__srv__list is not available", "userSettings"}},
		{name: "attached, disabled", ask: "mcp__srv__off", says: []string{"mcp__srv__off is not available", "disabled in this session"}},
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
			tc.cfg.Permissions = rules(t, "", policy.RuleSet{Source: policy.SourceUser, Deny: tc.deny})
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
		{name: "special, denied", tool: inert("StructuredOutput"), deny: "StructuredOutput", first: "nobody asked", then: "rule"},
		{name: "denied, hidden", tool: inert("Glob"), deny: "Glob", gates: fast, first: "deny rule", then: "Gates"},
		{name: "denied, disabled", tool: switched("Glob", never), deny: "Glob", first: "deny rule", then: "disabled"},
		{name: "hidden, disabled", tool: switched("Glob", never), gates: fast, first: "the shell searches", then: "disabled"},
		{name: "simple, denied", tool: inert("Read"), deny: "Read", gates: simple, first: "deny rule", then: "Gates"},
		{name: "disabled, of no role", tool: switched("TaskStop", never), role: pegboard.RoleSubAgent, first: "disabled", then: "sub-agent"},
		{name: "denied, of no role", tool: inert("TaskStop"), deny: "TaskStop", role: pegboard.RoleSubAgent, first: "deny rule", then: "sub-agent"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			cfg := pegboard.SessionConfig{Role: tc.role}
			if tc.deny != "" {
				cfg.Permissions = rules(t, "", policy.RuleSet{Deny: []string{tc.deny}})
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
	a := actor{name: "Bash", traits: pegboard.Traits{Targets: []policy.Target{{Kind: policy.Command, Access: policy.Run, Value: "make"}}}}
	pool := a.pool(t, session(t, pegboard.SessionConfig{Permissions: rules(t, "", policy.RuleSet{Deny: []string{"B*(ls)"}})}))
	require.Equal(t, 1, pool.Len(), "a deny rule with a pattern leaves the tool listed: %v", pool.Excluded())
}

// The deny rule mcp__srv__repo__* is about the tools whose names begin so, not about a
// tool mcp__srv__repo.
func TestDenyOfToolsOfAServerByPrefix(t *testing.T) {
	t.Parallel()
	var reg pegboard.Registry
	attach(t, &reg, "srv", "repo__delete")
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, "", policy.RuleSet{Deny: []string{"mcp__srv__repo__*"}})})
	require.Empty(t, names(reg.AssemblePool(s, pegboard.PoolConfig{})))
}

// TestForksDenyRulesComeFirst: they take tools out of the pool, as do those of
// the parent beneath an ask rule of the fork.
func TestForksDenyRulesComeFirst(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, "", policy.RuleSet{
		Allow: []string{"A", "B", "C", "D"}, Ask: []string{"B"}, Deny: []string{"C"},
	})})
	fork := forked(t, s, pegboard.SessionConfig{Permissions: rules(t, "", policy.RuleSet{Ask: []string{"A"}, Deny: []string{"D"}})})
	var order []policy.Behavior
	for _, r := range fork.Permissions().Rules() {
		order = append(order, r.Behavior)
	}
	require.IsDecreasing(t, append([]policy.Behavior{order[0] + 1}, compact(order)...))
	require.Equal(t, []string{"A", "B"}, names(registryOf(t, inerts("A", "B", "C", "D")...).AssemblePool(fork, pegboard.PoolConfig{})))
}

// compact leaves one of equals in a row.
func compact(list []policy.Behavior) (short []policy.Behavior) {
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
		{name: "an alias", pool: with(inert("Look", "Grep")), want: []string{"Look", "Read", "TaskGet"}, explain: map[string]string{"StructuredOutput": "nobody asked"}},
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
			pool := reg.AssemblePool(session(t, pegboard.SessionConfig{Role: tc.role, Permissions: rules(t, "", policy.RuleSet{Deny: tc.deny})}), tc.pool)
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
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, policy.ModeBypass, policy.RuleSet{})})
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

// BenchmarkAssemblePool measures the assembly that a host does at the start of each
// turn.
func BenchmarkAssemblePool(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("builtin=%d", n), func(b *testing.B) {
			reg := registryOf(b, numbered(n)...)
			s := session(b, pegboard.SessionConfig{})
			b.ReportAllocs()
			for b.Loop() {
				if reg.AssemblePool(s, pegboard.PoolConfig{}).Len() != n {
					b.Fatal("tools are missing")
				}
			}
		})
	}
	b.Run("builtin=50/external=1000/rules=100", func(b *testing.B) {
		reg := registryOf(b, numbered(50)...)
		for i := range 10 {
			_, err := reg.Attach(fmt.Sprintf("server%d", i), numbered(100)...)
			require.NoError(b, err)
		}
		var set policy.RuleSet
		for i := range 50 {
			set.Deny = append(set.Deny, fmt.Sprintf("Gone%d", i))
			set.Allow = append(set.Allow, fmt.Sprintf("Tool%04d", i))
		}
		s := session(b, pegboard.SessionConfig{Permissions: rules(b, "", set)})
		b.ReportAllocs()
		for b.Loop() {
			if reg.AssemblePool(s, pegboard.PoolConfig{}).Len() != 1050 {
				b.Fatal("tools are missing")
			}
		}
	})
}

// BenchmarkLookup measures a lookup in a pool of 1,000 tools. Its floor is what a
// plain map of them costs.
func BenchmarkLookup(b *testing.B) {
	tools := numbered(1000)
	pool := registryOf(b, tools...).AssemblePool(session(b, pegboard.SessionConfig{}), pegboard.PoolConfig{})
	plain := map[string]pegboard.Tool{}
	for _, tool := range tools {
		plain[tool.Info().Name] = tool
	}
	lookups := []struct {
		name string
		find func(string) (pegboard.Tool, bool)
		ask  string
		want bool
	}{
		{name: "name", find: pool.Lookup, ask: "Tool0500", want: true},
		{name: "alias", find: pool.Lookup, ask: "old0500", want: true},
		{name: "missing", find: pool.Lookup, ask: "Tool1000"},
		{name: "map", find: func(name string) (pegboard.Tool, bool) { t, ok := plain[name]; return t, ok }, ask: "Tool0500", want: true},
	}
	for _, l := range lookups {
		b.Run(l.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := l.find(l.ask); ok != l.want {
					b.Fatal(l.ask)
				}
			}
		})
	}
}
