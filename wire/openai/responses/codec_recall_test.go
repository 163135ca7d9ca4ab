package responses_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/openai/responses"
)

// Two tools of the catalogue. The API has another name for one of them.
const (
	route = "mcp__maps__route_find"
	zoom  = "zoom.in"
)

// waiting returns a tool that waits for a search.
func waiting(t testing.TB, name, schema string) pegboard.Tool {
	t.Helper()
	return tool(t, pegboard.Info{Name: name, Strict: true, Loading: pegboard.LoadOnSearch}, "late", schema)
}

// catalogue returns tools that are searched, and the tool that does so.
func catalogue(t testing.TB) *pegboard.Registry {
	t.Helper()
	var r pegboard.Registry
	optional := `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`
	require.NoError(t, r.Add(pegboard.ToolSearch(pegboard.SearchOptions{}), tool(t, named("clock"), "", anyObject), waiting(t, zoom, optional),
		declared{waiting(t, "odd", anyObject), `{"type":"array"}`}))
	_, err := r.Attach("maps", waiting(t, "route.find", anyObject), tool(t, pegboard.Info{Name: "tile", Loading: pegboard.LoadAlways}, "", anyObject))
	require.NoError(t, err)
	return &r
}

// resumed returns the Codec of a conversation that made tools known before.
func resumed(t testing.TB, r *pegboard.Registry, config responses.Config, loaded ...string) *responses.Codec {
	t.Helper()
	s := session(t)
	s.SetLoaded(loaded...)
	return responses.New(r.AssemblePool(s, pegboard.PoolConfig{}), config)
}

const byClient = "by the client"

// modes are the ways in which a tool of the pool can search.
func modes() map[string]responses.Config {
	return map[string]responses.Config{
		"a function":       {},
		byClient:           {ClientSearch: "ToolSearch"},
		"beside the API's": {HostedSearch: true},
	}
}

// TestRecall pretends what the model and ToolSearch would have said.
func TestRecall(t *testing.T) {
	t.Parallel()
	r := catalogue(t)
	for name, config := range modes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := session(t)
			p := r.AssemblePool(s, pegboard.PoolConfig{})
			w := responses.New(p, config)
			got := w.Recall([]string{"clock", route, "ToolSearch", "odd", "gone", zoom, route})
			require.Len(t, got, 2)
			require.Equal(t, got, resumed(t, r, config, zoom).Recall([]string{route, zoom}), "not the same bytes")
			require.NotEqual(t, got, w.Recall([]string{zoom, route}))

			// The real tool answers the call so.
			_, m, err := readWith(w, strings.NewReader(whole("completed", "", string(got[0]))))
			require.NoError(t, err)
			require.Regexp(t, `^call_[0-9a-f]{24}$`, m.Calls[0].ID)
			require.Equal(t, `{"query":"select:`+route+`,`+zoom+`"}`, string(m.Calls[0].Input))
			var executor pegboard.Executor
			outcomes := executor.Run(context.Background(), p, m.Calls...)
			require.Equal(t, stringsOf(got), stringsOf(append(m.History, w.Results(m, outcomes)...)))
			require.Equal(t, []string{"ToolSearch", route, zoom}, s.Loaded())

			requireSound(t, w, append(itemsOf([]string{hello}), append(got, json.RawMessage(hello))...))
			requireSound(t, w, append(itemsOf([]string{hello}), append(got, json.RawMessage(says))...))
			require.Nil(t, w.Recall(nil))
			require.Nil(t, w.Recall([]string{"clock", "gone", "odd"}))
		})
	}
	require.Nil(t, responses.New(poolOf(t, waiting(t, zoom, anyObject)), responses.Config{HostedSearch: true}).Recall([]string{zoom}), "the API searches")
	require.Nil(t, new(responses.Codec).Recall([]string{zoom}))
}

// requireSound checks that Normalize finds nothing to repair.
func requireSound(t *testing.T, w *responses.Codec, items []json.RawMessage) {
	t.Helper()
	got, repairs := w.Normalize(items)
	require.Empty(t, repairs)
	require.Equal(t, stringsOf(items), stringsOf(got))
	require.Empty(t, faults(t, got))
}

// TestRecallSurvivesCompaction drops the items in which tools were loaded, and takes
// up the conversation in another process.
func TestRecallSurvivesCompaction(t *testing.T) {
	t.Parallel()
	r := catalogue(t)
	for name, config := range modes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			call := use("s", "ToolSearch", "{}")
			if name == byClient {
				call = sought
			}
			s := session(t)
			w := responses.New(r.AssemblePool(s, pegboard.PoolConfig{}), config)
			conversation := itemsOf([]string{hello})
			for _, found := range []string{zoom, route} {
				_, m, err := readWith(w, strings.NewReader(whole("completed", "", strings.Replace(call, `"s"`, `"s_`+found+`"`, 1))))
				require.NoError(t, err)
				require.Equal(t, "ToolSearch", m.Calls[0].Name)
				conversation = append(append(conversation, m.History...), w.Results(m, []pegboard.Outcome{outcome("s_"+found, pegboard.Part{Tool: found})})...)
				s.SetLoaded(w.Loaded(conversation)...)
				before := strings.TrimSuffix(string(w.Tools()), "]")
				w = responses.New(r.AssemblePool(s, pegboard.PoolConfig{}), config)
				require.True(t, strings.HasPrefix(string(w.Tools()), before), "a search changed the tools before")
			}

			compacted := append(itemsOf([]string{hello}), w.Recall(w.Loaded(conversation))...)
			requireSound(t, w, compacted)
			require.Equal(t, known(w.Loaded(conversation)), known(w.Loaded(compacted)))
			require.Equal(t, []string{zoom, route}, known(w.Loaded(compacted)))
			after := resumed(t, r, config, w.Loaded(compacted)...)
			require.Equal(t, string(w.Tools()), string(after.Tools()))
			again := append(itemsOf([]string{hello}), after.Recall(after.Loaded(compacted))...)
			require.Equal(t, stringsOf(compacted), stringsOf(again), "compacted twice")
			for _, d := range definitions(t, after) {
				if d.Description == "late" {
					require.Contains(t, string(compacted[2]), d.Name, "its definition is in the conversation")
				}
			}
		})
	}
}

// known returns names without that of the search, which some forms of call do not hold.
func known(tools []string) (list []string) {
	for _, name := range tools {
		if name != "ToolSearch" {
			list = append(list, name)
		}
	}
	return list
}
