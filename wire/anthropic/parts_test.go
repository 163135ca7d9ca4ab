package anthropic_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
)

// answerOf returns the content of the result of a call that came over w.
func answerOf(t *testing.T, w *anthropic.Codec, failed bool, parts, more []pegboard.Part) string {
	t.Helper()
	m, err := w.Read(strings.NewReader(`{"type":"message","content":[` + use("a", "clock") + `]}`)).Message()
	require.NoError(t, err)
	o := outcome("a", parts...)
	o.Result.IsError = failed
	return string(only(w.Results(m, []pegboard.Outcome{o}, more...)))
}

func TestResultParts(t *testing.T) {
	t.Parallel()
	w := anthropic.New(poolOf(t,
		tool(t, "clock", "", anyObject), tool(t, "notes.add", "", anyObject), tool(t, "refused", "", refusedSchema)), anthropic.Config{})
	pdf := pegboard.Part{MIME: "application/pdf", Data: []byte("pdf")}
	tests := []struct {
		name   string
		part   pegboard.Part
		want   string // the block; empty: none
		failed string // the block in a failed result; empty: the same
	}{
		{name: "PDF", part: pdf, want: `{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"cGRm"}}`,
			failed: `{"type":"text","text":"(3 bytes of type application/pdf were left out: the result of a failed call is text alone. Ask for them in a call of their own.)"}`},
		{name: "PDF with a title", part: pegboard.Part{MIME: "Application/PDF", Data: []byte("pdf"), Title: "The \"p\""},
			want:   `{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"cGRm"},"title":"The \"p\""}`,
			failed: `{"type":"text","text":"(3 bytes of type Application/PDF were left out: the result of a failed call is text alone. Ask for them in a call of their own.)"}`},
		{name: "long title", part: pegboard.Part{MIME: "text/plain", Text: "x", Title: strings.Repeat("é", 501)},
			want:   `{"type":"document","source":{"type":"text","media_type":"text/plain","data":"x"},"title":"` + strings.Repeat("é", 500) + `"}`,
			failed: `{"type":"text","text":"x"}`},
		{name: "text with a title", part: pegboard.Part{MIME: "text/markdown; charset=utf-8", Text: "# <x>", Title: "x.md"},
			want:   `{"type":"document","source":{"type":"text","media_type":"text/plain","data":"# <x>"},"title":"x.md"}`,
			failed: `{"type":"text","text":"# <x>"}`},
		{name: "text without a title", part: pegboard.Part{MIME: "text/plain", Text: "x", Title: " "}, want: `{"type":"text","text":"x"}`},
		{name: "text as bytes", part: pegboard.Part{MIME: "text/csv", Data: []byte("a,b")}, want: `{"type":"text","text":"a,b"}`},
		{name: "bytes that are no text", part: pegboard.Part{MIME: "text/csv", Data: []byte("\xff")}, want: leftOut(1, "text/csv"),
			failed: `{"type":"text","text":"(1 bytes of type text/csv were left out: the result of a failed call is text alone. Ask for them in a call of their own.)"}`},
		{name: "blank document", part: pegboard.Part{MIME: "text/plain", Text: " ", Title: "x"}},
		{name: "empty PDF", part: pegboard.Part{MIME: "application/pdf"}, want: leftOut(0, "application/pdf")},
		{name: "search result", part: pegboard.Part{Source: "https://a/?b&c", Title: "A", Text: "found"},
			want:   `{"type":"search_result","source":"https://a/?b&c","title":"A","content":[{"type":"text","text":"found"}]}`,
			failed: `{"type":"text","text":"A\nhttps://a/?b&c\n\nfound"}`},
		{name: "search result without a title", part: pegboard.Part{Source: "s", Text: "found"},
			want: `{"type":"search_result","source":"s","title":"s","content":[{"type":"text","text":"found"}]}`, failed: `{"type":"text","text":"s\ns\n\nfound"}`},
		{name: "search result without text", part: pegboard.Part{Source: "s", Title: "A", Text: "\n"}, want: `{"type":"text","text":"A\ns"}`},
		{name: "reference", part: pegboard.Part{Tool: "clock"}, want: `{"type":"tool_reference","tool_name":"clock"}`,
			failed: `{"type":"text","text":"(The tool clock was found. Search for it again to load it.)"}`},
		{name: "reference by another name", part: pegboard.Part{Tool: "notes.add"}, want: `{"type":"tool_reference","tool_name":"` + w.Name("notes.add") + `"}`,
			failed: `{"type":"text","text":"(The tool ` + w.Name("notes.add") + ` was found. Search for it again to load it.)"}`},
		{name: "reference to nothing", part: pegboard.Part{Tool: "gone"}, want: `{"type":"text","text":"` + gone("gone") + `"}`},
		{name: "reference to what is left out", part: pegboard.Part{Tool: "refused"}, want: `{"type":"text","text":"` + gone("refused") + `"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			result := func(content string) string {
				return `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"` + content + `}]}`
			}
			want := result("")
			if tt.want != "" {
				want = result(`,"content":[` + tt.want + `]`)
			}
			require.Equal(t, want, answerOf(t, w, false, []pegboard.Part{tt.part}, nil))

			if tt.failed == "" {
				tt.failed = tt.want
			}
			if tt.failed == "" {
				tt.failed = `{"type":"text","text":"clock failed and did not say why. Look at what it did before you repeat it."}`
			}
			require.Equal(t, result(`,"content":[`+tt.failed+`],"is_error":true`), answerOf(t, w, true, []pegboard.Part{tt.part}, nil))
		})
	}
}

