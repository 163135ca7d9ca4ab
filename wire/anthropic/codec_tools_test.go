package anthropic_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
)

const (
	anyObject     = `{"type":"object"}`
	refusedSchema = `{"type":"object","properties":{"a b":{}},"dependentRequired":{"a b":[]}}`
)

// tool returns a tool that does nothing.
func tool(t testing.TB, name, description, schema string) pegboard.Tool {
	t.Helper()
	built, err := pegboard.BuildRaw(json.RawMessage(schema), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info:        pegboard.Info{Name: name, Loading: pegboard.LoadAlways},
		Description: description,
		Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) {
			return pegboard.TextResult("done"), nil
		},
	})
	require.NoError(t, err)
	return built
}

// declared shows the model another schema than the tool checks, as a wrapper may.
type declared struct {
	pegboard.Tool
	schema string
}

func (d declared) Declare(s pegboard.Scope) (pegboard.Declaration, bool) {
	decl, ok := d.Tool.Declare(s)
	return pegboard.Declaration{Name: decl.Name, InputSchema: json.RawMessage(d.schema)}, ok
}

func session(t testing.TB) *pegboard.Session {
	t.Helper()
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	return s
}

// loading keeps a definition from waiting, or makes it wait, whatever tool it is of.
func loading(deferred bool) pegboard.Loading {
	if deferred {
		return pegboard.LoadOnSearch
	}
	return pegboard.LoadAlways
}

// poolOf returns the pool of built-in tools for a provider that searches.
func poolOf(t testing.TB, tools ...pegboard.Tool) *pegboard.Pool {
	t.Helper()
	var r pegboard.Registry
	require.NoError(t, r.Add(tools...))
	return r.AssemblePool(session(t), pegboard.PoolConfig{Deferral: pegboard.Deferral{ProviderSearch: true}})
}

