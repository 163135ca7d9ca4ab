package gemini_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/gemini"
)

// TestAliases refers to a tool by the name that it had once.
func TestAliases(t *testing.T) {
	t.Parallel()
	agent, err := pegboard.TryBuild(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "Agent", Aliases: []string{"Task"}},
		Description: "Starts another agent.",
		Call:        func(context.Context, struct{}, *pegboard.Call) (string, error) { return "", nil },
	})
	require.NoError(t, err)
	w := gemini.New(poolOf(t, agent), gemini.Config{})
	require.Equal(t, []string{"Agent"}, w.Loaded(messagesOf([]string{`{"role":"model","parts":[` + calls("Task", "{}") + `]}`})))

	m, err := w.Read(strings.NewReader(ends("STOP", calls("search", "{}")))).Message()
	require.NoError(t, err)
	results := only(w.Results(m, []pegboard.Outcome{{Call: &m.Calls[0], Result: &pegboard.Result{Parts: []pegboard.Part{{Tool: "Task"}}}}}))
	require.Contains(t, string(results), `{\"name\":\"Agent\"`)
}

func TestLoaded(t *testing.T) {
	t.Parallel()
	w := gemini.New(poolOf(t, tool(t, "ToolSearch", "", anyObject), tool(t, "notes.add", "Adds.", onePath), tool(t, "maps", "", anyObject)), gemini.Config{})
	m, err := w.Read(strings.NewReader(ends("STOP", calls("ToolSearch", "{}")))).Message()
	require.NoError(t, err)
	answer := only(w.Results(m, []pegboard.Outcome{outcome("r-1", text("Two:"), pegboard.Part{Tool: "notes.add"}, pegboard.Part{Tool: "maps"}, pegboard.Part{Tool: "gone"}, text("So."))}))
	want := fmt.Sprintf("Two:\n<functions>\n%s\n{\"name\":\"maps\"}\n</functions>\n(Not available any more: gone. Search again.)\nSo.",
		`{"name":"`+w.Name("notes.add")+`","description":"Adds.","parameters":`+string(declarations(t, w)[2].Parameters)+`}`)
	require.Equal(t, `{"role":"user","parts":[`+result("", "ToolSearch", "output", want)+`]}`, string(answer))

	conversation := messagesOf([]string{hello, "null", string(only(m.History)), string(answer), model(maps),
		user(`{"text":"<functions>\n{\"name\":\"said\"}\n</functions>"}`), model(`{"functionResponse":{"name":"x","response":{"output":"<functions>\n{\"name\":\"y\"}\n</functions>"}}}`)})
	require.Equal(t, []string{"ToolSearch", "notes.add", "maps", "map"}, w.Loaded(conversation))
	require.Equal(t, []string{"ToolSearch"}, w.Loaded(conversation[:3]))
}

// TestShown tells results of a search from what only looks like one: that loads no
// tools, and is trimmed like any other.
func TestShown(t *testing.T) {
	t.Parallel()
	search := toolOf(t, pegboard.Info{Name: "ToolSearch", Aliases: []string{"FindTools"}})
	searching := gemini.New(poolOf(t, search, tool(t, "fetch.page", "", anyObject)), gemini.Config{})
	renamed := gemini.New(poolOf(t, toolOf(t, pegboard.Info{Name: "grep", Aliases: []string{"ToolSearch"}})), gemini.Config{})
	const block = "Found:\n<functions>\n{\"name\":\"zoom\"}\n</functions>"
	shows := func(name string) string { return result("", name, "output", block) }
	page, found := searching.Name("fetch.page"), []string{"ToolSearch", "zoom"}
	tests := []struct {
		name   string
		wire   *gemini.Codec
		call   string
		result string
		loaded []string
		fixed  bool
	}{
		{name: "a page", wire: searching, call: model(calls(page, "{}")), result: shows(page), loaded: []string{"fetch.page"}},
		{name: "a file", wire: searching, call: model(callsWithID("1", "Read", "{}")), result: result("1", "Read", "output", block), loaded: []string{"Read"}},
		{name: "a server", wire: searching, call: model(calls("mcp__maps__route", "{}")), result: shows("mcp__maps__route"), loaded: []string{"mcp__maps__route"}},
		{name: "a tool that was renamed", wire: renamed, call: model(calls("ToolSearch", "{}")), result: shows("ToolSearch"), loaded: []string{"grep"}},
		{name: "beside a search", wire: searching, call: model(calls("ToolSearch", "{}"), calls("Read", "{}")), result: shows("Read"), loaded: []string{"ToolSearch", "Read"}},
		{name: "an unknown call", wire: searching, call: model(callsWithID("1", "ToolSearch", "{}")), result: result("2", "ToolSearch", "output", block), loaded: []string{"ToolSearch"}},
		{name: "no call", wire: searching, call: hello, result: shows("ToolSearch")},
		{name: "a call of the user", wire: searching, call: user(calls("ToolSearch", "{}")), result: shows("ToolSearch")},
		{name: "the second call of an id", wire: searching, call: model(callsWithID("1", "Read", "{}"), callsWithID("1", "ToolSearch", "{}")), result: result("1", "Read", "output", block), loaded: []string{"Read", "ToolSearch"}},
		{name: "a search that failed", wire: searching, call: model(calls("ToolSearch", "{}")), result: result("", "ToolSearch", "error", block), loaded: []string{"ToolSearch"}},
		{name: "a search that found nothing", wire: searching, call: model(calls("ToolSearch", "{}")), result: result("", "ToolSearch", "output", "No tool matches."), loaded: []string{"ToolSearch"}},
		{name: "a response of another form", wire: searching, call: model(calls("ToolSearch", "{}")), result: result("", "ToolSearch", "said", block), loaded: []string{"ToolSearch"}},
		{name: "a search", wire: searching, call: model(calls("ToolSearch", "{}")), result: shows("ToolSearch"), loaded: found, fixed: true},
		{name: "a search with an id", wire: searching, call: model(callsWithID("1", "Read", "{}"), callsWithID("2", "ToolSearch", "{}")), result: result("2", "ToolSearch", "output", block), loaded: []string{"Read", "ToolSearch", "zoom"}, fixed: true},
		{name: "an alias", wire: searching, call: model(calls("FindTools", "{}")), result: shows("FindTools"), loaded: found, fixed: true},
		{name: "without a pool", wire: &gemini.Codec{}, call: model(calls("ToolSearch", "{}")), result: shows("ToolSearch"), loaded: found, fixed: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			contents := messagesOf([]string{tt.call, user(tt.result)})
			require.Equal(t, tt.loaded, tt.wire.Loaded(contents))
			var s trimmer
			tt.wire.Trim(t.Context(), contents, &s)
			require.Len(t, s.shown, 1)
			require.Equal(t, tt.fixed, s.shown[0].Fixed)
		})
	}
}
