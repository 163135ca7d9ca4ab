package gemini_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/gemini"
)

// declaration is a tool as the API reads it.
type declaration struct {
	Name                 string
	Description          *string
	Parameters           json.RawMessage
	ParametersJSONSchema json.RawMessage
}

func declarations(t testing.TB, w *gemini.Codec) []declaration {
	t.Helper()
	var all []struct{ FunctionDeclarations []declaration }
	require.NoError(t, json.Unmarshal(w.Tools(), &all))
	if len(all) == 0 {
		return nil
	}
	require.Len(t, all, 1)
	return all[0].FunctionDeclarations
}

const tree = `{"type":"object","properties":{"node":{"$ref":"#/$defs/node"}},"$defs":{"node":{"type":"object","properties":{"next":{"$ref":"#/$defs/node"}}}}}`

func TestToolsGolden(t *testing.T) {
	t.Parallel()
	var r pegboard.Registry
	require.NoError(t, r.Add(
		tool(t, "clock", "", `{"properties":{}}`),
		tool(t, "weather", "Tells <the> weather & more.", `{
			"type": "object",
			"properties": {"city": {"type": "string", "description": "e.g. \"Zürich\""}, "days": {"type": "integer"}},
			"required": ["city"]
		}`),
		tool(t, "notes.add", "A name that the API refuses.", onePath),
		tool(t, "tree", "A schema that refers to itself.", tree),
	))
	_, err := r.Attach("maps", tool(t, "route", "Finds a way.", onePath))
	require.NoError(t, err)

	got := gemini.New(r.AssemblePool(session(t), pegboard.PoolConfig{}), gemini.Config{}).Tools()
	want, err := os.ReadFile(filepath.Join("testdata", "tools.golden.json"))
	require.NoError(t, err)
	require.Equal(t, strings.TrimSpace(string(want)), string(got))
}

func TestToolsOfNothing(t *testing.T) {
	t.Parallel()
	require.Equal(t, "[]", string(gemini.New(poolOf(t), gemini.Config{}).Tools()))
	var zero gemini.Codec
	require.Equal(t, "[]", string(zero.Tools()))
	require.Equal(t, "any name", zero.Name("any name"))
	require.Nil(t, zero.Loaded(nil))
}

func TestToolsSchema(t *testing.T) {
	t.Parallel()
	const (
		plain = "parameters"
		json  = "parametersJsonSchema"
	)
	tests := []struct {
		name   string
		schema string
		config gemini.Config
		member string // empty: neither
	}{
		{name: "plain", schema: onePath, member: plain},
		{name: "plain, other form", schema: onePath, config: gemini.Config{JSONSchema: true}, member: json},
		{name: "refers to itself", schema: tree, member: json},
		{name: "nothing", schema: anyObject},
		{name: "nothing, said at length", schema: `{"type":"object","properties":{},"required":[],"additionalProperties":false,"$schema":"http://json-schema.org/draft-07/schema#"}`},
		{name: "nothing, other form", schema: `{}`, config: gemini.Config{JSONSchema: true}},
		{name: "asks for what it does not describe", schema: `{"type":"object","required":["a"]}`, member: json},
		{name: "any names", schema: `{"type":"object","additionalProperties":{"type":"string"}}`, member: json},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := gemini.New(poolOf(t, tool(t, "tested", "", tt.schema)), tt.config)
			require.Empty(t, w.Omitted())
			all := declarations(t, w)
			require.Len(t, all, 1)
			require.Equal(t, tt.member == plain, all[0].Parameters != nil)
			require.Equal(t, tt.member == json, all[0].ParametersJSONSchema != nil)
		})
	}
}

// TestToolsFormsAreKeptApart makes both forms of the same pool.
func TestToolsFormsAreKeptApart(t *testing.T) {
	t.Parallel()
	p := poolOf(t, tool(t, "edit", "", onePath))
	for range 2 {
		require.Contains(t, string(gemini.New(p, gemini.Config{}).Tools()), `"parameters":`)
		require.Contains(t, string(gemini.New(p, gemini.Config{JSONSchema: true}).Tools()), `"parametersJsonSchema":`+onePath)
	}
}

