package web_test

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/web"
)

func pngImage(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 3, 2))))
	return b.String()
}

func TestFetchTypes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, contentType, body string
		want                    string
	}{
		{name: "XHTML", contentType: "application/xhtml+xml", body: `<html xmlns="http://www.w3.org/1999/xhtml"><body><h1>A</h1></body></html>`, want: "# A"},
		{name: "JSON", contentType: "application/json", body: `{"a":[1, 2]}`, want: `{"a":[1, 2]}`},
		{name: "XML", contentType: "application/xml", body: "<a><b>1</b></a>", want: "<a><b>1</b></a>"},
		{name: "CSV", contentType: "text/csv", body: "a,b\n1,2", want: "a,b\n1,2"},
		{name: "Markdown", contentType: "text/markdown", body: "# A\n\n*b*", want: "# A\n\n*b*"},
		{name: "no type", body: "<!doctype html><h1>A</h1>", want: "# A"},
		{name: "UTF-8 that claims to be gb2312", contentType: "text/html; charset=gb2312", body: "<p>中文新闻</p>", want: "中文新闻"},
		{name: "Windows-1252", contentType: "text/html", body: "<p>caf\xe9</p>", want: "café"},
		{name: "links", contentType: "text/html", body: `<p><a href="b?c=1#d">b</a> <a href="javascript:x()">x</a></p>`, want: "[b](https://example.com/a/b?c=1#d) x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := everything(t)
			serve(t, s, answer(tt.contentType, tt.body))
			require.Contains(t, text(t, fetch(t, s, web.FetchOptions{}, "https://example.com/a/")), "<web-page>\n"+tt.want+"\n</web-page>")
		})
	}
}

func TestFetchImage(t *testing.T) {
	t.Parallel()
	data := pngImage(t)
	for _, contentType := range []string{"image/png", "text/html", "application/octet-stream", ""} {
		s := everything(t)
		serve(t, s, answer(contentType, data))
		out := fetch(t, s, web.FetchOptions{}, "https://example.com/a.png")
		require.Contains(t, text(t, out), "https://example.com/a.png is an image (image/png, ")
		require.Len(t, out.Result.Parts, 2)
		require.Equal(t, pegboard.Part{MIME: "image/png", Data: []byte(data)}, out.Result.Parts[1])
	}
}

// A file that is no text is stored byte for byte, and its name tells how to open it.
func TestFetchStoresOtherFiles(t *testing.T) {
	t.Parallel()
	body := "%PDF-1.7\n" + strings.Repeat("\x00\xff\x01", 1000)
	s := everything(t)
	serve(t, s, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/pdf")
		_, _ = w.Write([]byte(body))
	})
	tool := web.Fetch(web.FetchOptions{})
	for range 2 { // the second is from the cache
		got := text(t, call(t, s, tool, map[string]any{"url": "https://example.com/a.pdf", "prompt": "?"}))
		require.Contains(t, got, "https://example.com/a.pdf is no text (application/pdf, 3009 bytes). It is stored as it came: ")
		_, path, _ := strings.Cut(got, "came: ")
		path, _, _ = strings.Cut(path, "\n")
		stored, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, body, string(stored))
	}
	got := text(t, fetch(t, s, web.FetchOptions{MaxBody: 100}, "https://example.com/a.pdf"))
	require.Contains(t, got, "Only the first 100 bytes of the answer were read.")
}