func gone(tool string) string {
	return fmt.Sprintf("(The tool %s is not available now. Go on without it, or search for another.)", tool)
}

// TestPartsBesideResults checks the blocks that stand after the results: the API
// takes no reference there.
func TestPartsBesideResults(t *testing.T) {
	t.Parallel()
	w := anthropic.New(poolOf(t, tool(t, "clock", "", anyObject)), anthropic.Config{})
	more := []pegboard.Part{{Tool: "clock"}, {MIME: "application/pdf", Data: []byte("pdf")}, {Source: "s", Text: "x"}}
	require.Equal(t, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"},`+
		`{"type":"text","text":"(The tool clock was found. Search for it again to load it.)"},`+
		`{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"cGRm"}},`+
		`{"type":"search_result","source":"s","title":"s","content":[{"type":"text","text":"x"}]}]}`,
		answerOf(t, w, false, nil, more))
}

// TestPartsWithoutPool answers a message with the zero Codec.
func TestPartsWithoutPool(t *testing.T) {
	t.Parallel()
	m := &wire.Message{Calls: []pegboard.Call{{ID: "a"}}}
	require.Equal(t, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"`+gone("clock")+`"}]}]}`,
		string(only(new(anthropic.Codec).Results(m, []pegboard.Outcome{outcome("a", pegboard.Part{Tool: "clock"})}))))
}

// TestTextOfAnyType sends text whose media type is not one of text, as sources have
// it for resources.
func TestTextOfAnyType(t *testing.T) {
	t.Parallel()
	_, m, err := read(strings.NewReader(stream(start, begin(0, use("a", "clock")), end(0), because("tool_use"), stop)))
	require.NoError(t, err)
	got := only(new(anthropic.Codec).Results(m, []pegboard.Outcome{{Call: &m.Calls[0], Result: &pegboard.Result{Parts: []pegboard.Part{
		{MIME: "application/json", Text: "[1]"}, {MIME: "a b", Text: "c", Title: "d"},
	}}}}))
	require.Equal(t, fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[%s,%s]}]}`, `{"type":"text","text":"[1]"}`,
		`{"type":"document","source":{"type":"text","media_type":"text/plain","data":"c"},"title":"d"}`), string(got))
}
