package webtext_test

import (
	"bytes"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/internal/webtext"
)

func TestDecodeKind(t *testing.T) {
	t.Parallel()
	pixels := image.NewGray(image.Rect(0, 0, 2, 2))
	var asPNG, asJPEG, asGIF bytes.Buffer
	require.NoError(t, png.Encode(&asPNG, pixels))
	require.NoError(t, jpeg.Encode(&asJPEG, pixels, nil))
	require.NoError(t, gif.Encode(&asGIF, pixels, nil))
	const page, xhtml = "<!DOCTYPE html><p>a", `<?xml version="1.0"?><!-- <a> --><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><body/></html>`
	const zip, noise = "PK\x03\x04\x14\x00\x00\x00\x08\x00", "\x01\x02\x03\x04\x05\x06\x07\x08\x80\x90"
	const kindHTML, kindText, kindImage, kindOther = webtext.HTML, webtext.Text, webtext.Image, webtext.Other
	tests := []struct {
		name, header, body string
		kind               webtext.Kind
		mediaType          string
	}{
		{name: "HTML", header: "Text/HTML; charset=UTF-8", body: page, kind: kindHTML, mediaType: "text/html"},
		{name: "part of HTML", header: "text/html", body: "words", kind: kindHTML, mediaType: "text/html"},
		{name: "HTML without a header", body: page, kind: kindHTML, mediaType: "text/html"},
		{name: "HTML in a header of nothing", header: ";;;", body: page, kind: kindHTML, mediaType: "text/html"},
		{name: "HTML in a broken header", header: "text/html; charset", body: "words", kind: kindHTML, mediaType: "text/html"},
		{name: "HTML that is called an image", header: "image/png", body: page, kind: kindHTML, mediaType: "text/html"},
		{name: "HTML that is called bytes", header: "application/octet-stream", body: page, kind: kindHTML, mediaType: "text/html"},
		{name: "source of HTML", header: "text/plain", body: page, kind: kindText, mediaType: "text/plain"},
		{name: "XHTML", header: "application/xhtml+xml", body: xhtml, kind: kindHTML, mediaType: "application/xhtml+xml"},
		{name: "XHTML that is called XML", header: "application/xml", body: xhtml, kind: kindHTML, mediaType: "application/xhtml+xml"},
		{name: "XHTML without a header", body: xhtml, kind: kindHTML, mediaType: "text/html"},
		{name: "XML", header: "application/xml", body: "<?xml version='1.0'?><a><html/></a>", kind: kindText, mediaType: "application/xml"},
		{name: "a feed", header: "application/rss+xml; charset=utf-8", body: "<rss/>", kind: kindText, mediaType: "application/rss+xml"},
		{name: "a drawing", header: "image/svg+xml", body: "<svg/>", kind: kindText, mediaType: "image/svg+xml"},
		{name: "JSON", header: "application/problem+json", body: "{}", kind: kindText, mediaType: "application/problem+json"},
		{name: "JSON that is called HTML", header: "text/html", body: ` {"a":"<p>"}`, kind: kindText, mediaType: "application/json"},
		{name: "CSV", header: "text/csv", body: "a,b", kind: kindText, mediaType: "text/csv"},
		{name: "Markdown", header: "text/markdown", body: "# a", kind: kindText, mediaType: "text/markdown"},
		{name: "text of an unknown type", header: "application/x-own", body: "words", kind: kindText, mediaType: "application/x-own"},
		{name: "text that begins as a bitmap does", header: "text/plain", body: "BMW and others", kind: kindText, mediaType: "text/plain"},
		{name: "text with a NUL", header: "text/plain", body: "a\x00b", kind: kindText, mediaType: "text/plain"},
		{name: "UTF-16 without a mark", header: "text/plain; charset=utf-16le", body: "a\x00b\x00c\x00d\x00e\x00f\x00", kind: kindText, mediaType: "text/plain"},
		{name: "UTF-16 with a mark", body: "\xFF\xFEa\x00b\x00c\x00d\x00e\x00f\x00", kind: kindText, mediaType: "text/plain"},
		{name: "nothing", header: "text/html", kind: kindHTML, mediaType: "text/html"},
		{name: "nothing at all", kind: kindText, mediaType: "text/plain"},
		{name: "PNG", header: "image/png", body: asPNG.String(), kind: kindImage, mediaType: "image/png"},
		{name: "PNG that is called HTML", header: "text/html", body: asPNG.String(), kind: kindImage, mediaType: "image/png"},
		{name: "JPEG that is called PNG", header: "image/png", body: asJPEG.String(), kind: kindImage, mediaType: "image/jpeg"},
		{name: "GIF without a header", body: asGIF.String(), kind: kindImage, mediaType: "image/gif"},
		{name: "a bitmap", header: "image/bmp", body: "BM\x36\x00\x00\x00\x00\x00", kind: kindOther, mediaType: "image/bmp"},
		{name: "PDF that is called HTML", header: "text/html", body: "%PDF-1.7\n", kind: kindOther, mediaType: "application/pdf"},
		{name: "an archive", header: "application/zip", body: zip, kind: kindOther, mediaType: "application/zip"},
		{name: "an archive without a header", body: zip, kind: kindOther, mediaType: "application/zip"},
		{name: "a format within an archive", header: "application/vnd.oasis.opendocument.text", body: zip, kind: kindOther, mediaType: "application/vnd.oasis.opendocument.text"},
		{name: "noise that is called text", header: "text/plain", body: noise, kind: kindOther, mediaType: "application/octet-stream"},
		{name: "noise of a type", header: "application/wasm", body: noise, kind: kindOther, mediaType: "application/wasm"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := webtext.Decode(tt.header, []byte(tt.body))
			require.Equal(t, tt.kind, d.Kind)
			require.Equal(t, tt.mediaType, d.Type)
			hasText := tt.kind == kindHTML || tt.kind == kindText
			require.Equal(t, hasText, d.Charset != "")
			require.Equal(t, hasText && tt.body != "", d.Text() != "")
		})
	}
}

