package schema

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// resolveEscapes returns what the content of a string says. It reports whether it
// knows all escapes in it.
func resolveEscapes(content []byte) (text string, ok bool) {
	var b strings.Builder
	b.Grow(len(content))
	for {
		n := bytes.IndexByte(content, '\\')
		if n < 0 {
			b.Write(content)
			return b.String(), true
		}
		char, size := escape(content[n:])
		if size == 0 {
			return "", false
		}
		b.Write(content[:n])
		b.WriteRune(char)
		content = content[n+size:]
	}
}

// escape returns the character that an escape at the start of text stands for, and
// the length of the escape. That is 0 if there is none or if it is half a
// character, of which JSON writes two.
func escape(text []byte) (char rune, size int) {
	if len(text) < 2 {
		return 0, 0
	}
	switch c := text[1]; c {
	case '"', '\\', '/':
		return rune(c), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		return codePoint(text)
	}
	return 0, 0
}

// codePoint is escape for one with four hexadecimal digits.
func codePoint(text []byte) (char rune, size int) {
	const length = len(`\u0000`)
	if len(text) < length {
		return 0, 0
	}
	for _, c := range text[2:length] {
		char <<= 4
		switch {
		case c >= '0' && c <= '9':
			char |= rune(c - '0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			char |= rune(c|0x20-'a') + 10
		default:
			return 0, 0
		}
	}
	if !utf8.ValidRune(char) {
		return 0, 0
	}
	return char, length
}
