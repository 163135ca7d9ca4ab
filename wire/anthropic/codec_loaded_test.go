package anthropic_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
)

func refer(tool string) string { return `{ "type":"tool_reference", "tool_name":"` + tool + `" }` }

func resultOf(id string, content ...string) string {
	return `{"type":"tool_result","tool_use_id":"` + id + `","content":[` + strings.Join(content, ",") + `]}`
}

func TestLoaded(t *testing.T) {
	t.Parallel()
	w := anthropic.New(poolOf(t, tool(t, "notes.add", "", anyObject), aliased(t, "Agent", "Task")), anthropic.Config{})
	block := `"Found:\n<functions>\n{\"name\":\"x\",\"input_schema\":{}}\n{\"name\":\"y\"}\n</functions>"`
	tests := []struct {
		name string
		in   []string
		want []string
	}{
		{name: "nothing"},
		{name: "calls", in: []string{hello, assistant(thinks, use("a", "b"), says, use("c", "a")), assistant(use("d", "b"))}, want: []string{"b", "a"}},
		{name: "calls of others", in: []string{user(use("a", "b")), assistant(onServer, use("srvtoolu_2", "c"), `{"type":"mcp_tool_use","name":"d"}`, unknown)}},
		{name: "references", in: []string{user(resultOf("a", refer("x"), `{"type":"text","text":"y"}`, refer("y")))}, want: []string{"x", "y"}},
		{name: "references in a failure", in: []string{user(`{"type":"tool_result","is_error":true,"content":[` + refer("x") + `]}`)}, want: []string{"x"}},
		{name: "references elsewhere", in: []string{user(refer("x"), `{"type":"text","text":`+block+`}`), assistant(`{"type":"text","text":` + block + `}`)}},
		{name: "found by the server", in: []string{assistant(onServer,
			`{"type":"tool_search_tool_result","tool_use_id":"srvtoolu_1","content":{"type":"tool_search_tool_search_result","tool_references":[`+refer("x")+`,`+refer("y")+`]}}`)},
			want: []string{"x", "y"}},
		{name: "not found by the server", in: []string{assistant(
			`{"type":"tool_search_tool_result","tool_use_id":"srvtoolu_1","content":{"type":"tool_search_tool_result_error","error_code":"unavailable"}}`)}},
		{name: "definitions", in: []string{assistant(use("a", "ToolSearch")), user(resultOf("a", `{"type":"text","text":`+block+`}`))}, want: []string{"ToolSearch", "x", "y"}},
		{name: "definitions in a string", in: []string{assistant(use("a", "ToolSearch")), user(`{"type":"tool_result","tool_use_id":"a","content":` + block + `}`)}, want: []string{"ToolSearch", "x", "y"}},
		{name: "names of the pool", in: []string{assistant(use("a", w.Name("notes.add")), use("b", "Task"), use("c", "Agent"))}, want: []string{"notes.add", "Agent"}},
		{name: "odd results", in: []string{user(`{"type":"tool_result"}`, `{"type":"tool_result","content":7}`, `{"type":"tool_result","content":[1,null,{},"x",{"type":"tool_reference"}]}`,
			`{"type":"tool_search_tool_result","content":[]}`, `{"type":"tool_search_tool_result","content":{"tool_references":{}}}`)}},
		{name: "unreadable", in: []string{`{`, `{"role":"user"}`, assistant(use("a", "b"))}, want: []string{"b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, w.Loaded(messagesOf(tt.in)))
		})
	}
	var zero anthropic.Codec
	require.Equal(t, []string{"Task"}, zero.Loaded(messagesOf([]string{assistant(use("a", "Task"))})))
}

// aliased returns a tool with another name.
func aliased(t *testing.T, name, alias string) pegboard.Tool {
	t.Helper()
	return special(t, pegboard.Info{Name: name, Aliases: []string{alias}}, anyObject)
}

