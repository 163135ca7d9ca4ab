package chat_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
)

// late returns a tool whose definition waits for a search.
func late(t testing.TB, name string) pegboard.Tool {
	t.Helper()
	return toolOf(t, pegboard.Info{Name: name, Loading: pegboard.LoadOnSearch}, "Comes later.", city)
}

// searchable returns the pools of a session, with tools beside ToolSearch.
func searchable(t testing.TB, tools ...pegboard.Tool) (s *pegboard.Session, pool func(...pegboard.Deferral) *pegboard.Pool) {
	t.Helper()
	var r pegboard.Registry
	require.NoError(t, r.Add(append(tools, pegboard.ToolSearch(pegboard.SearchOptions{}))...))
	s = session(t)
	return s, func(deferral ...pegboard.Deferral) *pegboard.Pool {
		var cfg pegboard.PoolConfig
		for _, d := range deferral {
			cfg.Deferral = d
		}
		return r.AssemblePool(s, cfg)
	}
}

func namesOf(t testing.TB, w *chat.Codec) (names []string) {
	t.Helper()
	for _, d := range definitions(t, w) {
		names = append(names, d.Function.Name)
	}
	return names
}

// TestToolsDeferred leaves out what waits, and sends what was loaded after all others.
func TestToolsDeferred(t *testing.T) {
	t.Parallel()
	tools := []pegboard.Tool{late(t, "alarm"), tool(t, "clock", "", anyObject), late(t, "notes.add"), late(t, "weather")}
	s, pool := searchable(t, tools...)
	before := string(chat.New(pool(), chat.Config{}).Tools())
	require.Equal(t, []string{"ToolSearch", "clock"}, namesOf(t, chat.New(pool(), chat.Config{})))
	for loaded, want := range [][]string{{"weather"}, {"weather", "alarm"}, {"weather", "alarm", "notes.add"}} {
		s.SetLoaded(want...)
		w := chat.New(pool(), chat.Config{})
		require.Empty(t, w.Omitted())
		require.Len(t, definitions(t, w), 2+loaded+1)
		require.Equal(t, append([]string{"ToolSearch", "clock"}, apiNames(w, want)...), namesOf(t, w))
		require.True(t, strings.HasPrefix(string(w.Tools()), strings.TrimSuffix(before, "]")+","), "%s\n%s", before, w.Tools())
		before = string(w.Tools())
	}

	var r pegboard.Registry
	require.NoError(t, r.Add(tools...))
	hosted := chat.New(r.AssemblePool(s, pegboard.PoolConfig{Deferral: pegboard.Deferral{ProviderSearch: true}}), chat.Config{})
	require.Equal(t, apiNames(hosted, []string{"alarm", "clock", "notes.add", "weather"}), namesOf(t, hosted), "nobody could find them")
	both := chat.New(pool(pegboard.Deferral{ProviderSearch: true}), chat.Config{})
	require.Equal(t, append([]string{"ToolSearch", "clock"}, apiNames(both, []string{"weather", "alarm", "notes.add"})...), namesOf(t, both))
}

func apiNames(w *chat.Codec, tools []string) (names []string) {
	for _, tool := range tools {
		names = append(names, w.Name(tool))
	}
	return names
}

// TestToolsDeferredAndRefused loads a tool that the API takes in no form.
func TestToolsDeferredAndRefused(t *testing.T) {
	t.Parallel()
	s, pool := searchable(t, declared{late(t, "bad"), `{"type":"string"}`})
	require.Empty(t, chat.New(pool(), chat.Config{}).Omitted(), "it waits, and that is no problem")
	require.Nil(t, chat.New(pool(), chat.Config{}).Recall([]string{"bad"}))
	s.SetLoaded("bad")
	w := chat.New(pool(), chat.Config{})
	require.Equal(t, []string{"ToolSearch"}, namesOf(t, w))
	require.Len(t, w.Omitted(), 1)
	require.Equal(t, "bad", w.Omitted()[0].Tool)
}

// TestToolsNotSearched is about a tool that only has an old name of the one that
// searches.
func TestToolsNotSearched(t *testing.T) {
	t.Parallel()
	p := poolOf(t, toolOf(t, pegboard.Info{Name: "find", Aliases: []string{"ToolSearch"}}, "Finds files.", anyObject), late(t, "weather"))
	require.Equal(t, []string{"find", "weather"}, namesOf(t, chat.New(p, chat.Config{})))
	hosted := poolOf(t, toolOf(t, pegboard.Info{Name: "find", Aliases: []string{"ToolSearch"}}, "Finds files.", anyObject))
	require.Nil(t, chat.New(hosted, chat.Config{}).Recall([]string{"find"}))
}

