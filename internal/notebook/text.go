package notebook

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

// decode returns the text of a JSON string.
func decode(literal []byte) string {
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

// hasHalf reports whether a JSON string has half a character in it.
func hasHalf(literal []byte) bool {
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

// A spelling is how a writer of JSON spells what it may spell in several ways.
type spelling struct {
	ascii   bool            // escapes all beyond ASCII
	decided bool            // ascii was seen, not assumed
	escapes map[rune]string // characters that were seen escaped, and how
}

// learn takes a JSON string as an example. The latest example counts.
func (s *spelling) learn(literal []byte) {
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

// learnASCII looks through a whole JSON text for what its strings left open.
func (s *spelling) learnASCII(text []byte) {
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

// quote appends text as a JSON string.
func (s *spelling) quote(dst []byte, text string) []byte {
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

// splitLines cuts text after each line end. It knows the line ends that Jupyter
// knows, so that saving the notebook there changes nothing.
func splitLines(text string) []string {
	var lines []string
	start := 0
	for i, r := range text {
		end := i + utf8.RuneLen(r)
		if !endsLine(r) || r == '\r' && strings.HasPrefix(text[end:], "\n") {
			continue
		}
		lines = append(lines, text[start:end])
		start = end
	}
	if start < len(text) {
		lines = append(lines, text[start:])
	}
	return lines
}

func endsLine(r rune) bool {
	switch r {
	case '\n', '\v', '\f', '\r', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}
