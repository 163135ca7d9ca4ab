package anthropic_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
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

// TestNormalizeStaleReferences takes away a tool that a conversation refers to.
func TestNormalizeStaleReferences(t *testing.T) {
	t.Parallel()
	before := anthropic.New(poolOf(t, tool(t, "clock", "", anyObject), tool(t, "notes.add", "", anyObject), aliased(t, "Agent", "Task")), anthropic.Config{})
	after := anthropic.New(poolOf(t, tool(t, "clock", "", anyObject), tool(t, "notes.add", "", refusedSchema), aliased(t, "Agent", "Task")), anthropic.Config{})
	notes := before.Name("notes.add")
	in := messagesOf([]string{
		hello, assistant(use("a", "search"), use("b", "search")),
		`{"role": "user","content":[` + resultOf("a", refer("clock"), refer(notes), refer("Task")) + `, ` + resultOf("b", says) + `]}`,
		assistant(onServer, `{"type":"tool_search_tool_result","tool_use_id":"srvtoolu_1","content":{"type":"tool_search_tool_search_result","tool_references":[`+refer(notes)+`]}}`),
		user(refer(notes)),
	})
	got, repairs := before.Normalize(in)
	renamed := wire.Repair{Kind: wire.StaleReference, CallID: "a", Message: 2}
	agent := `{"type":"tool_reference","tool_name":"Agent"}` // the request holds no tool Task
	require.Equal(t, []wire.Repair{renamed}, repairs)
	require.Equal(t, user(resultOf("a", refer("clock"), refer(notes), agent), resultOf("b", says)), string(got[2]))

	got, repairs = after.Normalize(in)
	require.Equal(t, []wire.Repair{renamed, renamed}, repairs)
	require.Equal(t, "stale reference", repairs[0].Kind.String())
	require.Equal(t, user(resultOf("a", refer("clock"), `{"type":"text","text":"`+gone(notes)+`"}`, agent), resultOf("b", says)), string(got[2]))
	require.Equal(t, append(in[:2:2], in[3:]...), append(got[:2:2], got[3:]...), "more was changed")

	again, repairs := after.Normalize(got)
	require.Equal(t, got, again)
	require.Empty(t, repairs)

	var zero anthropic.Codec
	got, _ = zero.Normalize(in)
	require.Equal(t, in, got)
}

// TestNormalizeStaleReferencesAndMore makes both kinds of repair at once.
func TestNormalizeStaleReferencesAndMore(t *testing.T) {
	t.Parallel()
	w := anthropic.New(poolOf(t, tool(t, "clock", "", anyObject)), anthropic.Config{})
	got, repairs := w.Normalize(messagesOf([]string{assistant(use("a", "search"), use("b", "clock")), hello, user(resultOf("a", refer("x")))}))
	require.Equal(t, []wire.Repair{
		{Kind: wire.MissingResult, CallID: "b"},
		{Kind: wire.MisplacedResult, CallID: "a", Message: 2},
		{Kind: wire.EmptyMessage, Message: 2},
		{Kind: wire.StaleReference, CallID: "a", Message: 2},
	}, repairs)
	require.Equal(t, []json.RawMessage{json.RawMessage(assistant(use("a", "search"), use("b", "clock"))), json.RawMessage(
		user(resultOf("a", `{"type":"text","text":"`+gone("x")+`"}`), unanswered("b", "clock"), `{"type":"text","text":"Hello <you>"}`))}, got)
}
