package files

import (
	"strings"
)

// escape begins a sequence that colours a terminal or moves its cursor.
const escape = 0x1B

// plainText returns text without escape sequences.
func plainText(text string) string {
	at := strings.IndexByte(text, escape)
	if at < 0 {
		return text
	}
	var b strings.Builder
	for ; at >= 0; at = strings.IndexByte(text, escape) {
		b.WriteString(text[:at])
		text = text[at+sequence(text[at:]):]
	}
	return b.String() + text
}

// longestSequence is how far the end of an escape sequence is looked for.
const longestSequence = 256

// sequence returns how long the escape sequence is that text begins with. One
// without an end is the escape character alone.
func sequence(text string) int {
	if len(text) < 2 {
		return len(text)
	}
	kind := text[1]
	if kind != '[' && kind != ']' {
		return 2
	}
	for i := 2; i < min(len(text), longestSequence); i++ {
		switch c := text[i]; {
		case kind == '[' && c >= 0x40 && c <= 0x7E:
			return i + 1
		case kind == ']' && (c == 0x07 || c == '\\' && text[i-1] == escape):
			return i + 1
		}
	}
	return 1
}
