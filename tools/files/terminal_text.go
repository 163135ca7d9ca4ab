package files

import "strings"

// escapeByte starts a terminal escape sequence, which sets a colour or moves the
// cursor.
const escapeByte = 0x1B

// stripEscapes removes escape sequences from text.
func stripEscapes(text string) string {
	at := strings.IndexByte(text, escapeByte)
	if at < 0 {
		return text
	}
	var b strings.Builder
	for ; at >= 0; at = strings.IndexByte(text, escapeByte) {
		b.WriteString(text[:at])
		text = text[at+escapeLength(text[at:]):]
	}
	return b.String() + text
}

// maxEscapeLength is the maximum length of an escape sequence in bytes.
const maxEscapeLength = 256

// escapeLength returns the length of the escape sequence with which text begins. If the
// sequence has no end, only the escape character counts.
func escapeLength(text string) int {
	if len(text) < 2 {
		return len(text)
	}
	kind := text[1]
	if kind != '[' && kind != ']' {
		return 2
	}
	for i := 2; i < min(len(text), maxEscapeLength); i++ {
		switch c := text[i]; {
		case kind == '[' && c >= 0x40 && c <= 0x7E:
			return i + 1
		case kind == ']' && (c == 0x07 || c == '\\' && text[i-1] == escapeByte):
			return i + 1
		}
	}
	return 1
}
