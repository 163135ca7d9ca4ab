package chat_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
)

func TestRecall(t *testing.T) {
	t.Parallel()
	old := toolOf(t, pegboard.Info{Name: "Agent", Aliases: []string{"Task"}, Loading: pegboard.LoadOnSearch}, "", anyObject)
	_, pool := searchable(t, late(t, "weather"), late(t, "notes.add"), old, tool(t, "clock", "", anyObject))
	w := chat.New(pool(), chat.Config{})
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
			require.Equal(t, stringsOf(got), stringsOf(chat.New(pool(), chat.Config{}).Recall(tt.want)), "other bytes")
			require.Empty(t, faults(t, got))
			requireNormal(t, append(append(messagesOf(system, hello), got...), messagesOf(hello)...))
			_, repairs := new(chat.Codec).Normalize(got)
			require.Empty(t, repairs)
		})
	}
	require.NotEqual(t, parsePast(w.Recall([]string{"weather"})[1]).callID, parsePast(w.Recall([]string{"notes.add"})[1]).callID)
	var zero chat.Codec
	require.Nil(t, zero.Recall([]string{"weather"}))
	require.Nil(t, chat.New(poolOf(t, late(t, "weather")), chat.Config{}).Recall([]string{"weather"}), "nobody can search")
}

// TestRecallIsWhatAModelWouldHaveDone compares it with a reply that calls ToolSearch.
func TestRecallIsWhatAModelWouldHaveDone(t *testing.T) {
	t.Parallel()
	_, pool := searchable(t, late(t, "weather"), late(t, "notes.add"))
	w := chat.New(pool(), chat.Config{})
	got := w.Recall([]string{"weather", "notes.add"})
	id := parsePast(got[0]).calls[0].id
	require.Regexp(t, `^call_[0-9a-f]{24}$`, id)
	m, err := w.Read(strings.NewReader(stream(calling(piece(0, id, "ToolSearch", `{"query":"select:weather,notes.add"}`)), because("tool_calls")))).Message()
	require.NoError(t, err)
	var e pegboard.Executor
	want := append(m.History, w.Results(m, e.Run(t.Context(), pool(), m.Calls...))...)
	require.Equal(t, stringsOf(want), stringsOf(got))
}

// TestRecallSurvivesCompaction takes a conversation through a search, a compaction and
// a new process: the request that follows offers the same tools in the same bytes.
func TestRecallSurvivesCompaction(t *testing.T) {
	t.Parallel()
	tools := []pegboard.Tool{tool(t, "clock", "", anyObject), late(t, "weather"), late(t, "alarm"), late(t, "notes.add")}
	s, pool := searchable(t, tools...)
	conversation := messagesOf(system, hello)
	for _, query := range []string{`{"query":"select:weather"}`, `{"query":"select:notes.add,alarm"}`} {
		w := chat.New(pool(), chat.Config{})
		m, err := w.Read(strings.NewReader(stream(calling(piece(0, "call"+query, "ToolSearch", query)), because("tool_calls")))).Message()
		require.NoError(t, err)
		var e pegboard.Executor
		conversation = append(append(conversation, m.History...), w.Results(m, e.Run(t.Context(), pool(), m.Calls...))...)
	}
	before := chat.New(pool(), chat.Config{})
	require.Len(t, definitions(t, before), 5)

	compacted := append(messagesOf(system, user(`"We talked of the weather."`)), before.Recall(before.Loaded(conversation))...)
	compacted = append(compacted, messagesOf(hello)...)
	sent, repairs := before.Normalize(compacted)
	require.Empty(t, repairs)
	require.Equal(t, stringsOf(compacted), stringsOf(sent))

	other, otherPool := searchable(t, tools...)
	other.SetLoaded(chat.New(otherPool(), chat.Config{}).Loaded(compacted)...)
	after := chat.New(otherPool(), chat.Config{})
	require.Equal(t, string(before.Tools()), string(after.Tools()))
	require.Equal(t, s.Loaded(), after.Loaded(compacted))
	require.Equal(t, stringsOf(before.Recall(before.Loaded(conversation))), stringsOf(after.Recall(after.Loaded(compacted))), "a second compaction")
}
