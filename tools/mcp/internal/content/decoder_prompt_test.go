package content_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

func TestPrompt(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		answer string
		parts  []pegboard.Part
		told   []string
		err    string
	}{
		{name: "one message", answer: `{"messages":[{"role":"user","content":{"type":"text","text":"a"}}]}`, parts: []pegboard.Part{text("a")}},
		{name: "messages of the user", answer: `{"messages":[{"role":"user","content":{"type":"text","text":"a"}},{"role":"user","content":{"type":"resource","resource":{"uri":"x:1","text":"b"}}}]}`,
			parts: []pegboard.Part{text("a"), {Text: "b", MIME: "text/plain", Title: "x:1"}}},
		{name: "messages of both", answer: `{"messages":[{"role":"user","content":{"type":"text","text":"a"}},{"role":"assistant","content":{"type":"text","text":"b"}},{"role":"x","content":"c"}]}`,
			parts: []pegboard.Part{text("user:"), text("a"), text("assistant:"), text("b"), text("unknown:"), text("c")}},
		{name: "content as a list", answer: `{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"image","data":"` + tinyPNG + `"}]}]}`,
			parts: []pegboard.Part{text("a"), image(t, "")}},
		{name: "an image that no provider takes", answer: `{"messages":[{"role":"user","content":{"type":"image","data":"iVBORw0KGgoAAAANSUhEUgAA//8AAP//CAYAAAAfFcSJ"}}]}`,
			parts: []pegboard.Part{text("(The image cannot be shown: it is 65535 by 65535 pixels, and at most 2000 are allowed on each side. Make it smaller, or cut a part out of it.)")}},
		{name: "for the user", answer: `{"messages":[{"role":"user","content":[{"type":"text","text":"u","annotations":{"audience":["user"]}},{"type":"text","text":"a"}]}]}`,
			parts: []pegboard.Part{text("a")}, told: []string{"u"}},
		{name: "no messages", answer: `{"messages":[]}`, err: `MCP server "srv" answered with a prompt without messages`},
		{name: "none at all", answer: `{}`, err: `MCP server "srv" answered with a prompt without messages`},
		{name: "no object", answer: `"a"`, err: `MCP server "srv" sent an answer that is not a JSON object`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := &host{}
			parts, err := h.decoder().Prompt(t.Context(), json.RawMessage(tt.answer))
			if tt.err != "" {
				require.EqualError(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.parts, parts)
			require.Equal(t, tt.told, h.told)
		})
	}
}
