package responses_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/openai/responses"
)

func TestLoaded(t *testing.T) {
	t.Parallel()
	block := `<functions>\n{\"name\":\"b\"}\n</functions>`
	var w responses.Codec
	got := w.Loaded(itemsOf([]string{
		hello, `null`, `{"role":"user","content":"` + block + `"}`, use("1", "ToolSearch", "{}"), use("2", "ToolSearch", "{}"), use("3", "a", "{}"), output("1", `"`+block+`"`), output("2", `[{"type":"input_text","text":"`+strings.Replace(block, "b", "c", 1)+`"}]`), output("3", `7`),
		`{"type":"tool_search_output","tools":[{"type":"function","name":"d"},{"type":"namespace","name":"n","tools":[{"type":"function","name":"e"},{"type":"function","name":"a"}]}]}`,
		`{"type":"tool_search_output","tools":7}`, use("4", "a", "{}"), use("5", "f", "{}"),
	}))
	require.Equal(t, []string{"ToolSearch", "a", "b", "c", "d", "e", "f"}, got)
	require.Nil(t, w.Loaded(nil))
	known := responses.New(poolOf(t, tool(t, pegboard.Info{Name: "Agent", Aliases: []string{"Task"}}, "", anyObject)), responses.Config{})
	require.Equal(t, []string{"Agent"}, known.Loaded(itemsOf([]string{use("1", "Task", "{}"), use("2", "Agent", "{}")})))
}

// TestShown tells outputs of a search from what only looks like one: that loads no
// tools, and is trimmed like any other.
func TestShown(t *testing.T) {
	t.Parallel()
	search := tool(t, pegboard.Info{Name: "ToolSearch", Aliases: []string{"FindTools"}}, "", anyObject)
	searching := responses.New(poolOf(t, search, tool(t, named("fetch.page"), "", anyObject)), responses.Config{})
	renamed := responses.New(poolOf(t, tool(t, pegboard.Info{Name: "grep", Aliases: []string{"ToolSearch"}}, "", anyObject)), responses.Config{})
	const block = "<functions>\n{\"name\":\"zoom\"}\n</functions>"
	const quoted = `"<functions>\n{\"name\":\"zoom\"}\n</functions>"`
	shows, inParts := output("a", quoted), output("a", `[`+inputText("Found:")+`,`+inputText(block)+`]`)
	found := []string{"ToolSearch", "zoom"}
	const sent = `{"type":"tool_search_output","call_id":"a","execution":"client","status":"completed","tools":[{"type":"function","name":"zoom"}]}`
	tests := []struct {
		name   string
		wire   *responses.Codec
		call   string
		output string
		loaded []string
		fixed  bool
	}{
		{name: "a page", wire: searching, call: use("a", searching.Name("fetch.page"), "{}"), output: shows, loaded: []string{"fetch.page"}},
		{name: "a file", wire: searching, call: use("a", "Read", "{}"), output: inParts, loaded: []string{"Read"}},
		{name: "a server", wire: searching, call: use("a", "mcp__maps__route", "{}"), output: shows, loaded: []string{"mcp__maps__route"}},
		{name: "a tool that was renamed", wire: renamed, call: use("a", "ToolSearch", "{}"), output: shows, loaded: []string{"grep"}},
		{name: "an unknown call", wire: searching, call: use("b", "ToolSearch", "{}"), output: shows, loaded: []string{"ToolSearch"}},
		{name: "no call", wire: searching, call: hello, output: shows},
		{name: "no id", wire: searching, call: use("", "ToolSearch", "{}"), output: output("", quoted), loaded: []string{"ToolSearch"}},
		{name: "a call of another kind", wire: searching, call: `{"type":"custom_tool_call","call_id":"a","name":"ToolSearch","input":"x"}`,
			output: `{"type":"custom_tool_call_output","call_id":"a","output":` + quoted + `}`},
		{name: "a search that failed", wire: searching, call: use("a", "ToolSearch", "{}"), output: output("a", `"Error: no such tool:\n<functions>\n{\"name\":\"zoom\"}\n</functions>"`), loaded: []string{"ToolSearch"}},
		{name: "a search that found nothing", wire: searching, call: use("a", "ToolSearch", "{}"), output: output("a", `"No tool matches."`), loaded: []string{"ToolSearch"}},
		{name: "a search", wire: searching, call: use("a", "ToolSearch", "{}"), output: shows, loaded: found, fixed: true},
		{name: "a search, in parts", wire: searching, call: use("a", "ToolSearch", "{}"), output: inParts, loaded: found, fixed: true},
		{name: "an alias", wire: searching, call: use("a", "FindTools", "{}"), output: shows, loaded: found, fixed: true},
		{name: "without a pool", wire: &responses.Codec{}, call: use("a", "ToolSearch", "{}"), output: shows, loaded: found, fixed: true},
		{name: "an item of a search", wire: searching, call: hello, output: sent, loaded: []string{"zoom"}, fixed: true},
		{name: "the text of such an item", wire: searching, call: use("a", "Read", "{}"), loaded: []string{"Read"},
			output: output("a", `"{\"type\":\"tool_search_output\",\"tools\":[{\"type\":\"function\",\"name\":\"zoom\"}]}"`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			items := itemsOf([]string{tt.call, tt.output})
			require.Equal(t, tt.loaded, tt.wire.Loaded(items))
			var s trimmer
			tt.wire.Trim(t.Context(), items, &s)
			require.Len(t, s.shown, 1)
			require.Equal(t, tt.fixed, s.shown[0].Fixed)
		})
	}
}
