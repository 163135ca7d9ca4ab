package content_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/content"
)

func TestResource(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		answer string
		parts  []pegboard.Part
		data   string
		stored []stored
		err    string
	}{
		{name: "text", answer: `{"contents":[{"uri":"x:1","mimeType":"text/html;profile=mcp-app","text":"<a>"}]}`,
			parts: []pegboard.Part{{Text: "<a>", MIME: "text/html", Title: "x:1"}}, data: `{"contents":[{"uri":"x:1","mimeType":"text/html;profile=mcp-app","text":"<a>"}]}`},
		{name: "bytes", answer: `{"contents":[{"uri":"x:1","mimeType":"audio/wav","blob":"UklGRg=="}]}`,
			parts: []pegboard.Part{text(`(The resource "x:1" of the type audio/wav, 4 bytes, is in /store/1.)`)}, stored: []stored{{"audio/wav", "RIFF"}},
			data: `{"contents":[{"uri":"x:1","mimeType":"audio/wav","blobSavedTo":"/store/1"}]}`},
		{name: "image", answer: `{"contents":[{"uri":"x:1","mimeType":"image/png","blob":"` + tinyPNG + `"}]}`,
			parts:  []pegboard.Part{image(t, "x:1"), text(`(The resource "x:1" of the type image/png, 70 bytes, is in /store/1.)`)},
			stored: []stored{{"image/png", string(image(t, "").Data)}}, data: `{"contents":[{"uri":"x:1","mimeType":"image/png","blobSavedTo":"/store/1"}]}`},
		{name: "several, one of them neither", answer: `{"contents":[{"uri":"x:1","text":"a"},{"uri":"x:2"},{"uri":"x:3","text":"c"}]}`,
			parts: []pegboard.Part{{Text: "a", MIME: "text/plain", Title: "x:1"}, text("(A content that has neither a text nor bytes, as JSON:)\n" + `{"uri":"x:2"}`), {Text: "c", MIME: "text/plain", Title: "x:3"}},
			data:  `{"contents":[{"uri":"x:1","text":"a"},{"uri":"x:3","text":"c"}]}`},
		{name: "one without a list", answer: `{"contents":{"uri":"x:1","text":"a"}}`,
			parts: []pegboard.Part{{Text: "a", MIME: "text/plain", Title: "x:1"}}, data: `{"contents":[{"uri":"x:1","text":"a"}]}`},
		{name: "none", answer: `{"contents":[]}`, parts: []pegboard.Part{text("(The resource has no contents.)")}, data: `{"contents":[]}`},
		{name: "no contents", answer: `{}`, err: `MCP server "srv" answered without the contents of the resource`},
		{name: "null", answer: `{"contents":null}`, err: `MCP server "srv" answered without the contents of the resource`},
		{name: "no object", answer: `1`, err: `MCP server "srv" sent an answer that is not a JSON object`},
		{name: "a question", answer: `{"resultType":"input_required"}`, err: `MCP server "srv" asked for further input instead of answering, and this client could not give it. Tell the user.`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := &host{}
			r, err := h.decoder().Resource(t.Context(), json.RawMessage(tt.answer))
			if tt.err != "" {
				require.EqualError(t, err, tt.err)
				require.Nil(t, r)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.parts, r.Parts)
			require.Equal(t, tt.stored, h.stored)
			data, err := json.Marshal(r.Data)
			require.NoError(t, err)
			require.JSONEq(t, tt.data, string(data))
			require.IsType(t, content.Resources{}, r.Data)
		})
	}
}

// FuzzResource checks that an answer gives either an error or something to show.
func FuzzResource(f *testing.F) {
	for _, seed := range []string{`{"contents":[{"uri":"x:1","text":"a"},{"blob":"AA=="},1]}`, `{"contents":{}}`, `{"contents":[]}`, `{"contents":"a"}`, `{`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := (&host{}).decoder().Resource(t.Context(), raw)
		if err != nil {
			require.Nil(t, r)
			return
		}
		require.NotEmpty(t, r.Parts)
		_, err = json.Marshal(r.Data)
		require.NoError(t, err)
	})
}