// definition is a tool as the API reads it.
type definition struct {
	Name        string          `json:"name"`
	Description *string         `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

func definitions(t testing.TB, w *anthropic.Codec) []definition {
	t.Helper()
	var all []definition
	require.NoError(t, json.Unmarshal(w.Tools(), &all))
	return all
}

func TestToolsGolden(t *testing.T) {
	t.Parallel()
	var r pegboard.Registry
	require.NoError(t, r.Add(
		tool(t, "clock", "", `{"properties":{}}`),
		tool(t, "weather", "Tells <the> weather & more.", `{
			"type": "object",
			"properties": {"city": {"type": "string", "description": "e.g. \"Zürich\""}},
			"required": ["city"]
		}`),
		tool(t, "notes.add", "A name that the API refuses.", anyObject),
		tool(t, "refused", "A property that the API refuses.", refusedSchema),
	))
	_, err := r.Attach("maps", tool(t, "route", "Finds a way.", anyObject))
	require.NoError(t, err)

	got := anthropic.New(r.AssemblePool(session(t), pegboard.PoolConfig{Deferral: pegboard.Deferral{ProviderSearch: true}}), anthropic.Config{}).Tools()
	want, err := os.ReadFile(filepath.Join("testdata", "tools.golden.json"))
	require.NoError(t, err)
	require.Equal(t, strings.TrimSpace(string(want)), string(got))
}

func TestToolsOfNothing(t *testing.T) {
	t.Parallel()
	require.Equal(t, "[]", string(anthropic.New(poolOf(t), anthropic.Config{}).Tools()))
	var zero anthropic.Codec
	require.Equal(t, "[]", string(zero.Tools()))
	require.Equal(t, "any name", zero.Name("any name"))
}

func TestToolsSchema(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		schema string
		want   string // empty: left out
		reason string
	}{
		{name: "as it is", schema: `{ "type": "object", "properties": {"a.b": {"anyOf": [{}, {}]}} }`, want: `{ "type": "object", "properties": {"a.b": {"anyOf": [{}, {}]}} }`},
		{name: "no type", schema: `{"properties":{"a":{}}}`, want: `{"properties":{"a":{}},"type":"object"}`},
		{name: "object among others", schema: `{"type":["object","null"]}`, want: anyObject},
		{name: "other type", schema: `{"type":"string"}`, reason: "the root's type is not object"},
		{name: "no object", schema: `true`, reason: "not"},
		{name: "no JSON", schema: `{"type":"object"}}`, reason: "not JSON"},
		{name: "property name", schema: `{"properties":{"$schema":{}},"if":{}}`, reason: "name of a parameter"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := anthropic.New(poolOf(t, tool(t, "other", "", anyObject), declared{tool(t, "tested", "", anyObject), tt.schema}), anthropic.Config{})
			all := definitions(t, w)
			require.Equal(t, "other", all[0].Name)
			if tt.want != "" {
				require.Empty(t, w.Omitted())
				require.Len(t, all, 2)
				require.Equal(t, tt.want, string(all[1].InputSchema))
				return
			}
			require.Len(t, all, 1)
			require.Len(t, w.Omitted(), 1)
			require.Equal(t, "tested", w.Omitted()[0].Tool)
			require.Contains(t, w.Omitted()[0].Reason, tt.reason)
		})
	}
}

// TestToolsCombinators sends schemas with combinators at the root, which the API
// refuses as they are.
func TestToolsCombinators(t *testing.T) {
	t.Parallel()
	for _, schema := range []string{`{"type":"object","anyOf":[{}]}`, `{"oneOf":[{"required":["a"]},{"required":["b"]}]}`, `{"allOf":[{"properties":{"a":{}}}]}`} {
		w := anthropic.New(poolOf(t, tool(t, "tested", "", schema)), anthropic.Config{})
		require.Len(t, sentBy(t, w), 1)
		requireTaken(t, w)
	}
}

var apiName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func TestNames(t *testing.T) {
	t.Parallel()
	given := []string{
		"plain", "with-dash_9", "notes.add", "notes/add", "notes add", "ümlaut", "日本語", "_", ".", "..",
		strings.Repeat("n", 64), strings.Repeat("n", 65), strings.Repeat("n", 65) + "!", strings.Repeat("é", 40),
	}
	var tools []pegboard.Tool
	for _, name := range given {
		tools = append(tools, tool(t, name, "", anyObject))
	}
	w := anthropic.New(poolOf(t, tools...), anthropic.Config{})
	other := anthropic.New(poolOf(t, tools[2]), anthropic.Config{})

	seen := map[string]string{}
	for _, name := range given {
		api := w.Name(name)
		require.Regexp(t, apiName, api)
		require.NotContains(t, seen, api, "%q and %q share a name", name, seen[api])
		seen[api] = name
		if apiName.MatchString(name) {
			require.Equal(t, name, api)
		}
		require.Equal(t, name, callOf(t, w, api).Name)
	}
	require.Equal(t, w.Name("notes.add"), other.Name("notes.add"), "a name depends on the other tools")
	require.Regexp(t, `^notes_add_[0-9a-f]{12}$`, w.Name("notes.add"))
	require.Equal(t, "unknown", callOf(t, w, "unknown").Name)
	for _, d := range definitions(t, w) {
		require.Contains(t, seen, d.Name)
	}
}

// callOf returns a call of a tool by the name that the API knows.
func callOf(t *testing.T, w *anthropic.Codec, apiName string) pegboard.Call {
	t.Helper()
	body := fmt.Sprintf(`{"type":"message","content":[{"type":"tool_use","id":"toolu_1","name":%q,"input":{}}]}`, apiName)
	m, err := w.Read(strings.NewReader(body)).Message()
	require.NoError(t, err)
	require.Len(t, m.Calls, 1)
	return m.Calls[0]
}

// TestNamesMadeToCollide attaches a tool whose name is the one that a built-in
// was given: the built-in keeps it.
func TestNamesMadeToCollide(t *testing.T) {
	t.Parallel()
	const builtin = "mcp__maps__route."
	taken := anthropic.New(poolOf(t, tool(t, builtin, "", anyObject)), anthropic.Config{}).Name(builtin)

	var r pegboard.Registry
	require.NoError(t, r.Add(tool(t, builtin, "", anyObject)))
	_, err := r.Attach("maps", tool(t, strings.TrimPrefix(taken, "mcp__maps__"), "", anyObject))
	require.NoError(t, err)
	p := r.AssemblePool(session(t), pegboard.PoolConfig{Deferral: pegboard.Deferral{ProviderSearch: true}})
	_, clash := p.Lookup(taken)
	require.True(t, clash, "the attack needs a tool named %s", taken)

	w := anthropic.New(p, anthropic.Config{})
	require.Equal(t, taken, w.Name(builtin))
	require.NotEqual(t, taken, w.Name(taken))
	require.Regexp(t, apiName, w.Name(taken))
	require.Equal(t, builtin, callOf(t, w, taken).Name)
	require.Equal(t, taken, callOf(t, w, w.Name(taken)).Name)
}

// TestInvariant8OneBadTool makes sure that a tool which the API would refuse the
// whole request for costs nobody but itself.
func TestInvariant8OneBadTool(t *testing.T) {
	t.Parallel()
	var r pegboard.Registry
	require.NoError(t, r.Add(tool(t, "edit", "", anyObject)))
	_, err := r.Attach("maps", tool(t, "bad", "", refusedSchema), tool(t, "route", "", anyObject))
	require.NoError(t, err)
	w := anthropic.New(r.AssemblePool(session(t), pegboard.PoolConfig{Deferral: pegboard.Deferral{ProviderSearch: true}}), anthropic.Config{})
	var sent []string
	for _, d := range definitions(t, w) {
		sent = append(sent, d.Name)
	}
	require.Equal(t, []string{"edit", "mcp__maps__route"}, sent)
	require.Len(t, w.Omitted(), 1)
	require.Equal(t, wire.Problem{Tool: "mcp__maps__bad", Reason: w.Omitted()[0].Reason, Omitted: true}, w.Omitted()[0])
	require.Contains(t, w.Omitted()[0].Reason, "a b")
}