func TestDocumentTitle(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, header, body, want string }{
		{name: "plain", header: "text/html", body: "<html><head><title> A\n&lt;b> </title>", want: "A <b>"},
		{name: "none", header: "text/html", body: "<p>a", want: ""},
		{name: "empty", header: "text/html", body: "<title></title><p>a", want: ""},
		{name: "in a drawing", header: "text/html", body: "<svg><title>a</title></svg>", want: ""},
		{name: "in the body", header: "text/html", body: "<body><title>a</title>", want: ""},
		{name: "text", header: "text/plain", body: "<title>a</title>", want: ""},
		{name: "control characters", header: "text/html", body: "<title>a\x1b[31m\x00b</title>", want: "a[31m\uFFFDb"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, webtext.Decode(tt.header, []byte(tt.body)).Title(t.Context()))
		})
	}
}

func FuzzDecode(f *testing.F) {
	for _, header := range []string{"", "text/html", "text/html; charset=gbk", "application/xml", ";;;", "text/plain; charset=utf-16", "image/png"} {
		f.Add(header, []byte("<meta charset=big5><p>a\xE9\x00<table><tr><td rowspan=9>|"))
	}
	f.Add("text/html; charset=utf-7", []byte("\xFF\xFE<\x00"))
	f.Fuzz(func(t *testing.T, header string, body []byte) {
		d := webtext.Decode(header, body)
		require.True(t, utf8.ValidString(d.Text()))
		require.NotContains(t, d.Text(), "\x00")
		require.True(t, utf8.ValidString(d.Title(t.Context())))
		require.NotContains(t, d.Title(t.Context()), "\n")
		require.LessOrEqual(t, len(d.Text()), 4*len(body)+4)
		require.Equal(t, strings.ToLower(d.Type), d.Type)
	})
}
