package anthropic_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/schema"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
	"github.com/seed49eaa51d/pegboard/wire/internal/wiretest"
)

const searchTool = `{"type":"tool_search_tool_bm25_20251119", "name":"tool_search_tool_bm25"}`

// sent is a tool with all that the API reads.
type sent struct {
	Type         string            `json:"type"`
	Name         string            `json:"name"`
	InputSchema  json.RawMessage   `json:"input_schema"`
	Strict       bool              `json:"strict"`
	Deferred     bool              `json:"defer_loading"`
	Examples     []json.RawMessage `json:"input_examples"`
	Eager        bool              `json:"eager_input_streaming"`
	CacheControl json.RawMessage   `json:"cache_control"`
}

func sentBy(t testing.TB, w wire.Codec) (all []sent) {
	t.Helper()
	require.NoError(t, json.Unmarshal(w.Tools(), &all))
	return all
}

func omitted(w wire.Codec) (tools []string) {
	for _, p := range w.Omitted() {
		if p.Omitted {
			tools = append(tools, p.Tool)
		}
	}
	return tools
}

// requireTaken checks the tools of a request by the documented limits.
func requireTaken(t testing.TB, w wire.Codec) {
	t.Helper()
	names := map[string]bool{}
	var all, deferred, strict, marks int
	for _, s := range sentBy(t, w) {
		all++
		if s.Type == "mcp_toolset" {
			continue
		}
		require.Regexp(t, apiName, s.Name)
		require.False(t, names[s.Name], "the name %s twice", s.Name)
		names[s.Name] = true
		if s.Deferred {
			deferred++
			require.Nil(t, s.CacheControl, "%s is deferred and has a breakpoint", s.Name)
		}
		if s.Strict {
			strict++
		}
		if s.CacheControl != nil {
			marks++
		}
		if s.Type == "" {
			requireTakenSchema(t, s)
		}
	}
	require.False(t, all > 0 && deferred == all, "all tools are deferred")
	require.LessOrEqual(t, deferred, 10_000)
	require.LessOrEqual(t, strict, 20)
	require.LessOrEqual(t, marks, 2)
}

func requireTakenSchema(t testing.TB, s sent) {
	t.Helper()
	var root map[string]any
	require.NoError(t, json.Unmarshal(s.InputSchema, &root))
	require.Equal(t, "object", root["type"])
	for _, combinator := range []string{"anyOf", "oneOf", "allOf"} {
		require.NotContains(t, root, combinator)
	}
	if len(s.Examples) == 0 {
		return
	}
	compiled, err := schema.Compile(s.InputSchema)
	require.NoError(t, err)
	for _, e := range s.Examples {
		v, err := strictjson.Decode(e, strictjson.Limits{})
		require.NoError(t, err)
		require.NoError(t, compiled.Validate(v))
	}
}

const oneLine = `{"type":"object","properties":{"line":{"type":"integer"}},"required":["line"],"additionalProperties":false}`

func TestToolMembers(t *testing.T) {
	t.Parallel()
	p := poolOf(t,
		special(t, pegboard.Info{Name: "edit", Aliases: []string{"change"}, Strict: true, Loading: pegboard.LoadOnSearch}, oneLine, `{"line":1}`, `{"line":2}`),
		tool(t, "find", "", anyObject))
	w := anthropic.New(p, anthropic.Config{EagerTools: []string{"change"}, Cache: true, CacheTTL: "1h"})
	require.Equal(t, `[{"name":"edit","input_schema":`+oneLine+`,"strict":true,"defer_loading":true,"input_examples":[{"line":1},{"line":2}],"eager_input_streaming":true},`+
		`{"name":"find","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral","ttl":"1h"}}]`, string(w.Tools()))
	require.Empty(t, w.Omitted())

	require.Equal(t, `[{"name":"edit","input_schema":`+oneLine+`,"strict":true,"defer_loading":true,"input_examples":[{"line":1},{"line":2}]},`+
		`{"name":"find","input_schema":{"type":"object"}}]`, string(anthropic.New(p, anthropic.Config{}).Tools()), "the config stayed with the tools")
	for _, s := range sentBy(t, anthropic.New(p, anthropic.Config{EagerInput: true})) {
		require.True(t, s.Eager)
	}
}

