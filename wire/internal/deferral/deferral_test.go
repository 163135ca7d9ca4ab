package deferral_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/internal/deferral"
)

func tool(t *testing.T, name string, loading pegboard.Loading, aliases ...string) pegboard.Tool {
	t.Helper()
	built, err := pegboard.BuildRaw(json.RawMessage(`{"type":"object"}`), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info: pegboard.Info{Name: name, Aliases: aliases, Loading: loading}, Description: "For a test.",
		Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) { return nil, nil },
	})
	require.NoError(t, err)
	return built
}

// poolOf returns a pool of three built-in tools and some more, with an external one,
// in a session that has loaded two of those that wait.
func poolOf(t *testing.T, d pegboard.Deferral, more ...pegboard.Tool) *pegboard.Pool {
	t.Helper()
	var r pegboard.Registry
	require.NoError(t, r.Add(append(more, tool(t, "a", pegboard.LoadOnSearch), tool(t, "b", pegboard.LoadAlways, "bee"), tool(t, "c", pegboard.LoadOnSearch, "old"))...))
	_, err := r.Attach("s", tool(t, "d", pegboard.LoadByPolicy))
	require.NoError(t, err)
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
	require.NoError(t, err)
	s.SetLoaded("mcp__s__d", "b", "a", "gone")
	return r.AssemblePool(s, pegboard.PoolConfig{Deferral: d})
}

func TestRequest(t *testing.T) {
	t.Parallel()
	search := pegboard.ToolSearch(pegboard.SearchOptions{})
	tests := []struct {
		name     string
		pool     *pegboard.Pool
		searches bool
		want     []string // - is left out
	}{
		{name: "nothing searches", pool: poolOf(t, pegboard.Deferral{}), want: []string{"a", "b", "c", "mcp__s__d"}},
		{name: "the provider would search", pool: poolOf(t, pegboard.Deferral{ProviderSearch: true}), want: []string{"a", "b", "c", "mcp__s__d"}},
		{name: "the model searches", pool: poolOf(t, pegboard.Deferral{}, search), searches: true, want: []string{"ToolSearch", "-a", "b", "-c", "-mcp__s__d", "mcp__s__d", "a"}},
		{name: "both", pool: poolOf(t, pegboard.Deferral{ProviderSearch: true}, search), searches: true, want: []string{"ToolSearch", "-a", "b", "-c", "-mcp__s__d", "mcp__s__d", "a"}},
		{name: "none waits", pool: poolOf(t, pegboard.Deferral{Mode: pegboard.DeferOff}, search), searches: true, want: []string{"ToolSearch", "a", "b", "c", "mcp__s__d"}},
		{name: "an alias", pool: poolOf(t, pegboard.Deferral{ProviderSearch: true}, tool(t, "x", pegboard.LoadAlways, "ToolSearch")), want: []string{"a", "b", "c", "x", "mcp__s__d"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.searches, deferral.Searches(tt.pool))
			var got []string
			for d, waits := range deferral.Request(tt.pool) {
				got = append(got, map[bool]string{true: "-"}[waits]+d.Name)
			}
			require.Equal(t, tt.want, got)
			for d := range deferral.Request(tt.pool) {
				require.Equal(t, tt.want[0], d.Name)
				break // a loop that is left early must not go on
			}
		})
	}
	require.False(t, deferral.Searches(nil))
}

