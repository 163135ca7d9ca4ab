package anthropic_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
)

// waiting returns a tool that waits for a search.
func waiting(t testing.TB, name, schema string) pegboard.Tool {
	t.Helper()
	return special(t, pegboard.Info{Name: name, Loading: pegboard.LoadOnSearch}, schema)
}

// catalogue returns tools that are searched, and the tool that does so.
func catalogue(t testing.TB) *pegboard.Registry {
	t.Helper()
	var r pegboard.Registry
	require.NoError(t, r.Add(pegboard.ToolSearch(pegboard.SearchOptions{}), tool(t, "clock", "", anyObject), waiting(t, zoom, anyObject)))
	_, err := r.Attach("maps", waiting(t, "route.find", anyObject), waiting(t, "odd", refusedSchema))
	require.NoError(t, err)
	return &r
}

// resumed returns the Wire of a conversation that made tools known before.
func resumed(t testing.TB, r *pegboard.Registry, loaded ...string) *anthropic.Codec {
	t.Helper()
	s := session(t)
	s.SetLoaded(loaded...)
	return anthropic.New(r.AssemblePool(s, pegboard.PoolConfig{}), anthropic.Config{})
}

// Two tools of the catalogue. The API has another name for one of them.
const (
	route = "mcp__maps__route_find"
	zoom  = "zoom.in"
)

// TestRecall pretends what the model and ToolSearch would have said.
func TestRecall(t *testing.T) {
	t.Parallel()
	r := catalogue(t)
	w := resumed(t, r)
	tools := []string{"clock", route, "ToolSearch", "mcp__maps__odd", "gone", zoom, route}
	got := w.Recall(tools)
	require.Len(t, got, 2)
	require.Equal(t, []string{"ToolSearch", route, zoom}, w.Loaded(got))
	require.Equal(t, got, resumed(t, r, zoom).Recall([]string{route, zoom}), "not the same bytes")
	require.NotEqual(t, got, w.Recall([]string{zoom, route}))

	// It is what would have been sent had the model made the call.
	var said struct {
		Content []struct {
			ID    string
			Input json.RawMessage
		}
	}
	require.NoError(t, json.Unmarshal(got[0], &said))
	require.Regexp(t, `^toolu_[0-9a-f]{24}$`, said.Content[0].ID)
	require.Equal(t, `{"query":"select:`+route+`,`+zoom+`"}`, string(said.Content[0].Input))
	body := `{"type":"message","role":"assistant",` + strings.TrimPrefix(string(got[0]), `{"role":"assistant",`)
	m, err := w.Read(strings.NewReader(body)).Message()
	require.NoError(t, err)
	found := &pegboard.Result{Parts: []pegboard.Part{{Tool: route}, {Tool: zoom}}}
	require.Equal(t, got, append(m.History, w.Results(m, []pegboard.Outcome{{Call: &m.Calls[0], Result: found}})...))

	summary, next := json.RawMessage(hello), json.RawMessage(user(says))
	requireSound(t, w, []json.RawMessage{summary, got[0], got[1], next})
	requireSound(t, w, []json.RawMessage{summary, got[0], got[1], json.RawMessage(assistant(says))})

	require.Nil(t, w.Recall(nil))
	require.Nil(t, w.Recall([]string{"clock", "gone", "mcp__maps__odd"}))
	require.Nil(t, anthropic.New(poolOf(t, waiting(t, zoom, anyObject)), anthropic.Config{}).Recall([]string{zoom}), "nobody searches")
	require.Nil(t, new(anthropic.Codec).Recall([]string{zoom}))
}

// requireSound checks that Normalize finds nothing to repair.
func requireSound(t *testing.T, w *anthropic.Codec, messages []json.RawMessage) {
	t.Helper()
	got, repairs := w.Normalize(messages)
	require.Empty(t, repairs)
	require.Equal(t, stringsOf(messages), stringsOf(got))
	require.Empty(t, faults(t, got))
}

