package pegboard_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

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
