package strictjson

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxQuoted is how much of a text a message shows.
const maxQuoted = 80

// AppendQuoted appends s as a JSON string. Only what JSON demands is escaped:
// the quote, the backslash and control characters below U+0020. What is not
// UTF-8 stays as it is.
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

// Quote returns s as a JSON string for a message. Beyond 80 characters it is
// cut and ends in an ellipsis.
func Quote(s string) string {
	return string(AppendQuoted(nil, Cut(s)))
}

// Cut returns at most the first 80 characters of s, with an ellipsis if there
// are more.
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

// AppendKey returns the path of an object's value: parent.key, or parent["key"]
// if the key is not a plain word. The root's path is "".
func AppendKey(parent, key string) string {
	if !isWord(key) {
		return parent + "[" + Quote(key) + "]"
	}
	return Join(parent, key)
}

// AppendIndex returns the path of a list's element: parent[index].
func AppendIndex(parent string, index int) string {
	return parent + "[" + strconv.Itoa(index) + "]"
}

// Join returns the path of child, a path inside the value at parent.
func Join(parent, child string) string {
	if parent == "" || child == "" || child[0] == '[' {
		return parent + child
	}
	return parent + "." + child
}

// isWord reports whether a key can stand in a path without quotes.
func isWord(key string) bool {
	for _, r := range key {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-', r == '$':
		default:
			return false
		}
	}
	return key != "" && len(key) <= maxQuoted
}
