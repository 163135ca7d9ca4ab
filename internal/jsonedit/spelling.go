package jsonedit

import (
	"bytes"
	"iter"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// A Spelling is the way in which a writer of JSON spells characters that JSON can spell in
// several ways.
type Spelling struct {
	ascii   bool            // escapes all characters beyond ASCII
	decided bool            // an example showed ascii
	escapes map[rune]string // the escapes in the examples, by character
}

// Learn takes a string literal as an example. Later examples override earlier ones.
func (s *Spelling) Learn(literal []byte) {
	for r, spelled := range characters(literal) {
		escaped := spelled[0] == '\\'
		switch {
		case r == jsonscan.LoneSurrogate:
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

// LearnASCII finds in a whole JSON text whether its writer escapes characters beyond ASCII,
// unless an example has shown that.
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
		r, size := jsonscan.Char(text[next:])
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
		if s.ascii && r > '~' { // these writers escape the delete character too
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

// characters yields each character of a string literal with the bytes that spell it.
func characters(literal []byte) iter.Seq2[rune, []byte] {
	return func(yield func(rune, []byte) bool) {
		for rest := literal[1 : len(literal)-1]; len(rest) > 0; {
			r, size := jsonscan.Char(rest)
			if !yield(r, rest[:size]) {
				return
			}
			rest = rest[size:]
		}
	}
}
