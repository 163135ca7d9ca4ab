package acp_test

import (
	"testing"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/acp"
)

// TestPromptsBecomeParts hands each kind of content to the loop.
func TestPromptsBecomeParts(t *testing.T) {
	t.Parallel()
	all := sdk.PromptCapabilities{Image: true, Audio: true, EmbeddedContext: true}
	for _, tt := range []struct {
		name, block string
		want        pegboard.Part
	}{
		{name: "text", block: `{"type":"text","text":"a\u0000b","annotations":{"audience":["user"]}}`, want: pegboard.Part{Text: "a\x00b"}},
		{name: "an empty text", block: `{"type":"text","text":""}`, want: pegboard.Part{}},
		{name: "a link", block: `{"type":"resource_link","uri":"file:///a.go","name":"a.go","size":5}`, want: pegboard.Part{Text: "[a.go](file:///a.go)"}},
		{name: "a link without a name", block: `{"type":"resource_link","uri":"file:///a.go"}`, want: pegboard.Part{Text: "[file:///a.go](file:///a.go)"}},
		{name: "an image", block: `{"type":"image","mimeType":"image/png","data":"AQI="}`, want: pegboard.Part{MIME: "image/png", Data: []byte{1, 2}}},
		{name: "a sound", block: `{"type":"audio","mimeType":"audio/wav","data":"AQI="}`, want: pegboard.Part{MIME: "audio/wav", Data: []byte{1, 2}}},
		{name: "a text of a resource", block: `{"type":"resource","resource":{"uri":"file:///a.go","mimeType":"text/x-go","text":"package a"}}`, want: pegboard.Part{Title: "file:///a.go", MIME: "text/x-go", Text: "package a"}},
		{name: "a resource without a type", block: `{"type":"resource","resource":{"uri":"file:///a","text":""}}`, want: pegboard.Part{Title: "file:///a", MIME: "text/plain"}},
		{name: "bytes of a resource", block: `{"type":"resource","resource":{"uri":"file:///a","blob":"AQI="}}`, want: pegboard.Part{Title: "file:///a", MIME: "application/octet-stream", Data: []byte{1, 2}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := opened(t, setup{turn: calling(), options: acp.Options{Prompts: all}})
			require.Equal(t, sdk.StopReasonEndTurn, e.stopOf(e.begin("session/prompt", e.session(`,"prompt":[`+tt.block+`]`))))
			require.Equal(t, []pegboard.Part{tt.want}, e.h.prompt)
		})
	}
	e := opened(t, setup{turn: calling(), options: acp.Options{Prompts: all}})
	for _, block := range []string{
		`{"type":"image","mimeType":"text/html","data":"AQI="}`, `{"type":"image","mimeType":"image/png","data":"?"}`, `{"type":"image","mimeType":"image/png"}`,
		`{"type":"audio","mimeType":"image/png","data":"AQI="}`, `{"type":"resource"}`, `{"type":"resource","resource":{"uri":"a","blob":"?"}}`, `{"type":"resource","resource":{"text":"a"}}`,
	} {
		m := e.answerTo(e.begin("session/prompt", e.session(`,"prompt":[`+block+`]`)))
		require.NotNil(t, m.Error, block)
		require.Equal(t, -32602, m.Error.Code, block)
	}
}
