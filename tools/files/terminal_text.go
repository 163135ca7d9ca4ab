package files

import "strings"

// escapeByte begins a sequence that colours a terminal or moves its cursor.
const escapeByte = 0x1B

// stripEscapes returns text without escape sequences.
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

// maxEscapeLength is how far the end of an escape sequence is looked for.
const maxEscapeLength = 256

// escapeLength returns how long the escape sequence is that text begins with. One
// without an end is the escape character alone.
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
