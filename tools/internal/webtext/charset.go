package webtext

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
)

// declared is the number of bytes in which a page may name its own charset. The standard has
// 1,024; pages with long comments need more.
const declared = 4096

// decode returns the text of a body and the name of its encoding. The first of these decides:
// a byte order mark, valid UTF-8 with at least one character beyond ASCII, the label of the
// header, the page's own label. Else it is Windows-1252.
//
// A mark or label of UTF-8 does not count where most of the characters beyond ASCII are invalid,
// nor a mark or label of UTF-16 for a text that is UTF-8.
func decode(label string, body []byte) (text, name string) {
	for _, mark := range []struct{ bytes, label string }{{"\xEF\xBB\xBF", "utf-8"}, {"\xFF\xFE", "utf-16le"}, {"\xFE\xFF", "utf-16be"}} {
		rest, ok := bytes.CutPrefix(body, []byte(mark.bytes))
		if !ok {
			continue
		}
		if text, ok := decodeAs(mark.label, rest); ok {
			return text, mark.label
		}
		body = rest
		break
	}
	whole := body[:len(body)-cutCharacter(body)]
	if !isASCII(whole) && utf8.Valid(whole) && bytes.IndexByte(whole, 0) < 0 {
		return plainText(string(whole)), "utf-8"
	}
	for _, label := range []string{label, ownLabel(body)} {
		e, name := charset.Lookup(label)
		if e == nil || name == "replacement" || name == "x-user-defined" {
			continue
		}
		if text, ok := decodeAs(name, body); ok {
			return text, name
		}
	}
	text, _ = decodeAs("windows-1252", body)
	return text, "windows-1252"
}

// decodeAs decodes a body by the name of an encoding. It returns false if the body cannot have
// that encoding.
func decodeAs(name string, body []byte) (string, bool) {
	switch name {
	case "utf-8":
		return plainText(string(body[:len(body)-cutCharacter(body)])), !isMostlyInvalid(body)
	case "utf-16le", "utf-16be":
		if len(body) >= 16 && bytes.IndexByte(body, 0) < 0 && utf8.Valid(body[:len(body)-cutCharacter(body)]) {
			return "", false
		}
		body = body[:len(body)&^1]
	}
	e, _ := charset.Lookup(name)
	decoded, err := e.NewDecoder().Bytes(body)
	if err != nil {
		return "", false
	}
	return plainText(string(bytes.TrimPrefix(decoded, []byte("\uFEFF")))), true
}

// cutCharacter returns the number of bytes at the end that begin a character of UTF-8 that is not
// complete.
func cutCharacter(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if c := b[len(b)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// isMostlyInvalid reports whether more bytes are invalid as UTF-8 than characters beyond ASCII
// are valid.
func isMostlyInvalid(b []byte) bool {
	valid, invalid := 0, 0
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		c, n := utf8.DecodeRune(b[i:])
		if c == utf8.RuneError && n == 1 {
			invalid++
		} else {
			valid++
		}
		i += n
	}
	return invalid > valid
}

// ownLabel returns the charset that a page or an XML document names itself, or "".
func ownLabel(body []byte) string {
	head := body[:min(len(body), declared)]
	if rest, ok := bytes.CutPrefix(bytes.TrimSpace(head), []byte("<?xml")); ok {
		declaration, _, _ := bytes.Cut(rest, []byte("?>"))
		if _, value, ok := strings.Cut(string(declaration), "encoding"); ok {
			if label := charsetIn("charset" + value); label != "" {
				return withoutUTF16(label)
			}
		}
	}
	z := html.NewTokenizer(bytes.NewReader(head))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return ""
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		token := z.Token()
		if token.Data == "body" {
			return ""
		}
		if token.Data != "meta" {
			continue
		}
		if label := metaLabel(token.Attr); label != "" {
			return withoutUTF16(label)
		}
	}
}

// metaLabel returns the charset that a meta element names, or "".
func metaLabel(attributes []html.Attribute) string {
	var content string
	pragma := false
	for _, a := range attributes {
		switch a.Key {
		case "charset":
			return strings.ToLower(strings.TrimSpace(a.Val))
		case "http-equiv":
			pragma = strings.EqualFold(strings.TrimSpace(a.Val), "content-type")
		case "content":
			content = charsetIn(a.Val)
		}
	}
	if !pragma {
		return ""
	}
	return content
}

// withoutUTF16 returns UTF-8 for a label of UTF-16: a declaration that could be read is not in it.
func withoutUTF16(label string) string {
	if isUTF16(label) {
		return "utf-8"
	}
	return label
}

// plainText returns text as valid UTF-8 with U+FFFD in the place of NUL characters.
func plainText(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}