// TestCache attaches sources beside built-ins and looks where the breakpoints are.
func TestCache(t *testing.T) {
	t.Parallel()
	plain := func(name string) pegboard.Tool { return tool(t, name, "", anyObject) }
	deferred := func(name string) pegboard.Tool {
		return special(t, pegboard.Info{Name: name, Loading: pegboard.LoadOnSearch}, anyObject)
	}
	tests := []struct {
		name               string
		builtin, attached  []pegboard.Tool
		server, want, also []string // also: problems
	}{
		{name: "nothing"},
		{name: "built-ins", builtin: []pegboard.Tool{plain("a"), plain("b")}, want: []string{"b"}},
		{name: "deferred at the end", builtin: []pegboard.Tool{plain("a"), deferred("b")}, want: []string{"a"}},
		{name: "left out at the end", builtin: []pegboard.Tool{plain("a"), tool(t, "b", "", refusedSchema)}, want: []string{"a"}, also: []string{"b"}},
		{name: "both", builtin: []pegboard.Tool{plain("a"), plain("b")}, attached: []pegboard.Tool{plain("c"), plain("d"), deferred("e")}, want: []string{"b", "mcp__s__d"}},
		{name: "deferred source", builtin: []pegboard.Tool{plain("a")}, attached: []pegboard.Tool{deferred("e")}, want: []string{"a"}},
		{name: "only a source", attached: []pegboard.Tool{plain("c")}, want: []string{"mcp__s__c"}},
		{name: "all deferred", builtin: []pegboard.Tool{deferred("a"), deferred("b")}, attached: []pegboard.Tool{plain("c")}, want: []string{"a", "mcp__s__c"}, also: []string{"a"}},
		{name: "only a deferred source", attached: []pegboard.Tool{deferred("c"), deferred("d")}, want: []string{"mcp__s__c"}, also: []string{"mcp__s__c"}},
		{name: "deferred beside the server's", server: []string{searchTool}, builtin: []pegboard.Tool{deferred("a")}},
		{name: "deferred beside a toolset", server: []string{`{"type":"mcp_toolset"}`}, builtin: []pegboard.Tool{deferred("a")}, want: []string{"a"}, also: []string{"a"}},
		{name: "deferred beside a deferred one", server: []string{`{"type":"x","name":"x","defer_loading":true}`}, builtin: []pegboard.Tool{deferred("a")}, want: []string{"a"}, also: []string{"a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var r pegboard.Registry
			require.NoError(t, r.Add(tt.builtin...))
			_, err := r.Attach("s", tt.attached...)
			require.NoError(t, err)
			w := anthropic.New(wiretest.Hosted(t, &r, session(t)), anthropic.Config{ServerTools: messagesOf(tt.server...), Cache: true})
			var marked, told []string
			for _, s := range sentBy(t, w) {
				if s.CacheControl != nil {
					require.Equal(t, `{"type":"ephemeral"}`, string(s.CacheControl))
					marked = append(marked, s.Name)
				}
			}
			for _, p := range w.Omitted() {
				told = append(told, p.Tool)
			}
			require.Equal(t, tt.want, marked)
			require.Equal(t, tt.also, told)
			requireTaken(t, w)
		})
	}
}

func TestServerTools(t *testing.T) {
	t.Parallel()
	p := poolOf(t, tool(t, "web_search", "", anyObject), tool(t, "clock", "", anyObject))
	w := anthropic.New(p, anthropic.Config{ServerTools: []json.RawMessage{
		json.RawMessage(searchTool), json.RawMessage(`{"name":`), json.RawMessage(`{ "type":"web_search_20250305","name":"web_search" }`),
	}})
	require.Equal(t, `[`+searchTool+`,{ "type":"web_search_20250305","name":"web_search" },{"name":"clock","input_schema":{"type":"object"}}]`, string(w.Tools()))
	require.Equal(t, []wire.Problem{
		{Reason: "a definition of a server tool is not a JSON object", Omitted: true},
		{Tool: "web_search", Reason: "a server tool has the same name; rename one of the two", Omitted: true},
	}, w.Omitted())
	require.Equal(t, `[`+searchTool+`]`, string(anthropic.New(poolOf(t), anthropic.Config{ServerTools: []json.RawMessage{json.RawMessage(searchTool)}}).Tools()))
}