// TestRecallSurvivesCompaction drops the messages in which tools were loaded, and
// takes up the conversation in another process.
func TestRecallSurvivesCompaction(t *testing.T) {
	t.Parallel()
	r := catalogue(t)
	s := session(t)
	w := anthropic.New(r.AssemblePool(s, pegboard.PoolConfig{}), anthropic.Config{})
	tools := string(w.Tools())
	conversation := []json.RawMessage{json.RawMessage(hello)}
	for _, found := range []string{zoom, route} {
		body := `{"type":"message","role":"assistant","content":[` + use("s_"+found[:4], "ToolSearch") + `]}`
		m, err := w.Read(strings.NewReader(body)).Message()
		require.NoError(t, err)
		result := &pegboard.Result{Parts: []pegboard.Part{{Tool: found}}}
		conversation = append(append(conversation, m.History...), w.Results(m, []pegboard.Outcome{{Call: &m.Calls[0], Result: result}})...)
		s.SetLoaded(w.Loaded(conversation)...)
		w = anthropic.New(r.AssemblePool(s, pegboard.PoolConfig{}), anthropic.Config{})
		require.Equal(t, tools, string(w.Tools()), "a search changed the tools")
	}

	compacted := append([]json.RawMessage{json.RawMessage(hello)}, w.Recall(w.Loaded(conversation))...)
	requireSound(t, w, compacted)
	require.Equal(t, w.Loaded(conversation), w.Loaded(compacted))
	after := resumed(t, r, w.Loaded(compacted)...)
	require.Equal(t, tools, string(after.Tools()))
	for _, name := range []string{zoom, route} {
		require.Contains(t, string(compacted[2]), `{"type":"tool_reference","tool_name":"`+after.Name(name)+`"}`)
	}
	again := append([]json.RawMessage{json.RawMessage(hello)}, after.Recall(after.Loaded(compacted))...)
	require.Equal(t, stringsOf(compacted), stringsOf(again), "compacted twice")
}

// TestChoiceOfWhatWaits does not make the model call what it has not seen.
func TestChoiceOfWhatWaits(t *testing.T) {
	t.Parallel()
	r := catalogue(t)
	hosted := anthropic.New(poolOf(t, waiting(t, zoom, anyObject), tool(t, "clock", "", anyObject)), anthropic.Config{})
	one := func(tool string) wire.Choice { return wire.Choice{Mode: wire.One, Tool: tool} }
	auto, forced := `{"type":"auto"}`, func(api string) string { return `{"type":"tool","name":"` + api + `"}` }
	tests := []struct {
		name   string
		wire   *anthropic.Codec
		choice wire.Choice
		want   string
	}{
		{name: "it waits", wire: resumed(t, r), choice: one(zoom), want: auto},
		{name: "the only one that is required", wire: resumed(t, r), choice: wire.Choice{Mode: wire.Required, Tools: []string{zoom}}, want: auto},
		{name: "some that wait, which cannot be said", wire: resumed(t, r), choice: wire.Choice{Tools: []string{zoom, route}}, want: auto},
		{name: "loaded", wire: resumed(t, r, zoom), choice: one(zoom), want: forced(hosted.Name(zoom))},
		{name: "another was loaded", wire: resumed(t, r, zoom), choice: one(route), want: auto},
		{name: "it never waited", wire: resumed(t, r), choice: one("clock"), want: forced("clock")},
		{name: "the API searches", wire: hosted, choice: one(zoom), want: forced(hosted.Name(zoom))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, `{"tool_choice":`+tt.want+`}`, string(tt.wire.Choice(tt.choice)))
		})
	}
}

// TestRecallRuns gives the call that was pretended to the real tool: what it finds is
// what was recalled.
func TestRecallRuns(t *testing.T) {
	t.Parallel()
	s := session(t)
	p := catalogue(t).AssemblePool(s, pegboard.PoolConfig{})
	w := anthropic.New(p, anthropic.Config{})
	got := w.Recall([]string{route, zoom})
	body := `{"type":"message","role":"assistant",` + strings.TrimPrefix(string(got[0]), `{"role":"assistant",`)
	m, err := w.Read(strings.NewReader(body)).Message()
	require.NoError(t, err)
	var executor pegboard.Executor
	require.Equal(t, got[1:], w.Results(m, executor.Run(context.Background(), p, m.Calls...)))
	require.Equal(t, []string{"ToolSearch", route, zoom}, s.Loaded())
}