// TestFoundDefinitions answers a search: the definition that the model reads is the
// one that the next request holds.
func TestFoundDefinitions(t *testing.T) {
	t.Parallel()
	s, pool := searchable(t, late(t, "weather"), late(t, "notes.add"))
	w := chat.New(pool(), chat.Config{})
	m, err := w.Read(strings.NewReader(stream(calling(piece(0, "a", "ToolSearch", `{"query":"select:notes.add"}`)), because("tool_calls")))).Message()
	require.NoError(t, err)
	var e pegboard.Executor
	results := w.Results(m, e.Run(t.Context(), pool(), m.Calls...))
	require.Equal(t, []string{"ToolSearch", "notes.add"}, s.Loaded())
	require.Equal(t, []string{"ToolSearch", "notes.add"}, w.Loaded(append(m.History, results...)))

	var tools []json.RawMessage
	require.NoError(t, json.Unmarshal(chat.New(pool(), chat.Config{}).Tools(), &tools))
	require.Len(t, tools, 2)
	var answer struct{ Content string }
	require.NoError(t, json.Unmarshal(results[0], &answer))
	require.Equal(t, "<functions>\n"+string(tools[1])+"\n</functions>", answer.Content)
}

func TestChoiceDeferred(t *testing.T) {
	t.Parallel()
	s, pool := searchable(t, tool(t, "clock", "", anyObject), late(t, "alarm"), late(t, "weather"))
	s.SetLoaded("weather")
	w := chat.New(pool(), chat.Config{})
	function := func(name string) string { return `{"type":"function","function":{"name":` + quote(name) + `}}` }
	allowed := func(mode string, names ...string) string {
		return `{"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"` + mode + `","tools":[` + strings.Join(names, ",") + `]}}}`
	}
	tests := []struct {
		name   string
		choice wire.Choice
		want   string
	}{
		{name: "zero", want: `{}`},
		{name: "one that waits", choice: wire.Choice{Mode: wire.One, Tool: "alarm"}, want: `{}`},
		{name: "one that waits, alone", choice: wire.Choice{Mode: wire.One, Tool: "alarm", Sequential: true}, want: `{"parallel_tool_calls":false}`},
		{name: "one that was loaded", choice: wire.Choice{Mode: wire.One, Tool: "weather"}, want: `{"tool_choice":` + function("weather") + `}`},
		{name: "some wait", choice: wire.Choice{Tools: []string{"alarm", "weather", "clock"}}, want: allowed("auto", function("weather"), function("clock"))},
		{name: "one of some", choice: wire.Choice{Mode: wire.Required, Tools: []string{"alarm", "clock"}}, want: allowed("required", function("clock"))},
		{name: "all wait", choice: wire.Choice{Mode: wire.Required, Tools: []string{"alarm"}}, want: `{"tool_choice":"none"}`},
		{name: "none", choice: wire.Choice{Mode: wire.None, Tools: []string{"alarm"}}, want: `{"tool_choice":"none"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			given := slices.Clone(tt.choice.Tools)
			require.Equal(t, tt.want, string(w.Choice(tt.choice)))
			require.Equal(t, given, tt.choice.Tools)
		})
	}
}

// TestInvariant7OfLoadedTools loads tools one by one while sources of tools that do
// not wait stay as they are: what was sent is the beginning of what is sent next.
func TestInvariant7OfLoadedTools(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(50)) {
		random := rand.New(rand.NewPCG(9, seed))
		var r pegboard.Registry
		require.NoError(t, r.Add(pegboard.ToolSearch(pegboard.SearchOptions{}), tool(t, "edit", "", city), late(t, "old one")))
		var external []pegboard.Tool
		for i := range 8 {
			info := pegboard.Info{Name: fmt.Sprint("tool ", i), Loading: pegboard.Loading(random.IntN(3))}
			external = append(external, toolOf(t, info, "", city))
		}
		_, err := r.Attach("maps", external...)
		require.NoError(t, err)
		s := session(t)
		p := r.AssemblePool(s, pegboard.PoolConfig{})
		waiting := p.Deferred()
		random.Shuffle(len(waiting), func(i, j int) { waiting[i], waiting[j] = waiting[j], waiting[i] })
		sent := string(chat.New(p, chat.Config{}).Tools())
		for i := range waiting {
			s.SetLoaded(waiting[:i+1]...)
			w := chat.New(r.AssemblePool(s, pegboard.PoolConfig{}), chat.Config{})
			require.True(t, strings.HasPrefix(string(w.Tools()), strings.TrimSuffix(sent, "]")+","), "seed %d", seed)
			sent = string(w.Tools())
			require.Equal(t, w.Name(waiting[i]), definitions(t, w)[len(definitions(t, w))-1].Function.Name)
		}
		require.Len(t, definitions(t, chat.New(r.AssemblePool(s, pegboard.PoolConfig{}), chat.Config{})), p.Len(), "all are sent when all are loaded")
	}
}
