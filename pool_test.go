package pegboard_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
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
	require.NoError(t, s.SetPermissions(pegboard.Permissions{}))
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
	reg := registryOf(t, inert("Read"), inert("Bash"))
	attach(t, reg, "gh", "list", "search")
	attach(t, reg, "web", "fetch")
	attach(t, reg, "gh", "search")
	reg.Detach("web")
	s := denying(t, "Bash")
	pool := reg.AssemblePool(s, pegboard.PoolConfig{}).Restrict(pegboard.Restriction{Without: []string{"mcp__gh__search"}})
	for name, says := range map[string]string{
		"Reed":            "not a registered tool. Did you mean Read?",
		"Bash":            `not available here: deny rule "Bash"`,
		"mcp__gh__search": "not available here: a restriction",
		"mcp__gh__list":   `no longer there: "gh" has withdrawn it`,
		"mcp__web__fetch": `no longer there: "web"`,
	} {
		ex := executor(pegboard.Executor{})
		out := ex.Run(t.Context(), pool, call("1", name, ``))[0]
		require.ErrorIs(t, out.Err, pegboard.ErrUnknownTool)
		require.Contains(t, out.Result.Text(), says)
	}
	attach(t, reg, "web", "fetch")
	require.Contains(t, reg.AssemblePool(s, pegboard.PoolConfig{}).Explain("mcp__web__fetch"), "is available")
}
