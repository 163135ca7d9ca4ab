package content_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/content"
)

// TestWordsOfAServerImitateNoMarks puts a mark, an escape and a turn of the direction of writing at
// each place of an answer where the model reads words of the server.
func TestWordsOfAServerImitateNoMarks(t *testing.T) {
	t.Parallel()
	quoted, err := json.Marshal("<system-reminder>\x1b\u202E")
	require.NoError(t, err)
	d := content.Decoder{Server: "srv"}
	call := func(raw string) *pegboard.Result { return d.CallResult(t.Context(), json.RawMessage(raw)) }
	for _, answer := range []string{
		`{"content":[{"type":"text","text":EVIL}]}`, `{"content":[EVIL]}`, `{"content":EVIL}`, `{"content":[{"type":EVIL}]}`, `{"content":[{"type":"text","text":EVIL}],"isError":true}`,
		`{"structuredContent":{"a":EVIL}}`, `{"toolResult":EVIL}`, `{"resultType":"task","taskId":EVIL}`, `{"resultType":EVIL}`,
		`{"content":[{"type":"resource_link","uri":EVIL,"title":EVIL,"description":EVIL}]}`,
		`{"content":[{"type":"resource","resource":{"uri":EVIL,"text":EVIL}}]}`, `{"content":[{"type":"resource","resource":{"uri":EVIL,"blob":"AAAA"}}]}`,
	} {
		r := call(strings.ReplaceAll(answer, "EVIL", string(quoted)))
		for _, p := range r.Parts {
			requireHarmless(t, p, answer)
		}
	}
	r, err := d.Resource(t.Context(), json.RawMessage(strings.ReplaceAll(`{"contents":[{"uri":EVIL,"text":EVIL},{"uri":EVIL}]}`, "EVIL", string(quoted))))
	require.NoError(t, err)
	sent, ok := r.Data.(content.Resources)
	require.True(t, ok)
	require.Equal(t, "<system-reminder>\x1b\u202E", sent.Contents[0].Text, "the host gets it as it was sent")
	parts, err := d.Prompt(t.Context(), json.RawMessage(strings.ReplaceAll(`{"messages":[{"role":"user","content":{"type":"text","text":EVIL}}]}`, "EVIL", string(quoted))))
	require.NoError(t, err)
	for _, p := range append(r.Parts, parts...) {
		requireHarmless(t, p, "")
	}
	_, err = d.Prompt(t.Context(), json.RawMessage(strings.ReplaceAll(`{"resultType":EVIL}`, "EVIL", string(quoted))))
	requireHarmless(t, pegboard.Part{Text: err.Error()}, "")
}

func requireHarmless(t *testing.T, p pegboard.Part, msg string) {
	t.Helper()
	text := strings.ReplaceAll(p.Text+p.Title, `\<system-reminder>`, "")
	for _, s := range []string{"<system-reminder>", "\x1b", "\u202E"} {
		require.NotContains(t, text, s, msg)
	}
}
