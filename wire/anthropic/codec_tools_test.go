package anthropic_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
	"github.com/seed49eaa51d/pegboard/wire/internal/wiretest"
)

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

	wiretest.RequireGolden(t, anthropic.New(wiretest.Hosted(t, &r, session(t)), anthropic.Config{}))
}

// TestTools, with one whose parameter the API refuses.
func TestTools(t *testing.T) { wiretest.RunTools(t, api) }

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
			w := anthropic.New(poolOf(t, tool(t, "other", "", anyObject), wiretest.Declared{Tool: tool(t, "tested", "", anyObject), Schema: tt.schema}), anthropic.Config{})
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

func TestTrim(t *testing.T) {
	const (
		definitions = `{"type":"text","text":"<functions>\n{\"name\":\"x\"}\n</functions>"}`
		image       = `{"type":"image", "source":{"type":"base64","media_type":"image/png","data":"cG5n"}}`
		document    = `{"type":"document","source":{"type":"text","media_type":"text/plain","data":"d"}}`
	)
	text := func(s string) string { return `{"type":"text","text":"` + s + `"}` }
	w := anthropic.New(poolOf(t, tool(t, "notes.add", "", anyObject), aliased(t, "Agent", "Task")), anthropic.Config{})
	wiretest.RunTrim(t, api, w, []wiretest.TrimCase{
		{Name: "nothing", Texts: []string{"x"}},
		{Name: "no results", In: []string{hello, assistant(use("a", "clock")), user(says)}, Texts: []string{"x"}},
		{Name: "some", In: []string{hello, assistant(use("a", "clock"), use("b", "map")), ` { "content":[ ` + resultOf("a", text("1")) + ` ,` + resultOf("b", text("2")) + `, ` + says + `], "role":"user"}`,
			assistant(use("c", "clock")), user(resultOf("c", text("3")))}, Texts: []string{"", "<two>"},
			Shown: []string{"1 clock(a): 1", "1 map(b): 2", "2 clock(c): 3"},
			Want: []string{hello, assistant(use("a", "clock"), use("b", "map")), `{"content":[` + resultOf("a", text("1")) + `,` + resultOf("b", text("<two>")) + `,` + says + `],"role":"user"}`,
				assistant(use("c", "clock")), user(resultOf("c", text("3")))}},
		{Name: "a message for each", In: []string{assistant(use("a", "clock"), use("b", "map")), user(resultOf("a", text("1"))), user(resultOf("b", text("2")))},
			Shown: []string{"1 clock(a): 1", "1 map(b): 2"}},
		{Name: "other blocks", In: []string{assistant(use("a", "x")), user(`{"type":"tool_result","tool_use_id":"a","is_error":false,"content":[` + image + `,{"text":"1", "type":"text", "cache_control":{}},` + document + `,` + text("2") + `,7],"cache_control":{ }}`)},
			Texts: []string{"\"new\""}, Shown: []string{"1 x(a): 1\n2"},
			Want: []string{assistant(use("a", "x")), user(`{"type":"tool_result","tool_use_id":"a","is_error":false,"content":[` + image + `,{"text":"\"new\"","type":"text","cache_control":{}},` + document + `,7],"cache_control":{ }}`)}},
		{Name: "a string", In: []string{assistant(use("a", "x")), user(`{"content":"\u006fld","is_error":true,"type":"tool_result","tool_use_id":"a"}`)},
			Texts: []string{"new"}, Shown: []string{"1 x(a): old"},
			Want: []string{assistant(use("a", "x")), user(`{"content":"new","is_error":true,"type":"tool_result","tool_use_id":"a"}`)}},
		{Name: "what made tools known", In: []string{assistant(use("a", "x"), use("b", "ToolSearch"), use("c", "ToolSearch")),
			user(resultOf("a", refer("x"), text("1")), resultOf("b", text("1"), definitions), `{"type":"tool_result","tool_use_id":"c","content":"<functions>\n{\"name\":\"x\"}"}`)},
			Texts: []string{"n", "n", "n"}, Shown: []string{"1 x(a), fixed: 1",
				"1 ToolSearch(b), fixed: 1\n<functions>\n{\"name\":\"x\"}\n</functions>", "1 ToolSearch(c), fixed: <functions>\n{\"name\":\"x\"}"}},
		{Name: "without text", In: []string{assistant(use("a", "x"), use("b", "x"), use("c", "x")), user(imageOfA, `{"type":"tool_result","tool_use_id":"b"}`, resultOf("c"))}, Texts: []string{"n", "n", "n"},
			Shown: []string{"1 x(a): ", "1 x(b): ", "1 x(c): "}},
		{Name: "names of the pool", In: []string{assistant(use("a", w.Name("notes.add")), use("b", "Task"), use("c", "gone"), use("a", "again")), user(resultOf("a"), resultOf("b"), resultOf("c"), resultOf("d"))},
			Shown: []string{"1 notes.add(a): ", "1 Agent(b): ", "1 gone(c): ", "1 (d): "}},
		{Name: "out of order", In: []string{user(resultOf("a", text("1")), `{"type":"tool_result","content":"2"}`), assistant(use("a", "x"), `{"type":"tool_use","name":"y"}`)}, Texts: []string{"n", "n"},
			Shown: []string{"0 x(a): 1", "0 (): 2"},
			Want:  []string{user(resultOf("a", text("n")), `{"type":"tool_result","content":"n"}`), assistant(use("a", "x"), `{"type":"tool_use","name":"y"}`)}},
		{Name: "unreadable", In: []string{`{`, assistant(use("a", "x")), `{"role":"tool"}`, user(`{"type":"tool_result","type":"x"}`), user(resultOf("a", text("1")))}, Texts: []string{"n"},
			Shown: []string{"1 x(a): 1"},
			Want:  []string{`{`, assistant(use("a", "x")), `{"role":"tool"}`, user(`{"type":"tool_result","type":"x"}`), user(resultOf("a", text("n")))}},
		{Name: "of the server", In: []string{assistant(onServer, served, `{"type":"mcp_tool_result","tool_use_id":"m","content":"x"}`)}, Texts: []string{"n"}},
	})
}
