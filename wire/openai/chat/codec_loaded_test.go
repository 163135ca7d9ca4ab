package chat_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
)

func TestLoaded(t *testing.T) {
	t.Parallel()
	w := chat.New(poolOf(t, tool(t, "clock", "", anyObject), tool(t, "time.zone", "", anyObject), tool(t, "ToolSearch", "", anyObject)), chat.Config{})
	m := wire.Message{}
	require.Nil(t, only(m.History))
	_, found, err := turnOf(t, w, outcome("a", pegboard.Part{Tool: "time.zone"}, pegboard.Part{Tool: "clock"}, pegboard.Part{Tool: "gone"}))
	require.NoError(t, err)
	tests := []struct {
		name string
		in   []string
		want []string
	}{
		{name: "nothing"},
		{name: "calls", in: []string{model(call("a", "clock"), call("b", w.Name("time.zone"))), model(call("c", "clock"), call("d", "elsewhere"))}, want: []string{"clock", "time.zone", "elsewhere"}},
		{name: "references", in: append([]string{model(call("a", "ToolSearch"))}, stringsOf(found)...), want: []string{"ToolSearch", "time.zone", "clock"}},
		{name: "in parts", in: []string{model(call("a", "ToolSearch")), `{"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"x"},{"type":"text","text":"<functions>\n{\"function\":{\"name\":\"clock\"}}\n</functions>"}]}`}, want: []string{"ToolSearch", "clock"}},
		{name: "words of others", in: []string{`{"role":"user","content":"<functions>\n{\"name\":\"clock\"}\n</functions>"}`, `{"role":"assistant","content":"<functions>\n{\"name\":\"clock\"}\n</functions>"}`}},
		{name: "unreadable", in: []string{`null`, `{`, `{"role":"assistant","tool_calls":7}`, `{"role":"tool","content":7}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, w.Loaded(messagesOf(tt.in...)))
		})
	}
}

// TestShown tells results of a search from what only looks like one: that loads no
// tools, and is trimmed like any other.
func TestShown(t *testing.T) {
	t.Parallel()
	search := toolOf(t, pegboard.Info{Name: "ToolSearch", Aliases: []string{"FindTools"}}, "", anyObject)
	searching := chat.New(poolOf(t, search, tool(t, "fetch.page", "", anyObject)), chat.Config{})
	renamed := chat.New(poolOf(t, toolOf(t, pegboard.Info{Name: "grep", Aliases: []string{"ToolSearch"}}, "", anyObject)), chat.Config{})
	const block = "<functions>\n{\"function\":{\"name\":\"zoom\"}}\n</functions>"
	shows := result("a", "Found:\n"+block)
	inParts := `{"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"Found:"},{"type":"text","text":` + quote(block) + `}]}`
	found := []string{"ToolSearch", "zoom"}
	tests := []struct {
		name   string
		wire   *chat.Codec
		call   string
		result string
		loaded []string
		fixed  bool
	}{
		{name: "a page", wire: searching, call: model(call("a", searching.Name("fetch.page"))), result: shows, loaded: []string{"fetch.page"}},
		{name: "a file", wire: searching, call: model(call("a", "Read")), result: inParts, loaded: []string{"Read"}},
		{name: "a server", wire: searching, call: model(call("a", "mcp__maps__route")), result: shows, loaded: []string{"mcp__maps__route"}},
		{name: "a tool that was renamed", wire: renamed, call: model(call("a", "ToolSearch")), result: shows, loaded: []string{"grep"}},
		{name: "an unknown call", wire: searching, call: model(call("b", "ToolSearch")), result: shows, loaded: []string{"ToolSearch"}},
		{name: "no call", wire: searching, call: hello, result: shows},
		{name: "no id", wire: searching, call: model(call("", "ToolSearch")), result: result("", block), loaded: []string{"ToolSearch"}},
		{name: "the second call of an id", wire: searching, call: model(call("a", "Read"), call("a", "ToolSearch")), result: shows, loaded: []string{"Read", "ToolSearch"}},
		{name: "a search that failed", wire: searching, call: model(call("a", "ToolSearch")), result: result("a", "Error: no such tool:\n"+block), loaded: []string{"ToolSearch"}},
		{name: "a search that found nothing", wire: searching, call: model(call("a", "ToolSearch")), result: result("a", "No tool matches."), loaded: []string{"ToolSearch"}},
		{name: "a search", wire: searching, call: model(call("a", "ToolSearch")), result: shows, loaded: found, fixed: true},
		{name: "a search, in parts", wire: searching, call: model(call("a", "ToolSearch")), result: inParts, loaded: found, fixed: true},
		{name: "an alias", wire: searching, call: model(call("a", "FindTools")), result: shows, loaded: found, fixed: true},
		{name: "without a pool", wire: &chat.Codec{}, call: model(call("a", "ToolSearch")), result: shows, loaded: found, fixed: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			messages := messagesOf(tt.call, tt.result)
			require.Equal(t, tt.loaded, tt.wire.Loaded(messages))
			var s trimmer
			tt.wire.Trim(t.Context(), messages, &s)
			require.Len(t, s.shown, 1)
			require.Equal(t, tt.fixed, s.shown[0].Fixed)
		})
	}
}

// TestShownByCallsWithOneID takes a service that counts the ids of its calls anew in each
// turn: a page that comes after a search is none.
func TestShownByCallsWithOneID(t *testing.T) {
	t.Parallel()
	var w chat.Codec
	shows := func(name string) string { return result("0", "<functions>\n{\"name\":\""+name+"\"}\n</functions>") }
	messages := messagesOf(model(call("0", "ToolSearch")), shows("zoom"), model(call("0", "Read")), shows("rm"))
	require.Equal(t, []string{"ToolSearch", "zoom", "Read"}, w.Loaded(messages))
	var s trimmer
	w.Trim(t.Context(), messages, &s)
	require.Len(t, s.shown, 2)
	require.True(t, s.shown[0].Fixed)
	require.False(t, s.shown[1].Fixed)
}