var apiName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,62}$`)

func TestNames(t *testing.T) {
	t.Parallel()
	given := []string{
		"plain", "with-dash_9", "notes.add", "notes/add", "notes add", "ümlaut", "日本語", "_", ".", "..", "9lives", "-dash",
		strings.Repeat("n", 63), strings.Repeat("n", 64), strings.Repeat("n", 65) + "!", strings.Repeat("é", 40),
	}
	var tools []pegboard.Tool
	for _, name := range given {
		tools = append(tools, tool(t, name, "", anyObject))
	}
	w := gemini.New(poolOf(t, tools...), gemini.Config{})
	other := gemini.New(poolOf(t, tools[2]), gemini.Config{})

	seen := map[string]string{}
	for _, name := range given {
		api := w.Name(name)
		require.Regexp(t, apiName, api)
		require.NotContains(t, seen, api, "%q and %q share a name", name, seen[api])
		seen[api] = name
		if apiName.MatchString(name) {
			require.Equal(t, name, api)
		}
		m, err := w.Read(strings.NewReader(ends("STOP", calls(api, "{}")))).Message()
		require.NoError(t, err)
		require.Equal(t, name, m.Calls[0].Name)
		require.Contains(t, string(only(w.Results(m, nil))), fmt.Sprintf(`"name":%q`, api))
	}
	require.Equal(t, w.Name("notes.add"), other.Name("notes.add"), "a name depends on the other tools")
	require.Regexp(t, `^notes_add_[0-9a-f]{12}$`, w.Name("notes.add"))
	for _, d := range declarations(t, w) {
		require.Contains(t, seen, d.Name)
	}
}

// TestInvariant7BuiltinPrefix attaches and detaches sources at random. The request's
// tools begin with the same bytes all the time.
func TestInvariant7BuiltinPrefix(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(20)) {
		random := rand.New(rand.NewPCG(7, seed))
		var r pegboard.Registry
		require.NoError(t, r.Add(
			tool(t, "zoom", "Last by name.", anyObject),
			tool(t, "edit", "Edits.", onePath),
			tool(t, "notes.add", "Mapped.", anyObject),
			tool(t, "odd", "Left out.", `{"type":"object","properties":{"a b":{}},"dependentRequired":{"a b":[]}}`),
		))
		s := session(t)
		alone := string(gemini.New(r.AssemblePool(s, pegboard.PoolConfig{}), gemini.Config{}).Tools())
		prefix := strings.TrimSuffix(alone, "]}]")
		for range 40 {
			source := fmt.Sprintf("source%d.%d", random.IntN(3), random.IntN(2))
			if random.IntN(3) == 0 {
				r.Detach(source)
			} else {
				r.Detach(source) // which need not be there
				_, err := r.Attach(source, externals(t, random)...)
				require.NoError(t, err)
			}
			p := r.AssemblePool(s, pegboard.PoolConfig{})
			w := gemini.New(p, gemini.Config{})
			got := string(w.Tools())
			rest, ok := strings.CutPrefix(got, prefix)
			require.True(t, ok, "the prefix changed:\n%s\n%s", prefix, got)
			require.Regexp(t, `^(\]\}\]$|,\{)`, rest)
			require.Equal(t, got, string(gemini.New(r.AssemblePool(s, pegboard.PoolConfig{}), gemini.Config{}).Tools()), "the same pool, other bytes")
			require.Equal(t, p.Len(), len(declarations(t, w))+len(w.Omitted()))
		}
	}
}

// externals returns a few tools, some of which the API would refuse.
func externals(t *testing.T, random *rand.Rand) []pegboard.Tool {
	t.Helper()
	schemas := []string{anyObject, `{}`, onePath, `{"type":"object","properties":{"a b":{}},"dependentRequired":{"a b":[]}}`, tree}
	var tools []pegboard.Tool
	for i := range random.IntN(4) {
		name := []string{"add", "notes.add", "zoom", "日本", strings.Repeat("long", 20)}[random.IntN(5)]
		tools = append(tools, tool(t, fmt.Sprint(name, i), fmt.Sprint("text ", random.IntN(3)), schemas[random.IntN(len(schemas))]))
	}
	return tools
}

// TestInvariant8OneBadTool makes sure that a tool which the API would refuse the whole
// request for costs nobody but itself.
func TestInvariant8OneBadTool(t *testing.T) {
	t.Parallel()
	var r pegboard.Registry
	require.NoError(t, r.Add(tool(t, "edit", "", onePath)))
	_, err := r.Attach("maps", tool(t, "bad", "", `{"type":"object","properties":{"a b":{}},"dependentRequired":{"a b":[]}}`), tool(t, "route", "", anyObject))
	require.NoError(t, err)
	w := gemini.New(r.AssemblePool(session(t), pegboard.PoolConfig{}), gemini.Config{})
	var sent []string
	for _, d := range declarations(t, w) {
		sent = append(sent, d.Name)
	}
	require.Equal(t, []string{"edit", "mcp__maps__route"}, sent)
	require.Len(t, w.Omitted(), 1)
	require.Equal(t, "mcp__maps__bad", w.Omitted()[0].Tool)
	require.True(t, w.Omitted()[0].Omitted)
	require.Contains(t, w.Omitted()[0].Reason, "a b")
}

func TestChoice(t *testing.T) {
	t.Parallel()
	w := gemini.New(poolOf(t, tool(t, "edit", "", anyObject), tool(t, "notes.add", "", anyObject)), gemini.Config{})
	tests := []struct {
		name   string
		choice wire.Choice
		want   string
	}{
		{name: "zero", want: `{"mode":"AUTO"}`},
		{name: "sequential", choice: wire.Choice{Sequential: true}, want: `{"mode":"AUTO"}`},
		{name: "some", choice: wire.Choice{Tools: []string{"edit"}}, want: `{"mode":"VALIDATED","allowedFunctionNames":["edit"]}`},
		{name: "required", choice: wire.Choice{Mode: wire.Required}, want: `{"mode":"ANY"}`},
		{name: "one of some", choice: wire.Choice{Mode: wire.Required, Tools: []string{"edit", "notes.add"}},
			want: fmt.Sprintf(`{"mode":"ANY","allowedFunctionNames":["edit",%q]}`, w.Name("notes.add"))},
		{name: "one", choice: wire.Choice{Mode: wire.One, Tool: "edit", Tools: []string{"x"}}, want: `{"mode":"ANY","allowedFunctionNames":["edit"]}`},
		{name: "none", choice: wire.Choice{Mode: wire.None, Tools: []string{"edit"}}, want: `{"mode":"NONE"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, `{"toolConfig":{"functionCallingConfig":`+tt.want+`}}`, string(w.Choice(tt.choice)))
			require.Equal(t, `{}`, string(gemini.New(poolOf(t), gemini.Config{}).Choice(tt.choice)))
		})
	}
}