// TestShown tells results of a search from what only looks like one: that loads no
// tools, and is trimmed like any other.
func TestShown(t *testing.T) {
	t.Parallel()
	search := special(t, pegboard.Info{Name: "ToolSearch", Aliases: []string{"FindTools"}}, anyObject)
	searching := anthropic.New(poolOf(t, search, tool(t, "fetch.page", "", anyObject)), anthropic.Config{})
	renamed := anthropic.New(poolOf(t, aliased(t, "grep", "ToolSearch")), anthropic.Config{})
	const block = `"<functions>\n{\"name\":\"zoom\"}\n</functions>"`
	shows := `{"type":"tool_result","tool_use_id":"a","content":` + block + `}`
	inParts := resultOf("a", `{"type":"text","text":"Found:"}`, `{"type":"text","text":`+block+`}`)
	found := []string{"ToolSearch", "zoom"}
	tests := []struct {
		name   string
		wire   *anthropic.Codec
		call   string
		result string
		loaded []string
		fixed  bool
	}{
		{name: "a page", wire: searching, call: assistant(use("a", searching.Name("fetch.page"))), result: shows, loaded: []string{"fetch.page"}},
		{name: "a file", wire: searching, call: assistant(use("a", "Read")), result: inParts, loaded: []string{"Read"}},
		{name: "a server", wire: searching, call: assistant(use("a", "mcp__maps__route")), result: shows, loaded: []string{"mcp__maps__route"}},
		{name: "a tool that was renamed", wire: renamed, call: assistant(use("a", "ToolSearch")), result: shows, loaded: []string{"grep"}},
		{name: "an unknown call", wire: searching, call: assistant(use("b", "ToolSearch")), result: shows, loaded: []string{"ToolSearch"}},
		{name: "no call", wire: searching, call: hello, result: shows},
		{name: "no id", wire: searching, call: assistant(`{"type":"tool_use","name":"ToolSearch"}`), result: `{"type":"tool_result","content":` + block + `}`, loaded: []string{"ToolSearch"}},
		{name: "a call of the user", wire: searching, call: user(use("a", "ToolSearch")), result: shows},
		{name: "the second call of an id", wire: searching, call: assistant(use("a", "Read"), use("a", "ToolSearch")), result: shows, loaded: []string{"Read", "ToolSearch"}},
		{name: "a search that failed", wire: searching, call: assistant(use("a", "ToolSearch")), result: `{"type":"tool_result","tool_use_id":"a","is_error":true,"content":` + block + `}`, loaded: []string{"ToolSearch"}},
		{name: "a search that found nothing", wire: searching, call: assistant(use("a", "ToolSearch")), result: resultOf("a", says), loaded: []string{"ToolSearch"}},
		{name: "a search", wire: searching, call: assistant(use("a", "ToolSearch")), result: shows, loaded: found, fixed: true},
		{name: "a search, in parts", wire: searching, call: assistant(use("a", "ToolSearch")), result: inParts, loaded: found, fixed: true},
		{name: "an alias", wire: searching, call: assistant(use("a", "FindTools")), result: shows, loaded: found, fixed: true},
		{name: "without a pool", wire: &anthropic.Codec{}, call: assistant(use("a", "ToolSearch")), result: shows, loaded: found, fixed: true},
		{name: "a reference", wire: searching, call: hello, result: resultOf("a", refer("zoom")), loaded: []string{"zoom"}, fixed: true},
		{name: "the text of a reference", wire: searching, call: assistant(use("a", "Read")),
			result: `{"type":"tool_result","tool_use_id":"a","content":"[{\"type\":\"tool_reference\",\"tool_name\":\"zoom\"}]"}`, loaded: []string{"Read"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			messages := messagesOf([]string{tt.call, user(tt.result)})
			require.Equal(t, tt.loaded, tt.wire.Loaded(messages))
			var s trimmer
			tt.wire.Trim(t.Context(), messages, &s)
			require.Len(t, s.shown, 1)
			require.Equal(t, tt.fixed, s.shown[0].Fixed)
		})
	}
}
