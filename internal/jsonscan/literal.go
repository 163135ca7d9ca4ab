package jsonscan

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// LoneSurrogate is the character that [Char] returns for an escaped surrogate without
// its other half. JSON allows it and UTF-8 cannot encode it.
const LoneSurrogate rune = -1

// Unquote returns the string that a string literal stands for. Each lone surrogate
// becomes U+FFFD.
func Unquote(literal []byte) string {
	rest := literal[1 : len(literal)-1]
	if bytes.IndexByte(rest, '\\') < 0 {
		return string(rest)
	}
	var out strings.Builder
	out.Grow(len(rest))
	for {
		next := bytes.IndexByte(rest, '\\')
		if next < 0 {
			out.Write(rest)
			return out.String()
		}
		out.Write(rest[:next])
		r, size := Char(rest[next:])
		out.WriteRune(r)
		rest = rest[next+size:]
	}
}

// IndexLoneSurrogate returns the offset of the first lone surrogate in a string
// literal, or -1.
func IndexLoneSurrogate(literal []byte) int {
	for at := 0; ; {
		next := bytes.IndexByte(literal[at:], '\\')
		if next < 0 {
			return -1
		}
		at += next
		r, size := Char(literal[at:])
		if r == LoneSurrogate {
			return at
		}
		at += size
	}
}

// Char returns the first character of content, which lies between the quotes of a
// string literal, and the number of bytes that spell it. Two escaped surrogates are one
// character.
func Char(content []byte) (r rune, size int) {
	const (
		escape = len(`\uXXXX`)
		pair   = 2 * escape
	)
	if content[0] != '\\' {
		return utf8.DecodeRune(content)
	}
	if content[1] != 'u' {
		if i := strings.IndexByte("bfnrt", content[1]); i >= 0 {
			return rune("\b\f\n\r\t"[i]), 2
		}
		return rune(content[1]), 2 // a quote, backslash or slash
	}
	r = codeUnit(content[2:escape])
	if !utf16.IsSurrogate(r) {
		return r, escape
	}
	if len(content) >= pair && string(content[escape:escape+2]) == `\u` {
		if whole := utf16.DecodeRune(r, codeUnit(content[escape+2:pair])); whole != utf8.RuneError {
			return whole, pair
		}
	}
	return LoneSurrogate, escape
}

func codeUnit(digits []byte) rune {
	n, err := strconv.ParseUint(string(digits), 16, 32)
	if err != nil {
		n = utf8.RuneError // not valid JSON
	}
	return rune(n)
}
