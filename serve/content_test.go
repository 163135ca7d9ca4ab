package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/serve"
)

// TestContent returns results of all kinds.
func TestContent(t *testing.T) {
	t.Parallel()
	image := onePixel()
	titled := func(p pegboard.Part, title string) pegboard.Part { p.Title = title; return p }
	tests := []struct {
		name   string
		result *pegboard.Result
		err    error
		want   string // content, as JSON
		data   string // structured content, as JSON
		failed bool
	}{
		{name: "text", result: pegboard.TextResult("a\nb\x00ü"), want: `[{"type":"text","text":"a\nb\u0000ü"}]`},
		{name: "two texts", result: parts(pegboard.Part{Text: "a"}, pegboard.Part{Text: "b"}), want: `[{"type":"text","text":"a"},{"type":"text","text":"b"}]`},
		{name: "image", result: parts(image), want: `[{"type":"image","mimeType":"image/png","data":` + quoted(image.Data) + `}]`},
		{name: "audio", result: parts(silence()), want: `[{"type":"audio","mimeType":"audio/wav","data":` + quoted(silence().Data) + `}]`},
		{
			name: "file", result: parts(titled(pegboard.Part{MIME: "application/pdf", Data: []byte("%PDF")}, "my report.pdf")),
			want: `[{"type":"resource","resource":{"uri":"pegboard:document/my%20report.pdf","mimeType":"application/pdf","blob":"JVBERg=="}}]`,
		},
		{
			name: "document", result: parts(pegboard.Part{Title: "test://a", MIME: "text/markdown", Text: "# A"}),
			want: `[{"type":"resource","resource":{"uri":"test://a","mimeType":"text/markdown","text":"# A"}}]`,
		},
		{
			name: "document without a type", result: parts(pegboard.Part{Title: "file:///a", Text: "A"}),
			want: `[{"type":"resource","resource":{"uri":"file:///a","text":"A"}}]`,
		},
		{
			name: "search result", result: parts(pegboard.Part{Title: "Go", Source: "https://go.dev", Text: "A language."}),
			want: `[{"type":"text","text":"Title: Go\nSource: https://go.dev\nA language."}]`,
		},
		{name: "titled text", result: parts(pegboard.Part{Title: "Notes: mine", Text: "A"}), want: `[{"type":"text","text":"Title: Notes: mine\nA"}]`},
		{name: "image with a text", result: parts(pegboard.Part{MIME: image.MIME, Data: image.Data, Text: "the plot"}),
			want: `[{"type":"text","text":"the plot"},{"type":"image","mimeType":"image/png","data":` + quoted(image.Data) + `}]`},
		{name: "tool", result: parts(pegboard.Part{Tool: "Grep"}), want: `[{"type":"text","text":"The tool Grep was found; it can be called."}]`},
		{name: "messages", result: &pegboard.Result{Parts: []pegboard.Part{{Text: "a"}}, Messages: []pegboard.Part{{Text: "b"}}}, want: `[{"type":"text","text":"a"},{"type":"text","text":"b"}]`},
		{name: "object", result: &pegboard.Result{Parts: []pegboard.Part{{Text: "a"}}, Data: map[string]any{"n": json.Number("9007199254740993")}}, want: `[{"type":"text","text":"a"}]`, data: `{"n":9007199254740993}`},
		{name: "raw object", result: &pegboard.Result{Parts: []pegboard.Part{{Text: "a"}}, Data: json.RawMessage(`{"b":1,"a":2}`)}, want: `[{"type":"text","text":"a"}]`, data: `{"b":1,"a":2}`},
		{name: "list", result: &pegboard.Result{Parts: []pegboard.Part{{Text: "a"}}, Data: []int{1}}, want: `[{"type":"text","text":"a"}]`},
		{name: "failure", result: &pegboard.Result{Parts: []pegboard.Part{{Text: "a"}}, IsError: true, Data: map[string]int{"a": 1}}, want: `[{"type":"text","text":"a"}]`, failed: true},
		{name: "error", err: errors.New("no disk"), want: `[{"type":"text","text":"no disk"}]`, failed: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tool := pegboard.Build(pegboard.Definition[struct{}, *pegboard.Result]{
				Info: pegboard.Info{Name: "Make"}, Description: "Makes a result.", Traits: pegboard.Traits{ReadOnly: true},
				Call: func(context.Context, struct{}, *pegboard.Call) (*pegboard.Result, error) { return tt.result, tt.err },
			})
			s := served(t, serve.Options{}, func(_ serve.Client, cfg *pegboard.SessionConfig) { cfg.Permissions = allowing(t, "Make") }, tool)
			transport := &recorder{}
			session := connectRecorded(t, s.Server, transport)
			r := callTool(t, session, "Make", `{}`)
			require.Equal(t, tt.failed, r.IsError)
			content, err := json.Marshal(r.Content)
			require.NoError(t, err)
			require.JSONEq(t, tt.want, string(content))
			require.Equal(t, tt.data, transport.structured(t)) // the SDK's client would round numbers
		})
	}
}

func parts(all ...pegboard.Part) *pegboard.Result { return &pegboard.Result{Parts: all} }

func quoted(data []byte) string {
	text, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	return string(text)
}
