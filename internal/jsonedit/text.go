package jsonedit

import (
	"bytes"
	"iter"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// half stands for an escaped surrogate without its other half. As text it is
// U+FFFD.
const half rune = -1

// Decode returns the text of a JSON string.
func Decode(literal []byte) string {
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
		r, size := character(rest[next:])
		out.WriteRune(r)
		rest = rest[next+size:]
	}
}

// characters yields each character of a JSON string with the bytes that spell it.
func characters(literal []byte) iter.Seq2[rune, []byte] {
	return func(yield func(rune, []byte) bool) {
		for rest := literal[1 : len(literal)-1]; len(rest) > 0; {
			r, size := character(rest)
			if !yield(r, rest[:size]) {
				return
			}
			rest = rest[size:]
		}
	}
}

// character reads the first character of a string's inside.
func character(inside []byte) (r rune, size int) {
	const (
		escape = len(`\uXXXX`)
		pair   = 2 * escape
	)
	if inside[0] != '\\' {
		return utf8.DecodeRune(inside)
	}
	if inside[1] != 'u' {
		if i := strings.IndexByte("bfnrt", inside[1]); i >= 0 {
			return rune("\b\f\n\r\t"[i]), 2
		}
		return rune(inside[1]), 2
	}
	r = unit(inside[2:escape])
	if !utf16.IsSurrogate(r) {
		return r, escape
	}
	if len(inside) >= pair && string(inside[escape:escape+2]) == `\u` {
		if whole := utf16.DecodeRune(r, unit(inside[escape+2:pair])); whole != utf8.RuneError {
			return whole, pair
		}
	}
	return half, escape
}

func unit(digits []byte) rune {
	n, err := strconv.ParseUint(string(digits), 16, 32)
	if err != nil {
		n = utf8.RuneError // cannot happen: json.Valid saw the digits
	}
	return rune(n)
}

// HasHalf reports whether a JSON string has half a character in it.
func HasHalf(literal []byte) bool {
	if !bytes.Contains(literal, []byte(`\u`)) {
		return false
	}
	for r := range characters(literal) {
		if r == half {
			return true
		}
	}
	return false
}

// A Spelling is how a writer of JSON spells what it may spell in several ways.
type Spelling struct {
	ascii   bool            // escapes all beyond ASCII
	decided bool            // ascii was seen, not assumed
	escapes map[rune]string // characters that were seen escaped, and how
}

// Learn takes a JSON string as an example. The latest example counts.
func (s *Spelling) Learn(literal []byte) {
	for r, spelled := range characters(literal) {
		escaped := spelled[0] == '\\'
		switch {
		case r == half:
			continue
		case escaped:
			if s.escapes == nil {
				s.escapes = map[rune]string{}
			}
			s.escapes[r] = string(spelled)
		default:
			delete(s.escapes, r)
		}
		if r >= utf8.RuneSelf {
			s.ascii, s.decided = escaped, true
		}
	}
}

// LearnASCII looks through a whole JSON text for what its strings left open.
func (s *Spelling) LearnASCII(text []byte) {
	if s.decided {
		return
	}
	for _, c := range text {
		if c >= utf8.RuneSelf {
			return
		}
	}
	for {
		next := bytes.IndexByte(text, '\\')
		if next < 0 {
			return
		}
		r, size := character(text[next:])
		if r >= utf8.RuneSelf {
			s.ascii = true
			return
		}
		text = text[next+size:]
	}
}

// Quote appends text as a JSON string.
func (s *Spelling) Quote(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for i, r := range text {
		if escaped, ok := s.escapes[r]; ok {
			dst = append(dst, escaped...)
			continue
		}
		if s.ascii && r > '~' { // such writers escape the delete character too
			dst = appendEscape(dst, r)
			continue
		}
		quoted := strictjson.AppendQuoted(nil, text[i:i+utf8.RuneLen(r)])
		dst = append(dst, quoted[1:len(quoted)-1]...)
	}
	return append(dst, '"')
}

func appendEscape(dst []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	for _, u := range utf16.AppendRune(nil, r) {
		dst = append(dst, '\\', 'u', hex[u>>12], hex[u>>8&0xf], hex[u>>4&0xf], hex[u&0xf])
	}
	return dst
}