// TestLimits goes beyond what one request may hold.
func TestLimits(t *testing.T) {
	t.Parallel()
	property := func(form string, n int) (all []string) {
		for i := range n {
			all = append(all, fmt.Sprintf(form, i))
		}
		return all
	}
	object := func(properties, required []string) string {
		return `{"type":"object","additionalProperties":false,"properties":{` + strings.Join(properties, ",") + `},"required":[` + strings.Join(required, ",") + `]}`
	}
	nested := `{"type":"object","additionalProperties":false,"properties":{"list":{"type":"array","items":` +
		object(property(`"p%d":{"type":"integer"}`, 13), nil) + `}},"required":["list"]}`
	tests := []struct {
		name   string
		schema string
		fit    int // strict tools
	}{
		{name: "tools", schema: oneLine, fit: 20},
		{name: "optional properties", schema: object(property(`"p%d":{"type":"integer"}`, 8), nil), fit: 3},
		{name: "nested optional properties", schema: nested, fit: 1},
		{name: "unions", schema: object(property(`"p%d":{"type":["integer","null"]}`, 5), property(`"p%d"`, 5)), fit: 3},
		{name: "unions in other words", schema: object(property(`"p%d":{"anyOf":[{"type":"integer"},{"type":"null"}]}`, 8), property(`"p%d"`, 8)), fit: 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var tools []pegboard.Tool
			for i := range tt.fit + 2 {
				tools = append(tools, special(t, pegboard.Info{Name: fmt.Sprintf("t%02d", i), Strict: true}, tt.schema))
			}
			w := anthropic.New(poolOf(t, tools...), anthropic.Config{})
			var strict []bool
			for _, s := range sentBy(t, w) {
				strict = append(strict, s.Strict)
			}
			require.Equal(t, append(slices.Repeat([]bool{true}, tt.fit), false, false), strict)
			require.Len(t, w.Omitted(), 2)
			require.Equal(t, fmt.Sprintf("t%02d", tt.fit), w.Omitted()[0].Tool)
			require.False(t, w.Omitted()[0].Omitted)
			require.Contains(t, w.Omitted()[0].Reason, "all together may be 20 tools with 24 optional properties and 16 of several types")
			requireTaken(t, w)
		})
	}
}

func TestTooManyDeferred(t *testing.T) {
	t.Parallel()
	one := special(t, pegboard.Info{Name: "one", Loading: pegboard.LoadOnSearch}, anyObject)
	tools := []pegboard.Tool{tool(t, "search", "", anyObject)}
	for i := range 10_002 {
		tools = append(tools, renamed{one, fmt.Sprintf("t%05d", i)})
	}
	w := anthropic.New(poolOf(t, tools...), anthropic.Config{})
	require.Equal(t, []string{"t10000", "t10001"}, omitted(w))
	requireTaken(t, w)
}

// renamed is a tool under another name.
type renamed struct {
	pegboard.Tool
	name string
}

func (r renamed) Info() pegboard.Info {
	i := r.Tool.Info()
	i.Name = r.name
	return i
}

func (r renamed) Declare(s pegboard.Scope) (pegboard.Declaration, bool) {
	d, ok := r.Tool.Declare(s)
	d.Name = r.name
	return d, ok
}

// TestExamplesThatDoNotFit declares examples that the schema does not take, as a
// wrapper may. The API would refuse the whole request for one.
func TestExamplesThatDoNotFit(t *testing.T) {
	t.Parallel()
	w := anthropic.New(poolOf(t, exemplary{tool(t, "edit", "", oneLine), []string{`{"line":1}`, `{"line":"x"}`, `{`, `7`, `{"line":2}`}}), anthropic.Config{})
	require.Equal(t, `[{"name":"edit","input_schema":`+oneLine+`,"input_examples":[{"line":1},{"line":2}]}]`, string(w.Tools()))
	require.Equal(t, []wire.Problem{{Tool: "edit", Reason: "3 of its examples are left out: the input schema as it is sent does not take them"}}, w.Omitted())
	requireTaken(t, w)

	w = anthropic.New(poolOf(t, exemplary{tool(t, "edit", "", oneLine), []string{`7`}}), anthropic.Config{})
	require.NotContains(t, string(w.Tools()), "input_examples")
}

type exemplary struct {
	pegboard.Tool
	examples []string
}

func (e exemplary) Declare(s pegboard.Scope) (pegboard.Declaration, bool) {
	d, ok := e.Tool.Declare(s)
	d.Examples = messagesOf(e.examples...)
	return d, ok
}

// TestStrictThatCannotBe asks for strict where the API has no way to say the schema.
func TestStrictThatCannotBe(t *testing.T) {
	t.Parallel()
	tree := `{"type":"object","properties":{"child":{"$ref":"#"}},"additionalProperties":false}`
	p := poolOf(t, special(t, pegboard.Info{Name: "tree", Strict: true}, tree), special(t, pegboard.Info{Name: "either", Strict: true}, refusedSchema))
	w := anthropic.New(p, anthropic.Config{})
	require.Equal(t, `[{"name":"tree","input_schema":`+tree+`}]`, string(w.Tools()))
	problems := w.Omitted()
	require.Len(t, problems, 2)
	require.Equal(t, "either", problems[0].Tool)
	require.True(t, problems[0].Omitted)
	require.Equal(t, "tree", problems[1].Tool)
	require.False(t, problems[1].Omitted)
	require.Contains(t, problems[1].Reason, "it is sent without strict")
}

