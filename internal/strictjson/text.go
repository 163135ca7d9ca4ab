package strictjson

import (
	"strings"
	"unicode/utf8"
)

// maxQuoted is the maximum number of characters of a quoted text in a message.
const maxQuoted = 80

// AppendQuoted appends s as a JSON string. It escapes only the characters that JSON
// requires: the quote, the backslash and control characters below U+0020. Invalid UTF-8
// stays unchanged.
func AppendQuoted(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[start:i]...)
		start = i + 1
		if short := strings.IndexByte("\"\\\b\f\n\r\t", c); short >= 0 {
			dst = append(dst, '\\', `"\bfnrt`[short])
		} else {
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xf])
		}
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// Quote returns s as a JSON string for a message. A string of more than 80 characters is
// cut, with an ellipsis at its end.
func Quote(s string) string {
	return string(AppendQuoted(nil, Cut(s)))
}

// Cut returns at most the first 80 characters of s, with an ellipsis if s has more.
func Cut(s string) string {
	if len(s) <= maxQuoted {
		return s
	}
	end := 0
	for range maxQuoted {
		if end == len(s) {
			return s
		}
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	if end == len(s) {
		return s
	}
	return s[:end] + "…"
}
