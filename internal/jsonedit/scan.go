package jsonedit

import "bytes"

// A scanner finds where values lie in a text that json.Valid accepted. So it
// never checks the grammar and never runs past the end. It does not recurse.
type scanner struct {
	data []byte
	pos  int
}

func (s *scanner) space() {
	for s.pos < len(s.data) && isSpace(s.data[s.pos]) {
		s.pos++
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// value steps over the next value and says where it lies.
func (s *scanner) value() Span {
	s.space()
	start := s.pos
	for depth := 0; ; {
		switch s.data[s.pos] {
		case '"':
			s.text()
		case '{', '[':
			depth++
			s.pos++
		case '}', ']':
			depth--
			s.pos++
		case ',', ':', ' ', '\t', '\n', '\r':
			s.pos++
		default:
			s.word()
		}
		if depth == 0 {
			return Span{start, s.pos}
		}
	}
}

// text steps over a string. It seeks the closing quote and looks back for what
// escapes it, since most of a notebook is long strings.
func (s *scanner) text() {
	start := s.pos + 1
	for s.pos = start; ; s.pos++ {
		s.pos += bytes.IndexByte(s.data[s.pos:], '"')
		escapes := 0
		for s.pos-escapes > start && s.data[s.pos-escapes-1] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			s.pos++
			return
		}
	}
}

// word steps over a number, true, false or null.
func (s *scanner) word() {
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; {
		case isSpace(c), c == ',', c == '}', c == ']':
			return
		}
		s.pos++
	}
}

// more steps to the next element, or over the bracket that ends them.
func (s *scanner) more(end byte) bool {
	s.space()
	switch s.data[s.pos] {
	case end:
		s.pos++
		return false
	case ',':
		s.pos++
		s.space()
	}
	return true
}
