package wiretest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/wire"
)

// Searchable returns a session, and the Codec of its next request, which has tools beside
// ToolSearch.
func (w Wire) Searchable(t testing.TB, tools ...pegboard.Tool) (s *pegboard.Session, pool func() *pegboard.Pool, codec func() wire.Codec) {
	t.Helper()
	var r pegboard.Registry
	require.NoError(t, r.Add(append(tools, pegboard.ToolSearch(pegboard.SearchOptions{}))...))
	s = Session(t)
	pool = func() *pegboard.Pool { return r.AssemblePool(s, pegboard.PoolConfig{}) }
	return s, pool, func() wire.Codec { return w.New(pool()) }
}

// requireMore checks that the tools of a request begin with those of the one before.
func (w Wire) requireMore(t testing.TB, before, after json.RawMessage) {
	t.Helper()
	require.True(t, strings.HasPrefix(string(after), strings.TrimSuffix(string(before), w.ToolsEnd)+","), "%s\n%s", before, after)
}

// RunDeferral is for an API whose requests leave out tools that wait for a search: those that
// were loaded come after all others.
func RunDeferral(t *testing.T, w Wire) {
	t.Helper()
	t.Parallel()
	t.Run("loaded", func(t *testing.T) {
		t.Parallel()
		tools := []pegboard.Tool{Late(t, "alarm", OnePath), Plain(t, "clock", "", AnyObject), Late(t, "notes.add", OnePath), Late(t, "weather", OnePath)}
		s, _, codec := w.Searchable(t, tools...)
		before := codec().Tools()
		require.Equal(t, []string{"ToolSearch", "clock"}, w.Names(t, before))
		all := []string{"weather", "alarm", "notes.add"}
		for i := range all {
			s.SetLoaded(all[:i+1]...)
			require.Empty(t, codec().Omitted())
			require.Equal(t, apiNames(codec(), append([]string{"ToolSearch", "clock"}, all[:i+1]...)), w.Names(t, codec().Tools()))
			w.requireMore(t, before, codec().Tools())
			before = codec().Tools()
		}
		hosted := w.New(Pool(t, tools...))
		require.Equal(t, apiNames(hosted, []string{"alarm", "clock", "notes.add", "weather"}), w.Names(t, hosted.Tools()), "nobody could find them")
		both := w.New(Hosted(t, registryOf(t, append(tools, pegboard.ToolSearch(pegboard.SearchOptions{}))...), s))
		require.Equal(t, apiNames(both, append([]string{"ToolSearch", "clock"}, all...)), w.Names(t, both.Tools()))
	})
	t.Run("refused once it is loaded", func(t *testing.T) {
		t.Parallel()
		s, _, codec := w.Searchable(t, Declared{Late(t, "bad", AnyObject), w.Refused})
		require.Empty(t, codec().Omitted(), "it waits, and that is no problem")
		require.Nil(t, codec().Recall([]string{"bad"}))
		s.SetLoaded("bad")
		require.Equal(t, []string{"ToolSearch"}, w.Names(t, codec().Tools()))
		require.Len(t, codec().Omitted(), 1)
		require.Equal(t, "bad", codec().Omitted()[0].Tool)
	})
	t.Run("a tool that only has an old name of the search", func(t *testing.T) {
		t.Parallel()
		codec := w.New(registryOf(t, Tool(t, pegboard.Info{Name: "find", Aliases: []string{"ToolSearch"}}, "Finds files.", AnyObject), Late(t, "weather", OnePath)).
			AssemblePool(Session(t), pegboard.PoolConfig{}))
		require.Equal(t, []string{"find", "weather"}, w.Names(t, codec.Tools()))
		require.Nil(t, codec.Recall([]string{"weather"}))
	})
	t.Run("the definition that a search shows", func(t *testing.T) {
		t.Parallel()
		s, pool, codec := w.Searchable(t, Late(t, "weather", OnePath), Late(t, "notes.add", OnePath))
		_, m, err := Read(codec(), strings.NewReader(w.Reply(w.search("a", `{"query":"select:notes.add"}`))))
		require.NoError(t, err)
		before := codec()
		var e pegboard.Executor
		results := before.Results(m, e.Run(t.Context(), pool(), m.Calls...))
		require.Equal(t, []string{"ToolSearch", "notes.add"}, s.Loaded())
		require.Equal(t, s.Loaded(), before.Loaded(append(m.History, results...)))
		tools := codec().Tools()
		added := strings.TrimSuffix(strings.TrimPrefix(string(tools), strings.TrimSuffix(string(before.Tools()), w.ToolsEnd)+","), w.ToolsEnd)
		var shown Trimmer
		before.Trim(t.Context(), append(m.History, results...), &shown)
		require.Equal(t, "<functions>\n"+added+"\n</functions>", shown.Shown[0].Text, "as in the next request")
	})
	t.Run("what was sent begins what is sent next", func(t *testing.T) {
		t.Parallel()
		for seed := range effort.Of(t, uint64(50)) {
			requireLoadedLast(t, w, rand.New(rand.NewPCG(9, seed)))
		}
	})
}

// requireLoadedLast loads tools one by one.
func requireLoadedLast(t *testing.T, w Wire, random *rand.Rand) {
	t.Helper()
	r := registryOf(t, pegboard.ToolSearch(pegboard.SearchOptions{}), Plain(t, "edit", "", OnePath), Late(t, "old one", OnePath))
	var external []pegboard.Tool
	for i := range 8 {
		external = append(external, Tool(t, pegboard.Info{Name: fmt.Sprint("tool ", i), Loading: pegboard.Loading(random.IntN(3))}, "", OnePath))
	}
	_, err := r.Attach("maps", external...)
	require.NoError(t, err)
	s := Session(t)
	p := r.AssemblePool(s, pegboard.PoolConfig{})
	waiting := p.Deferred()
	random.Shuffle(len(waiting), func(i, j int) { waiting[i], waiting[j] = waiting[j], waiting[i] })
	sent := w.New(p).Tools()
	for i := range waiting {
		s.SetLoaded(waiting[:i+1]...)
		codec := w.New(r.AssemblePool(s, pegboard.PoolConfig{}))
		w.requireMore(t, sent, codec.Tools())
		sent = codec.Tools()
		names := w.Names(t, sent)
		require.Equal(t, codec.Name(waiting[i]), names[len(names)-1])
	}
	require.Len(t, w.Names(t, sent), p.Len(), "all are sent when all are loaded")
}

func apiNames(codec wire.Codec, tools []string) (names []string) {
	for _, tool := range tools {
		names = append(names, codec.Name(tool))
	}
	return names
}

func registryOf(t testing.TB, tools ...pegboard.Tool) *pegboard.Registry {
	t.Helper()
	var r pegboard.Registry
	require.NoError(t, r.Add(tools...))
	return &r
}
