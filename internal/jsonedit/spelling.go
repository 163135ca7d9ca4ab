package jsonedit

import (
	"bytes"
	"iter"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// characters yields each character of a JSON string with the bytes that spell it.
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