// TestConfigsDiffer makes sure that no two configs give the same tools.
func TestConfigsDiffer(t *testing.T) {
	t.Parallel()
	p := poolOf(t, tool(t, "edit", "", anyObject), tool(t, "find", "", anyObject))
	seen := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(configs())) {
		tools := string(anthropic.New(p, configs()[name]).Tools())
		require.NotContains(t, seen, tools, "%q and %q", name, seen[tools])
		seen[tools] = name
	}
}

// configs are the combinations of all that a Config may choose.
func configs() map[string]anthropic.Config {
	all := map[string]anthropic.Config{}
	for i := range 3 * 3 * 2 {
		var c anthropic.Config
		switch i % 3 {
		case 1:
			c.Cache = true
		case 2:
			c.Cache, c.CacheTTL = true, "1h"
		}
		switch i / 3 % 3 {
		case 1:
			c.EagerInput = true
		case 2:
			c.EagerTools = []string{"edit", "mcp__source0_0__add0"}
		}
		if i/9 == 1 {
			c.ServerTools = []json.RawMessage{json.RawMessage(searchTool), json.RawMessage(`{"type":"mcp_toolset","mcp_server_name":"x"}`)}
		}
		all[fmt.Sprintf("%+v", c)] = c
	}
	return all
}

// builtinSets are built-ins of all kinds, in groups that call for different breakpoints.
func builtinSets(t *testing.T) map[string][]pegboard.Tool {
	t.Helper()
	lines := `{"type":"object","properties":{"lines":{"type":"integer"}},"required":["lines"],"additionalProperties":false}`
	return map[string][]pegboard.Tool{
		"plain": {
			tool(t, "zoom", "Last by name.", anyObject),
			tool(t, "edit", "Edits.", `{"properties":{"path":{"type":"string"}}}`),
			tool(t, "notes.add", "Mapped.", anyObject),
			tool(t, "odd", "Left out.", refusedSchema),
		},
		"rich": {
			special(t, pegboard.Info{Name: "zoom", Loading: pegboard.LoadOnSearch}, lines, `{"lines":7}`),
			special(t, pegboard.Info{Name: "edit", Strict: true}, lines, `{"lines":7}`),
			special(t, pegboard.Info{Name: "notes.add", Loading: pegboard.LoadOnSearch, Strict: true}, lines),
			tool(t, "clock", "", anyObject),
		},
		"all deferred": {
			special(t, pegboard.Info{Name: "zoom", Loading: pegboard.LoadOnSearch}, anyObject),
			special(t, pegboard.Info{Name: "edit", Loading: pegboard.LoadOnSearch}, anyObject),
		},
		"none": nil,
	}
}

// TestInvariant7BuiltinPrefix attaches and detaches sources, whatever the options.
func TestInvariant7BuiltinPrefix(t *testing.T) {
	codecs := map[string]func(*pegboard.Pool) wire.Codec{}
	for name, config := range configs() {
		codecs[name] = func(p *pegboard.Pool) wire.Codec { return anthropic.New(p, config) }
	}
	for kind, builtins := range builtinSets(t) {
		t.Run(kind, func(t *testing.T) { wiretest.RunBuiltinPrefix(t, api, 4, builtins, codecs, requireTaken) })
	}
}

// TestInvariant7AcrossProcesses compares the tools of pools with those that another
// process makes of the same pools.
func TestInvariant7AcrossProcesses(t *testing.T) {
	const variable = "PEGBOARD_TEST_TOOLS" // the file that the other process writes to
	var here strings.Builder
	for _, kind := range []string{"plain", "rich", "all deferred", "none"} {
		var r pegboard.Registry
		require.NoError(t, r.Add(builtinSets(t)[kind]...))
		random := rand.New(rand.NewPCG(77, 7))
		for range 20 {
			wiretest.AttachOrDetach(t, api, random, &r)
		}
		p := wiretest.Hosted(t, &r, session(t))
		for i := range 18 {
			var config anthropic.Config
			if i%2 == 1 {
				config.Cache, config.CacheTTL = true, "1h"
			}
			if i%3 == 1 {
				config.EagerTools = []string{"edit", "zoom"}
			}
			fmt.Fprintf(&here, "%s %d %s\n", kind, i, anthropic.New(p, config).Tools())
		}
	}
	if path := os.Getenv(variable); path != "" {
		require.NoError(t, os.WriteFile(path, []byte(here.String()), 0o600))
		return
	}
	program, err := os.Executable()
	require.NoError(t, err)
	for i := range 3 {
		path := filepath.Join(t.TempDir(), fmt.Sprint(i))
		other := exec.CommandContext(t.Context(), program, "-test.run=^TestInvariant7AcrossProcesses$", "-test.count=1")
		other.Env = append(os.Environ(), variable+"="+path)
		output, err := other.CombinedOutput()
		require.NoError(t, err, "%s", output)
		there, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, here.String(), string(there))
	}
}