func TestChoice(t *testing.T) {
	t.Parallel()
	searched := poolOf(t, pegboard.Deferral{}, pegboard.ToolSearch(pegboard.SearchOptions{}))
	tests := []struct {
		name     string
		in, want wire.Choice
	}{
		{name: "zero"},
		{name: "one that waits", in: wire.Choice{Mode: wire.One, Tool: "c", Sequential: true}, want: wire.Choice{Sequential: true}},
		{name: "one that was loaded", in: wire.Choice{Mode: wire.One, Tool: "a"}, want: wire.Choice{Mode: wire.One, Tool: "a"}},
		{name: "some", in: wire.Choice{Mode: wire.Required, Tools: []string{"b", "c", "a"}, Sequential: true}, want: wire.Choice{Mode: wire.Required, Tools: []string{"b", "a"}, Sequential: true}},
		{name: "none is left", in: wire.Choice{Tools: []string{"c"}}, want: wire.Choice{Mode: wire.None}},
		{name: "none may be called", in: wire.Choice{Mode: wire.None, Tools: []string{"c"}}, want: wire.Choice{Mode: wire.None, Tools: []string{"c"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, deferral.Choice(searched, tt.in))
			require.Equal(t, tt.in, deferral.Choice(poolOf(t, pegboard.Deferral{ProviderSearch: true}), tt.in), "all are sent")
			require.Equal(t, tt.in, deferral.Choice(nil, tt.in))
		})
	}
}

// TestChoiceOfAnAlias: whatever a tool is called, it is the one that the request has.
func TestChoiceOfAnAlias(t *testing.T) {
	t.Parallel()
	for _, p := range []*pegboard.Pool{poolOf(t, pegboard.Deferral{}), poolOf(t, pegboard.Deferral{}, pegboard.ToolSearch(pegboard.SearchOptions{}))} {
		in := wire.Choice{Mode: wire.Required, Tools: []string{"bee", "none"}}
		require.Equal(t, wire.Choice{Mode: wire.Required, Tools: []string{"b", "none"}}, deferral.Choice(p, in))
		require.Equal(t, []string{"bee", "none"}, in.Tools)
		require.Equal(t, wire.Choice{Mode: wire.One, Tool: "b"}, deferral.Choice(p, wire.Choice{Mode: wire.One, Tool: "bee"}))
	}
}

func TestRecall(t *testing.T) {
	t.Parallel()
	all := func(string) bool { return true }
	tools := []string{"old", "b", "gone", "a", "c", "ToolSearch", "", "a"}
	p := poolOf(t, pegboard.Deferral{}, pegboard.ToolSearch(pegboard.SearchOptions{}))
	search, found, ok := deferral.Recall(p, tools, "id_", all)
	require.True(t, ok)
	require.Regexp(t, `^id_[0-9a-f]{24}$`, search.ID)
	require.Equal(t, `{"query":"select:c,a"}`, string(search.Input))
	require.Equal(t, []pegboard.Outcome{{Call: &search, Result: &pegboard.Result{Parts: []pegboard.Part{{Tool: "c"}, {Tool: "a"}}}}}, found)

	same, _, _ := deferral.Recall(p, []string{"c", "a"}, "id_", all)
	require.Equal(t, search, same)
	other, found, ok := deferral.Recall(p, tools, "id_", func(tool string) bool { return tool == "a" })
	require.True(t, ok)
	require.NotEqual(t, search.ID, other.ID)
	require.Equal(t, []pegboard.Part{{Tool: "a"}}, found[0].Result.Parts)

	_, _, ok = deferral.Recall(p, []string{"b", "gone"}, "", all)
	require.False(t, ok, "none is deferred")
	_, _, ok = deferral.Recall(poolOf(t, pegboard.Deferral{ProviderSearch: true}), tools, "", all)
	require.False(t, ok, "the model cannot search")
	_, _, ok = deferral.Recall(nil, tools, "", all)
	require.False(t, ok)
}

// TestRecallAsTheToolAnswers loads the tools with the real tool.
func TestRecallAsTheToolAnswers(t *testing.T) {
	t.Parallel()
	p := poolOf(t, pegboard.Deferral{}, pegboard.ToolSearch(pegboard.SearchOptions{}))
	search, found, ok := deferral.Recall(p, []string{"c", "mcp__s__d"}, "", func(string) bool { return true })
	require.True(t, ok)
	var e pegboard.Executor
	outcomes := e.Run(t.Context(), p, search)
	require.Equal(t, outcomes[0].Result.Parts, found[0].Result.Parts)
}
