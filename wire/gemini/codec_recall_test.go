package gemini_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/gemini"
)

func TestRecall(t *testing.T) {
	t.Parallel()
	old := toolOf(t, pegboard.Info{Name: "Agent", Aliases: []string{"Task"}, Loading: pegboard.LoadOnSearch})
	_, pool := searchable(t, late(t, "weather"), late(t, "notes.add"), old, tool(t, "clock", "", anyObject))
	w := gemini.New(pool(), gemini.Config{})
	tests := []struct {
		name string
		in   []string
		want []string
	}{
		{name: "nothing"},
		{name: "one", in: []string{"weather"}, want: []string{"weather"}},
		{name: "in the order given, each once", in: []string{"weather", "notes.add", "weather"}, want: []string{"weather", "notes.add"}},
		{name: "by a former name", in: []string{"Task", "Agent"}, want: []string{"Agent"}},
		{name: "nothing to load", in: []string{"clock", "ToolSearch", "gone", ""}},
		{name: "some of them", in: []string{"ToolSearch", "gone", "notes.add", "clock"}, want: []string{"notes.add"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := w.Recall(tt.in)
			if tt.want == nil {
				require.Nil(t, got)
				return
			}
			require.Equal(t, append([]string{"ToolSearch"}, tt.want...), w.Loaded(got))
			require.Equal(t, stringsOf(got), stringsOf(gemini.New(pool(), gemini.Config{}).Recall(tt.want)), "other bytes")
			roles := []string{}
			for _, content := range got {
				role, _ := readContent(t, content)
				roles = append(roles, role)
			}
			require.Equal(t, []string{"model", "user"}, roles)
			for _, next := range []string{hello, model(speaks)} {
				around := append(append(messagesOf([]string{hello}), got...), messagesOf([]string{next})...)
				_, repairs := new(gemini.Codec).Normalize(around)
				require.Empty(t, repairs)
				requireNormal(t, around)
			}
		})
	}
	var zero gemini.Codec
	require.Nil(t, zero.Recall([]string{"weather"}))
}

// TestRecallIsWhatAModelWouldHaveDone compares it with a reply that calls ToolSearch.
func TestRecallIsWhatAModelWouldHaveDone(t *testing.T) {
	t.Parallel()
	_, pool := searchable(t, late(t, "weather"), late(t, "notes.add"))
	w := gemini.New(pool(), gemini.Config{})
	reply := ends("STOP", `{"functionCall":{"name":"ToolSearch","args":{"query":"select:weather,notes.add"}},"thoughtSignature":"skip_thought_signature_validator"}`)
	m, err := w.Read(strings.NewReader(reply)).Message()
	require.NoError(t, err)
	var e pegboard.Executor
	want := append(m.History, w.Results(m, e.Run(t.Context(), pool(), m.Calls...))...)
	require.Equal(t, stringsOf(want), stringsOf(w.Recall([]string{"weather", "notes.add"})))
}

// TestRecallSurvivesCompaction takes a conversation through a search, a compaction and
// a new process: the request that follows offers the same tools in the same bytes.
func TestRecallSurvivesCompaction(t *testing.T) {
	t.Parallel()
	tools := []pegboard.Tool{tool(t, "clock", "", anyObject), late(t, "weather"), late(t, "alarm"), late(t, "notes.add")}
	s, pool := searchable(t, tools...)
	conversation := messagesOf([]string{hello})
	for _, query := range []string{`{"query":"select:weather"}`, `{"query":"select:notes.add,alarm"}`} {
		m, err := gemini.New(pool(), gemini.Config{}).Read(strings.NewReader(ends("STOP", calls("ToolSearch", query)))).Message()
		require.NoError(t, err)
		var e pegboard.Executor
		conversation = append(append(conversation, m.History...), gemini.New(pool(), gemini.Config{}).Results(m, e.Run(t.Context(), pool(), m.Calls...))...)
	}
	before := gemini.New(pool(), gemini.Config{})
	require.Len(t, declarations(t, before), 5)

	compacted := append(messagesOf([]string{user(`{"text":"We talked of the weather."}`)}), before.Recall(before.Loaded(conversation))...)
	compacted = append(compacted, messagesOf([]string{model(speaks), hello})...)
	sent, repairs := before.Normalize(compacted)
	require.Empty(t, repairs)
	require.Equal(t, stringsOf(compacted), stringsOf(sent))

	other, otherPool := searchable(t, tools...)
	other.SetLoaded(gemini.New(otherPool(), gemini.Config{}).Loaded(compacted)...)
	after := gemini.New(otherPool(), gemini.Config{})
	require.Equal(t, string(before.Tools()), string(after.Tools()))
	require.Equal(t, s.Loaded(), after.Loaded(compacted))
	require.Equal(t, stringsOf(before.Recall(before.Loaded(conversation))), stringsOf(after.Recall(after.Loaded(compacted))), "a second compaction")
}
