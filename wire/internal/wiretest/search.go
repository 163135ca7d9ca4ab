package wiretest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
)

// A ShownCase is a conversation with one result.
type ShownCase struct {
	Name   string
	Codec  wire.Codec // nil means one whose pool has ToolSearch
	In     []string
	Loaded []string
	Fixed  bool
}

// Shown is the text of a result of a search.
const Shown = "Found:\n<functions>\n{\"name\":\"zoom\"}\n</functions>"

// RunShown tells results of a search from what only looks like one: that loads no tools, and is
// trimmed like any other.
func RunShown(t *testing.T, w Wire, own []ShownCase) {
	t.Helper()
	t.Parallel()
	search := Tool(t, pegboard.Info{Name: "ToolSearch", Aliases: []string{"FindTools"}}, "", AnyObject)
	searching := w.New(Pool(t, search, Plain(t, "fetch.page", "", AnyObject)))
	renamed := w.New(Pool(t, Tool(t, pegboard.Info{Name: "grep", Aliases: []string{"ToolSearch"}}, "", AnyObject)))
	page := searching.Name("fetch.page")
	said := func(name, text string) []string {
		return slices.Concat(w.Model(w.Call("1", name, "{}")), w.User(w.Result("1", name, text)))
	}
	answered := func(calls ...string) []string {
		return append(w.Model(calls...), w.User(w.Result("1", "ToolSearch", Shown))...)
	}
	tests := append(own, []ShownCase{
		{Name: "a page", In: said(page, Shown), Loaded: []string{"fetch.page"}},
		{Name: "a file", In: said("Read", Shown), Loaded: []string{"Read"}},
		{Name: "a server", In: said("mcp__maps__route", Shown), Loaded: []string{"mcp__maps__route"}},
		{Name: "a tool that was renamed", Codec: renamed, In: said("ToolSearch", Shown), Loaded: []string{"grep"}},
		{Name: "an unknown call", In: answered(w.Call("2", "ToolSearch", "{}")), Loaded: []string{"ToolSearch"}},
		{Name: "no call", In: append([]string{w.Hello}, w.User(w.Result("1", "ToolSearch", Shown))...)},
		{Name: "a search that failed", In: append(w.Model(w.Call("1", "ToolSearch", "{}")), w.User(w.Failure("1", "ToolSearch", Shown))...), Loaded: []string{"ToolSearch"}},
		{Name: "a search that found nothing", In: said("ToolSearch", "No tool matches."), Loaded: []string{"ToolSearch"}},
		{Name: "a search", In: said("ToolSearch", Shown), Loaded: []string{"ToolSearch", "zoom"}, Fixed: true},
		{Name: "a search beside another call", In: answered(w.Call("2", "Read", "{}"), w.Call("1", "ToolSearch", "{}")), Loaded: []string{"Read", "ToolSearch", "zoom"}, Fixed: true},
		{Name: "an alias", In: said("FindTools", Shown), Loaded: []string{"ToolSearch", "zoom"}, Fixed: true},
		{Name: "without a pool", Codec: w.Zero, In: said("ToolSearch", Shown), Loaded: []string{"ToolSearch", "zoom"}, Fixed: true},
	}...)
	for _, tt := range tests {
		t.Run(tt.Name, func(t *testing.T) {
			t.Parallel()
			if tt.Codec == nil {
				tt.Codec = searching
			}
			require.Equal(t, tt.Loaded, tt.Codec.Loaded(Messages(tt.In...)))
			var s Trimmer
			tt.Codec.Trim(t.Context(), Messages(tt.In...), &s)
			require.Len(t, s.Shown, 1)
			require.Equal(t, tt.Fixed, s.Shown[0].Fixed)
		})
	}
}

