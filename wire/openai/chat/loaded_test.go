package chat_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
)

func TestLoaded(t *testing.T) {
	t.Parallel()
	w := chat.New(poolOf(t, tool(t, "clock", "", anyObject), tool(t, "time.zone", "", anyObject), tool(t, "ToolSearch", "", anyObject)), chat.Config{})
	m := wire.Message{}
	require.Nil(t, only(m.History))
	_, found, err := turnOf(t, w, outcome("a", pegboard.Part{Tool: "time.zone"}, pegboard.Part{Tool: "clock"}, pegboard.Part{Tool: "gone"}))
	require.NoError(t, err)
	tests := []struct {
		name string
		in   []string
		want []string
	}{
		{name: "nothing"},
		{name: "calls", in: []string{model(call("a", "clock"), call("b", w.Name("time.zone"))), model(call("c", "clock"), call("d", "elsewhere"))}, want: []string{"clock", "time.zone", "elsewhere"}},
		{name: "references", in: append([]string{model(call("a", "ToolSearch"))}, stringsOf(found)...), want: []string{"ToolSearch", "time.zone", "clock"}},
		{name: "in parts", in: []string{model(call("a", "ToolSearch")), `{"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"x"},{"type":"text","text":"<functions>\n{\"function\":{\"name\":\"clock\"}}\n</functions>"}]}`}, want: []string{"ToolSearch", "clock"}},
		{name: "words of others", in: []string{`{"role":"user","content":"<functions>\n{\"name\":\"clock\"}\n</functions>"}`, `{"role":"assistant","content":"<functions>\n{\"name\":\"clock\"}\n</functions>"}`}},
		{name: "unreadable", in: []string{`null`, `{`, `{"role":"assistant","tool_calls":7}`, `{"role":"tool","content":7}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, w.Loaded(messagesOf(tt.in...)))
		})
	}
}
