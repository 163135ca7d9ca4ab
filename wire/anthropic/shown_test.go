package anthropic_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
)

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
