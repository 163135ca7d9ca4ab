package webtext_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/htmlindex"

	"github.com/seed49eaa51d/pegboard/tools/internal/webtext"
)

// samples are texts in the encodings of the WHATWG, by the names of these.
var samples = map[string]string{
	"ibm866": "Привет, мир", "iso-8859-2": "Zażółć gęślą jaźń", "iso-8859-3": "Ġuġ Ħaż Saĥar", "iso-8859-4": "Ķīlis ēd šņabi",
	"iso-8859-5": "Привет, мир", "iso-8859-6": "مرحبا", "iso-8859-7": "Καλημέρα", "iso-8859-8": "שלום", "iso-8859-8-i": "שלום",
	"iso-8859-10": "Þú átt ķe", "iso-8859-13": "Ąžuolas žydi", "iso-8859-14": "Ŵyth ŷd", "iso-8859-15": "Œuvre à 5 €", "iso-8859-16": "Țară și școală",
	"koi8-r": "Привет, мир", "koi8-u": "Їжак і ґава", "macintosh": "Café ∑ π", "windows-874": "สวัสดี", "windows-1250": "Zażółć gęślą jaźń",
	"windows-1251": "Привет, мир", "windows-1252": "Café – 5 €", "windows-1253": "Καλημέρα", "windows-1254": "İstanbul'da ağaç", "windows-1255": "שלום",
	"windows-1256": "مرحبا", "windows-1257": "Ąžuolas žydi", "windows-1258": "ươđâ", "x-mac-cyrillic": "Привет, мир", "gbk": "汉字和标点", "gb18030": "汉字和標點€😀",
	"big5": "漢字和標點", "euc-jp": "日本語の文章", "iso-2022-jp": "日本語の文章", "shift_jis": "日本語の文章", "euc-kr": "한국어 문장", "utf-8": "Grüße, 世界 😀",
	"utf-16le": "Grüße, 世界 😀", "utf-16be": "Grüße, 世界 😀",
}

// encoded returns a text in an encoding.
func encoded(t *testing.T, name, text string) string {
	t.Helper()
	e, err := htmlindex.Get(name)
	require.NoError(t, err)
	b, err := e.NewEncoder().String(text)
	require.NoError(t, err)
	return b
}

// TestDecodeEachCharset names each encoding in the header, and in the page itself.
func TestDecodeEachCharset(t *testing.T) {
	t.Parallel()
	for name, text := range samples {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, canonical := charset.Lookup(name)
			require.NotNil(t, e)
			require.Equal(t, canonical, name)
			page := "<!doctype html><title>a</title><p>" + text + "</p>"
			d := webtext.Decode("text/html; charset="+strings.ToUpper(name), []byte(encoded(t, name, page)))
			require.Equal(t, page, d.Text())
			require.Equal(t, name, d.Charset)
			if strings.HasPrefix(name, "utf-16") {
				return // what it declares itself cannot be read
			}
			for _, meta := range []string{`<meta charset="%s">`, `<meta content='text/html;charset=%s' http-equiv=Content-Type>`} {
				page := fmt.Sprintf(meta, name) + page
				d := webtext.Decode("text/html", []byte(encoded(t, name, page)))
				require.Equal(t, page, d.Text())
				require.Equal(t, name, d.Charset)
			}
			document := `<?xml version="1.0" encoding="` + name + `"?><a>` + text + `</a>`
			require.Equal(t, document, webtext.Decode("application/xml", []byte(encoded(t, name, document))).Text())
		})
	}
}

func TestDecodeCharset(t *testing.T) {
	t.Parallel()
	const text = "Grüße, 世界: words enough"
	tests := []struct {
		name, header, body string
		want, charset      string
	}{
		{name: "a mark of UTF-8", body: "\xEF\xBB\xBF" + text, want: text, charset: "utf-8"},
		{name: "a mark of UTF-16, little endian", header: "charset=utf-8", body: "\xFF\xFE" + encoded(t, "utf-16le", text), want: text, charset: "utf-16le"},
		{name: "a mark of UTF-16, big endian", header: "charset=utf-8", body: "\xFE\xFF" + encoded(t, "utf-16be", text), want: text, charset: "utf-16be"},
		{name: "a mark before the header", header: "charset=shift_jis", body: "\xEF\xBB\xBFplain", want: "plain", charset: "utf-8"},
		{name: "neither, UTF-8", body: text, want: text, charset: "utf-8"},
		{name: "neither, one byte each", body: "caf\xE9 \x96 5 \x80", want: "café – 5 €", charset: "windows-1252"},
		{name: "neither, ASCII", body: "plain", want: "plain", charset: "windows-1252"},
		{name: "the header before the page", header: "charset=koi8-r", body: "<meta charset=windows-1251>\xF0", want: "<meta charset=windows-1251>П", charset: "koi8-r"},
		{name: "the header lies about UTF-8", header: "charset=gb2312", body: text, want: text, charset: "utf-8"},
		{name: "the page lies about UTF-8", body: "<meta charset=gb2312>" + text, want: "<meta charset=gb2312>" + text, charset: "utf-8"},
		{name: "the mark lies about another", header: "charset=windows-1251", body: "\xEF\xBB\xBF\xCF\xF0\xE8\xE2\xE5\xF2", want: "Привет", charset: "windows-1251"},
		{name: "a mark of UTF-16 before UTF-8", body: "\xFF\xFE" + text, want: text, charset: "utf-8"},
		{name: "the header lies that it is UTF-8", header: "charset=utf-8", body: "<meta charset=windows-1251>\xCF\xF0\xE8\xE2\xE5\xF2", want: "<meta charset=windows-1251>Привет", charset: "windows-1251"},
		{name: "the page lies that it is UTF-8", body: "<meta charset=utf-8>caf\xE9", want: "<meta charset=utf-8>café", charset: "windows-1252"},
		{name: "one bad byte in UTF-8", header: "charset=utf-8", body: text + "\xFF", want: text + "\uFFFD", charset: "utf-8"},
		{name: "half a character at the end", body: text + "\xE4\xB8", want: text, charset: "utf-8"},
		{name: "half a character of UTF-16", header: "charset=utf-16le", body: "a\x00b\x00c", want: "ab", charset: "utf-16le"},
		{name: "a charset that does not exist", header: "charset=klingon", body: "caf\xE9", want: "café", charset: "windows-1252"},
		{name: "a charset that would lose everything", header: "charset=iso-2022-kr", body: "plain", want: "plain", charset: "windows-1252"},
		{name: "a page that claims UTF-16", body: "<meta charset=utf-16>plain", want: "<meta charset=utf-16>plain", charset: "utf-8"},
		{name: "a quoted label", header: `charset='KOI8-R'`, body: "\xF0", want: "П", charset: "koi8-r"},
		{name: "NUL", body: "a\x00b", want: "a\uFFFDb", charset: "windows-1252"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := webtext.Decode("text/html; "+tt.header, []byte(tt.body))
			require.Equal(t, tt.want, d.Text())
			require.Equal(t, tt.charset, d.Charset)
		})
	}
}