// RunRecall pretends that the model searched for tools, and compares that with real searches.
func RunRecall(t *testing.T, w Wire) {
	t.Helper()
	t.Parallel()
	tools := []pegboard.Tool{
		Late(t, "weather", OnePath), Late(t, "notes.add", OnePath), Late(t, "alarm", OnePath), Declared{Late(t, "odd", AnyObject), w.Refused}, Plain(t, "clock", "", AnyObject),
		Tool(t, pegboard.Info{Name: "Agent", Aliases: []string{"Task"}, Loading: pegboard.LoadOnSearch}, "", AnyObject),
	}
	_, _, codec := w.Searchable(t, tools...)
	for name, tt := range map[string]struct{ in, want []string }{
		"nothing":                       {},
		"one":                           {in: []string{"weather"}, want: []string{"weather"}},
		"in the order given, each once": {in: []string{"weather", "notes.add", "weather"}, want: []string{"weather", "notes.add"}},
		"by a former name":              {in: []string{"Task", "Agent"}, want: []string{"Agent"}},
		"nothing to load":               {in: []string{"clock", "ToolSearch", "gone", "", "odd"}},
		"some of them":                  {in: []string{"ToolSearch", "gone", "notes.add", "odd", "clock"}, want: []string{"notes.add"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := codec().Recall(tt.in)
			if tt.want == nil {
				require.Nil(t, got)
				return
			}
			require.Equal(t, tt.want, found(codec().Loaded(got)))
			require.Equal(t, Strings(got), Strings(codec().Recall(tt.want)), "other bytes")
			for _, next := range []string{w.Hello, w.Says} {
				w.requireSound(t, codec(), slices.Concat(Messages(w.Hello), got, Messages(next)))
			}
		})
	}
	t.Run("nobody can search", func(t *testing.T) {
		t.Parallel()
		require.Nil(t, w.New(Pool(t, Late(t, "weather", AnyObject))).Recall([]string{"weather"}))
		require.Nil(t, w.Zero.Recall([]string{"weather"}))
	})
	t.Run("is what a search would be", func(t *testing.T) {
		t.Parallel()
		s, pool, codec := w.Searchable(t, tools...)
		want := []string{"weather", "notes.add"}
		got := codec().Recall(want)
		require.NotEqual(t, Strings(got), Strings(codec().Recall([]string{"notes.add", "weather"})))
		var shown Trimmer
		codec().Trim(t.Context(), got, &shown)
		id := ""
		if w.SearchID != nil {
			id, _, _ = strings.Cut(shown.Shown[0].CallID, "#")
			require.Regexp(t, w.SearchID, id)
		}
		_, m, err := Read(codec(), strings.NewReader(w.Reply(w.search(id, `{"query":"select:weather,notes.add"}`))))
		require.NoError(t, err)
		before := codec()
		var e pegboard.Executor
		require.Equal(t, Strings(append(m.History, before.Results(m, e.Run(t.Context(), pool(), m.Calls...))...)), Strings(got))
		require.Equal(t, append([]string{"ToolSearch"}, want...), s.Loaded())
	})
	t.Run("survives compaction", func(t *testing.T) {
		t.Parallel()
		w.requireRecalledTwice(t, tools)
	})
}

// requireRecalledTwice takes a conversation through searches, a compaction, a new process and
// another compaction: the requests offer the same tools in the same bytes.
func (w Wire) requireRecalledTwice(t *testing.T, tools []pegboard.Tool) {
	t.Helper()
	s, pool, codec := w.Searchable(t, tools...)
	conversation := Messages(w.Hello)
	for i, query := range []string{`{"query":"select:weather"}`, `{"query":"select:notes.add,alarm"}`} {
		before := codec()
		_, m, err := Read(before, strings.NewReader(w.Reply(w.search(fmt.Sprint("s", i), query))))
		require.NoError(t, err)
		var e pegboard.Executor
		conversation = slices.Concat(conversation, m.History, before.Results(m, e.Run(t.Context(), pool(), m.Calls...)))
		prefix := strings.TrimSuffix(string(before.Tools()), w.ToolsEnd)
		require.True(t, strings.HasPrefix(string(codec().Tools()), prefix), "a search changed the tools before")
	}
	before := codec()
	compacted := append(Messages(w.Hello), before.Recall(before.Loaded(conversation))...)
	w.requireSound(t, before, compacted)
	require.Equal(t, []string{"weather", "notes.add", "alarm"}, found(before.Loaded(compacted)))

	other, _, otherCodec := w.Searchable(t, tools...)
	other.SetLoaded(otherCodec().Loaded(compacted)...)
	after := otherCodec()
	require.Equal(t, string(before.Tools()), string(after.Tools()))
	require.Equal(t, found(s.Loaded()), found(after.Loaded(compacted)))
	again := append(Messages(w.Hello), after.Recall(after.Loaded(compacted))...)
	require.Equal(t, Strings(compacted), Strings(again))
}

// found returns names without that of the search, which some forms of call do not hold.
func found(tools []string) []string {
	return slices.DeleteFunc(slices.Clone(tools), func(name string) bool { return name == "ToolSearch" })
}
