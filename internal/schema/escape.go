package schema

import (
	"strconv"
	"unicode/utf8"
)

// escapeSize returns the length of the escape at the start of text. It returns 0 for
// text that is not a valid escape, and for a surrogate, of which JSON needs two.
func escapeSize(text []byte) int {
	const codePoint = len(`\u0000`)
	if len(text) < 2 {
		return 0
	}
	switch text[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(text) < codePoint {
			return 0
		}
		n, err := strconv.ParseUint(string(text[2:codePoint]), 16, 32)
		if err != nil || !utf8.ValidRune(rune(n)) {
			return 0
		}
		return codePoint
	}
	return 0
}
