package gemini_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/gemini"
)

// toolOf returns a tool that takes a path and does nothing.
func toolOf(t testing.TB, info pegboard.Info) pegboard.Tool {
	t.Helper()
	built, err := pegboard.BuildRaw(json.RawMessage(onePath), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info:        info,
		Description: "Comes later.",
		Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) {
			return pegboard.TextResult("done"), nil
		},
	})
	require.NoError(t, err)
	return built
}

// late returns a tool whose definition waits for a search.
func late(t testing.TB, name string) pegboard.Tool {
	t.Helper()
	return toolOf(t, pegboard.Info{Name: name, Loading: pegboard.LoadOnSearch})
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

func namesOf(t testing.TB, w *gemini.Codec) (names []string) {
	t.Helper()
	for _, d := range declarations(t, w) {
		names = append(names, d.Name)
	}
	return names
}

func apiNames(w *gemini.Codec, tools ...string) (names []string) {
	for _, tool := range tools {
		names = append(names, w.Name(tool))
	}
	return names
}

const toolsEnd = "]}]" // of Wire.Tools

// TestToolsDeferred leaves out what waits, and sends what was loaded after all others.
func TestToolsDeferred(t *testing.T) {
	t.Parallel()
	tools := []pegboard.Tool{late(t, "alarm"), tool(t, "clock", "", anyObject), late(t, "notes.add"), late(t, "weather")}
	s, pool := searchable(t, tools...)
	before := string(gemini.New(pool(), gemini.Config{}).Tools())
	require.Equal(t, []string{"ToolSearch", "clock"}, namesOf(t, gemini.New(pool(), gemini.Config{})))
	for _, loaded := range [][]string{{"weather"}, {"weather", "alarm"}, {"weather", "alarm", "notes.add"}} {
		s.SetLoaded(loaded...)
		w := gemini.New(pool(), gemini.Config{})
		require.Empty(t, w.Omitted())
		require.Equal(t, append([]string{"ToolSearch", "clock"}, apiNames(w, loaded...)...), namesOf(t, w))
		require.True(t, strings.HasPrefix(string(w.Tools()), strings.TrimSuffix(before, toolsEnd)+","), "%s\n%s", before, w.Tools())
		before = string(w.Tools())
	}

	var r pegboard.Registry
	require.NoError(t, r.Add(tools...))
	hosted := gemini.New(r.AssemblePool(s, pegboard.PoolConfig{Deferral: pegboard.Deferral{ProviderSearch: true}}), gemini.Config{})
	require.Equal(t, apiNames(hosted, "alarm", "clock", "notes.add", "weather"), namesOf(t, hosted), "nobody could find them")
	both := gemini.New(pool(pegboard.Deferral{ProviderSearch: true}), gemini.Config{})
	require.Equal(t, apiNames(both, "ToolSearch", "clock", "weather", "alarm", "notes.add"), namesOf(t, both))
}

// TestToolsDeferredAndRefused loads a tool that the API takes in no form.
func TestToolsDeferredAndRefused(t *testing.T) {
	t.Parallel()
	var r pegboard.Registry
	require.NoError(t, r.Add(pegboard.ToolSearch(pegboard.SearchOptions{})))
	_, err := r.Attach("maps", tool(t, "bad", "", `{"type":"object","properties":{"a b":{}},"dependentRequired":{"a b":[]}}`))
	require.NoError(t, err)
	s := session(t)
	w := gemini.New(r.AssemblePool(s, pegboard.PoolConfig{}), gemini.Config{})
	require.Empty(t, w.Omitted(), "it waits, and that is no problem")
	require.Nil(t, w.Recall([]string{"mcp__maps__bad"}))
	s.SetLoaded("mcp__maps__bad")
	w = gemini.New(r.AssemblePool(s, pegboard.PoolConfig{}), gemini.Config{})
	require.Equal(t, []string{"ToolSearch"}, namesOf(t, w))
	require.Len(t, w.Omitted(), 1)
	require.Equal(t, "mcp__maps__bad", w.Omitted()[0].Tool)
}

// TestToolsNotSearched is about a tool that only has an old name of the one that
// searches.
func TestToolsNotSearched(t *testing.T) {
	t.Parallel()
	p := poolOf(t, toolOf(t, pegboard.Info{Name: "find", Aliases: []string{"ToolSearch"}}), late(t, "weather"))
	require.Equal(t, []string{"find", "weather"}, namesOf(t, gemini.New(p, gemini.Config{})))
	require.Nil(t, gemini.New(p, gemini.Config{}).Recall([]string{"weather"}))
}

// TestFoundDefinitions answers a search: the definition that the model reads is the
// one that the next request holds.
func TestFoundDefinitions(t *testing.T) {
	t.Parallel()
	s, pool := searchable(t, late(t, "weather"), late(t, "notes.add"))
	w := gemini.New(pool(), gemini.Config{})
	m, err := w.Read(strings.NewReader(ends("STOP", calls("ToolSearch", `{"query":"select:notes.add"}`)))).Message()
	require.NoError(t, err)
	var e pegboard.Executor
	results := w.Results(m, e.Run(t.Context(), pool(), m.Calls...))
	require.Equal(t, []string{"ToolSearch", "notes.add"}, s.Loaded())
	require.Equal(t, []string{"ToolSearch", "notes.add"}, w.Loaded(append(m.History, results...)))

	var tools []struct{ FunctionDeclarations []json.RawMessage }
	require.NoError(t, json.Unmarshal(gemini.New(pool(), gemini.Config{}).Tools(), &tools))
	require.Len(t, tools[0].FunctionDeclarations, 2)
	want := "<functions>\n" + string(tools[0].FunctionDeclarations[1]) + "\n</functions>"
	require.Equal(t, user(result("", "ToolSearch", "output", want)), string(only(results)))
}

func TestChoiceDeferred(t *testing.T) {
	t.Parallel()
	s, pool := searchable(t, tool(t, "clock", "", anyObject), late(t, "alarm"), late(t, "weather"))
	s.SetLoaded("weather")
	w := gemini.New(pool(), gemini.Config{})
	tests := []struct {
		name   string
		choice wire.Choice
		want   string
	}{
		{name: "one that waits", choice: wire.Choice{Mode: wire.One, Tool: "alarm"}, want: `{"mode":"AUTO"}`},
		{name: "one that was loaded", choice: wire.Choice{Mode: wire.One, Tool: "weather"}, want: `{"mode":"ANY","allowedFunctionNames":["weather"]}`},
		{name: "some wait", choice: wire.Choice{Tools: []string{"alarm", "weather", "clock"}}, want: `{"mode":"VALIDATED","allowedFunctionNames":["weather","clock"]}`},
		{name: "one of some", choice: wire.Choice{Mode: wire.Required, Tools: []string{"alarm", "clock"}}, want: `{"mode":"ANY","allowedFunctionNames":["clock"]}`},
		{name: "all wait", choice: wire.Choice{Mode: wire.Required, Tools: []string{"alarm"}}, want: `{"mode":"NONE"}`},
		{name: "none", choice: wire.Choice{Mode: wire.None, Tools: []string{"alarm"}}, want: `{"mode":"NONE"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, `{"toolConfig":{"functionCallingConfig":`+tt.want+`}}`, string(w.Choice(tt.choice)))
		})
	}
}

// TestInvariant7OfLoadedTools loads tools one by one: what was sent is the beginning of
// what is sent next.
func TestInvariant7OfLoadedTools(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(50)) {
		random := rand.New(rand.NewPCG(9, seed))
		var r pegboard.Registry
		require.NoError(t, r.Add(pegboard.ToolSearch(pegboard.SearchOptions{}), tool(t, "edit", "", onePath), late(t, "old one")))
		var external []pegboard.Tool
		for i := range 8 {
			external = append(external, toolOf(t, pegboard.Info{Name: fmt.Sprint("tool ", i), Loading: pegboard.Loading(random.IntN(3))}))
		}
		_, err := r.Attach("maps", external...)
		require.NoError(t, err)
		s := session(t)
		p := r.AssemblePool(s, pegboard.PoolConfig{})
		waiting := p.Deferred()
		random.Shuffle(len(waiting), func(i, j int) { waiting[i], waiting[j] = waiting[j], waiting[i] })
		sent := string(gemini.New(p, gemini.Config{}).Tools())
		for i := range waiting {
			s.SetLoaded(waiting[:i+1]...)
			w := gemini.New(r.AssemblePool(s, pegboard.PoolConfig{}), gemini.Config{})
			require.True(t, strings.HasPrefix(string(w.Tools()), strings.TrimSuffix(sent, toolsEnd)+","), "seed %d", seed)
			sent = string(w.Tools())
			require.Equal(t, w.Name(waiting[i]), declarations(t, w)[len(declarations(t, w))-1].Name)
		}
		require.Len(t, declarations(t, gemini.New(r.AssemblePool(s, pegboard.PoolConfig{}), gemini.Config{})), p.Len(), "all are sent when all are loaded")
	}
}
