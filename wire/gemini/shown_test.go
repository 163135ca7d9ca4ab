package gemini_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/gemini"
)

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
